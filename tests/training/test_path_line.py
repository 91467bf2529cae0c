"""Learning what a path is worth: on a small set where the second document is always one step away."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import check_grad

from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.walking.paths import PATH
from clew.tools.graph import HopParameters, hop
from tests.training import walk
from tests.training.path_line import loss_of, scale_of, table_of

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
    monkeypatch.setattr(walk, "encoder_for", lambda _: encoder)
    monkeypatch.setattr(walk, "SHIPPED", tmp_path / "scorer.json")
    monkeypatch.setattr(walk, "SETS", {"hotpotqa": 1.0, "musique": 1.0})
    return tmp_path / "data"


def test_the_slope_is_that_of_the_loss(data: Path, tmp_path: Path, encoder: CachedEncoder) -> None:
    scorer, folder = walk.unfitted(), data / "hotpotqa"
    examples = map(walk.hop_example, walk.read_examples(folder, tmp_path / "library", encoder))
    rounds = [
        (example, one, 1.0)
        for example in examples
        for one in hop(example.looked, example.hops, scorer, HopParameters())
    ]
    table = table_of(rounds, scorer)
    loss = loss_of(table, scale_of(table))
    rng = np.random.default_rng(0)
    values = rng.normal(size=2 + len(PATH))
    assert check_grad(lambda at: loss(at)[0], lambda at: loss(at)[1], values, epsilon=1e-5) < 1e-2
