"""Learning what a path is worth: on a small set where the second document is always one step away."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.multihop.paths import DIRECT, PATH
from clew.memory.knowledge.multihop.rounds import HopParameters, load_coefficients, walk
from tests.training import hops

pytestmark = pytest.mark.soak

FILMS = {"Metropolis": "Lang", "Nosferatu": "Murnau", "Caligari": "Wiene", "Pandora": "Pabst", "Vampyr": "Dreyer"}
TOWNS = ("Vienna", "Bielefeld", "Breslau", "Raudnitz", "Copenhagen")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: CachedEncoder) -> Path:
    corpus: list[dict[str, object]] = []
    queries, qrels = [], ["query-id\tcorpus-id\tscore\n"]
    for (film, name), town in zip(FILMS.items(), TOWNS, strict=True):
        person = f"Fritz {name}"
        rows = {film: f"{film} is a silent film. It was directed by {person}.", person: f"{person} was born in {town}."}
        corpus += [{"_id": title, "title": title, "text": text} for title, text in rows.items()]
        corpus += [{"_id": town, "title": town, "text": f"{town} is a town with a cinema. A director was born in it."}]
        corpus[-2]["triples"] = [[person, "was born in", town]]
        corpus[-3]["triples"] = [[person, "directed", film]]
        queries.append({"_id": film, "text": f"Where was the director of {film} born?"})
        qrels += [f"{film}\t{film}\t1\n", f"{film}\t{person}\t1\n"]
    for name in ("hotpotqa", "musique"):
        (tmp_path / "data" / name).mkdir(parents=True)
        for file, lines in (("corpus.jsonl", map(json.dumps, corpus)), ("queries.jsonl", map(json.dumps, queries))):
            (tmp_path / "data" / name / file).write_text("\n".join(lines), "utf-8")
        (tmp_path / "data" / name / "qrels.tsv").write_text("".join(qrels), "utf-8")
    monkeypatch.setattr(hops, "encoder_for", lambda _: encoder)
    monkeypatch.setattr(hops, "SHIPPED", tmp_path / "coefficients.json")
    monkeypatch.setattr(hops, "SEEDS", (0,))
    return tmp_path / "data"


def run(*arguments: object) -> str:
    result = CliRunner().invoke(hops.main, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    return result.output


def test_what_is_fitted_is_written_and_has_learned_that_paths_pay(data: Path, tmp_path: Path) -> None:
    assert "fitted on 15 questions" in run(data, tmp_path / "libraries")
    learned = load_coefficients(tmp_path / "coefficients.json")
    assert set(learned.direct) == set(DIRECT)
    # A path that a telling sentence begins is worth more.
    telling = np.zeros(len(PATH))
    telling[[PATH.index("tells"), PATH.index("onward")]] = 0.5
    assert learned.of_paths(telling[None]) > learned.of_paths(np.zeros((1, len(PATH))))


def test_out_of_fold_figures_have_intervals(data: Path, tmp_path: Path) -> None:
    lines = run(data, tmp_path / "libraries", "--crossval").splitlines()
    assert len(lines) == len(hops.SETS)
    assert all("recall@5 1.000 [1.00, 1.00]" in line for line in lines), lines
    assert not (tmp_path / "coefficients.json").exists()


def test_the_slope_is_that_of_the_loss(data: Path, tmp_path: Path, encoder: CachedEncoder) -> None:
    examples = list(hops.read_examples(hops.SETS[0], data, tmp_path / "libraries", encoder))
    rounds = [
        (example, one, 1.0)
        for example in examples
        for one in walk(example.hops, example.pool, hops.BEGINNING, HopParameters())
    ]
    table = hops.table_of(rounds)
    loss = hops.loss_of(table, hops.scale_of(table))
    rng = np.random.default_rng(0)
    values = rng.normal(size=len(DIRECT) + 1 + len(PATH))
    _, slope = loss(values)
    for place in range(len(values)):
        step = np.zeros(len(values))
        step[place] = 1e-5
        rise = loss(values + step)[0] - loss(values - step)[0]
        assert rise / 2e-5 == pytest.approx(slope[place], rel=1e-3, abs=1e-4)
