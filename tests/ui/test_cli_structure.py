"""`clew train-structure`: a search that orders by how sentences are built."""

import json
from pathlib import Path

from tests.ui.conftest import Run


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
