"""JSON lines: corpora of BEIR, graph folders, any file with a `text` on each line; plain or zipped.

A line of a graph's edges with `members` for `source` and `target` is a relation of them all (seed 004, 8.2). It becomes
a virtual node, a document like the nodes', to which each member has one edge, by its role or else by the relation: of n
members n edges, not n².
"""

import bz2
import gzip
import hashlib
import json
import stat
import zlib
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar, cast

from clew.memory.datatypes import Document, Edge
from clew.memory.errors import Unreadable
from clew.memory.knowledge.clues.clue_index import normalise
from clew.memory.knowledge.loaders.plain_text import not_empty, title_of_text
from clew.memory.knowledge.loaders.source import LoadFailure, Source, file_mode, in_a_line, reason, shown
from clew.memory.text import clean, storable

Record = Mapping[str, Any]
SUFFIXES = (".jsonl", ".jsonl.gz")
Entry = TypeVar("Entry")

LONGEST_LINE, NAMED_FAILURES = 1 << 24, 20
"""Bytes of a line, what is more counts as another one; and lines of one file that are named: of a file that has nothing
but broken lines, the rest are counted."""

AUTHOR, TAGS = ("author", "authors"), ("tags", "keywords")
BROKEN_ZIP = (EOFError, zlib.error, gzip.BadGzipFile)


def read_jsonl(source: Source) -> Iterator[Document | LoadFailure]:
    """A document for each line. Ids are kept as they are; a line without one is `<file>:<line>`. Raises `Unreadable`
    for a file without lines, and for a script of conversations."""
    first = next(_each(source.path, lambda record, _: record), None)
    if first is None:
        raise Unreadable("empty")
    if isinstance(first, dict) and {"conversation_id", "turns"} <= first.keys():
        raise Unreadable("a conversation script, which clew replay runs")
    place, known = shown(source.path), set[str]()

    def document(record: Record, number: int) -> Document:
        made = _document(record, f"{source.name}:{number}", f"{place}:{number}")
        if made.id in known:
            raise Unreadable(f"the id '{made.id}' is on an earlier line already")
        known.add(made.id)
        return made

    yield from named(_each(source.path, document), place)


def unzipped(path: Path) -> IO[bytes]:
    """A file, or what is in one that is zipped alone. Reading it may raise `OSError`, and what `BROKEN_ZIP` lists."""
    openers: dict[str, Any] = {".bz2": bz2.open, ".gz": gzip.open}
    return cast(IO[bytes], openers.get(path.suffix.lower(), Path.open)(path, "rb"))


def plain_or_zipped(folder: Path, name: str) -> Path | None:
    """The file `<name>.jsonl` or `<name>.jsonl.gz` of a folder."""
    paths = (folder / f"{name}{end}" for end in SUFFIXES)
    return next((path for path in paths if stat.S_ISREG(file_mode(path))), None)


def corpus_of(folder: Path) -> Path | None:
    """A corpus without queries or qrels beside it is a file like others, and what lies beside it is read too."""
    judged = plain_or_zipped(folder, "queries") or file_mode(folder / "qrels.tsv") or file_mode(folder / "qrels")
    return plain_or_zipped(folder, "corpus") if judged else None


def _document(record: Record, default_id: str, place: str) -> Document:
    """A text that is empty is its title, so that a corpus keeps all its ids; raises `Unreadable` without either. A
    text without a title has its first line for one, where that looks like one."""
    text = clean(field(record, "text"))
    title = clean(field(record, "title", "")).strip() or title_of_text(text)
    text = not_empty(text if text.strip() else title)
    id_ = field(record, "_id", "") or field(record, "id", "") or default_id
    triples = record.get("triples")
    parts = tuple(map(parts_of, triples)) if isinstance(triples, list) else ()
    date, status = (value if isinstance(value := record.get(name), str) else "" for name in ("date", "status"))
    told = storable(date), storable(status), in_a_line(*map(record.get, AUTHOR)), in_a_line(*map(record.get, TAGS))
    return Document(storable(id_), title, text, place, (), (), parts, *told)


def parts_of(entry: object) -> tuple[str, ...]:
    """Subject, relation and object of a list of three texts, each on one line; of anything else (). A number stands
    for a text."""
    parts = [" ".join(clean(str(part)).split()) for part in entry if _is_text(part)] if isinstance(entry, list) else []
    return tuple(parts) if len(parts) == 3 == len(entry) and all(map(normalise, parts)) else ()  # type: ignore[arg-type]


def _is_text(part: object) -> bool:
    return isinstance(part, str | int | float) and not isinstance(part, bool)


def field(record: Record, name: str, default: str | None = None) -> str:
    """A field that is text, or a number in its place. Without `default` it has to be there: else `Unreadable`."""
    value = record.get(name)
    if value is None and default is not None:
        return default
    if value is None:
        raise Unreadable(f'there is no "{name}"')
    if not _is_text(value):
        raise Unreadable(f'"{name}" is not text')
    return str(value)


