"""Graphs: a folder of nodes and edges, and a file of triples (JSON, a list of lists of three texts).

A graph folder: nodes and edges as JSON lines, an edge of two ends or a relation of many (seed 004, 8.2).

A line with `members` for `source` and `target` is a relation of them all. It becomes a virtual node, a document like
the nodes', to which each member has one edge, by its role or else by the relation: of n members n edges, not n².
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from clew.memory.datatypes import Document, Edge
from clew.memory.errors import Unreadable
from clew.memory.knowledge.clues.clue_index import normalise, triple_lines
from clew.memory.knowledge.loaders.jsonl import (
    Record,
    field,
    named,
    parts_of,
    plain_or_zipped,
    read_jsonl,
    records,
)
from clew.memory.knowledge.loaders.plain_text import decode, json_of
from clew.memory.knowledge.loaders.source import Loader, LoadFailure, Source, shown
from clew.memory.text import clean, storable

MEMBERS = b'"members"'
"""What a line of a relation of many has in it."""


@dataclass(frozen=True, slots=True)
class ManyRelation:
    """A relation of many, `place` its line. `members` are (id of a node, role), each once; without an `id` it gets one
    made of its content, the same in every run."""

    id: str
    relation: str
    title: str
    text: str
    members: tuple[tuple[str, str], ...]
    place: str


def read_graph(source: Source) -> Iterator[Document | LoadFailure]:
    """The nodes, and after them the relations of many; a member that is no node here is named by its id."""
    waiting = list(_relations(edges_beside(source.path)))
    members = {id_ for item in waiting if isinstance(item, ManyRelation) for id_, _ in item.members}
    ids: set[str] = set()
    titles: dict[str, str] = {}
    for item in read_jsonl(source):
        yield item
        if waiting and isinstance(item, Document):
            ids.add(item.id)
            if item.id in members:
                titles[item.id] = item.title or item.id
    for checked in named(_checked(waiting, ids), shown(edges_beside(source.path))):
        yield checked if isinstance(checked, LoadFailure) else _document(checked, titles)


def read_graph_edges(source: Source) -> Iterator[Edge | LoadFailure]:
    """The edges as they come, repeated ones and those to unknown nodes among them; then those of the relations of
    many, whose failures `read_graph` reports."""
    path = edges_beside(source.path)
    yield from named(_edges(path), shown(path))
    if waiting := list(_relations(path)):
        ids = {item.id for item in read_jsonl(source) if isinstance(item, Document)}
        for relation in _checked(waiting, ids):
            if isinstance(relation, ManyRelation):
                yield from (Edge(member, relation.id, role) for member, role in relation.members)


def edges_beside(nodes: Path) -> Path:
    """The file of edges of a graph folder, plain or zipped."""
    return plain_or_zipped(nodes.parent, "edges") or nodes.with_name("edges.jsonl.gz")


def _nodes(folder: Path) -> Path | None:
    return plain_or_zipped(folder, "nodes") if plain_or_zipped(folder, "edges") else None


def _edges(path: Path) -> Iterator[Edge | LoadFailure]:
    for item in records(path):
        if isinstance(item, LoadFailure):
            yield item
            continue
        number, record = item
        if _is_relation(record):
            continue
        try:
            if "members" in record:
                raise Unreadable('both "members" and an end of an edge: it is one or the other')
            source, target = (storable(field(record, end)) for end in ("source", "target"))
            yield Edge(source, target, storable(field(record, "relation", "")))
        except Unreadable as error:
            yield LoadFailure(f"{shown(path)}:{number}", error.message)


def _relations(path: Path) -> Iterator[ManyRelation | LoadFailure]:
    """Lines that are not JSON, and a file that cannot be read, are reported by `_edges`."""
    for item in records(path, having=MEMBERS):
        if isinstance(item, tuple) and _is_relation(item[1]):
            place = f"{shown(path)}:{item[0]}"
            try:
                yield _relation(item[1], place)
            except Unreadable as error:
                yield LoadFailure(place, error.message)


def _is_relation(record: Record) -> bool:
    return "members" in record and "source" not in record and "target" not in record


def _relation(record: Record, place: str) -> ManyRelation:
    relation = " ".join(clean(field(record, "relation")).split())
    given = record["members"]
    if not isinstance(given, list):
        raise Unreadable('"members" is not a list')
    members = tuple(dict.fromkeys(_member(member, relation) for member in given))
    if len({id_ for id_, _ in members}) < 2:
        raise Unreadable("a relation of fewer than two members")
    title = " ".join(clean(field(record, "title", "")).split())
    content = json.dumps([relation, title, sorted(members)], ensure_ascii=False)
    own = f"{relation}:{hashlib.sha256(content.encode()).hexdigest()[:16]}"
    id_ = storable(field(record, "id", "")) or own
    return ManyRelation(id_, relation, title, clean(field(record, "text", "")).strip(), members, place)


def _member(member: object, relation: str) -> tuple[str, str]:
    """Id and role of `"a"` or `{"id": "a", "role": "is_author"}`."""
    record = member if isinstance(member, dict) else {"id": member}
    id_ = storable(field(record, "id"))
    if not id_:
        raise Unreadable("a member without an id")
    return id_, storable(field(record, "role", "")) or relation


def _checked(items: Iterable[ManyRelation | LoadFailure], nodes: set[str]) -> Iterator[ManyRelation | LoadFailure]:
    """Those that stand among these nodes. Said again, word for word, a relation without an id is the same one."""
    known: dict[str, ManyRelation] = {}
    for item in items:
        if isinstance(item, LoadFailure):
            yield item
        elif item.id in nodes:
            yield LoadFailure(item.place, f"the id '{item.id}' is that of a node already")
        elif item.id in known:
            if known[item.id].members != item.members or known[item.id].text != item.text:
                yield LoadFailure(item.place, f"the id '{item.id}' is on an earlier line already")
        elif len({id_ for id_, _ in item.members} & nodes) < 2:
            yield LoadFailure(item.place, "fewer than two of its members are nodes")
        else:
            known[item.id] = item
            yield item


def _document(relation: ManyRelation, titles: Mapping[str, str]) -> Document:
    names = (titles.get(id_, id_) for id_ in dict.fromkeys(id_ for id_, _ in relation.members))
    text = relation.text or f"{relation.relation}: {', '.join(names)}"
    return Document(relation.id, relation.title or relation.relation, text, relation.place)


BEGINNING = 1 << 16
"""Bytes in which the first triple of a file ends."""

_TEXT = r'"(?:[^"\\]|\\.)*"'
_PART = rf"\s*(?:{_TEXT}|-?\d[\d.eE+-]*)\s*"
_FIRST = re.compile(rf"\s*\[\s*\[\s*{_TEXT}\s*,{_PART},{_PART}\]")


def is_file_of_triples(path: Path) -> bool:
    """Whether its first entry is a list of three texts; what comes then is not looked at, so that a file that is cut
    off is still the one that it was. One that cannot be opened may be one: reading it says why."""
    try:
        with path.open("rb") as file:
            return bool(_FIRST.match(decode(file.read(BEGINNING).rpartition(b"]")[0] + b"]")))
    except OSError:
        return True
    except Unreadable:
        return False


def read_triples(source: Source) -> Iterator[Document | LoadFailure]:
    """A document for each subject, with its triples a line each, the same ones once; at the end, counted, the entries
    that are none.

    Raises `Unreadable` for what is not a list in JSON, and `OSError`.
    """
    entries = json_of(source)
    if not isinstance(entries, list):
        raise Unreadable("not a list of triples")
    bad: list[int] = []
    by_subject: dict[str, list[tuple[str, ...]]] = {}
    for number, entry in enumerate(entries, 1):
        if parts := parts_of(entry):
            by_subject.setdefault(normalise(parts[0]), []).append(parts)
        else:
            bad.append(number)
    place = shown(source.path)
    for subject, triples in by_subject.items():
        text = "\n".join(triple_lines(triples))
        yield Document(f"{source.name}:{subject}", triples[0][0], text, place, triples=tuple(triples))
    if bad:
        yield LoadFailure(
            place, f"{len(bad)} of its entries are not three texts, the first is entry {bad[0]}", len(bad)
        )


GRAPH = Loader(
    "graph",
    read_graph,
    in_folder=_nodes,
    edges=read_graph_edges,
    files=lambda nodes: (nodes, edges_beside(nodes)),
)
TRIPLES = Loader("triples", read_triples, (".json",), is_file_of_triples)
