import json
from collections import Counter
from pathlib import Path

import pytest

from clew.memory.errors import BadInput
from clew.memory.knowledge.clues.clue_index import SHIPPED, load_aliases
from clew.memory.text import stemmed_words
from tests.memory.knowledge.clues.cases import CASES, needs_cases


def named(text: str, more: Path | None = None) -> list[str]:
    return [mention.relation for mention in load_aliases(more).mentions(text)]


@pytest.mark.parametrize(
    "text, relations",
    [
        ("directed", ["directed"]),
        ("Directing", ["directed"]),
        ("is the director of", ["directed"]),
        ("was written and directed by", ["written by", "directed"]),
        ("author", ["written by"]),
        ("played the role of", ["played by"]),
        ("stars", ["played by"]),
        ("was born in", ["born"]),
        ("dies", ["died"]),
        ("is located in", ["located in"]),
        ("founder", ["founded"]),
        ("wife", ["married"]),
        ("led to", ["reason"]),
        ("led by", ["led by"]),
        ("came out", ["released"]),
        ("to rescue", ["to save"]),
        ("directory", []),
        ("", []),
    ],
)
def test_relations_are_named_with_their_inflections(text: str, relations: list[str]) -> None:
    assert named(text) == relations


@needs_cases
@pytest.mark.parametrize("relation", CASES.get("relations_named_in_docs_and_code", []))
def test_the_seeds_relations_are_in_the_table(relation: str) -> None:
    assert len(named(relation)) == 1


def test_no_alias_is_two_relations() -> None:
    table = json.loads(SHIPPED.read_text("utf-8"))
    phrases = Counter(
        phrase
        for relation, row in table.items()
        for phrase in {tuple(stemmed_words(alias)) for alias in (relation, *row["aliases"])}
    )
    assert not [phrase for phrase, count in phrases.items() if count > 1]


def test_a_second_file_adds_relations_aliases_and_types(tmp_path: Path) -> None:
    (path := tmp_path / "more.json").write_text(
        '{"orbits": {"answers": ["where"], "aliases": ["circles", "goes around"]}, "directed": {"aliases": ["star"]}}'
    )
    assert named("What circles the Earth, and who is the star?", path) == ["orbits", "directed"]
    assert load_aliases(path).answers["orbits"] == {"where"}
    assert load_aliases(path).answers["directed"] == {"who"}
    assert named("What circles the Earth?") == []


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"a": []}', '{"a": {}}', '{"a": {"answers": ["how"], "aliases": []}}', '{"a": {"aliases": 1}}'],
)
def test_what_is_no_table_is_told(tmp_path: Path, content: str) -> None:
    (path := tmp_path / "more.json").write_text(content)
    with pytest.raises(BadInput, match=r"more\.json is not a table of relation aliases"):
        load_aliases(path)
