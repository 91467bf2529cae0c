"""Entities and relations by a language model, part by part; where it fails, by the rules, with a note of how often.

Small models write broken JSON, think aloud, invent names or stop answering. So each reply is read as far as it can be;
one that is wrong is sent back once, with the reason; names that the text does not have word for word are left out; and
a part that is still without entities, where the rules find some, is extracted by the rules.
"""

import hashlib
import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from clew.memory.cache import ContentCache
from clew.memory.errors import BadInput, ServiceUnreachable
from clew.memory.instructions import neutralised
from clew.memory.json_lines import read_json
from clew.memory.knowledge.extraction.clauses import by_rules
from clew.memory.knowledge.extraction.entities import apart, is_entity
from clew.memory.knowledge.extraction.lexicon import EntityKind, Mention, RelationMention
from clew.memory.ports import Message, WriteOptions, Writer, text_of
from clew.memory.text import Span, split
from clew.prompts import render

LONGEST_PART = 2400
"""Bytes of text in one prompt, about 600 tokens of English: of a longer text small models list a part only."""

LONGEST_TITLE = 200
"""Characters."""

SHORTEST_PART = 300
"""Bytes; a window that has not so much room is too small."""

BYTES_PER_TOKEN = 3
"""Fewer than a token has, in most scripts: no port counts a writer's tokens beforehand."""

SHARES = 5
"""Of the window beside the prompt: the text, a reply twice as long, and another one where the first was wrong."""

LONGEST_RELATION = 80
"""Characters; what is longer is a sentence and no relation."""

_QUOTES = {"'": "['’‘]", "’": "['’‘]", '"': '["“”]', "-": "[-–‐]"}
"""What a text may have where a model writes plainly."""

_DATA = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
_KINDS: Mapping[str, EntityKind] = {kind: kind for kind in get_args(EntityKind)} | _DATA["kinds"]
SCHEMA: Mapping[str, Any] = _DATA["schema"]
"""The schema that a model is given; what of a reply has another shape is passed over."""


@dataclass(frozen=True, slots=True)
class Located:
    """Mentions in order, none inside another, and relations; `dropped` entities and triples are not in the text."""

    mentions: tuple[Mention, ...]
    relations: tuple[RelationMention, ...]
    dropped: int


@dataclass(frozen=True, slots=True)
class Model:
    """The writer that extracts. Its readable replies are kept in the file `answers` (None: not), by prompt and model,
    so that a run that was stopped goes on where it ended."""

    writer: Writer
    answers: Path | None = None


