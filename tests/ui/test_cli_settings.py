"""Parameters from files, variables and flags, as a person sets them."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.memory.knowledge.disk import read_manifest, required_generation
from tests.ui.conftest import Run


def row(clew: Run, name: str, *flags: str) -> Any:
    run = clew("settings", name, "--json", *flags)
    assert run.exit_code == 0, run.output
    return json.loads(run.stdout.splitlines()[0])


def test_each_place_wins_over_the_one_before_and_is_named(
    clew: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "tools.clues.beam"
    assert row(clew, name) == {
        "name": name,
        "value": 10,
        "source": "default",
        "default": 10,
        "seed": "",
        "seed_value": None,
        "allowed": "a whole number from 1 to 100",
    }
    user = tmp_path / "config" / "clew" / "clew.toml"
    user.parent.mkdir(parents=True)
    user.write_text("[tools.clues]\nbeam = 2\ndepth = 4\n")
    assert (row(clew, name)["value"], row(clew, name)["source"]) == (2, str(user))
    Path("clew.toml").write_text("[tools.clues]\nbeam = 3\n")
    assert (row(clew, name)["value"], row(clew, name)["source"]) == (3, "clew.toml")
    assert row(clew, "tools.clues.depth")["value"] == 4  # a table of two files is one
    monkeypatch.setenv("CLEW_TOOLS__CLUES__BEAM", "4")
    assert (row(clew, name)["value"], row(clew, name)["source"]) == (4, "environment")
    assert row(clew, name, "--set", f"{name}=5")["source"] == "flag"
    assert row(clew, name, "--set", f"{name}=5")["value"] == 5


def test_the_seeds_value_stands_beside_the_default(clew: Run) -> None:
    tau = row(clew, "tools.local.tau_e")
    assert (tau["default"], tau["seed"], tau["seed_value"]) == (0.4, "001", 0.6)
    table = clew("settings", "tools.local").stdout
    assert "0.6 (001)" in table and "a number from -1 to 1" in table


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "tools.clues.beem=5"], "tools.clues.beam"),
        (["--set", "tools.clues.beam=0"], "a whole number from 1 to 100"),
        (["--set", "index.keywords.stemmer=klingon"], "index.keywords.stemmer is one of '', arabic, armenian"),
        (["--set", "index.keywords.stop_words=klingon"], "index.keywords.stop_words is one of '', chinese"),
        (["--set", "beam"], "--set tools.clues.beam=5"),
        (["--set", "library=x"], "--set tools.clues.beam=5"),
        (["--set", "tools=5"], "--set tools.clues.beam=5"),
        (["--set", "tools.clues=5", "--set", "tools.clues.beam=5"], "clew settings"),
    ],
)
def test_a_wrong_flag_is_two_lines(clew: Run, arguments: list[str], said: str) -> None:
    run = clew("settings", *arguments)
    assert run.exit_code == 2 and said in run.stderr and run.stderr.count("\n") == 2


@pytest.mark.parametrize("name", ["CLEW_TOOLS__CLUES__BEEM", "CLEW_TOLS__CLUES__BEAM", "CLEW_REWRITE"])
def test_a_wrong_variable_is_refused(clew: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "5")
    run = clew("settings")
    assert run.exit_code == 2 and "internal" not in run.stderr, run.output


def test_a_folders_file_sets_numbers_and_choices_alone(clew: Run) -> None:
    Path("clew.toml").write_text(
        '[tools.clues]\nmethod = "triples"\n[walk]\nbeam = 2\n[tools.hybrid]\nreranker = "x"\n'
        '[index.keywords]\nstemmer = "german"\n'
    )
    run = clew("settings", "--json")
    assert "clew.toml of this folder sets tools.hybrid.reranker: ignored, until: clew trust" in run.stderr
    rows = {one["name"]: one["value"] for one in map(json.loads, run.stdout.splitlines())}
    assert (rows["tools.clues.method"], rows["walk.beam"], rows["tools.hybrid.reranker"]) == ("triples", 2, "")
    assert rows["index.keywords.stemmer"] == "german"
    assert clew("trust").exit_code == 0
    assert row(clew, "tools.hybrid.reranker")["value"] == "x"


def test_the_former_name_of_the_method_is_read_with_a_warning(clew: Run) -> None:
    Path("clew.toml").write_text('clues = "triples"\n')
    run = clew("settings", "tools.clues.method", "--json")
    assert json.loads(run.stdout)["value"] == "triples"
    assert '[tools.clues] method = "triples"' in run.stderr
    both = clew("settings", "tools.clues.method", "--json", "--set", "tools.clues.method=units")
    assert json.loads(both.stdout)["value"] == "units"


def test_a_parameter_changes_what_a_search_finds(clew: Run, examples_path: Path) -> None:
    def found(*flags: str) -> list[str]:
        run = clew(
            "search", "Who directed Metropolis?", "--tool", "hybrid", "--library", examples_path, "--json", *flags
        )
        assert run.exit_code == 0, run.output
        return [json.loads(line)["id"] for line in run.stdout.splitlines()]

    few = found("--set", "tools.hybrid.candidates=1", "--set", "tools.hybrid.nearest=0", "-k", "1")
    assert len(found()) == 10 and len(few) == 1
    assert found() != found("--set", "tools.hybrid.keyword=0", "--set", "tools.hybrid.title=0")


def test_those_of_indexing_are_applied_kept_and_asked_for(clew: Run, tmp_path: Path) -> None:
    library = tmp_path / "library"
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "moon.txt").write_text("The Moon orbits the Earth. My bread needs yeast. Paris is in France.")

    def fingerprint() -> str:
        return read_manifest(required_generation(library)).fingerprint

    def search(*flags: str) -> Any:
        return clew("search", "moon", "--tool", "hybrid", "--library", library, *flags)

    made = clew("index", "notes", "--library", library, "-q")
    assert made.exit_code == 0, made.output
    plain, wanted = fingerprint(), ["--set", "index.semantic.buffer=0", "--set", "index.semantic.step=1"]
    refused = search(*wanted)
    assert refused.exit_code == 3, refused.output
    assert "was not made with index.semantic.buffer = 0, index.semantic.step = 1" in refused.stderr
    command = refused.stderr.splitlines()[1].removeprefix("try: clew ").split()
    assert command[0] == "index" and "semantic" in command
    assert clew(*command, "-q").exit_code == 0
    assert search(*wanted).exit_code == 0 and fingerprint() != plain
    again = clew("index", "notes", "--library", library, "-q")  # kept, unless it is said otherwise
    assert "1 unchanged" in again.stdout and search(*wanted).exit_code == 0
    before = fingerprint()
    assert clew("index", "notes", "--library", library, "-q", "--set", "index.keywords.k1=1.2").exit_code == 0
    assert read_manifest(required_generation(library)).keywords.k1 == 1.2 and fingerprint() != before
    before = fingerprint()
    assert clew("index", "notes", "--library", library, "-q", "--set", "index.communities.smallest=2").exit_code == 0
    detection = read_manifest(required_generation(library)).detection
    assert detection is not None and detection.smallest == 2 and fingerprint() != before
    wrong = clew("index", "notes", "--library", library, "-q", "--set", "index.sentences.overlap=2")
    assert wrong.exit_code == 2 and "--chunker sentences" in wrong.stderr


def test_number_of_sentences_of_a_conversation(clew: Run, examples_path: Path) -> None:
    for question, flags in (("Who directed Metropolis?", ()), ("When was he born?", ("--num-sentences", "1"))):
        run = clew("ask", question, "--library", examples_path, "--thread", "t", "--json", *flags)
        assert run.exit_code == 0, run.output
    turn = json.loads(run.stdout.splitlines()[-1])
    assert len(turn["recalled"]["selected"]) == 1
    assert clew("ask", "x", "--library", examples_path, "--num-sentences", "0").exit_code == 2


def test_a_search_explains_itself(clew: Run, examples_path: Path) -> None:
    asked = ("search", "distance of the Moon", "--library", examples_path, "-k", "2", "--explain")
    for tool in ("hybrid", "local", "auto"):
        run = clew(*asked, "--tool", tool, "--json")
        assert run.exit_code == 0, run.output
        for line in map(json.loads, run.stdout.splitlines()):
            why = line["explain"]
            assert set(why) == {"fields", "keyword", "cosine"} and 0 <= why["keyword"] <= 1
            assert all(hit["words"] and hit["score"] > 0 for hit in why["fields"].values())
        first = json.loads(run.stdout.splitlines()[0])["explain"]
        assert "moon" in first["fields"]["text"]["words"] and first["cosine"] > 0.3
    shown = clew(*asked, "--tool", "hybrid").stdout
    assert "text: " in shown and "metadata: distance, moon" in shown and "meaning 0." in shown
    assert "explain" not in clew(*asked[:-1], "--tool", "hybrid", "--json").stdout
