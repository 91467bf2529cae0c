from pathlib import Path

import pytest

from clew.memory.datatypes import Document
from clew.memory.knowledge.loaders.registry import read
from clew.memory.knowledge.loaders.source import LoadFailure, Source
from clew.memory.knowledge.loaders.triples_file import TRIPLES


def items(path: Path, content: str) -> list[Document | LoadFailure]:
    path.write_text(content, "utf-8")
    return list(read(Source(path, TRIPLES, path)))


def test_each_subject_is_a_document(tmp_path: Path) -> None:
    path = tmp_path / "triples.json"
    content = '[["Lokesh\\nK.", "directed", "film"], ["film", "released in", 2025], ["lokesh k.", "wrote", "it"]]'
    lokesh = ("Lokesh K.", "directed", "film"), ("lokesh k.", "wrote", "it")
    text = "Lokesh K. directed film.\nlokesh k. wrote it."
    assert items(path, content) == [
        Document("triples.json:lokesh k.", "Lokesh K.", text, str(path), triples=lokesh),
        Document(
            "triples.json:film",
            "film",
            "film released in 2025.",
            str(path),
            triples=(("film", "released in", "2025"),),
        ),
    ]


def test_a_repeated_triple_is_written_once(tmp_path: Path) -> None:
    (document,) = items(tmp_path / "triples.json", '[["a", "b", "c"], ["A", "b", "c"], ["a", "b", "d"]]')
    assert isinstance(document, Document)
    assert document.text == "a b c.\na b d."
    assert len(document.triples) == 3  # merged, and counted, when they are indexed


def test_what_is_no_triple_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "triples.json"
    document, failure = items(
        path,
        '[["a", "b", "c"], ["a", "b"], ["a", "b", "c", "d"], ["a", " ", "c"], ["a", null, "c"],'
        ' "abc", {"a": 1}, [1, 2, true]]',
    )
    assert isinstance(document, Document) and document.triples == (("a", "b", "c"),)
    assert failure == LoadFailure(str(path), "7 of its entries are not three texts, the first is entry 2", 7)


@pytest.mark.parametrize(
    "content, reason",
    [("{}", "not a list of triples"), ("[[", "not JSON"), ("[" * 100_000, "JSON that is too deep"), ("", "empty")],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, content: str, reason: str) -> None:
    (failure,) = items(tmp_path / "triples.json", content)
    assert isinstance(failure, LoadFailure) and failure.reason.startswith(reason)
