"""Training on two small sets of conversations about things of the Moon: what is written can be read and is learned."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from clew.memory.encoding import CachedEncoder
from tests.training import forms, rewriter, rewriter_crossval

pytestmark = pytest.mark.soak

PLACES = ("Tycho", "Copernicus", "Kepler", "Plato", "Clavius", "Archimedes")


def made(folder: Path, *, rewrite: bool) -> None:
    """Of each crater one conversation: its name, then a question that leans on it; in two domains."""
    folder.mkdir(parents=True)
    corpus, queries, qrels = [], [], []
    for number, place in enumerate(PLACES):
        corpus += [
            {"_id": f"{place} age", "title": place, "text": f"The crater {place} is {number + 3} million years old."},
            {"_id": f"{place} width", "title": place, "text": f"The crater {place} is {number + 80} kilometres wide."},
        ]
        turns = [
            {"speaker": "user", "text": f"Tell me about the crater {place}."},
            {"speaker": "agent", "text": f"{place} is a crater on the Moon. Many people like to look at it."},
            {"speaker": "user", "text": "How wide is it?"},
        ]
        for turn, (text, gold) in enumerate(((turns[0]["text"], "age"), ("How wide is it?", "width")), 1):
            query = {"_id": f"{place}<::>{turn}", "text": text, "turns": turns[: 2 * turn - 1]}
            domain = {"domain": "even" if number % 2 else "odd"}
            queries.append({**query, **domain, **({"rewrite": f"How wide is the crater {place}?"} if rewrite else {})})
            qrels.append(f"{place}<::>{turn}\t{place} {gold}\t1\n")
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)), "utf-8")
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), "utf-8")
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(qrels), "utf-8")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: CachedEncoder) -> Path:
    for module in (rewriter, rewriter_crossval):
        monkeypatch.setattr(module, "encoder_for", lambda _: encoder)
    monkeypatch.setattr(rewriter, "WORDS", tmp_path / "learned.json")
    monkeypatch.setattr(rewriter, "WEIGHTS", tmp_path / "weights.json")
    made(tmp_path / "data" / "mtrag", rewrite=True)
    made(tmp_path / "data" / "mtrag-un", rewrite=False)
    return tmp_path / "data"


def test_what_is_fitted_can_be_read(data: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(rewriter.main, [str(data), str(tmp_path / "libraries")])
    assert result.exit_code == 0, result.output
    learned, weights = (json.loads((tmp_path / f"{name}.json").read_text("utf-8")) for name in ("learned", "weights"))
    assert set(learned["terms"]["weights"]) == set(rewriter.WORD_SIGNALS) and set(learned["forms"]) == set(
        rewriter.FORMS
    )
    assert set(weights["signals"]) == set(forms.SIGNALS)


def test_the_report_has_a_line_for_each_kind_of_question(data: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(rewriter_crossval.main, [str(data), str(tmp_path / "libraries")])
    assert result.exit_code == 0, result.output
    head, *lines = result.stdout.splitlines()
    assert head.split() == ["questions", *rewriter_crossval.SIMPLE, "rewrite"]
    labels = [line[:34].strip() for line in lines]
    assert labels[:2] == ["mtrag", "mtrag, even"] and "mtrag-un, odd, later turns" in labels
    assert not (tmp_path / "learned.json").exists()
    later = next(line for line in lines if line.startswith("mtrag, even, later turns")).split()
    assert float(later[-1]) >= float(later[-1 - len(rewriter_crossval.SIMPLE)])  # than the question as it was typed


def test_the_ablation_has_a_line_for_each_signal(data: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(rewriter_crossval.main, [str(data), str(tmp_path / "libraries"), "--ablate"])
    assert result.exit_code == 0, result.output
    names = [line.split("  ")[0] for line in result.stdout.splitlines()]
    assert names == ["with all", *(f"words.{name}" for name in rewriter.WORD_SIGNALS), *forms.SIGNALS]


def test_one_domain_cannot_be_crossed(data: Path, tmp_path: Path) -> None:
    for name in ("mtrag", "mtrag-un"):
        queries = data / name / "queries.jsonl"
        queries.write_text(queries.read_text("utf-8").replace('"even"', '"odd"'), "utf-8")
    result = CliRunner().invoke(rewriter_crossval.main, [str(data), str(tmp_path / "libraries")])
    assert result.exit_code == 1
    assert "Error: all questions are of one domain, odd" in result.output


def test_data_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    result = CliRunner().invoke(rewriter.main, [str(tmp_path / "data"), str(tmp_path / "libraries")])
    assert result.exit_code == 1 and "Error: cannot open" in result.output
