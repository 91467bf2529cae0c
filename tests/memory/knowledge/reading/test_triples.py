from pathlib import Path

import pytest

from memory.errors import Unreadable
from memory.knowledge.reading.source import Failure
from memory.knowledge.reading.triples import read_triples
from memory.knowledge.triples import Triple


def test_lists_of_three_are_triples(tmp_path: Path) -> None:
    (path := tmp_path / "triples.json").write_text('[["Lokesh", "directed", "film"], ["film", "released in", 2025]]')
    assert list(read_triples(path)) == [Triple("Lokesh", "directed", "film"), Triple("film", "released in", "2025")]


def test_what_is_no_triple_is_counted(tmp_path: Path) -> None:
    (path := tmp_path / "triples.json").write_text(
        '[["a", "b", "c"], ["a", "b"], ["a", "b", "c", "d"], ["a", " ", "c"], ["a", null, "c"],'
        ' "abc", {"a": 1}, [1, 2, true]]'
    )
    triple, failure = read_triples(path)
    assert triple == Triple("a", "b", "c")
    assert failure == Failure(str(path), "7 of its entries are not three texts, the first is entry 2", 7)


@pytest.mark.parametrize(
    "content, reason",
    [("{}", "not a list"), ("[[", r"not JSON: .* \(line 1, column 3\)"), ("[" * 100_000, "too deep"), ("", "empty")],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, content: str, reason: str) -> None:
    (path := tmp_path / "triples.json").write_text(content)
    with pytest.raises(Unreadable, match=reason):
        list(read_triples(path))
