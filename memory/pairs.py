"""A question and a text read together, by layers that were fitted for that."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Vector, Vectors
from clew.memory.minilm import MiniLM, tokenizer_of
from clew.memory.text import Span

READINGS = 8
"""Questions whose scores are kept in memory."""


class PairScorer:
    """How well each text answers a question: a cross-encoder (Nogueira and Cho 2019, arXiv:1901.04085) over the lower
    layers of the packaged encoder; the upper ones, fitted for that, are in `layers`. Safe from several threads."""

    def __init__(self, folder: Path, layers: Path, longest_question: int, longest_text: int) -> None:
        """`folder` has the encoder; of a question and of a text at most so many word pieces are read."""
        self._longest = longest_question, longest_text
        self._tokenizer = tokenizer_of(folder)
        self._model = MiniLM(folder / "model.safetensors", layers)
        # The scores so far, by question and text: what judges a turn and what answers it read much the same.
        self._known = lru_cache(maxsize=READINGS)(lambda _: dict[str, np.float32]())

    def scores(self, question: str, texts: Sequence[str]) -> Vector:
        """The log odds of each text that it answers the question."""
        known = self._known(question)
        unread = [text for text in dict.fromkeys(texts) if text not in known]
        if unread:
            asked, *found = self._tokenizer.encode_batch([question, *unread], add_special_tokens=False)
            first, second = self._longest
            pieces = [text.ids[:second] for text in found]
            known.update(zip(unread, self._model.pair_scores(asked.ids[:first], pieces), strict=True))
        return np.array([known[text] for text in texts], np.float32)

    def states(self, question: str, text: str) -> tuple[Vectors, list[Span]]:
        """For each word piece of a text the output of the last two layers, shape (pieces, d), and its place in the
        text."""
        asked, found = self._tokenizer.encode_batch([question, text], add_special_tokens=False)
        first, second = self._longest
        return self._model.pair_states(asked.ids[:first], found.ids[:second]), found.offsets[:second]
