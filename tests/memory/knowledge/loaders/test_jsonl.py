import gzip
import json
from pathlib import Path

import pytest

from clew.memory.datatypes import Document, Edge
from clew.memory.knowledge.loaders.registry import BY_NAME, discover, read
from clew.memory.knowledge.loaders.source import Item, LoadFailure, Source


def items(path: Path, *lines: object) -> list[Item]:
    path.write_bytes(b"".join(_line(line) for line in lines))
    [source] = discover([path]).sources
    return list(read(source))


def _line(line: object) -> bytes:
    return (line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n"


def failures(found: list[Item]) -> list[tuple[str, str]]:
    return [(item.source.rsplit("/", 1)[-1], item.reason) for item in found if isinstance(item, LoadFailure)]


def test_ids_titles_and_texts_are_kept(tmp_path: Path) -> None:
    found = items(
        tmp_path / "x.jsonl",
        {"_id": "Demon Dice ", "title": "T", "text": "A"},
        {"id": 7, "title": None, "text": "B"},
        {"text": "C", "_id": ""},
        b"",
        {"_id": "only-title", "title": "Words", "text": " "},
    )
    path = str(tmp_path / "x.jsonl")
    assert found == [
        Document("Demon Dice ", "T", "A", f"{path}:1"),
        Document("7", "", "B", f"{path}:2"),
        Document("x.jsonl:3", "", "C", f"{path}:3"),
        Document("only-title", "Words", "Words", f"{path}:5"),
    ]


def test_a_bad_line_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    found = items(
        tmp_path / "x.jsonl",
        b'\xef\xbb\xbf{"_id": "a", "text": "A"}',
        b'{"_id": "b", "text": ',
        b'{"_id": "c", "text": "caf\xe9"}',
        {"_id": "d", "title": "no text"},
        {"_id": "e", "text": ["not", "text"]},
        {"_id": "a", "text": "again"},
        [1, 2],
        {"_id": "f", "text": " \n"},
        b'{"text": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        {"_id": "g", "text": "G"},
    )
    assert [item.id for item in found if isinstance(item, Document)] == ["a", "g"]
    assert failures(found)[:-2] == [
        ("x.jsonl:2", "not JSON: Expecting value: line 1 column 21 (char 20)"),
        ("x.jsonl:3", "not JSON: 'utf-8' codec can't decode byte 0xe9 in position 25: invalid continuation byte"),
        ("x.jsonl:4", 'there is no "text"'),
        ("x.jsonl:5", '"text" is not text'),
        ("x.jsonl:6", "the id 'a' is on an earlier line already"),
        ("x.jsonl:7", "not a JSON object"),
        ("x.jsonl:8", "empty"),
    ]
    assert all(why.startswith("not JSON: ") for _, why in failures(found)[-2:])


def test_what_no_database_takes_is_made_good(tmp_path: Path) -> None:
    [item] = items(
        tmp_path / "x.jsonl", b'{"_id": "a\\u0000b", "text": "half \\ud83c, whole \\ud83c\\udf89, nul\\u0000"}'
    )
    assert isinstance(item, Document)
    assert (item.id, item.text) == ("a b", "half �, whole 🎉, nul ")


def test_a_file_of_other_lines_is_named_once_and_counted(tmp_path: Path) -> None:
    whole = items(tmp_path / "x.jsonl", *({"n": number} for number in range(1000)))
    found = failures(whole)
    assert len(found) == 21
    assert sum(item.count for item in whole if isinstance(item, LoadFailure)) == 1000
    assert found[-1] == ("x.jsonl", "980 more of its lines cannot be read")


def test_a_zipped_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    lines = "".join(json.dumps({"_id": str(n), "text": f"number {n} of {n * 7919 % 9973}"}) + "\n" for n in range(5000))
    whole = gzip.compress(lines.encode())
    path.write_bytes(whole)
    [source] = discover([path]).sources
    assert len(list(read(source))) == 5000
    path.write_bytes(whole[: len(whole) // 2])
    *documents, failure = read(source)
    assert 1000 < len(documents) < 5000
    assert isinstance(failure, LoadFailure)
    assert f", after line {len(documents)}" in failure.reason
    for broken in (b"not zipped", whole[:100] + b"\xff" * 100 + whole[200:]):
        path.write_bytes(broken)
        assert [type(item) for item in read(source)][-1] is LoadFailure


@pytest.mark.parametrize(
    ("line", "why"),
    [({"conversation_id": "c", "turns": []}, "a conversation script, which clew replay runs"), (b"\n", "empty")],
)
def test_what_has_no_documents_is_named(tmp_path: Path, line: object, why: str) -> None:
    assert failures(items(tmp_path / "x.jsonl", line)) == [("x.jsonl", why)]


def test_edges_come_as_they_are_and_bad_ones_are_named(tmp_path: Path) -> None:
    (tmp_path / "nodes.jsonl").write_text('{"id": 1, "title": "t", "text": "x"}\n', "utf-8")
    edges = [{"source": 1, "target": "b c", "relation": "r"}] * 2 + [{"source": "a", "target": "b"}, {"source": "a"}]
    (tmp_path / "edges.jsonl.gz").write_bytes(gzip.compress(b"".join(map(_line, edges))))
    [source] = discover([tmp_path]).sources
    node, *others = read(source)
    assert isinstance(node, Document) and node.id == "1"
    assert others == [
        Edge("1", "b c", "r"),
        Edge("1", "b c", "r"),
        Edge("a", "b"),
        LoadFailure(f"{tmp_path / 'edges.jsonl.gz'}:4", 'there is no "target"'),
    ]
    (tmp_path / "edges.jsonl.gz").unlink()
    assert list(read(source))[1:] == [LoadFailure(str(tmp_path / "edges.jsonl.gz"), "it is not there")]


def test_triples_come_with_their_document(tmp_path: Path) -> None:
    triples = [["Lang", "directed", "M "], ["Lang", "M"], "Lang", ["M", "of", 1931]]
    rows = {"_id": "m", "text": "Words", "triples": triples}, {"_id": "n", "text": "Words", "triples": "none"}
    one, other = items(tmp_path / "x.jsonl", *rows)
    assert isinstance(one, Document) and isinstance(other, Document)
    assert one.triples == (("Lang", "directed", "M"), (), (), ("M", "of", "1931"))
    assert other.triples == ()


def items_file(path: Path, content: str) -> list[Item]:
    path.write_text(content, "utf-8")
    return list(read(Source(path, BY_NAME["json"], path)))


def test_each_subject_is_a_document_and_a_repeated_triple_written_once(tmp_path: Path) -> None:
    path = tmp_path / "triples.json"
    content = '[["Lokesh\\nK.", "directed", "film"], ["film", "released in", 2025], ["lokesh k.", "wrote", "it"]]'
    lokesh = ("Lokesh K.", "directed", "film"), ("lokesh k.", "wrote", "it")
    text = "Lokesh K. directed film.\nlokesh k. wrote it."
    assert items_file(path, content) == [
        Document("triples.json:lokesh k.", "Lokesh K.", text, str(path), triples=lokesh),
        Document(
            "triples.json:film", "film", "film released in 2025.", str(path), triples=(("film", "released in", "2025"),)
        ),
    ]
    (document,) = items_file(tmp_path / "triples.json", '[["a", "b", "c"], ["A", "b", "c"], ["a", "b", "d"]]')
    assert isinstance(document, Document)
    assert document.text == "a b c.\na b d."
    assert len(document.triples) == 3  # merged, and counted, when they are indexed


def test_what_is_no_triple_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "triples.json"
    document, failure = items_file(
        path,
        '[["a", "b", "c"], ["a", "b"], ["a", "b", "c", "d"], ["a", " ", "c"], ["a", null, "c"],'
        ' "abc", {"a": 1}, [1, 2, true]]',
    )
    assert isinstance(document, Document) and document.triples == (("a", "b", "c"),)
    assert failure == LoadFailure(str(path), "7 of its entries are not three texts, the first is entry 2", 7)


@pytest.mark.parametrize(
    "content, reason",
    [("{}", "empty"), ("[[", "not JSON"), ("[" * 100_000, "not JSON"), ("", "empty")],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, content: str, reason: str) -> None:
    (failure,) = items_file(tmp_path / "triples.json", content)
    assert isinstance(failure, LoadFailure) and failure.reason.startswith(reason)
