"""The cross-encoder: the real class, with a tiny model of random weights that is made here."""

from pathlib import Path

import numpy as np
import pytest

from clew.memory.errors import BadInput, NoModel
from clew.memory.knowledge.reranking import load_reranker

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "who", "directed", "metropolis", "fritz", "lang", "moon", "the"]
QUESTION = "Who directed Metropolis?"
TEXTS = ["Fritz Lang directed Metropolis.", "The moon.", "metropolis " * 100, ""]


def tiny(folder: Path, labels: int = 1) -> Path:
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer, set_seed

    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS), "utf-8")
    set_seed(7)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=32,
    )
    config.num_labels = labels
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer = BertTokenizer(vocab_file=str(folder / "vocab.txt"), model_max_length=32)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny(tmp_path_factory.mktemp("models") / "reranker")


def test_scores_are_the_models_own_from_0_to_1(model: Path) -> None:
    from sentence_transformers import CrossEncoder

    scores = load_reranker(str(model)).scores(QUESTION, TEXTS)
    logits = CrossEncoder(str(model)).predict(
        [(QUESTION, text) for text in TEXTS], activation_fn=lambda logits: logits, show_progress_bar=False
    )
    assert scores == pytest.approx(1 / (1 + np.exp(-np.asarray(logits, np.float64))), abs=1e-6)
    assert scores.dtype == np.float64 and len(set(scores.round(9))) == len(TEXTS)


def test_what_is_no_reranker_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="gives 3 scores to a pair"):
        load_reranker(str(tiny(tmp_path / "three", labels=3))).scores(QUESTION, TEXTS)
    (tmp_path / "empty").mkdir()
    with pytest.raises(NoModel, match="holds no model"):
        load_reranker(str(tmp_path / "empty")).scores(QUESTION, TEXTS)
    with pytest.raises(NoModel, match="the reranker no/such-model is neither on this machine"):
        load_reranker("no/such-model")