def _each(path: Path, make: Callable[[Record, int], Entry], having: bytes = b"") -> Iterator[Entry | LoadFailure]:
    """What is made of the object on each line that has these bytes, given the line's number; where `make` raises
    `Unreadable`, the line is a failure. What ends the file too early comes after the good lines."""
    place, number = shown(path), 0
    try:
        with unzipped(path) as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
                try:
                    if line.strip() and having in line:
                        yield make(_record(line), number)
                except Unreadable as error:
                    yield LoadFailure(f"{place}:{number}", error.message)
    except (OSError, *BROKEN_ZIP) as error:
        yield LoadFailure(place, f"{reason(error)}, after line {number}" if number else reason(error))


def _record(line: bytes) -> Record:
    if len(line) > LONGEST_LINE:
        raise Unreadable(f"a line of more than {LONGEST_LINE >> 20} MiB")
    try:
        record = json.loads(line.strip())
    except (ValueError, RecursionError) as error:  # RecursionError: lists in lists without end
        raise Unreadable(f"not JSON: {error}") from error
    if not isinstance(record, dict):
        raise Unreadable("not a JSON object")
    return record


def named(items: Iterator[Entry | LoadFailure], path: str) -> Iterator[Entry | LoadFailure]:
    """Failures of a file's lines: the first ones named, the rest counted at the end."""
    failures = 0
    for item in items:
        failures += isinstance(item, LoadFailure)
        if not isinstance(item, LoadFailure) or failures <= NAMED_FAILURES:
            yield item
    if failures > NAMED_FAILURES:
        more = failures - NAMED_FAILURES
        yield LoadFailure(path, f"{more} more of its lines cannot be read", more)


# Graph folders --------------------------------------------------------------------------------------------------------


class Many(NamedTuple):
    """A relation of many: its document, its name, and its members (id of a node, role), each once."""

    document: Document
    name: str
    members: tuple[tuple[str, str], ...]


def read_graph(source: Source) -> Iterator[Document | LoadFailure]:
    """The nodes, and after them the relations of many; a member that is no node here is named by its id."""
    path, titles = edges_beside(source.path), dict[str, str]()
    for item in read_jsonl(source):
        yield item
        if isinstance(item, Document):
            titles[item.id] = item.title or item.id
    for relation in named(_relations(path, titles), shown(path)):
        if isinstance(relation, LoadFailure):
            yield relation
            continue
        names = ", ".join(titles.get(id_, id_) for id_ in dict(relation.members))
        document = relation.document
        yield document if document.text else replace(document, text=f"{relation.name}: {names}")


def read_graph_edges(source: Source) -> Iterator[Edge | LoadFailure]:
    """The edges as they come, repeated ones and those to unknown nodes among them; then those of the relations of
    many. `read_graph` says which of these cannot stand among the nodes."""
    path = edges_beside(source.path)
    items: Iterator[Edge | Many | LoadFailure] = named(_edges(path), shown(path))
    yield from (item for item in items if not isinstance(item, Many))
    nodes = {item.id for item in read_jsonl(source) if isinstance(item, Document)}
    for relation in _relations(path, nodes):
        if isinstance(relation, Many):
            yield from (Edge(member, relation.document.id, role) for member, role in relation.members)


def nodes_of(folder: Path) -> Path | None:
    """The file of nodes of a graph folder, which has edges too."""
    return plain_or_zipped(folder, "nodes") if plain_or_zipped(folder, "edges") else None


def edges_beside(nodes: Path) -> Path:
    """The file of edges of a graph folder, plain or zipped."""
    return plain_or_zipped(nodes.parent, "edges") or nodes.with_name("edges.jsonl.gz")


def _edges(path: Path, having: bytes = b"") -> Iterator[Edge | Many | LoadFailure]:
    def edge(record: Record, number: int) -> Edge | Many:
        if "members" not in record:
            source, target = (storable(field(record, end)) for end in ("source", "target"))
            return Edge(source, target, storable(field(record, "relation", "")))
        if "source" in record or "target" in record:
            raise Unreadable('both "members" and an end of an edge: it is one or the other')
        return _relation(record, f"{shown(path)}:{number}")

    return _each(path, edge, having)


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
    if len(dict(members)) < 2:
        raise Unreadable("a relation of fewer than two members")
    content = json.dumps([relation, title, sorted(members)], ensure_ascii=False)
    own = f"{relation}:{hashlib.sha256(content.encode()).hexdigest()[:16]}"
    text = clean(field(record, "text", "")).strip()
    return Many(Document(storable(field(record, "id", "")) or own, title or relation, text, place), relation, members)


def _relations(path: Path, nodes: Container[str]) -> Iterator[Many | LoadFailure]:
    """Those that stand among these nodes. Said again, word for word, a relation without an id is the same one."""
    known: dict[str, tuple[object, str]] = {}
    for relation in (item for item in _edges(path, having=b'"members"') if isinstance(item, Many)):
        document, _, members = relation
        if document.id in nodes:
            yield LoadFailure(document.source, f"the id '{document.id}' is that of a node already")
        elif document.id in known:
            if known[document.id] != (members, document.text):
                yield LoadFailure(document.source, f"the id '{document.id}' is on an earlier line already")
        elif sum(id_ in nodes for id_ in dict(members)) < 2:
            yield LoadFailure(document.source, "fewer than two of its members are nodes")
        else:
            known[document.id] = members, document.text
            yield relation
