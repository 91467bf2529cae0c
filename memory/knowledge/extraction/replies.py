"""A model's reply: entities and triples in whatever shape it writes them, and where the text has them."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from clew.memory.knowledge.extraction.entities import apart, is_entity
from clew.memory.knowledge.extraction.mentions import EntityKind, Mention, RelationMention
from clew.memory.text import Span
from clew.memory.tolerant_json import read_json

_KINDS: Mapping[str, EntityKind] = {
    **{kind: kind for kind in get_args(EntityKind)},
    "people": "person", "location": "place", "gpe": "place", "city": "place", "country": "place", "loc": "place",
    "organization": "organisation", "org": "organisation", "company": "organisation", "film": "work", "book": "work",
    "law": "work", "concept": "term", "time": "date", "year": "date", "per": "person",
}  # fmt: skip


def _list_of(**properties: Any) -> Mapping[str, Any]:
    return {"type": "array", "items": {"type": "object", "properties": properties, "required": list(properties)}}


_TEXT = {"type": "string"}
_TYPE = {"type": "string", "enum": ["person", "place", "organisation", "work", "date", "term", "other"]}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "entities": _list_of(name=_TEXT, type=_TYPE),
        "triples": _list_of(subject=_TEXT, relation=_TEXT, object=_TEXT),
    },
    "required": ["entities", "triples"],
}
"""The schema that a model is given; replies may have another shape."""

_NAMES = ("name", "entity", "text")
_SUBJECTS = ("subject", "head", "source")
_RELATIONS = ("relation", "predicate", "relationship", "verb", "type")
_OBJECTS = ("object", "tail", "target")


@dataclass(frozen=True, slots=True)
class ModelReply:
    """Names with their kinds, and triples, as a model wrote them: nothing is known yet of whether the text has them."""

    entities: tuple[tuple[str, EntityKind], ...]
    triples: tuple[tuple[str, str, str], ...]


def read_reply(reply: str) -> ModelReply:
    """Things that are neither an entity nor a triple are passed over. Raises `ValueError`, in words for the model."""
    found = read_json(reply)
    if isinstance(found, dict):
        entities = _first(found, "entities", "nodes")
        triples = _first(found, "triples", "relations", "relationships", "edges")
        if entities is None and triples is None:
            raise ValueError('it has neither "entities" nor "triples"')
    else:
        triples = [item for item in found if _triple(item)]
        entities = [item for item in found if not _triple(item)]
    if isinstance(entities, dict):
        entities = [{"name": name, "type": kind} for name, kind in entities.items()]
    named = (_entity(item) for item in _items(entities))
    stated = (_triple(item) for item in _items(triples))
    return ModelReply(tuple(dict.fromkeys(filter(None, named))), tuple(dict.fromkeys(filter(None, stated))))


def _entity(item: Any) -> tuple[str, EntityKind] | None:
    name, kind = item, ""
    if isinstance(item, dict):
        name, kind = _first(item, *_NAMES), _first(item, "type", "kind", "label")
    elif isinstance(item, list) and item:
        name, kind = item[0], item[1] if len(item) > 1 else ""
    line = _line(name)
    return (line, _KINDS.get(str(kind).strip().casefold(), "name")) if line else None


def _triple(item: Any) -> tuple[str, str, str] | None:
    three = item
    if isinstance(item, dict):
        three = [_first(item, *keys) for keys in (_SUBJECTS, _RELATIONS, _OBJECTS)]
    if not isinstance(three, list) or len(three) != 3:
        return None
    subject, relation, object_ = map(_line, three)
    return (subject, relation, object_) if subject and relation and object_ else None


def _line(value: Any) -> str:
    """A name or a relation on one line; numbers (years) are written out, anything else is nothing."""
    return " ".join(str(value).split()) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _first(item: Mapping[str, Any], *keys: str) -> Any:
    lower = {key.casefold(): value for key, value in item.items()}
    return next((lower[key] for key in keys if key in lower), None)


def _items(found: Any) -> Iterable[Any]:
    return found if isinstance(found, list) else ()


LONGEST_RELATION = 80
"""Characters; what is longer is a sentence and no relation."""

_QUOTES = {"'": "['’‘]", "’": "['’‘]", '"': '["“”]', "-": "[-–‐]"}
"""What a text may have where a model writes plainly."""

_GAP = r"\s+"


@dataclass(frozen=True, slots=True)
class Located:
    """Mentions in order, none inside another, and relations; `dropped` entities and triples are not in the text."""

    mentions: tuple[Mention, ...]
    relations: tuple[RelationMention, ...]
    dropped: int


def locate(listed: ModelReply, text: str, part: Span, sentences: Sequence[Span]) -> Located:
    """In `text[part]`; offsets are the text's. `sentences` are those of the part.

    A relation is stated by the sentence that has both ends; where none has, by the later one of the two nearest.
    """
    kinds: dict[str, EntityKind] = {
        name: "name" for subject, _, object_ in listed.triples for name in (subject, object_)
    }
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
        relations.append(RelationMention(ends[0], relation, ends[1], *span))
    return Located(mentions, tuple(dict.fromkeys(relations)), dropped)


def _occurrences(name: str, kind: EntityKind, text: str, part: Span) -> Iterator[Mention]:
    """With the same capitals; where there is none, with any. A line may break within the name."""
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
