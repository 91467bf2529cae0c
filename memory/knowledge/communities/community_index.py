"""The communities of a library and their reports (seed 001): the stage of `clew index` that makes them, after the
sentences are embedded, and what reads them again.

A report is an extract of the documents' own sentences, or text by a language model (equation 3):

    S(C_i) = summarize( union of s(v) for v in V_i, and of s(v_j, v_k) for (v_j, v_k) in E_i )

s(v) is the most central of the sentences that name v, s(v_j, v_k) one that states a relation of the two. A model writes
from the extract (temperature 0.1, 200 tokens); its text is checked, and where it fails the extract is the report.
"""

import hashlib
import json
import re
import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.memory.datatypes import Ints, Progress, Vectors
from clew.memory.errors import ServiceUnreachable
from clew.memory.files import new_file, within
from clew.memory.instructions import ADDRESS, neutralised
from clew.memory.knowledge.arrays import Ragged, read_array
from clew.memory.knowledge.communities.entity_graph import (
    EntityRelation,
    Links,
    detect,
    entity_vectors,
    links_of,
    named_in_sentences,
    standing_for,
    stated_between,
)
from clew.memory.knowledge.embedding import SENTENCES, open_vectors, titles_and_texts
from clew.memory.knowledge.layers import BY_EXTRACTION, Communities, Community, DetectionParameters, Layers
from clew.memory.knowledge.nodes import paired_cosines
from clew.memory.ports import Encoder, Message, WriteOptions, Writer, text_of
from clew.memory.text import LEANING, LISTS, content_words, split
from clew.memory.vectors import unit
from clew.prompts import render

NAMED, LISTED, RELATIONS, QUOTED = 3, 7, 3, 3
"""Entities in a community's name, entities in its report, relations and sentences there."""

WHOLE = 3
"""Entities tied by links from which a part of a community counts for its name."""

LONGEST, SHORTEST = 320, 30
"""Characters of a sentence that reads well in a report."""

SAME = 0.88
"""The cosine from which two sentences say the same."""

_CAPITALS = 0.4
"""The share of capitals from which a line is a running head rather than a sentence."""

_EMPTY_VERBS = frozenset(LISTS["empty relations"])
_WHOLE = re.compile(r"^[\"“‘']?[A-Z0-9].*[.!?][\"”’')]*$", re.DOTALL)
_END = re.compile(r"[.!?…][\"”’')\]]*$")


class ReportMaterial:
    """What reports are made of: `vectors` are the entities', `sentences` those of the sentences with these `texts`.

    `best[e]` is s(e), -1 where no sentence names it; `weights` is how much the name of each entity says; `quality` how
    well each sentence reads, 0 at best.
    """

    def __init__(
        self, layers: Layers, links: Links, vectors: Vectors, sentences: Vectors, texts: Sequence[str]
    ) -> None:
        self.layers, self.links, self.relations = layers, links, stated_between(layers)
        self.vectors, self.sentences, self.texts = vectors, sentences, texts
        self.quality = np.array([quality_of(text) for text in texts])
        self.best = _central_sentences(layers, vectors, sentences, self.quality)
        chunks = max(1, len(layers.chunk_ids))
        often = np.bincount(layers.mentions[1], minlength=len(layers.entities))
        named = (one.kind != "term" and _is_name(one.name) for one in layers.entities)
        shares = np.array([1.0 if is_name else 0.3 for is_name in named])
        rarity = np.log1p(chunks / layers.chunks_of_entity.clip(1))
        self.weights = np.sqrt(often) * rarity / np.log1p(chunks) * shares

    def document_of(self, sentence: int) -> str:
        """Its id."""
        chunk = self.layers.sentence_chunks[sentence]
        return self.layers.document_ids[int(self.layers.chunk_documents[chunk])]


@dataclass(frozen=True, slots=True)
class Extract:
    """What a report is written from: the entities, most central first; relations in words; sentences. Each is mapped to
    the document that says it, a name to '' where several do."""

    name: str
    entities: tuple[int, ...]
    names: Mapping[str, str]
    relations: Mapping[str, str]
    sentences: Mapping[str, str]

    @property
    def report(self) -> str:
        """Readable, and different for different communities: no two have the same entities. What only one document
        says is followed by that one's id, so that nothing of it passes for what the library holds."""
        parts = [*_marked(self.sentences), f"Names: {', '.join(_marked(self.names))}."]
        if self.relations:
            parts.append(f"Relations: {'; '.join(_marked(self.relations))}.")
        return " ".join(parts)


