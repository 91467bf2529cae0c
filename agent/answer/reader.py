"""Which candidate answers: a small network over plain features of each and of the question (`reader.json`), and a
cross-encoder that reads the likeliest together with the question (`pairs.safetensors`). In other languages than
English, by the vectors of `clew[multilingual]`, a linear model (`foreign_reader.json`): a text and its translation have
nearly the same vectors, so what is learned in some languages serves all.

Made by `python -m tests.training.reader`, `.pairs` and `.foreign_reader`, which say what they are fitted on and how
they are measured.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from clew.agent.answer.evidence import EncodedRequest, Evidence
from clew.agent.answer.reader_features import FEATURES, FOREIGN_FEATURES, features, foreign_features
from clew.memory.datatypes import Floats, Vector, Vectors
from clew.memory.dates import days_in_full
from clew.memory.encoding import packaged_minilm
from clew.memory.language.telling import may_be_english
from clew.memory.minilm import MiniLM, tokenizer_of
from clew.memory.text import Span

LONGEST_QUESTION, LONGEST_TEXT = 32, 70
"""Word pieces; what comes after is cut."""


READINGS = 8
"""Questions whose texts' scores are kept."""


class PairScorer:
    """How well each text answers a question: a cross-encoder (Nogueira and Cho 2019, arXiv:1901.04085) over the lower
    layers of the packaged encoder; the upper ones, fitted for that, are in `layers`. Safe from several threads."""

    def __init__(self, folder: Path, layers: Path) -> None:
        self._tokenizer = tokenizer_of(folder)
        self._model = MiniLM(folder / "model.safetensors", layers)

    def scores(self, question: str, texts: Sequence[str]) -> Vector:
        """Of each text the log odds that it answers, and not nothing."""
        known = self._known(question)
        unread = [text for text in dict.fromkeys(texts) if text not in known]
        if unread:
            asked, *found = self._tokenizer.encode_batch([question, *unread], add_special_tokens=False)
            pieces = [text.ids[:LONGEST_TEXT] for text in found]
            known.update(zip(unread, self._model.pair_scores(asked.ids[:LONGEST_QUESTION], pieces), strict=True))
        return np.array([known[text] for text in texts], np.float32)

    def states(self, question: str, text: str) -> tuple[Vectors, list[Span]]:
        """Of each word piece of a text what its last two layers make of it, shape (pieces, d), and where it stands."""
        asked, found = self._tokenizer.encode_batch([question, text], add_special_tokens=False)
        states = self._model.pair_states(asked.ids[:LONGEST_QUESTION], found.ids[:LONGEST_TEXT])
        return states, found.offsets[:LONGEST_TEXT]

    @lru_cache(maxsize=READINGS)  # noqa: B019 there is one of it
    def _known(self, question: str) -> dict[str, np.float32]:  # noqa: ARG002 it is what this is kept by
        """The scores so far, by text: what judges a turn and what answers it read much the same."""
        return {}


SHIPPED, FOREIGN = (Path(__file__).with_name(f"{name}.json") for name in ("reader", "foreign_reader"))
PAIRS = Path(__file__).with_name("pairs.safetensors")

READ_TOGETHER, WITHIN = 12, 4.0
"""The candidates that are likeliest by their features, which are read together with the question; how much lower than
the best by these one may be to be read: a third of the time is saved, and one first candidate of 250 is another
(docs/journal.md)."""

UNFITTED = 0.4
"""What their score counts, of what it does elsewhere, in a language that it was not fitted on."""

LONGEST_HEAD = 80
"""Characters of what stands above a candidate that are read with it."""


def _gelu(x: Floats) -> Floats:
    """Gaussian error linear units, by their approximation with tanh (Hendrycks and Gimpel 2016, arXiv:1606.08415)."""
    made: Floats = x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return made


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """A multilayer perceptron: of each layer the weights, shape (units of it, of the one before), and the biases; the
    first takes the `features`, the last gives a number. `together` is what the score of candidate and question read
    together counts beside that."""

    features: tuple[str, ...]
    layers: Sequence[tuple[Floats, Floats]]
    together: float = 0.0

    def scores(self, found: Floats) -> Floats:
        """`found`: shape (candidates, `features`). Logits of a softmax over the candidates."""
        *hidden, (weights, biases) = self.layers
        for one, bias in hidden:
            found = _gelu(found @ one.T + bias)
        scores: Floats = (found @ weights.T + biases)[:, 0]
        return scores

    def to_json(self) -> str:
        layers = [{"weights": one.round(4).tolist(), "biases": bias.round(4).tolist()} for one, bias in self.layers]
        return json.dumps({"features": self.features, "layers": layers, "together": self.together}) + "\n"


@dataclass(frozen=True, slots=True, eq=False)
class ReadCandidates:
    """Of all candidates: their `features`, shape (candidates, `FEATURES`), and how likely each is to answer, shape
    (candidates,), by these `alone` and, in `scores`, as the likeliest are read together with the question. `odds` are
    the log odds of those that they answer, and not nothing; of the others, and of all in a language that these were not
    fitted on, minus infinity."""

    features: Floats
    alone: Floats
    scores: Floats
    odds: Floats


def read(request: EncodedRequest, evidence: Evidence) -> ReadCandidates:
    """What is compared is told by its form alone."""
    found = features(request, evidence)
    if evidence.foreign:
        scores = foreign_reader().scores(foreign_features(request, evidence, found))
        return ReadCandidates(found, scores, scores, np.full(len(scores), -np.inf))
    reader = shipped_reader()
    fitted = may_be_english(request.question)  # as all that the pairs were fitted on
    alone = reader.scores(found)
    scores, odds = alone.copy(), np.full(len(alone), -np.inf)
    if len(alone):
        first = np.argsort(-alone, kind="stable")[:READ_TOGETHER]
        first = first[alone[first] >= alone[first[0]] - WITHIN]
        texts = tuple(with_head(evidence, place) for place in first.tolist())
        together = shipped_pairs().scores(request.question, texts)
        if request.asked.form != "comparison":
            scores[first] += reader.together * (1.0 if fitted else UNFITTED) * (together - together.min())
        if fitted:
            odds[first] = together
    return ReadCandidates(found, alone, scores, odds)


def with_head(evidence: Evidence, place: int) -> str:
    """A candidate with what stands above it; `Sat` as Saturday."""
    return days_in_full(headed(evidence.heads[place], evidence.texts[place]))


def headed(head: str, text: str) -> str:
    return f"{head[:LONGEST_HEAD]}: {text}" if head and not text.startswith(head) else text


@cache
def shipped_pairs() -> PairScorer:
    """The one that comes with Clew. Raises `NoModel` where the packaged encoder is not the published one."""
    return PairScorer(packaged_minilm(), PAIRS)


@cache
def shipped_reader() -> Reader:
    """The one that comes with Clew."""
    return _reader(SHIPPED, FEATURES)


@cache
def foreign_reader() -> Reader:
    """The one for other languages than English: above 0 it scores what may answer a question in a language that the
    documents are not in."""
    return _reader(FOREIGN, FOREIGN_FEATURES)


def _reader(path: Path, made_for: tuple[str, ...]) -> Reader:
    kept = json.loads(path.read_text("utf-8"))
    assert tuple(kept["features"]) == made_for, f"made for other features: python -m tests.training.{path.stem}"
    layers = [(np.array(layer["weights"]), np.array(layer["biases"])) for layer in kept["layers"]]
    return Reader(made_for, layers, kept["together"])
