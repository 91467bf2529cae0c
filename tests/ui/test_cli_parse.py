"""`clew parse`: sentences a line each, CoNLL-U, keywords, JSON; from a file or what is piped in."""

import json
from pathlib import Path

import pytest

from tests.ui.conftest import Run


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("Kiu estas Mitrandiro?\n\nLa hundoj vidas la grandan katon.\n", "utf-8")
    return path


def test_keywords_and_json(clew: Run, text: Path) -> None:
    done = clew("parse", text, "--keywords")
    assert (done.exit_code, done.stdout) == (0, "mitrandiro\nhund, vid, grand, kat\n"), done.stderr
    first, second = map(json.loads, clew("parse", text, "--json").stdout.splitlines())
    assert (first["mood"], first["asks"], second["language"]) == ("question", "kiu", "eo")
    cat = second["words"][5]
    assert (cat["form"], cat["head"], cat["deprel"], cat["feats"]["Case"]) == ("katon", 3, "obj", "Acc")
    assert json.loads(clew("parse", text, "--json", "--keywords").stdout.splitlines()[0])["keywords"] == ["mitrandiro"]


def test_for_people_and_as_conllu(clew: Run, text: Path, tmp_path: Path) -> None:
    lines = clew("parse", text, "--language", "eo").stdout.splitlines()
    assert lines[0] == "# Kiu estas Mitrandiro?" and lines[1].split()[-2:] == ["0", "root"]
    path = tmp_path / "a.conllu"
    path.write_text("# sent_id = 1\n1\tMi\tX\n2\tvenas\tX\n\n", "utf-8")
    done = clew("parse", path, "--conllu", "--language", "eo")
    assert done.stdout.splitlines()[1].split("\t")[:4] == ["1", "Mi", "mi", "PRON"]
    assert done.stdout.startswith("# sent_id = 1\n") and done.stdout.endswith("\n\n")
    assert clew("parse", path, "--conllu", "--json").exit_code == 2


def test_what_is_wrong_is_said(clew: Run, tmp_path: Path) -> None:
    path = tmp_path / "strict.txt"
    path.write_text("Mi venas.\nLa gnapo brinkas.\n", "utf-8")
    done = clew("parse", path, "--language", "eo", "--strict")
    assert done.exit_code == 2 and "line 2" in done.stderr and "gnapo" in done.stderr
    path.write_text("Wer ist der Hund und was macht er?\n", "utf-8")
    done = clew("parse", path)
    assert done.exit_code == 2 and "German" in done.stderr and "--language" in done.stderr
    path.write_bytes(b"\xff\xfe\xff")
    assert clew("parse", path).exit_code == 2


def test_a_structure_is_trained_and_searched_by(clew: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    sentences = ["La reĝo petis Mitrandiron.", "Mitrandiro estas tre maljuna.", "La domo de lia mastro brulis."]
    for number, sentence in enumerate(sentences):
        (tmp_path / "docs" / f"{number}.txt").write_text(sentence + "\n", "utf-8")
    assert clew("index", tmp_path / "docs", "--library", "lib").exit_code == 0
    asked = ("search", "Kiu estas Mitrandiro?", "--library", "lib", "--tool", "hybrid", "--json")
    by_trees = ("--set", "tools.hybrid.stage2=structure", "--set", "tools.hybrid.nearest=0")
    untrained = clew(*asked, *by_trees)
    assert untrained.exit_code == 3 and "clew train-structure" in untrained.stderr
    done = clew("train-structure", "--library", "lib", "--language", "eo", "--epochs", "1")
    assert done.exit_code == 0 and done.stdout.strip().endswith("structure.safetensors"), done.stderr
    found = [json.loads(line)["text"] for line in clew(*asked, *by_trees).stdout.splitlines()]
    assert sorted(found) == sorted(sentences[:2])
    explained = clew(*asked, *by_trees, "--explain").stdout.splitlines()
    why = {line["text"]: line["explain"] for line in map(json.loads, explained)}
    assert why[sentences[0]]["aligned"] == [["Mitrandiro", "Mitrandiron"]]
    shown = clew(*asked[:-1], *by_trees, "--explain").stdout
    assert "aligned: Mitrandiro = Mitrandiron" in shown and ", trees 0." in shown
