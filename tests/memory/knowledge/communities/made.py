"""Layers and libraries for the tests of communities."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.layers import Entity, Layers
from clew.memory.ports import Writer
from tests.memory.knowledge.index.test_run import run

FILMS = {
    "Metropolis": "Metropolis was directed by Fritz Lang. Its script was written by Thea von Harbou."
    " Brigitte Helm played Maria in Metropolis.",
    "Fritz Lang": "Fritz Lang was born in Vienna. He married Thea von Harbou in 1922. Fritz Lang died in 1976.",
    "Thea von Harbou": "Thea von Harbou was born in Tauperlitz. Thea von Harbou wrote the script of Metropolis.",
}
SPACE = {
    "Laika": "Laika was launched from Baikonur in 1957. Laika flew in Sputnik 2. Sergei Korolev designed Sputnik 2.",
    "Sergei Korolev": "Sergei Korolev was born in Zhytomyr. Sergei Korolev built rockets at Baikonur.",
    "Yuri Gagarin": "Yuri Gagarin flew from Baikonur in Vostok 1. Sergei Korolev chose Yuri Gagarin in 1961.",
}
BREAD = {
    "Bread": "The baker Anna Miller baked bread in Freiburg. Anna Miller bought flour from Peter Mill.",
    "Peter Mill": "Peter Mill ground flour near Freiburg. Peter Mill sold flour to Anna Miller in 1922.",
}
ALL = {**FILMS, **SPACE, **BREAD}


def written(path: Path, texts: Mapping[str, str]) -> Path:
    rows = [{"_id": name, "title": name, "text": text} for name, text in texts.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def written_by(writer: Writer | None) -> Parameters:
    return Parameters(summariser=writer)


def library(folder: Path, texts: Mapping[str, str], encoder: CachedEncoder, writer: Writer | None = None) -> Path:
    run([written(folder / "x.jsonl", texts)], folder / "library", encoder, parameters=written_by(writer))
    return folder / "library"


def layers(names: Sequence[str], relations: Sequence[tuple[str, str, str]], kinds: Mapping[str, str]) -> Layers:
    """One document of one chunk with a sentence for each relation, that names nothing else."""
    ordered = sorted(names)
    numbers = {name: number for number, name in enumerate(ordered)}
    verbs = tuple(dict.fromkeys(verb for _, verb, _ in relations))
    pairs = sorted({(row, numbers[end]) for row, (one, _, other) in enumerate(relations) for end in (one, other)})
    parts = [(numbers[s], verbs.index(v), numbers[o], row, 0) for row, (s, v, o) in enumerate(relations)]
    subjects, verb_numbers, objects, stated, given = np.array(parts, np.int64).reshape(-1, 5).T
    return Layers(
        chunk_ids=("d#0",),
        document_ids=("d",),
        chunk_documents=np.zeros(1, np.int64),
        sentence_chunks=np.zeros(len(relations), np.int64),
        mentions=np.array(pairs, np.int64).reshape(-1, 2).T,
        entities=tuple(Entity(name.casefold(), name, kinds.get(name, "name")) for name in ordered),
        titles=np.full(1, -1, np.int64),
        subjects=subjects,
        verb_numbers=verb_numbers,
        objects=objects,
        stated=stated,
        given=given.astype(bool),
        verbs=verbs,
    )