class ModelExtractor:
    """An `Extractor`; `notes` says what did not go as it should, over all texts so far."""

    def __init__(self, model: Model) -> None:
        """Raises `BadInput` where the window of the model is too small."""
        self._model = model
        self._limit = _room(model.writer)
        self._counts: Counter[str] = Counter()
        self._unreachable = ""
        path = model.answers
        self._kept = ContentCache(lambda: path, "answers") if path else None

    def __call__(self, text: str, title: str) -> tuple[Sequence[Mention], Sequence[RelationMention]]:
        """Raises nothing where the model fails."""
        mentions: list[Mention] = []
        relations: list[RelationMention] = []
        by_rules_alone = by_rules(text, title)
        for sentences in parts(text, self._limit):
            found = self._of_part(text, title, sentences, _within(sentences, *by_rules_alone))
            mentions += found.mentions
            relations += found.relations
        return mentions, relations

    def close(self) -> None:
        """Of the file of answers; may be called twice."""
        if self._kept:
            self._kept.close()

    @property
    def notes(self) -> tuple[str, ...]:
        counts, name = self._counts, self._model.writer.name
        reasons = {
            f"the answers of the model {name} could not be read": counts["unread"],
            f"the model {name} found nothing there": counts["empty"],
            f"the model {name} was not reached ({self._unreachable})": counts["not reached"],
        }
        again = "; clew index --rebuild asks it again for these alone"
        notes = [
            f"entities of {count} of {counts['parts']} parts are by rules: {why}{again if self._kept else ''}"
            for why, count in reasons.items()
            if count
        ]
        if counts["dropped"]:
            notes.append(
                f"{counts['dropped']} entities and triples of the model {name} were left out:"
                " the text does not have them word for word"
            )
        return tuple(notes)

    def _of_part(self, text: str, title: str, sentences: Sequence[Span], by_rules: Located) -> Located:
        """By the model, or by the rules where it fails: the reason is counted."""
        self._counts["parts"] += 1
        try:
            found, wrong = self._by_model(text, title, sentences, bool(by_rules.mentions))
        except ServiceUnreachable as error:
            self._unreachable = error.message  # it is not asked again
            self._counts["not reached"] += 1
            return by_rules
        self._counts["dropped"] += found.dropped if found else 0
        if found and not wrong:
            return found
        self._counts["empty" if found else "unread"] += 1
        return by_rules

    def _by_model(self, text: str, title: str, sentences: Sequence[Span], expected: bool) -> tuple[Located | None, str]:
        """What the model found (None: it could not be read), and what is wrong with it after one correction."""
        part = (sentences[0][0], sentences[-1][1])
        own = neutralised(text[slice(*part)]).text
        name = re.sub(r'[<>"\s]+', " ", neutralised(title[:LONGEST_TITLE]).text).strip()
        prompt = render("extract", title=name, text=own)
        asking = [Message("user", prompt)]
        key = hashlib.sha256(json.dumps([self._model.writer.name, prompt, SCHEMA]).encode()).digest()
        known = self._kept.read([key]).get(key) if self._kept else None
        reply = known.decode() if known else self._reply(asking)
        found, wrong = _read(reply, text, part, sentences, expected)
        if wrong:
            cut = reply[: 2 * self._limit]
            again = [Message("assistant", cut), Message("user", render("extract-again", reason=wrong))]
            reply = self._reply([*asking, *again])
            found, wrong = _read(reply, text, part, sentences, expected)
        if self._kept and not wrong and reply.encode() != known:
            self._kept.write({key: reply.encode()})
        return found, wrong

    def _reply(self, messages: Sequence[Message]) -> str:
        if self._unreachable:
            raise ServiceUnreachable(self._unreachable)
        return text_of(self._model.writer.write(messages, WriteOptions(SCHEMA)))


def _read(reply: str, text: str, part: Span, sentences: Sequence[Span], expected: bool) -> tuple[Located | None, str]:
    """What of a reply is in the text, None where it cannot be read, and what is wrong, in words for the model.

    With `expected`, entities are known to be there."""
    try:
        named, stated = read_reply(reply)
    except ValueError as error:
        return None, str(error)
    found = locate(named, stated, text, part, sentences)
    if found.mentions or not expected:
        return found, ""
    return found, "none of its names is in the text as it is written there" if found.dropped else "it names nothing"


def _within(sentences: Sequence[Span], mentions: Sequence[Mention], relations: Sequence[RelationMention]) -> Located:
    """Those that the sentences of a part hold."""
    start, end = sentences[0][0], sentences[-1][1]
    named = (one for one in mentions if start <= one.start and one.end <= end)
    return Located(tuple(named), tuple(one for one in relations if start <= one.start and one.end <= end), 0)


def _room(writer: Writer) -> int:
    """Bytes of text for one prompt."""
    texts = (render("extract", title="", text=""), render("extract-again", reason=""))
    prompt = sum(map(len, texts)) // BYTES_PER_TOKEN
    room = (writer.window - prompt) * BYTES_PER_TOKEN // SHARES
    if room < SHORTEST_PART:
        raise BadInput(
            f"the window of the model {writer.name}, {writer.window} tokens, is too small to extract with",
            "give it a larger one, or --extractor rules",
        )
    return min(LONGEST_PART, room)


def parts(text: str, limit: int) -> Iterator[list[Span]]:
    """Sentences that together have at most `limit` bytes; a longer sentence is cut where it has white space."""
    part: list[Span] = []
    for span in (piece for sentence in split(text) for piece in _pieces(text, sentence, limit)):
        if part and len(text[part[0][0] : span[1]].encode()) > limit:
            yield part
            part = []
        part.append(span)
    if part:
        yield part


