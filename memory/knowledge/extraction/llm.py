"""Entities and relations by a language model, part by part; where it fails, by the rules, with a note of how often.

Small models write broken JSON, think aloud, invent names or stop answering. So each reply is read as far as it can be;
names that the text does not have word for word are left out; and a part that is then without entities, where the rules
find some, is extracted by the rules.
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

from clew.memory.encoding import ContentCache
from clew.memory.errors import ServiceUnreachable
from clew.memory.instructions import neutralised
from clew.memory.json_lines import read_json
from clew.memory.knowledge.extraction.clauses import by_rules
from clew.memory.knowledge.extraction.entities import apart, is_entity
from clew.memory.knowledge.extraction.lexicon import EntityKind, Mention, RelationMention
from clew.memory.ports import Message, WriteOptions, Writer, text_of
from clew.memory.text import Span, split
from clew.prompts import render

LONGEST_PART = 2400
"""Bytes of text in one prompt, about 600 tokens of English: of a longer text small models list a part only. A small
window has as many bytes as tokens: a third of it for the text, the rest for the prompt and a reply that is longer."""

LONGEST_TITLE, LONGEST_RELATION = 200, 80
"""Characters; a longer relation is a sentence and none."""

_QUOTES = {"'": "['’‘]", "’": "['’‘]", '"': '["“”]', "-": "[-–‐]"}
"""What a text may have where a model writes plainly."""

_DATA = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
_KINDS: Mapping[str, EntityKind] = {kind: kind for kind in get_args(EntityKind)} | _DATA["kinds"]
SCHEMA: Mapping[str, Any] = _DATA["schema"]
"""The schema that a model is given; what of a reply has another shape is passed over."""


Located = tuple[Sequence[Mention], Sequence[RelationMention]]
"""Mentions in order, none inside another, and relations."""


@dataclass(frozen=True, slots=True)
class Model:
    """The writer that extracts. Its readable replies are kept in the file `answers` (None: not), by prompt and model,
    so that a run that was stopped goes on where it ended."""

    writer: Writer
    answers: Path | None = None


class ModelExtractor:
    """An `Extractor`; `notes` says what did not go as it should, over all texts so far."""

    def __init__(self, model: Model) -> None:
        self._writer, path = model.writer, model.answers
        self._parts, self._failed, self._unreachable = 0, Counter[str](), ""
        self._kept = ContentCache(lambda: path, "answers") if path else None

    def __call__(self, text: str, title: str) -> Located:
        """Raises nothing where the model fails: why is counted."""
        mentions, relations, name = list[Mention](), list[RelationMention](), self._writer.name
        by_rule, told_by_rule = by_rules(text, title)
        for sentences in parts(text, min(LONGEST_PART, self._writer.window)):
            start, end = sentences[0][0], sentences[-1][1]
            own = [one for one in by_rule if start <= one.start and one.end <= end]
            told = [one for one in told_by_rule if start <= one.start and one.end <= end]
            found: Located = (own, told)
            why = ""
            try:
                found = self._by_model(text, title, sentences)
            except ServiceUnreachable as error:
                self._unreachable = error.message  # it is not asked again
                why = f"the model {name} was not reached ({error.message})"
            except ValueError:
                why = f"the answers of the model {name} could not be read"
            if own and not found[0]:
                why, found = f"the model {name} found nothing there", (own, told)
            self._parts += 1
            self._failed.update([why] if why else [])
            mentions += found[0]
            relations += found[1]
        return mentions, relations

    def close(self) -> None:
        """Closes the file of answers; may be called twice."""
        if self._kept:
            self._kept.close()

    @property
    def notes(self) -> tuple[str, ...]:
        again = "; clew index --rebuild asks it again for these alone" if self._kept else ""
        return tuple(
            f"entities of {count} of {self._parts} parts are by rules: {why}{again}"
            for why, count in self._failed.items()
        )

    def _by_model(self, text: str, title: str, sentences: Sequence[Span]) -> Located:
        """Raises `ServiceUnreachable`, and `ValueError` for a reply that cannot be read."""
        part = (sentences[0][0], sentences[-1][1])
        name = re.sub(r'[<>"\s]+', " ", neutralised(title[:LONGEST_TITLE]).text).strip()
        prompt = render("extract", title=name, text=neutralised(text[slice(*part)]).text)
        key = hashlib.sha256(json.dumps([self._writer.name, prompt, SCHEMA]).encode()).digest()
        known = self._kept.read([key]).get(key) if self._kept else None
        if self._unreachable and not known:
            raise ServiceUnreachable(self._unreachable)
        reply = (
            known.decode() if known else text_of(self._writer.write([Message("user", prompt)], WriteOptions(SCHEMA)))
        )
        found = locate(*read_reply(reply), text, part, sentences)
        if self._kept and not known and found[0]:
            self._kept.write({key: reply.encode()})
        return found


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


def read_reply(reply: str) -> tuple[dict[str, EntityKind], list[tuple[str, str, str]]]:
    """Names with their kinds, and triples, each once, whether the text has them or not; other things are passed over.
    Raises `ValueError` for a reply that cannot be read."""
    found = read_json(reply)
    if not isinstance(found, dict) or found.keys().isdisjoint(("entities", "triples")):
        raise ValueError('it has neither "entities" nor "triples"')
    named, stated = (found.get(name) for name in ("entities", "triples"))
    entities, triples = (
        [item for item in its if isinstance(item, dict)] if isinstance(its, list) else [] for its in (named, stated)
    )
    kinds = {_line(one.get("name")): _KINDS.get(str(one.get("type")).strip().casefold(), "name") for one in entities}
    parts = ((_line(one.get("subject")), _line(one.get("relation")), _line(one.get("object"))) for one in triples)
    stated = list(dict.fromkeys(triple for triple in parts if all(triple)))
    return {name: kind for name, kind in kinds.items() if name}, stated


def _line(value: Any) -> str:
    """A name or a relation on one line; numbers (years) are written out, anything else is nothing."""
    return " ".join(str(value).split()) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def locate(
    named: Mapping[str, EntityKind],
    stated: Sequence[tuple[str, str, str]],
    text: str,
    part: Span,
    sentences: Sequence[Span],
) -> Located:
    """In `text[part]`; offsets are the text's. `sentences` are those of the part.

    A relation is stated by the sentence that has both ends; where none has, by the later one of the two nearest.
    """
    kinds: dict[str, EntityKind] = {name: "name" for subject, _, object_ in stated for name in (subject, object_)}
    where = {name: list(_occurrences(name, kind, text, part)) for name, kind in (kinds | {**named}).items()}
    starts = [start for start, _ in sentences]

    def of(pair: tuple[Mention, Mention]) -> list[int]:
        return sorted(max(0, bisect_right(starts, end.start) - 1) for end in pair)

    relations = dict[RelationMention, None]()
    for subject, relation, object_ in stated:
        pairs = [(one, other) for one in where[subject] for other in where[object_]]
        pairs = [(one, other) for one, other in pairs if one.text.casefold() != other.text.casefold()]
        if pairs and len(relation) <= LONGEST_RELATION:
            ends = min(pairs, key=lambda pair: of(pair)[1] - of(pair)[0])
            relations[RelationMention(ends[0], relation, ends[1], *sentences[of(ends)[1]])] = None
    typed_first = sorted((mention for its in where.values() for mention in its), key=lambda one: one.kind == "name")
    return [*apart(typed_first, len(text))], [*relations]


def _occurrences(name: str, kind: EntityKind, text: str, part: Span) -> Iterator[Mention]:
    """With the same capitals; where there is none, with any. A line may break within the name."""
    words = ("".join(_QUOTES.get(letter) or re.escape(letter) for letter in word) for word in name.split())
    pattern = r"(?<!\w)(?:" + r"\s+".join(words) + r")(?!\w)"
    for flags in (re.NOFLAG, re.IGNORECASE):
        matches = [match.span() for match in re.compile(pattern, flags).finditer(text, *part)]
        if found := [Mention(text[start:end], start, end, kind) for start, end in matches]:
            yield from filter(is_entity, found)
            return