def _marked(said: Mapping[str, str]) -> list[str]:
    return [f"{text} ({document})" if document else text for text, document in said.items()]


def _is_name(text: str) -> bool:
    """Whether it has the capitals of a name: neither small letters alone nor capitals alone in several words."""
    return not text.islower() and not (text.isupper() and " " in text)


def quality_of(sentence: str) -> float:
    """0 for one that reads well alone; less for one that is no sentence, is long, or leans on the one before."""
    text = sentence.strip()
    capitals, letters = (sum(map(kind, text)) for kind in (str.isupper, str.isalpha))
    return (
        -0.3 * (not _WHOLE.match(text) or capitals > _CAPITALS * letters)
        - 0.2 * (not SHORTEST <= len(text) <= LONGEST)
        - 0.1 * bool(LEANING.match(text))
    )


def inner_links(links: Links, labels: Ints) -> Links:
    """The links within communities alone, of the same nodes."""
    of = labels[links.ends]
    kept = (of[0] == of[1]) & (of[0] >= 0)
    return Links(links.nodes, links.ends[:, kept], links.weights[kept])


def cores(part: Ints, labels: Ints) -> NDArray[np.bool_]:
    """Of each entity whether its community is named by it: not those of a fragment that was joined for its meaning,
    with no link to the rest, where there are bigger parts. `part` is what of its community it is linked with. Shape
    (entities,)."""
    sizes, biggest = np.bincount(part)[part], np.zeros(int(labels.max()) + 1, np.int64)
    np.maximum.at(biggest, labels[labels >= 0], sizes[labels >= 0])
    return np.asarray((labels >= 0) & (sizes >= np.minimum(biggest[labels], WHOLE)))


def extracts(made: ReportMaterial, labels: Ints) -> Iterator[Extract]:
    """Of each community of a level, in the order of their numbers. What is central is so by PageRank (damping 0.85)
    along the links within communities, and by how much its name says."""
    import igraph

    links = inner_links(made.links, labels)
    graph = igraph.Graph(n=links.nodes, edges=links.ends.T.tolist())
    ranks, part = graph.pagerank(weights=links.weights.tolist()), graph.connected_components().membership
    central = np.round(np.array(ranks) * made.weights, 12)
    core, inner = cores(np.array(part, np.int64), labels), links.ends
    order = np.lexsort((-central[inner].sum(axis=0), labels[inner[0]]))
    bounds = np.searchsorted(labels[inner[0]][order], np.arange(int(labels.max()) + 2))
    held = np.flatnonzero(labels >= 0)
    members = Ragged.grouped(labels[held], int(labels.max()) + 1, held)
    for number in range(int(labels.max()) + 1):
        entities = np.array(members.row(number), np.int64)
        entities = entities[np.lexsort((-central[entities], ~core[entities]))]
        strongest = inner[:, order[bounds[number] : bounds[number + 1]]].T.tolist()
        yield _extract(made, entities, int(core[entities].sum()), strongest)


def _extract(made: ReportMaterial, entities: Ints, core: int, strongest: Sequence[Sequence[int]]) -> Extract:
    """The first `core` entities name it."""
    listed = entities[:LISTED].tolist()
    names = [" ".join(made.layers.entities[e].name.split()) for e in listed]
    stated = list(islice(_strongest_relations(made, strongest), 2 * RELATIONS))
    candidates = dict.fromkeys(int(made.best[e]) for e in entities[:LISTED] if made.best[e] >= 0)
    candidates |= dict.fromkeys(relation.sentence for relation in stated)
    chosen = _chosen(made, np.array(list(candidates), np.int64), entities)
    return Extract(
        name=made.layers.names_of(listed[:core], NAMED),
        entities=tuple(entities.tolist()),
        names={name: made.layers.sole_document(e) for name, e in zip(names, listed, strict=True)},
        relations={_in_words(made.layers, one): made.document_of(one.sentence) for one in stated[:RELATIONS]},
        sentences={_ended(" ".join(made.texts[s].split())): made.document_of(s) for s in chosen},
    )


def _ended(text: str) -> str:
    """With a full stop where a line without one was taken."""
    return text if _END.search(text) else f"{text.rstrip(',;:-– ')}."


