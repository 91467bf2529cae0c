"""The reranker: a sentence-transformers cross-encoder, loaded at its first use.

Importing torch and sentence-transformers takes seconds, so neither happens before a text has to be scored.
"""

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.memory.encoding import hub_folder
from clew.memory.errors import BadInput, NoModel

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

BATCH = 16
"""Pairs in a forward pass."""


class CrossEncoderReranker:
    """A model in a folder of this machine. One question at a time enters it; callers may be on any thread."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._folder = folder
        self._lock = threading.Lock()

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """The sigmoid of the model's logit for each text, whatever its own last step is. Raises `BadInput` for a model
        that gives a pair more than one score."""
        if not texts:
            return np.empty(0, np.float64)
        with self._lock:
            from torch.nn import Sigmoid

            scores = self._loaded.predict(
                [(question, text) for text in texts],
                batch_size=BATCH,
                activation_fn=Sigmoid(),
                show_progress_bar=False,
            )
        return np.asarray(scores, np.float64)

    @cached_property
    def _loaded(self) -> "CrossEncoder":
        from sentence_transformers import CrossEncoder
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # of reading its weights from a disk
        try:
            model: CrossEncoder = CrossEncoder(str(self._folder), local_files_only=True)
        except (OSError, ValueError) as error:
            raise NoModel(
                f"{self._folder} holds no model that can be read ({type(error).__name__})", "name another reranker"
            ) from error
        if model.num_labels != 1:
            raise BadInput(
                f"{self.name} is no reranker: it gives {model.num_labels} scores to a pair, not one",
                "name a cross-encoder such as cross-encoder/ms-marco-MiniLM-L6-v2",
            )
        return model


def load_reranker(name: str) -> CrossEncoderReranker:
    """The cross-encoder of that name: a folder, the local model cache, else a download, as it was named. Not loaded
    yet. Raises `NoModel`."""
    return CrossEncoderReranker(name, Path(name) if Path(name).is_dir() else hub_folder(name, "reranker"))
