"""The reranker (seed 002, stage 3): a cross-encoder of sentence-transformers, which reads a question with a text."""

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clew.memory.datatypes import Floats
from clew.memory.encoding import BATCH, ONLY_DATA, hide_progress, model_folder
from clew.memory.errors import BadInput, NoModel

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder


class CrossEncoderReranker:
    """A model in a folder of this machine. One question at a time enters it; callers may be on any thread."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._folder = folder
        self._lock = threading.Lock()

    def scores(self, question: str, texts: Sequence[str]) -> Floats:
        """How well each text fits the question, shape (len(texts),), from 0 to 1: the sigmoid of the model's logit,
        whatever its own last step is. What is too long is cut. Raises `BadInput` for a model that gives a pair more
        than one score."""
        if not texts:
            return np.empty(0, np.float64)
        from torch.nn import Sigmoid

        pairs = [(question, text) for text in texts]
        with self._lock:
            made = self._loaded.predict(pairs, batch_size=BATCH, activation_fn=Sigmoid(), show_progress_bar=False)
        return np.asarray(made, np.float64)

    @cached_property
    def _loaded(self) -> "CrossEncoder":
        from sentence_transformers import CrossEncoder

        hide_progress()
        try:
            model: CrossEncoder = CrossEncoder(str(self._folder), local_files_only=True, **ONLY_DATA)
        except (OSError, ValueError) as error:
            wrong = f"{self._folder} holds no model that can be read ({type(error).__name__})"
            raise NoModel(wrong, "name another reranker") from error
        if model.num_labels != 1:
            raise BadInput(
                f"{self.name} is no reranker: it gives {model.num_labels} scores to a pair, not one",
                "name a cross-encoder such as cross-encoder/ms-marco-MiniLM-L6-v2",
            )
        return model


def load_reranker(name: str) -> CrossEncoderReranker:
    """The cross-encoder of that name (`model_folder`), not loaded yet. Raises `NoModel`."""
    return CrossEncoderReranker(name, model_folder(name, "reranker"))
