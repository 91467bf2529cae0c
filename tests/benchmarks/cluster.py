"""What a turn costs over a library on a cluster, beside the embedded one that it is copied from, and over made ones.

python -m tests.benchmarks.cluster turns DATASET LIBRARY ADDRESS     think to observe on both, requests, bytes
python -m tests.benchmarks.cluster grow DATASET LIBRARY ADDRESS N    the same of N made chunks, on the cluster alone

ADDRESS is es://HOST:PORT/NAME; LIBRARY is sent there where it is not there yet. Every tool has its default parameters.
Times are of the clock, of questions that were not asked before, the stores in turn; what a process reads once (word
counts, titles) is read before. "warm": 20 others were asked, and all capsules are held; "cold": a store just opened.

The library of `grow` is written into the index directly, a partition of 200 chunks at a time, with its number as the
seed: a run that was cut off goes on. A chunk has the vector of one of LIBRARY's with some noise, a third of its words,
its title and its entities; its other words are drawn by the curve that LIBRARY's words follow (Zipf-Mandelbrot), and
there are as many different ones as Heaps' law lets expect.
"""

import argparse
import random
import sys
import time
from base64 import b64encode
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from clew.agent.evaluation.dataset import Question, read_dataset
from clew.agent.evaluation.evaluate import SEARCHING, searched
from clew.agent.models import encoder_for
from clew.agent.search.lookups import held_language
from clew.agent.search.rounds import AUTO
from clew.agent.services import Services, services_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Ints
from clew.memory.dialogue.threads import Threads
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import NoLibrary
from clew.memory.knowledge.arrays import Ragged
from clew.memory.knowledge.cluster.cluster_store import ClusterStore, open_cluster
from clew.memory.knowledge.cluster.connection import Cluster, ClusterAddress, Place, address
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.cluster.publishing import Published, publish, send
from clew.memory.knowledge.cluster.rows import CLUSTER_FORMAT, PIECE, STATISTICS, IndexRow, halves, key
from clew.memory.knowledge.cluster.slices import TEXTS, Cutter, packed, unpacked
from clew.memory.knowledge.cluster.statistics import WordStatistics
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.keywords import INDEXES, TOGETHER, KeywordAnalyser
from clew.memory.knowledge.layers import Layers
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.nodes import NEXT, SHARED, TITLE_LINK, NodeGraph, Partitioning
from clew.memory.knowledge.partitioning.partitioner import graph_of
from clew.memory.knowledge.titles import title_index
from clew.memory.vectors import unit
from tests.round_trips import round_trips

QUESTIONS, BEFORE, COLD = 60, 20, 15

SIZE, SENTENCES, WORDS, OWN = 200, 3, 60, 20
"""Chunks of a made partition; of a chunk, which is a document, its sentences, words and how many are its own."""

NOISE, HEAPS = 0.6, 0.6
"""How long the noise is beside a vector of length 1; the exponent of Heaps' law."""

EDGES = 100_000
"""Numbers of edges that a partition may take."""

KINDS = NEXT, TITLE_LINK, SHARED


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way", choices=["turns", "grow"])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("address", type=address)
    parser.add_argument("chunks", type=int, nargs="?", default=10_000)
    given = parser.parse_args()
    if given.way == "grow":
        grow(given.dataset, given.library, given.address, given.chunks)
    else:
        bring(given.library, given.address)
        measured(given.dataset, [given.library, given.address])


def bring(library: Path, where: ClusterAddress) -> None:
    """Send it, where it is not there."""
    with open_library(library, None) as here:
        try:
            if open_cluster(where).manifest == here.manifest:
                return
        except NoLibrary:
            pass
    for event in publish(Cluster(where), required_generation(library)):
        if isinstance(event, Published):
            print(f"{event} in {event.seconds:.1f} s", file=sys.stderr)


# What a turn costs -----------------------------------------------------------------------------------------------


