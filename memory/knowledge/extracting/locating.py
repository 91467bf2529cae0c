"""Where a text has what a model says that it names: what it does not have, word for word, is left out and counted."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.memory.knowledge.extracting.datatypes import Kind, Mention, Relation
from clew.memory.knowledge.extracting.entities import apart, is_entity
from clew.memory.knowledge.extracting.replies import Listed
from clew.memory.sentences import Span

LONGEST_RELATION = 80
"""Characters; what is longer is a sentence and no relation."""

_QUOTES = {"'": "['’‘]", "’": "['’‘]", '"': '["“”]', "-": "[-–‐]"}
"""What a text may have where a model writes plainly."""

_GAP = r"\s+"


@dataclass(frozen=True, slots=True)
class Located:
    """Mentions in order, none inside another, and relations; `dropped` entities and triples are not in the text."""

    mentions: tuple[Mention, ...]
    relations: tuple[Relation, ...]
    dropped: int


def locate(listed: Listed, text: str, part: Span, sentences: Sequence[Span]) -> Located:
    """In `text[part]`; offsets are the text's. `sentences` are those of the part.

    A relation is stated by the sentence that has both ends; where none has, by the later one of the two nearest.
    """
    kinds: dict[str, Kind] = {name: "name" for subject, _, object_ in listed.triples for name in (subject, object_)}
    kinds |= dict(listed.entities)
    where = {name: list(_occurrences(name, kind, text, part)) for name, kind in kinds.items()}
    typed_first = sorted((mention for its in where.values() for mention in its), key=lambda one: one.kind == "name")
    mentions = tuple(apart(typed_first, len(text)))
    starts = [start for start, _ in sentences]
    relations = []
    dropped = sum(not where[name] for name, _ in listed.entities)
    for subject, relation, object_ in listed.triples:
        ends = _nearest(where[subject], where[object_], starts)
        if ends is None or len(relation) > LONGEST_RELATION:
            dropped += 1
            continue
        span = sentences[max(_sentence(end, starts) for end in ends)]
        relations.append(Relation(ends[0], relation, ends[1], *span))
    return Located(mentions, tuple(dict.fromkeys(relations)), dropped)


def _occurrences(name: str, kind: Kind, text: str, part: Span) -> Iterator[Mention]:
    """As it is written; only where there is none, in whatever capitals. A line may be wrapped within it."""
    words = ("".join(_QUOTES.get(letter) or re.escape(letter) for letter in word) for word in name.split())
    pattern = rf"(?<!\w)(?:{_GAP.join(words)})(?!\w)"
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
