"""A model's list of entities and triples, in whatever shape it writes one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from clew.memory.knowledge.extracting.datatypes import Kind
from clew.memory.tolerant_json import read_json

_KINDS: Mapping[str, Kind] = {
    **{kind: kind for kind in get_args(Kind)},
    "people": "person", "location": "place", "gpe": "place", "city": "place", "country": "place", "loc": "place",
    "organization": "organisation", "org": "organisation", "company": "organisation", "film": "work", "book": "work",
    "law": "work", "concept": "term", "time": "date", "year": "date", "per": "person",
}  # fmt: skip

_TEXT = {"type": "string"}
TYPES = ("person", "place", "organisation", "work", "date", "term", "other")

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "entities": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": _TEXT, "type": {"type": "string", "enum": list(TYPES)}},
                "required": ["name", "type"],
            },
        },
        "triples": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"subject": _TEXT, "relation": _TEXT, "object": _TEXT},
                "required": ["subject", "relation", "object"],
            },
        },
    },
    "required": ["entities", "triples"],
}
"""What the model is asked for; what it writes may be otherwise."""

_NAMES = ("name", "entity", "text")
_SUBJECTS = ("subject", "head", "source")
_RELATIONS = ("relation", "predicate", "relationship", "verb", "type")
_OBJECTS = ("object", "tail", "target")


@dataclass(frozen=True, slots=True)
class Listed:
    """Names with their kinds, and triples, as a model wrote them: nothing is known yet of whether the text has them."""

    entities: tuple[tuple[str, Kind], ...]
    triples: tuple[tuple[str, str, str], ...]


def read_reply(reply: str) -> Listed:
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
    return Listed(tuple(dict.fromkeys(filter(None, named))), tuple(dict.fromkeys(filter(None, stated))))


def _entity(item: Any) -> tuple[str, Kind] | None:
    name, kind = item, ""
    if isinstance(item, dict):
        name, kind = _first(item, *_NAMES), _first(item, "type", "kind", "label")
    elif isinstance(item, list) and item:
        name, kind = item[0], item[1] if len(item) > 1 else ""
    said = _line(name)
    return (said, _KINDS.get(str(kind).strip().casefold(), "name")) if said else None


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