def _pieces(text: str, span: Span, limit: int) -> Iterator[Span]:
    start, end = span
    while len(text[start:end].encode()) > limit:
        cut = start + len(text[start:end].encode()[:limit].decode(errors="ignore"))
        space = text.rfind(" ", start + 1, cut)
        cut = space if space > 0 else cut
        yield start, cut
        start = cut + (text[cut : cut + 1] == " ")
    yield start, end


def read_reply(reply: str) -> tuple[list[tuple[str, EntityKind]], list[tuple[str, str, str]]]:
    """Names with their kinds, and triples, each once, whether the text has them or not; other things are passed over.

    Raises `ValueError`, in words for the model.
    """
    found = read_json(reply)
    if not isinstance(found, dict) or found.keys().isdisjoint(("entities", "triples")):
        raise ValueError('it has neither "entities" nor "triples"')
    named, stated = (found.get(name) for name in ("entities", "triples"))
    entities, triples = (
        [item for item in its if isinstance(item, dict)] if isinstance(its, list) else [] for its in (named, stated)
    )
    kinds = ((_line(one.get("name")), str(one.get("type")).strip().casefold()) for one in entities)
    parts = ((_line(one.get("subject")), _line(one.get("relation")), _line(one.get("object"))) for one in triples)
    return (
        list(dict.fromkeys((name, _KINDS.get(kind, "name")) for name, kind in kinds if name)),
        list(dict.fromkeys(triple for triple in parts if all(triple))),
    )


def _line(value: Any) -> str:
    """A name or a relation on one line; numbers (years) are written out, anything else is nothing."""
    return " ".join(str(value).split()) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def locate(
    named: Sequence[tuple[str, EntityKind]],
    stated: Sequence[tuple[str, str, str]],
    text: str,
    part: Span,
    sentences: Sequence[Span],
) -> Located:
    """In `text[part]`; offsets are the text's. `sentences` are those of the part.

    A relation is stated by the sentence that has both ends; where none has, by the later one of the two nearest.
    """
    kinds: dict[str, EntityKind] = {name: "name" for subject, _, object_ in stated for name in (subject, object_)}
    kinds |= dict(named)
    where = {name: list(_occurrences(name, kind, text, part)) for name, kind in kinds.items()}
    typed_first = sorted((mention for its in where.values() for mention in its), key=lambda one: one.kind == "name")
    mentions = tuple(apart(typed_first, len(text)))
    starts = [start for start, _ in sentences]
    relations = []
    dropped = sum(not where[name] for name, _ in named)
    for subject, relation, object_ in stated:
        ends = _nearest(where[subject], where[object_], starts)
        if ends is None or len(relation) > LONGEST_RELATION:
            dropped += 1
            continue
        span = sentences[max(_sentence(end, starts) for end in ends)]
        relations.append(RelationMention(ends[0], relation, ends[1], *span))
    return Located(mentions, tuple(dict.fromkeys(relations)), dropped)


def _occurrences(name: str, kind: EntityKind, text: str, part: Span) -> Iterator[Mention]:
    """With the same capitals; where there is none, with any. A line may break within the name."""
    words = ("".join(_QUOTES.get(letter) or re.escape(letter) for letter in word) for word in name.split())
    pattern = r"(?<!\w)(?:" + r"\s+".join(words) + r")(?!\w)"
    for flags in (re.NOFLAG, re.IGNORECASE):
        matches = [match.span() for match in re.compile(pattern, flags).finditer(text, *part)]
        found = [Mention(text[start:end], start, end, kind) for start, end in matches]
        if found:
            yield from filter(is_entity, found)
            return


def _nearest(subjects: Sequence[Mention], objects: Sequence[Mention], starts: Sequence[int]) -> list[Mention] | None:
    """A subject and an object in one sentence, or in sentences as near as there are; the first such."""
    pairs = [[one, other] for one in subjects for other in objects if one.text.casefold() != other.text.casefold()]

    def apart(pair: list[Mention]) -> tuple[int, int]:
        one, other = (_sentence(mention, starts) for mention in pair)
        return abs(one - other), min(one, other)

    return min(pairs, key=apart, default=None)


def _sentence(mention: Mention, starts: Sequence[int]) -> int:
    return max(0, bisect_right(starts, mention.start) - 1)
