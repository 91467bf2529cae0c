"""A library's sentences as trees (seed 002, stage 2): a Tree-LSTM that was trained on them, and a vector for each.

LIBRARY/structure.safetensors    the network, the vectors of the sentences of all chunks; in the header what they are

It stands beside the states of the library and outlives them: a chunk whose text it does not know is read when it is
asked for.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from clew.memory.datatypes import Float32s
from clew.memory.errors import BadInput, ClewError, NotSetUp, library_flag
from clew.memory.files import within, write_durably
from clew.memory.knowledge.library_ports import Search
from clew.memory.language.esperanto import Esperanto
from clew.memory.language.trees import Tree
from clew.memory.text import split

FILE, HEADER = "structure.safetensors", "clew"
TRAIN = "clew train-structure"
LONGEST = 80
"""Words of a sentence that is read; of a longer one the first."""


def read_sentences(reader: Esperanto, text: str) -> list[Tree]:
    """The trees of a text's sentences."""
    found = []
    for start, end in split(text):
        with suppress(BadInput):
            found.append(reader.read(" ".join(text[start:end].split()[:LONGEST])))
    return found


class Structure:
    """Vectors of sentences as trees, of questions and of chunks. Safe from several threads."""

    def __init__(
        self,
        network: Any,
        starts: dict[str, tuple[int, int]],
        vectors: Float32s,
        roots: Iterable[str] = (),
    ) -> None:
        """`roots` are those of the library's own words, beside the reader's."""
        self.network = network
        self.reader = Esperanto(known=roots)
        self.starts, self.vectors = dict(starts), vectors

    def question(self, text: str) -> Float32s:
        """Shape (sentences, output)."""
        return self.encoded(read_sentences(self.reader, text))

    def encoded(self, trees: Sequence[Tree]) -> Float32s:
        from clew.memory.language.tree_lstm import numbered

        made: Float32s = self.network.encode([numbered(tree) for tree in trees])
        return made

    def chunk(self, text: str) -> Float32s:
        held = self.starts.get(_key(text))
        if held is None:
            return self.encoded(read_sentences(self.reader, text))
        return self.vectors[slice(*held)].astype(np.float32)

    def inflected(self, question: str) -> str:
        """A question's keywords in all forms that sentences may have them in (`Mitrandiron`), for a search by words."""
        words = [word for tree in read_sentences(self.reader, question) for word in self.reader.keywords(tree)]
        return " ".join(form for word in words for part in word.split() for form in self.reader.forms(part))

    def cosines(self, store: Search, questions: Sequence[str], ids: Sequence[str]) -> Float32s:
        """For each chunk the best cosine of a sentence of it with one of a question; shape (questions, ids)."""
        asked = [self.question(text) for text in questions]
        found = np.zeros((len(questions), len(ids)), np.float32)
        for place, chunk in enumerate(store.chunks(ids)):
            vectors = self.chunk(chunk.text)
            for number, own in enumerate(asked):
                if len(own) and len(vectors):
                    found[number, place] = (own @ vectors.T).max()
        return found


def _key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def write_structure(
    library: Path,
    network: Any,
    texts: Sequence[str],
    trees: Sequence[Sequence[Tree]],
    roots: Sequence[str] = (),
) -> Path:
    """The network with the vectors of the sentences of each text and the `roots` that they were read with, in one
    step."""
    from safetensors.numpy import save

    from clew.memory.language.tree_lstm import numbered

    vectors = network.encode([numbered(tree) for of_text in trees for tree in of_text]).astype(np.float16)
    ends = np.cumsum([0, *map(len, trees)])
    arrays = {f"network.{name}": value.astype(np.float16) for name, value in network.arrays().items()}
    arrays |= {"vectors": vectors, "ends": ends.astype(np.int64)}
    about = {"sizes": json.dumps(asdict(network.sizes)), "roots": list(roots)}
    about["texts"] = [_key(text) for text in texts]
    write_durably(within(library, FILE), save(arrays, {HEADER: json.dumps(about)}))
    return library / FILE


def open_structure(library: Path) -> Structure:
    """Raises `NotSetUp` where none was trained, `ClewError` where the file is damaged."""
    from safetensors import SafetensorError, safe_open

    from clew.memory.language.tree_lstm import loaded

    path = within(library, FILE)
    if not path.is_file():
        raise NotSetUp(f"nothing was trained on the structure of {library}", f"{TRAIN} {library_flag(library)}")
    try:
        with safe_open(path, framework="np") as opened:
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
            about = json.loads(opened.metadata()[HEADER])
        network = loaded(
            {n.removeprefix("network."): a for n, a in arrays.items() if n.startswith("network.")}, about["sizes"]
        )
        ends = arrays["ends"].tolist()
        starts = dict(zip(about["texts"], pairwise(ends), strict=True))
        if ends[-1] != len(arrays["vectors"]):
            raise ValueError("the arrays do not fit the header")
        return Structure(network, starts, arrays["vectors"], map(str, about.get("roots", ())))
    except (SafetensorError, OSError, LookupError, TypeError, ValueError, RuntimeError) as error:
        raise ClewError(f"{path} is damaged", f"delete {path}, and run: {TRAIN}") from error
