"""Graphs: a folder of nodes and edges as JSON lines, and a file of triples (JSON, a list of lists of three texts).

A line of edges with `members` for `source` and `target` is a relation of them all (seed 004, 8.2). It becomes a virtual
node, a document like the nodes', to which each member has one edge, by its role or else by the relation: of n members
n edges, not n².
"""

import hashlib
import json
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from clew.memory.datatypes import Document, Edge
from clew.memory.errors import Unreadable
from clew.memory.knowledge.clues.clue_index import normalise, triple_lines
from clew.memory.knowledge.loaders.jsonl import Record, field, named, parts_of, plain_or_zipped, read_jsonl, records
from clew.memory.knowledge.loaders.plain_text import decode, json_of
from clew.memory.knowledge.loaders.source import LoadFailure, Source, shown
from clew.memory.text import clean, storable

Many = tuple[Document, str, tuple[tuple[str, str], ...]]
"""A relation of many: its document, its name, and its members (id of a node, role), each once."""


def read_graph(source: Source) -> Iterator[Document | LoadFailure]:
    """The nodes, and after them the relations of many; a member that is no node here is named by its id."""
    path, titles = edges_beside(source.path), dict[str, str]()
    waiting = list(_relations(path))
    for item in read_jsonl(source):
        yield item
        if waiting and isinstance(item, Document):
            titles[item.id] = item.title or item.id
    for checked in named(_checked(waiting, titles), shown(path)):
        if isinstance(checked, LoadFailure):
            yield checked
            continue
        document, relation, members = checked
        names = ", ".join(titles.get(id_, id_) for id_ in dict.fromkeys(id_ for id_, _ in members))
        yield document if document.text else replace(document, text=f"{relation}: {names}")


def read_graph_edges(source: Source) -> Iterator[Edge | LoadFailure]:
    """The edges as they come, repeated ones and those to unknown nodes among them; then those of the relations of
    many, whose failures `read_graph` reports."""
    path = edges_beside(source.path)
    yield from named(_edges(path), shown(path))
    if waiting := list(_relations(path)):
        ids = {item.id for item in read_jsonl(source) if isinstance(item, Document)}
        for relation in _checked(waiting, ids):
            if isinstance(relation, tuple):
                yield from (Edge(member, relation[0].id, role) for member, role in relation[2])


def nodes_of(folder: Path) -> Path | None:
    """The file of nodes of a graph folder, which has edges too."""
    return plain_or_zipped(folder, "nodes") if plain_or_zipped(folder, "edges") else None


def edges_beside(nodes: Path) -> Path:
    """The file of edges of a graph folder, plain or zipped."""
    return plain_or_zipped(nodes.parent, "edges") or nodes.with_name("edges.jsonl.gz")


def _edges(path: Path) -> Iterator[Edge | LoadFailure]:
    for item in records(path):
        if isinstance(item, LoadFailure):
            yield item
        elif not _is_relation(item[1]):
            try:
                if "members" in item[1]:
                    raise Unreadable('both "members" and an end of an edge: it is one or the other')
                source, target = (storable(field(item[1], end)) for end in ("source", "target"))
                yield Edge(source, target, storable(field(item[1], "relation", "")))
            except Unreadable as error:
                yield LoadFailure(f"{shown(path)}:{item[0]}", error.message)


def _relations(path: Path) -> Iterator[Many | LoadFailure]:
    """Lines that are not JSON, and a file that cannot be read, are reported by `_edges`."""
    for item in records(path, having=b'"members"'):
        if isinstance(item, tuple) and _is_relation(item[1]):
            place = f"{shown(path)}:{item[0]}"
            try:
                yield _relation(item[1], place)
            except Unreadable as error:
                yield LoadFailure(place, error.message)


def _is_relation(record: Record) -> bool:
    return "members" in record and "source" not in record and "target" not in record


def _relation(record: Record, place: str) -> Many:
    """Without an id it gets one made of its content, the same in every run. A member is `"a"`, or
    `{"id": "a", "role": "is_author"}`."""
    relation, title = (" ".join(clean(field(record, *of)).split()) for of in (("relation",), ("title", "")))
    if not isinstance(record["members"], list):
        raise Unreadable('"members" is not a list')
    given = [member if isinstance(member, dict) else {"id": member} for member in record["members"]]
    pairs = [(storable(field(member, "id")), storable(field(member, "role", "")) or relation) for member in given]
    members = tuple(dict.fromkeys(pairs))
    if not all(id_ for id_, _ in members):
        raise Unreadable("a member without an id")
    if len({id_ for id_, _ in members}) < 2:
        raise Unreadable("a relation of fewer than two members")
    content = json.dumps([relation, title, sorted(members)], ensure_ascii=False)
    own = f"{relation}:{hashlib.sha256(content.encode()).hexdigest()[:16]}"
    text = clean(field(record, "text", "")).strip()
    return Document(storable(field(record, "id", "")) or own, title or relation, text, place), relation, members


def _checked(items: Iterable[Many | LoadFailure], nodes: Container[str]) -> Iterator[Many | LoadFailure]:
    """Those that stand among these nodes. Said again, word for word, a relation without an id is the same one."""
    known: dict[str, tuple[object, str]] = {}
    for item in items:
        if isinstance(item, LoadFailure):
            yield item
            continue
        document, _, members = item
        if document.id in nodes:
            yield LoadFailure(document.source, f"the id '{document.id}' is that of a node already")
        elif document.id in known:
            if known[document.id] != (members, document.text):
                yield LoadFailure(document.source, f"the id '{document.id}' is on an earlier line already")
        elif sum(id_ in nodes for id_ in {id_ for id_, _ in members}) < 2:
            yield LoadFailure(document.source, "fewer than two of its members are nodes")
        else:
            known[document.id] = members, document.text
            yield item


BEGINNING = 1 << 16
"""Bytes in which the first triple of a file ends."""


def is_file_of_triples(path: Path) -> bool:
    """Whether its first entry is a list of three texts; what comes then is not looked at, so that a file that is cut
    off is still the one that it was. One that cannot be opened may be one: reading it says why."""
    try:
        with path.open("rb") as file:
            text = decode(file.read(BEGINNING).rpartition(b"]")[0] + b"]").lstrip()
        first, _ = json.JSONDecoder().raw_decode(text.removeprefix("[").lstrip())
    except OSError:
        return True
    except (Unreadable, ValueError, RecursionError):
        return False
    kinds = list(map(type, first)) if isinstance(first, list) and text.startswith("[") else []
    return len(kinds) == 3 and kinds[0] is str and {*kinds} <= {str, int, float}


def read_triples(source: Source) -> Iterator[Document | LoadFailure]:
    """A document for each subject, with its triples a line each, the same ones once; at the end, counted, the entries
    that are none. Raises `Unreadable` for what is not a list in JSON, and `OSError`."""
    entries = json_of(source)
    if not isinstance(entries, list):
        raise Unreadable("not a list of triples")
    by_subject, bad, place = dict[str, list[tuple[str, ...]]](), list[int](), shown(source.path)
    for number, entry in enumerate(entries, 1):
        if parts := parts_of(entry):
            by_subject.setdefault(normalise(parts[0]), []).append(parts)
        else:
            bad.append(number)
    for subject, triples in by_subject.items():
        text = "\n".join(triple_lines(triples))
        yield Document(f"{source.name}:{subject}", triples[0][0], text, place, triples=tuple(triples))
    if bad:
        why = f"{len(bad)} of its entries are not three texts, the first is entry {bad[0]}"
        yield LoadFailure(place, why, len(bad))