def measured(dataset: Path, places: Sequence[Place]) -> None:
    found = read_dataset(dataset).questions
    drawn = random.Random(0).sample(found, min(QUESTIONS + BEFORE, len(found)))
    before, questions = drawn[:BEFORE], drawn[BEFORE:]
    settings = read_settings(library=places[-1])
    with closing(encoder_for(settings)) as encoder, Threads(None) as threads:
        stores = {str(place): serving(place, encoder, threads) for place in places}
        for services in stores.values():
            for question in before:
                searched(services, question.text, question.history)
            if len(places) > 1:  # small enough to be read whole
                services.library.store.part()
        warm = [{name: cost(services, question) for name, services in stores.items()} for question in questions]
        last = stores[str(places[-1])]
        cold = []
        for question in questions[:COLD]:
            fresh = serving(places[-1], encoder, threads, last)
            cold.append({f"{places[-1]}, cold": cost(fresh, question)})
            fresh.library.store.close()
        print(f"{dataset.name}, {last.library.manifest.chunks:,} chunks, {len(questions)} questions")
        for rows in (warm, cold):
            for name in rows[0]:
                print(f"| {name} |", " | ".join(told([row[name] for row in rows])), "|")


def told(costs: Sequence[tuple[float, int, int, int, float]]) -> list[str]:
    ms, calls, of_round, size, waited = (sorted(column) for column in zip(*costs, strict=True))
    p95 = ms[int(0.95 * (len(ms) - 1))]
    return [f"p50 {median(ms):.0f} ms, p95 {p95:.0f} ms", f"{median(calls):.0f} requests, at most {max(calls)}",
            f"{max(of_round)} a round at most", f"{median(size) / 1000:.0f} kB",
            f"{1000 * median(waited):.0f} ms waited"]  # fmt: skip


def serving(place: Place, encoder: CachedEncoder, threads: Threads, like: Services | None = None) -> Services:
    """With what a process reads once; from another store of the same library where there is one."""
    library = open_library(place, encoder)
    services = replace(services_for(read_settings(library=place), library, encoder, threads), default_tool=AUTO)
    started = time.perf_counter()
    store = library.store
    if like and isinstance(store, ClusterStore):
        once = vars(like.library.store)
        vars(store).update({name: once[name] for name in ("statistics", "catalogue", "communities")})
        services.told.update(like.told)
    _ = held_language(services)
    if isinstance(store, ClusterStore):
        with round_trips() as counted:
            _ = store.statistics, store.catalogue, store.communities
        if not like:
            print(f"{place}: read once {counted.bytes / 1e6:.1f} MB in {time.perf_counter() - started:.1f} s")
    return services


def cost(services: Services, question: Question) -> tuple[float, int, int, int, float]:
    """Milliseconds from think to observe, the turn's requests, the most of a round from think to walk, bytes of
    answers, seconds that they took."""
    with round_trips() as counted:
        turn = searched(services, question.text, question.history)
    ms = sum(step.ms for step in turn.steps if step.node in SEARCHING)
    most = max(map(len, counted.rounds()))
    return ms, len(counted.sent), most, counted.bytes, counted.seconds


# A made library --------------------------------------------------------------------------------------------------


