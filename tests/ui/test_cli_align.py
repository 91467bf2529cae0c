"""`clew align` on a small library of its own."""

import json
from pathlib import Path

import pytest

from clew.agent.evaluation.aligners import ALL
from clew.ui.commands.partitions import LOSSES, MODELS
from tests.ui.conftest import Run, graph_folder

pytestmark = pytest.mark.soak

TOPICS = ("river", "engine", "violin", "glacier", "orchid")
EACH = 12


@pytest.fixture
def library(clew: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five topics, two partitionings; the questions name one node each. Few are made to train and to measure."""
    monkeypatch.setattr("clew.memory.knowledge.aligners.training.HELD_OUT", 40)
    monkeypatch.setattr("clew.agent.evaluation.aligners.SIZE", 60)
    monkeypatch.setattr("clew.agent.evaluation.aligners.SIZE_WITHOUT_GPU", 40)
    folder = graph_folder(Path("graph"), TOPICS, EACH, (3, 20, 50))
    monkeypatch.setenv("CLEW_LIBRARY", "library")
    assert clew("index", folder, "-q").exit_code == 0
    assert clew("partition", "--method", "metis", "--size", EACH, "-q").exit_code == 0
    return folder


def test_train_and_evaluate(clew: Run, library: Path) -> None:
    run = clew("align", "train", "--size", 80, "--epochs", 2, "--loss", "all", "--json")
    assert run.exit_code == 0, run.stderr
    records = [json.loads(line) for line in run.stdout.splitlines()]
    assert [(record["model"], record["loss"]) for record in records] == [("mlp", "infonce"), ("mlp", "bce")]
    assert all((r["learned"], r["validated"], r["trained_on"]) == (72, 8, "synthetic queries") for r in records)

    run = clew("align", "evaluate", library, "--json", "-q")
    assert run.exit_code == 0, run.stderr
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    assert {row["capsule"] for row in rows} == {"hybrid-200", "metis-12"}
    of_metis = [row for row in rows if row["capsule"] == "metis-12"]
    assert {row["aligner"] for row in of_metis} == {"centroid", "votes", "walk", "words", "mlp-infonce", "mlp-bce"}
    assert {row["set"] for row in of_metis} == {"synthetic train", "synthetic held-out", "graph"}
    (best,) = [row for row in of_metis if (row["aligner"], row["set"]) == ("words", "graph")]
    assert (best["queries"], best["metrics"]["p@1"], best["pools"][0]["held"]) == (3, 1.0, 1.0)
    assert set(best["metrics"]) == {"p@1", "r@5", "r@10", "mrr"}
    assert all(0 < row["ms"] < 50 for row in rows)

    table = clew("align", "evaluate", "--capsule", "metis-12", "-q").stdout
    assert "mlp-bce" in table
    assert "hybrid-200" not in table


def test_what_cannot_be_is_said_in_lines(clew: Run, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    run = clew("align", "train", "--model", "bi", "--epochs", 1)
    assert run.exit_code == 0, run.stderr
    assert "note: there is no GPU here: 40 synthetic queries (--size to change)" in run.stderr
    assert run.stdout.startswith("bi-infonce: epoch 1 of 1")
    (made,) = Path("library").glob("*/capsules/metis-12/aligners/bi-infonce.safetensors")
    other = made.parent.parent.with_name("hybrid-200") / "aligners" / made.name
    other.parent.mkdir(exist_ok=True)
    other.write_bytes(made.read_bytes())
    run = clew("align", "evaluate", "--capsule", "hybrid-200", "-q")
    assert run.exit_code == 3
    assert run.stderr == (
        "clew: the aligner bi-infonce was trained for other partitions than those of hybrid-200\n"
        "try: clew align train --model bi --loss infonce --capsule hybrid-200\n"
    )
    run = clew("align", "train", "--capsule", "leiden-0", "--size", 40)
    assert (run.exit_code, run.stdout) == (2, "")
    assert run.stderr == "clew: there is no capsule 'leiden-0'\ntry: --capsule hybrid-200|metis-12\n"
    Path(library, "qrels.tsv").write_text("q3\tunheard\t1\n")
    run = clew("align", "evaluate", library, "-q")
    assert run.exit_code == 2 and "holds no document that is relevant in graph" in run.stderr


def test_the_walk_chooses_by_the_aligner_of_a_setting(
    clew: Run, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert clew("align", "train", "--size", 40, "--epochs", 1, "-q").exit_code == 0
    monkeypatch.setenv("CLEW_ALIGNER", "mlp-infonce")
    assert " 1  river number3 " in clew("search", "the river number3", "--tool", "walk", "-k", 1).stdout
    assert clew("partition", "--method", "metis", "--size", EACH, "-q").exit_code == 0  # the same partitions keep it
    assert clew("search", "the river number3", "--tool", "walk").exit_code == 0
    assert clew("partition", "--method", "metis", "--size", 20, "-q").exit_code == 0
    refused = clew("search", "the river number3", "--tool", "walk")
    assert refused.exit_code == 2 or "there is no aligner 'mlp-infonce'" in refused.stderr
    assert "one of votes, centroid, words" in refused.stderr


def test_the_help_names_what_there_is() -> None:
    from clew.memory.knowledge.aligners.training import LOSSES as KNOWN
    from clew.memory.knowledge.aligners.training import MODELS as KNOWN_MODELS

    assert [*KNOWN_MODELS, ALL] == MODELS
    assert [*KNOWN, ALL] == LOSSES
