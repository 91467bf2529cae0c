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
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from clew.memory.datatypes import Document, Edge
from clew.memory.errors import Unreadable
from clew.memory.knowledge.clues.clue_index import normalise
from clew.memory.knowledge.loaders.plain_text import not_empty, title_of_text
from clew.memory.knowledge.loaders.source import Item, LoadFailure, Source, file_mode, in_a_line, reason, shown
from clew.memory.text import clean, storable

Record = Mapping[str, Any]
Entry = TypeVar("Entry")

SUFFIXES = (".jsonl", ".jsonl.gz")
TEXTS = (str, int, float)  # what a text may be in JSON

LONGEST_LINE = 1 << 24  # bytes of a line; what is more counts as another one
NAMED_FAILURES = 20  # lines of a file that are named where they cannot be read; the rest are counted
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

    yield from _each(source.path, document)


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
    if not isinstance(entry, list) or len(entry) != 3 or not all(type(part) in TEXTS for part in entry):
        return ()
    parts = tuple(" ".join(clean(str(part)).split()) for part in entry)
    return parts if all(map(normalise, parts)) else ()


def field(record: Record, name: str, default: str | None = None) -> str:
    """A field that is text, or a number in its place. Without `default` it has to be there: else `Unreadable`."""
    value = record.get(name)
    if value is None and default is not None:
        return default
    if value is None:
        raise Unreadable(f'there is no "{name}"')
    if type(value) not in TEXTS:
        raise Unreadable(f'"{name}" is not text')
    return str(value)


def _each(path: Path, make: Callable[[Record, int], Entry]) -> Iterator[Entry | LoadFailure]:
    """What is made of the object on each line, given the line's number. Where `make` raises `Unreadable`, the line is a
    failure: the first ones are named, the rest counted. What ends the file too early comes after the good lines."""
    place, number, failed = shown(path), 0, 0
    try:
        with unzipped(path) as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
                try:
                    if line.strip():
                        yield make(_record(line), number)
                except Unreadable as error:
                    failed += 1
                    if failed <= NAMED_FAILURES:
                        yield LoadFailure(f"{place}:{number}", error.message)
    except (OSError, *BROKEN_ZIP) as error:
        yield LoadFailure(place, f"{reason(error)}, after line {number}" if number else reason(error))
    if failed > NAMED_FAILURES:
        more = failed - NAMED_FAILURES
        yield LoadFailure(place, f"{more} more of its lines cannot be read", more)


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


# Graph folders --------------------------------------------------------------------------------------------------------


def nodes_of(folder: Path) -> Path | None:
    """The file of nodes of a graph folder, which has edges too."""
    return plain_or_zipped(folder, "nodes") if plain_or_zipped(folder, "edges") else None


def edges_beside(nodes: Path) -> Path:
    """The file of edges of a graph folder, plain or zipped."""
    return plain_or_zipped(nodes.parent, "edges") or nodes.with_name("edges.jsonl.gz")


def read_graph(source: Source) -> Iterator[Item]:
    """The nodes; then the edges as they come, repeated ones and those to unknown nodes among them, and the relations of
    many, each with its edges. Said again, word for word, a relation without an id is the same one."""
    path, titles = edges_beside(source.path), dict[str, str]()
    known = dict[str, tuple[str, list[Edge]]]()
    for node in read_jsonl(source):
        yield node
        if isinstance(node, Document):
            titles[node.id] = node.title or node.id

    def made(record: Record, number: int) -> list[Document | Edge]:
        if "members" not in record:
            source_id, target_id = (storable(field(record, end)) for end in ("source", "target"))
            return [Edge(source_id, target_id, storable(field(record, "relation", "")))]
        document, edges = _relation(record, f"{shown(path)}:{number}", titles)
        if document.id in titles:
            raise Unreadable(f"the id '{document.id}' is that of a node already")
        if document.id not in known:
            known[document.id] = document.text, edges
            return [document, *edges]
        if known[document.id] != (document.text, edges):
            raise Unreadable(f"the id '{document.id}' is on an earlier line already")
        return []

    for entry in _each(path, made):
        yield from [entry] if isinstance(entry, LoadFailure) else entry


def _relation(record: Record, place: str, titles: Mapping[str, str]) -> tuple[Document, list[Edge]]:
    """The virtual node of a relation, and its edges. Without an id it gets one made of its content, the same in every
    run; without a text it names its members, by their ids where they are no nodes. A member is `"a"`, or
    `{"id": "a", "role": "is_author"}`."""
    if "source" in record or "target" in record:
        raise Unreadable('both "members" and an end of an edge: it is one or the other')
    relation, title = (" ".join(clean(field(record, *of)).split()) for of in (("relation",), ("title", "")))
    if not isinstance(record["members"], list):
        raise Unreadable('"members" is not a list')
    given = [member if isinstance(member, dict) else {"id": member} for member in record["members"]]
    pairs = [(storable(field(member, "id")), storable(field(member, "role", "")) or relation) for member in given]
    members, ids = list(dict.fromkeys(pairs)), dict(pairs)
    if "" in ids:
        raise Unreadable("a member without an id")
    if len(ids) < 2:
        raise Unreadable("a relation of fewer than two members")
    if sum(id_ in titles for id_ in ids) < 2:
        raise Unreadable("fewer than two of its members are nodes")
    content = json.dumps([relation, title, sorted(members)], ensure_ascii=False)
    own = f"{relation}:{hashlib.sha256(content.encode()).hexdigest()[:16]}"
    names = ", ".join(titles.get(id_, id_) for id_ in ids)
    text = clean(field(record, "text", "")).strip() or f"{relation}: {names}"
    document = Document(storable(field(record, "id", "")) or own, title or relation, text, place)
    return document, [Edge(member, document.id, role) for member, role in members]