def _strongest_relations(made: ReportMaterial, strongest: Sequence[Sequence[int]]) -> Iterator[EntityRelation]:
    """One relation for each link between the most central entities, if one has a verb that says something."""
    for one, other in strongest:
        relations = made.relations.get((one, other), ())
        stated = (r for r in relations if not _EMPTY_VERBS.issuperset(r.verb.lower().split()))
        yield from islice(stated, 1)


def _in_words(layers: Layers, relation: EntityRelation) -> str:
    ends = (layers.entities[relation.subject].name, relation.verb, layers.entities[relation.object].name)
    return " ".join(" – ".join(ends).split())


def _chosen(made: ReportMaterial, candidates: Ints, entities: Ints) -> list[int]:
    """The few nearest to what the community is about that do not say the same, the nearest first."""
    if not len(candidates):
        return []
    readable = candidates[made.quality[candidates] > -0.3]
    candidates = readable if len(readable) else candidates
    about = unit(made.vectors[entities].sum(axis=0, keepdims=True))[0]
    scores = np.round(made.sentences[candidates] @ about, 4) + made.quality[candidates]
    chosen: list[int] = []
    for place in np.argsort(-scores, kind="stable"):
        sentence = int(candidates[place])
        if len(chosen) == QUOTED or (chosen and len(made.texts[sentence]) > 2 * LONGEST):
            continue
        if all(float(made.sentences[sentence] @ made.sentences[other]) < SAME for other in chosen):
            chosen.append(sentence)
    return chosen


def _central_sentences(layers: Layers, vectors: Vectors, sentences: Vectors, quality: NDArray[np.float64]) -> Ints:
    """s(v): of the sentences that name v the one nearest to their mean that reads well; shape (entities,)."""
    rows, entities = layers.mentions
    scores = np.round(paired_cosines(sentences, rows, vectors, entities), 4) + quality[rows]
    order = np.lexsort((rows, -scores, entities))
    first = np.unique(entities[order], return_index=True)
    best = np.full(len(layers.entities), -1, np.int64)
    best[first[0]] = rows[order][first[1]]
    return best


TEMPERATURE, TOKENS = 0.1, 200

MOST_SENTENCES = 3

_LINK = re.compile(r"\]\(|<[a-z/!]|\b(?:https?|ftp|javascript|data|file):|\w@\w", re.I)


def write(extract: Extract, writer: Writer) -> tuple[str, str]:
    """A report of two or three sentences, and what is wrong where it is empty. Raises `ServiceUnreachable`."""
    prompt = render(
        "community",
        entities=", ".join(neutralised(name).text for name in extract.names),
        relations="\n".join(neutralised(line).text for line in extract.relations) or "none",
        sentences="\n".join(neutralised(sentence).text for sentence in extract.sentences),
    )
    reply = text_of(writer.write([Message("user", prompt)], WriteOptions(temperature=TEMPERATURE, tokens=TOKENS)))
    reply = " ".join(reply.split())
    spans = split(reply)[:MOST_SENTENCES]
    # None of a sentence that the limit of tokens cut off.
    ends = [end for _, end in spans if reply[end - 1] in '.!?…"”']
    report = reply[: ends[-1]] if ends else ""
    why = fault(report, extract)
    return ("" if why else report), why


def fault(report: str, extract: Extract) -> str:
    """What is wrong with a report, in words; empty where nothing is."""
    if not report:
        return "it is empty"
    names = " ".join(extract.names).casefold()
    if _LINK.search(report) or any(found[0].casefold() not in names for found in ADDRESS.finditer(report)):
        return "it has an address"
    stems = set(content_words(report))
    if not any(stems.intersection(content_words(name)) for name in extract.names):
        return "it names nothing of what it is about"
    return ""


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
    yield from _embed(reports, vectors, encoder)
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
                report, why = write(one.extract, writer)
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


def _embed(reports: Sequence[tuple[str, str]], vectors: Vectors, encoder: Encoder) -> Iterator[Progress]:
    """Put the embeddings of the reports that a model wrote where the means stand."""
    written = [number for number, (_, author) in enumerate(reports) if author != BY_EXTRACTION]
    for start in range(0, len(written), SLICE):
        yield Progress("embedding reports", start, len(written))
        part = written[start : start + SLICE]
        vectors[part] = encoder.encode([reports[number][0] for number in part], "passage")


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
