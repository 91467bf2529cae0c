"""The stage of `clew index` that makes the communities, after the sentences are embedded, and what reads them again."""

import hashlib
import json
import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Ints, Progress, Vectors
from clew.memory.errors import ServiceUnreachable
from clew.memory.files import mapped, new_file, read_array, within
from clew.memory.knowledge.communities.entity_graph import (
    detect,
    entity_vectors,
    links_of,
    named_in_sentences,
    standing_for,
)
from clew.memory.knowledge.communities.reports import Extract, ReportMaterial, extracts, write
from clew.memory.knowledge.embedding import SENTENCES, open_vectors, titles_and_texts
from clew.memory.layers import BY_EXTRACTION, Communities, Community, DetectionParameters, Layers
from clew.memory.ports import Encoder, Writer
from clew.memory.vectors import unit

VECTORS = "communities.npy"
STAGE = "finding communities"
WRITING_STAGE = "writing reports"

SLICE = 64
"""Reports embedded between two reports of progress."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A community before its report: `digest` is of what the report is made from."""

    extract: Extract
    first: int
    last: int
    parent: int

    @property
    def digest(self) -> bytes:
        content = [list(said) for said in (self.extract.names, self.extract.relations, self.extract.sentences)]
        return hashlib.sha256(json.dumps(content).encode()).digest()


def build(
    database: sqlite3.Connection,
    folder: Path,
    old: Path | None,
    encoder: Encoder,
    layers: Layers,
    parameters: DetectionParameters,
    writer: Writer | None = None,
) -> Generator[Progress, None, list[str]]:
    """Write the table and the vectors, of shape (communities, d); returns notes. The old generation is attached.

    The vector of an extract is the mean of its entities, which are means of sentences: nothing is encoded for it, and
    it finds at least as much as the extract's own embedding.
    """
    yield Progress(STAGE, 0, 1)
    made, vectors = _communities(database, layers, open_vectors(folder, SENTENCES), parameters)
    yield Progress(STAGE, 1, 1)
    by_models = "SELECT digest, report, author FROM old.communities WHERE author != ?"
    before = database.execute(by_models, (BY_EXTRACTION,)) if old else ()
    known = {digest: (_as_written(report), author) for digest, report, author in before}
    reports, notes = yield from _reports(made, known, writer)
    for n, one in enumerate(made):
        report, author = reports[n]
        if author != BY_EXTRACTION:
            said = one.extract.sentences, one.extract.relations, one.extract.names
            documents = dict.fromkeys(document for its in said for document in its.values() if document)
            report = f"{report}{FROM}{', '.join(documents)}."
        row = (n, one.extract.name, report, author, one.first, one.last, one.parent, json.dumps(one.extract.entities))
        database.execute("INSERT INTO main.communities VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, one.digest))
    database.commit()
    yield from _embed(database, vectors, old, encoder)
    np.save(new_file(folder, VECTORS), vectors)
    return notes


def _communities(
    database: sqlite3.Connection, layers: Layers, sentences: Vectors, parameters: DetectionParameters
) -> tuple[list[_Made], Vectors]:
    """With the mean of each one's entities, of shape (communities, d). `sentences`: the vectors of sentences."""
    if not len(sentences):
        return [], np.zeros((0, sentences.shape[1]), np.float32)
    named = named_in_sentences(layers)
    vectors, links = entity_vectors(named, sentences), links_of(layers, named)
    texts = [text for _, _, text in titles_and_texts(database, SENTENCES)]
    of_what = ReportMaterial(layers, links, vectors, sentences, texts)
    levels = detect(links, vectors, parameters, standing_for(layers, links))
    made = _hierarchy(levels, [list(extracts(of_what, labels)) for labels in levels])
    sums = [vectors[list(one.extract.entities)].sum(axis=0) for one in made]
    return made, unit(np.array(sums, np.float32).reshape(-1, sentences.shape[1]))


def _hierarchy(levels: Sequence[Ints], found: Sequence[Sequence[Extract]]) -> list[_Made]:
    """The communities of all levels; one that is the same as its parent is its parent."""
    made: list[_Made] = []
    above: list[int] = []
    for level, of_level in enumerate(found):
        numbers = []
        for extract in of_level:
            parent = above[levels[level - 1][extract.entities[0]]] if level else -1
            if level and len(made[parent].extract.entities) == len(extract.entities):
                made[parent] = replace(made[parent], last=level)
                numbers.append(parent)
            else:
                numbers.append(len(made))
                made.append(_Made(extract, level, level, parent))
        above = numbers
    return made


def _reports(
    made: Sequence[_Made], known: Mapping[bytes, tuple[str, str]], writer: Writer | None
) -> Generator[Progress, None, tuple[list[tuple[str, str]], list[str]]]:
    """Report and author of each, and notes. `known` has the old generation's by digest: a report that a model wrote of
    the same content is kept."""
    extracts_ = [(one.extract.report, BY_EXTRACTION) for one in made]
    reports = [known.get(one.digest, extract) for one, extract in zip(made, extracts_, strict=True)]
    if writer is None:
        return reports, []
    faults, unreachable = list[str](), ""
    for n, one in enumerate(made):
        if reports[n][1] == writer.name:
            continue
        report, why = "", unreachable
        if not unreachable:
            yield Progress(WRITING_STAGE, n, len(made))
            try:
                report, why = write(one.extract, writer, {report for report, _ in reports[:n]})
            except ServiceUnreachable as error:
                why = unreachable = error.message
        reports[n] = (report, writer.name) if report else extracts_[n]
        faults += [why] if why else []
    yield Progress(WRITING_STAGE, len(made), len(made))
    if not faults:
        return reports, []
    return reports, [
        f"{len(faults)} of {len(made)} community reports are extracts, as {writer.name} failed: {faults[0]}"
    ]


FROM = " From: "
"""What stands in a report that a model wrote before the documents that it is from."""


def _as_written(report: str) -> str:
    return report.rpartition(FROM)[0] or report


def _embed(database: sqlite3.Connection, vectors: Vectors, old: Path | None, encoder: Encoder) -> Iterator[Progress]:
    """Put the embeddings of the reports that a model wrote where the means stand."""
    by_models = "SELECT number, report FROM main.communities WHERE author != ? ORDER BY number"
    missing = dict(database.execute(by_models, (BY_EXTRACTION,)).fetchall())
    if missing and old:
        before: Vectors = mapped(within(old, VECTORS))
        same = "SELECT n.number, min(o.number) FROM main.communities n JOIN old.communities o USING (report, author)"
        for number, there in database.execute(f"{same} WHERE author != ? GROUP BY n.number", (BY_EXTRACTION,)):
            vectors[number] = before[there]
            del missing[number]
    for start in range(0, len(missing), SLICE):
        yield Progress("embedding reports", start, len(missing))
        part = list(missing)[start : start + SLICE]
        vectors[part] = encoder.encode([_as_written(missing[number]) for number in part], "passage")


def read_communities(database: sqlite3.Connection, folder: Path) -> Communities:
    """Raises what a broken file raises (`disk.BROKEN`)."""
    found = database.execute(
        "SELECT name, report, author, first, last, parent, entities FROM communities ORDER BY number"
    )
    items = tuple(
        Community(name, report, author, first, last, parent, tuple(json.loads(entities)))
        for name, report, author, first, last, parent, entities in found
    )
    vectors: Vectors = read_array(within(folder, VECTORS))
    if len(vectors) != len(items):
        raise ValueError(f"{len(vectors)} vectors of {len(items)} communities")
    return Communities(items, vectors)