def grow(dataset: Path, library: Path, where: ClusterAddress, chunks: int) -> None:
    cluster = Cluster(where)
    if not Generations(cluster).current():
        started = time.perf_counter()
        write(MadeLibrary(library, chunks), cluster)
        print(f"written in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    measured(dataset, [where])


def write(made: "MadeLibrary", cluster: Cluster) -> None:
    generations, manifest = Generations(cluster), made.manifest
    index = generations.begin("", manifest, anew=False)

    def bring_rows(rows: Sequence[IndexRow]) -> None:
        deque(send(cluster, index, rows), maxlen=0)

    there = cluster.found(index, [f"capsule:{one}" for one in range(made.partitions)], ["kind"])
    for partition in range(made.partitions):
        if f"capsule:{partition}" not in there:
            rows = made.rows_of(partition)
            bring_rows(rows[:-1])
            bring_rows(rows[-1:])  # last: where it is, the others are
        if not partition % 50:
            print(f"{partition * SIZE:,} chunks", file=sys.stderr, flush=True)
    entities, *others = made.once()
    for rows in (*(entities[first : first + 500] for first in range(0, len(entities), 500)), *others):
        bring_rows(rows)
    generations.close(index)
    generations.switch("", index)


class MadeLibrary:
    def __init__(self, library: Path, chunks: int) -> None:
        self.partitions = max(1, chunks // SIZE)
        with open_library(library, None) as opened:
            graph, manifest = opened.store.part(), opened.manifest
            self.layers, self.vectors, self.members = graph.layers, np.array(graph.vectors), graph.partitioning.members
            self.of_names = graph.entity_vectors(np.arange(len(graph.layers.entities)))
            read = opened.store.chunks(graph.layers.chunk_ids)
        self.titles, texts = [chunk.title for chunk in read], [chunk.text for chunk in read]
        analyse = KeywordAnalyser(manifest.keywords, manifest.date_order)
        of_title, of_text, _ = analyse.fields(self.titles, texts)
        counts = Counter(token for its in (*of_title, *of_text) for token in its)
        scale = self.partitions * SIZE / len(read)
        self.df = ((graph.layers.chunks_of_entity * scale).astype(np.int64) + 1).tolist()
        new = int(len(counts) * max(0.0, scale**HEAPS - 1))
        self.words = [token for token, _ in counts.most_common()] + [f"mot{number}" for number in range(new)]
        numbers = {token: number for number, token in enumerate(self.words)}
        self.own, self.of_title = (
            [np.array([numbers[token] for token in its] or [0]) for its in field] for field in (of_text, of_title)
        )
        self.curve = np.cumsum(curve(np.array([count for _, count in counts.most_common()]), len(self.words)))
        size = {"chunks": self.partitions * SIZE, "documents": self.partitions * SIZE, "edges": 0}
        self.manifest = manifest.model_copy(update={**size, "fingerprint": f"made-{chunks}", "id": ""})

    def drawn(self, partition: int) -> tuple[np.random.Generator, Any, Any]:
        """The chunks of LIBRARY that its chunks are like, and their words; shapes (SIZE,) and (SIZE, WORDS)."""
        chance = np.random.default_rng([7, partition])
        like = chance.choice(self.members.row(int(chance.integers(len(self.members.starts) - 1))), SIZE)
        own = np.stack([chance.choice(self.own[one], OWN) for one in like])
        others = np.searchsorted(self.curve, chance.random((SIZE, WORDS - OWN)) * self.curve[-1])
        return chance, like, chance.permuted(np.concatenate([own, others], axis=1), axis=1)

    @cached_property
    def statistics(self) -> WordStatistics:
        count, size = len(self.words), self.partitions * SIZE
        held, titles = np.zeros((len(INDEXES), count), np.int64), 0
        for partition in range(self.partitions):
            _, like, words = self.drawn(partition)
            text = np.repeat(np.arange(SIZE), WORDS) * count + words.reshape(-1)
            title = np.concatenate([row * count + self.of_title[one] for row, one in enumerate(like)])
            titles += len(title)
            for name, rows in ("title", title), ("text", text), (TOGETHER, np.concatenate([title, text])):
                held[INDEXES.index(name)] += np.bincount(np.unique(rows) % count, minlength=count)
        means = titles / size, float(WORDS), 0.0, self.manifest.keywords.title_weight * titles / size + WORDS
        order = sorted(range(count), key=self.words.__getitem__)
        known = tuple(self.words[place] for place in order)
        return WordStatistics(known, held[:, order], means, size, self.manifest.keywords, self.manifest.date_order)

    def rows_of(self, partition: int) -> list[IndexRow]:
        """Of documents and chunks, and last of the capsule."""
        chance, like, words = self.drawn(partition)
        dimension = self.vectors.shape[1]
        noise = chance.standard_normal((SIZE * (1 + SENTENCES), dimension)).astype(np.float32) * NOISE / dimension**0.5
        vectors = unit(self.vectors[like] + noise[:SIZE])
        sentences = unit(np.repeat(vectors, SENTENCES, axis=0) + noise[SIZE:])
        ids, titles = [f"made/{partition}/{n}" for n in range(SIZE)], [f"{self.titles[n]} {partition}" for n in like]
        tokens = [([self.words[n] for n in self.of_title[one]], [self.words[n] for n in row], list[str]())
                  for one, row in zip(like, words.tolist(), strict=True)]  # fmt: skip
        texts, spans, rows = list[str](), list[tuple[int, int]](), list[IndexRow]()
        for _, words_of, _ in tokens:
            parts = [" ".join(words_of[n::SENTENCES]) + "." for n in range(SENTENCES)]
            starts = np.cumsum([0, *(len(part) + 1 for part in parts)]).tolist()
            spans += [(start, start + len(part)) for start, part in zip(starts, parts, strict=False)]
            texts.append(" ".join(parts))
        layers, known = self._layers(ids, like)
        found = title_index(zip(titles, texts, strict=True))
        by_node = Ragged.grouped(found.nodes, SIZE)
        for n, id_ in enumerate(ids):
            title, text = (" ".join(its) for its in tokens[n][:2])
            half = np.asarray(vectors[n], np.float16)
            told = {"document": id_, "title": titles[n], "text": texts[n], "place": "", "date": ""}
            own = {"kind": "document", "position": partition * SIZE + n, "status": "", "path": "made", "targets": []}
            rows.append(IndexRow(key("document", id_), {**own, **told, "rest": {"pages": [], "headings": []}}))
            source = {
                **{"kind": "chunk", "chunk": f"{id_}#0", "start": 0, "end": len(texts[n]), "page": "", "heading": ""},
                **{**told, "partition": partition},
                **{"named": [f"{found.stems[place]:016x}" for place in by_node.row(n)], "half": halves(half)},
                **{"title_words": title, "text_words": text, "metadata_words": ""},
                **{"sentences": halves(sentences[n * SENTENCES : (n + 1) * SENTENCES])},
            }
            twice = " ".join([title] * self.manifest.keywords.title_weight + [text])
            searched_by = {"vector": half.astype(float).tolist(), "words": twice, "metadata": ""}
            rows.append(IndexRow(key("chunk", f"{id_}#0"), source, searched_by))
        nodes = graph_of(layers, [])
        kinds = np.array([KINDS.index(one) for one in nodes.relations], np.int64)[nodes.kinds]
        centroid, none = unit(vectors.mean(axis=0, keepdims=True)), np.zeros(0, np.int64)
        joined = NodeGraph(SIZE, nodes.sources, nodes.targets, kinds, nodes.weights, KINDS)
        one = Partitioning("hybrid", SIZE, np.zeros(SIZE, np.int64), ("made",), centroid, none)
        graph = SimpleNamespace(layers=layers, nodes=joined, partitioning=one, titles=found, vectors=vectors,
                                smoothed=vectors.astype(np.float16))  # fmt: skip
        ((_, data),) = Cutter(cast(Any, graph), np.array(spans, np.int64), tokens, self.statistics).slices()
        blob = b64encode(moved(data, partition, known)).decode()
        return [*rows, IndexRow(f"capsule:{partition}", {"kind": "capsule", "number": partition, "blob": blob})]

    def _layers(self, ids: Sequence[str], like: Ints) -> tuple[Layers, Ints]:
        """Of one partition, and the numbers that its entities have in LIBRARY; a sentence states one relation."""
        given = self.layers.chunk_entities
        of = [given.indices[given.indptr[one] : given.indptr[one + 1]][:SENTENCES] for one in like.tolist()]
        known, local = np.unique(np.concatenate(of), return_inverse=True)
        at = np.concatenate([n * SENTENCES + np.arange(len(its)) for n, its in enumerate(of)])
        first = np.concatenate([[0], np.cumsum([len(its) for its in of])])
        pairs = np.array([n for n, its in enumerate(of) if len(its) > 1], np.int64)
        none, names = np.zeros(len(pairs), np.int64), tuple(self.layers.entities[one] for one in known.tolist())
        chunks, sentences = tuple(f"{id_}#0" for id_ in ids), np.repeat(np.arange(SIZE), SENTENCES)
        ends = local[first[pairs]], none, local[first[pairs] + 1], pairs * SENTENCES, none.astype(bool)
        mentions, titles = np.stack([at, local]), np.full(SIZE, -1)
        layers = Layers(chunks, tuple(ids), np.arange(SIZE), sentences, mentions, names, titles, *ends, ("is with",))
        _ = layers.chunk_entities  # of this partition; how many chunks name an entity is the whole library's
        vars(layers)["chunks_of_entity"] = np.array(self.df)[known]
        return layers, known

    def once(self) -> Iterator[list[IndexRow]]:
        """Entities, the words' counts, and last the manifest."""
        entities = []
        for number, one in enumerate(self.layers.entities):
            own = {"kind": "entity", "entity": one.id, "name": one.name, "type": one.kind}
            vector = {"half": halves(self.of_names[number])} if self.of_names[number].any() else {}
            entities.append(IndexRow(key("entity", one.id), {**own, **vector}))
        yield entities
        counts = self.statistics
        said = {"tokens": list(counts.known_tokens), "lengths": list(counts.lengths), "size": counts.size}
        data, own = packed({"held": counts.held.astype(np.int32)}, said), {"kind": "file", "name": STATISTICS}
        for n, start in enumerate(range(0, len(data), PIECE)):
            blob = b64encode(data[start : start + PIECE]).decode()
            yield [IndexRow(f"file:{n}:{STATISTICS}", {**own, "number": n, "blob": blob})]
        told = {"format": CLUSTER_FORMAT, "manifest": self.manifest.model_dump_json(), "rows": 0, "hash": "made"}
        told |= {"unread": [], "of_triples": False, "elser": ""}
        told |= {"plan": ["hybrid", SIZE], "sizes": [SIZE] * self.partitions}
        yield [IndexRow("manifest", {"kind": "manifest", "rest": told})]


def curve(counts: Ints, words: int) -> NDArray[np.float64]:
    """How often each of so many words is, by Zipf-Mandelbrot's law as it fits the counts of the first best."""
    ranks = np.unique(np.geomspace(1, len(counts), 300).astype(int))
    best = (np.inf, 0.0, 0.0)
    for shift in (0, 1, 2, 5, 10, 20, 50, 100):
        columns = np.stack([np.ones(len(ranks)), np.log(ranks + shift)], axis=1)
        fitted, error, *_ = np.linalg.lstsq(columns, np.log(counts[ranks - 1]), rcond=None)
        best = min(best, (float(error[0]), float(fitted[1]), float(shift)))
    print(f"words fall with the power {best[1]:.2f} of the rank and {best[2]:.0f}", file=sys.stderr)
    return np.asarray((np.arange(1, words + 1) + best[2]) ** best[1], np.float64)


def moved(data: bytes, partition: int, entities: Ints) -> bytes:
    """A slice that was cut of this partition alone, with the numbers of the whole library."""
    read = unpacked(data)
    made = {name: array.astype(np.int64) if array.dtype == np.int32 else array
            for name, array in read.arrays.items() if name != TEXTS}  # fmt: skip
    of_chunks = ("rows", "documents", "chunk_documents", "sentence_chunks", "title_nodes", "token_chunks", "relations")
    for name in of_chunks:
        made[name] += partition * SIZE
    made["ends"][:2] += partition * SIZE
    made["sentences"] += partition * SIZE * SENTENCES
    made["mentions"][0] += partition * SIZE * SENTENCES
    made["mentions"][1] = entities[made["mentions"][1]]
    made["entities"] = entities[made["entities"]]
    made["stated"][[0, 2]] = entities[made["stated"][[0, 2]]]
    made["stated"][3] += partition * SIZE * SENTENCES
    made["edges"] += partition * EDGES
    small = {name: array.astype(np.int32) if array.dtype == np.int64 else array for name, array in made.items()}
    return packed(small, {**read.texts, "partition": partition})


if __name__ == "__main__":
    main()
