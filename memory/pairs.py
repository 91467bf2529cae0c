"""How well each text answers a question: MiniLM over both together, its upper layers fitted for that.

A cross-encoder (Nogueira and Cho 2019, arXiv:1901.04085) over the packaged encoder's lower layers: only what was
changed is in the file that a caller gives.
"""

from collections.abc import Sequence
from pathlib import Path

from clew.memory.datatypes import Vector
from clew.memory.encoding import packaged_minilm
from clew.memory.minilm import MiniLM

LONGEST_QUESTION, LONGEST_TEXT = 32, 70
"""Word pieces; what comes after is cut."""


class PairScorer:
    """Safe from several threads."""

    def __init__(self, folder: Path, layers: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._model = MiniLM(folder / "model.safetensors", layers)

    def scores(self, question: str, texts: Sequence[str]) -> Vector:
        """One for each text: the higher, the likelier it is to answer the question."""
        asked, *found = self._tokenizer.encode_batch([question, *texts], add_special_tokens=False)
        return self._model.pair_scores(asked.ids[:LONGEST_QUESTION], [text.ids[:LONGEST_TEXT] for text in found])


def pair_scorer(layers: Path) -> PairScorer | None:
    """None where MiniLM is not installed. Raises `NoModel` where it is not the published one."""
    folder = packaged_minilm()
    return PairScorer(folder, layers) if folder else None
