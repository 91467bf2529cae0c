"""JSON and lines of it, read strictly and as models write it."""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from clew.memory.errors import BadInput, ClewError
from clew.memory.json_lines import append_object, read_json, read_objects, replace_file

ROOT = Path(__file__).parents[2]


def test_objects_come_with_their_line_and_blank_lines_do_not(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes('\ufeff{"a": 1}\r\n\r\n{"a": "one\u2028line"}'.encode())
    assert list(read_objects(path)) == [(1, {"a": 1}), (3, {"a": "one\u2028line"})]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n{"a": \n', "rows.jsonl:2 is not JSON"),
        (b'{"a": 1}\n[1]\n', "rows.jsonl:2 is not a JSON object"),
        (b'{"a": "\xff"}\n', "is not UTF-8 text"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=message):
        list(read_objects(path))


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        list(read_objects(tmp_path / "none.jsonl"))


def test_what_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        replace_file(tmp_path / "file" / "rows.jsonl", "")
    with pytest.raises(BadInput, match="cannot be written"):
        append_object(tmp_path / "nowhere" / "rows.jsonl", {})


@pytest.mark.parametrize(("error", "said"), [(errno.ENOSPC, "the disk is full"), (errno.EIO, "Input/output error")])
def test_a_disk_that_is_full_or_fails_is_no_wrong_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int, said: str
) -> None:
    def failing(_: int) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(ClewError, match=f"cannot be written: {said}") as replaced:
        replace_file(tmp_path / "rows.jsonl", "")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ClewError, match=f"cannot be written: {said}") as appended:
        append_object(tmp_path / "rows.jsonl", {})
    for raised in (replaced, appended):
        assert raised.value.exit_code == 1 and raised.value.hint


def test_replaced_files_leave_nothing_beside_them(tmp_path: Path) -> None:
    path = tmp_path / "new" / "rows.jsonl"
    replace_file(path, "one\n")
    replace_file(path, "two\n")
    assert path.read_text() == "two\n"
    assert list(path.parent.iterdir()) == [path]


def test_appended_objects_read_back_whatever_they_hold(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"text": "Méliès\n\u2028\x85"}, {"text": "a lone surrogate: \ud800"}]
    for row in rows:
        append_object(path, row)
    assert [row for _, row in read_objects(path)] == rows
    assert "Méliès" in path.read_text(encoding="utf-8")


def test_a_kill_leaves_whole_lines_and_at_most_a_torn_last_one(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    program = (
        "import sys; from pathlib import Path; from clew.memory.json_lines import append_object\n"
        "for n in range(10**9): append_object(Path(sys.argv[1]), {'n': n, 'text': 'é' * 50_000})"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(path)], cwd=ROOT)
    try:
        while process.poll() is None and not (path.exists() and path.stat().st_size > 2_000_000):
            pass
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert process.returncode == -signal.SIGKILL
    whole = path.read_bytes().split(b"\n")[:-1]
    assert [json.loads(line)["n"] for line in whole] == list(range(len(whole))) != []


GOOD: dict[str, Any] = {"name": "Lang's film", "parts": [1, 2]}


@pytest.mark.parametrize(
    "reply",
    [
        '{"name": "Lang\'s film", "parts": [1, 2]}',
        'Sure! Here it is:\n```json\n{"name": "Lang\'s film", "parts": [1, 2]}\n```\nAnything else?',
        "{'name': 'Lang's film', 'parts': [1, 2]}",
        '{"name": "Lang\'s film", "parts": [1, 2,],}',
        "{“name”: “Lang's film”, “parts”: [1, 2]}",
        '{"name": "Lang\'s film",\n "parts": [1,\n 2]} {"name": ""}',
    ],
)
def test_it_is_read(reply: str) -> None:
    assert read_json(reply) == GOOD


def test_brackets_and_line_breaks_in_strings_are_text() -> None:
    assert read_json('{"name": "a } ] \\" {\nb"}') == {"name": 'a } ] " {\nb'}


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        ("", "it is empty"),
        ("I cannot do that.", "there is no JSON in it"),
        ('{"entities": [{"name": "Fritz Lang"}, {"name": "Met', "it breaks off before its end"),
        ('{"entities": [{"name": "Fritz Lang"}], "triples": [', "it breaks off before its end"),
        ("{entities: none}", "it is no valid JSON"),
        ("[" * 100_000 + "]" * 100_000, "it is no valid JSON"),
    ],
)
def test_what_cannot_be_read_is_said_in_words(reply: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        read_json(reply)
