"""What documents bring along does not steer the terminal, and what is long fits."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from clew.ui.plain import as_text_of_markdown, cut, escaped, one_line, plain, short_path, typed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31;1mred\x1b[0m b", "ared b"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[2J\x1b[Hgone", "gone"),
        ("\x9b31mred", "red"),
        ("\x1bP1;2|dcs\x1b\\text", "text"),
        ("cut off \x1b[", "cut off "),
        ("a\u202eb\u2066c", "abc"),
        ("one\r\ntwo\tthree\rfour\x00", "one\ntwo\tthreefour"),
        ("half \ud83d of a pair", "half  of a pair"),
        ("naïve — 月", "naïve — 月"),
        ("a\u200bb\u200fc\u2060d\ufeffe\u061cf\u180e", "abcdef"),
        ("seen" + "".join(chr(0xE0000 + ord(letter)) for letter in "unseen"), "seen"),
        ("seen" + "".join(chr(0xFE00 + byte % 16) + chr(0xE0100 + byte) for byte in b"unseen"), "seen"),
        (
            "\u2764\ufe0f 1\ufe0f\u20e3 \u2764\ufe0f\ufe0f\ufe0e a\ufe0f 1\ufe0f",
            "\u2764\ufe0f 1\ufe0f\u20e3 \u2764\ufe0f a 1",
        ),
        ("a\u200c\u200db \u0645\u200c\u200c\u200d\u0645", "ab \u0645\u200c\u0645"),
        ("so\u00adft \u034f\u115f\u3164\uffa0\u17b4 \u1820\u180b\u180c", "soft  \u1820\u180b"),
        ("می\u200cخواهم \U0001f469\u200d\U0001f680", "می\u200cخواهم \U0001f469\u200d\U0001f680"),
    ],
)
def test_plain(text: str, shown: str) -> None:
    assert plain(text) == shown


@given(
    st.text(st.sampled_from("\x1b[]0;31mP\\\x07\x9b\x9d\x90ab\n\u202e"), max_size=30)
    | st.text(
        st.sampled_from("a#\u2764\u20e3\ufe0f\ufe0e\ufe01\u200c\u200d\u061c\u0645\u1820\u180b\U000e0101\u00ad"),
        max_size=12,
    )
)
def test_no_control_is_ever_left(text: str) -> None:
    left = plain(text)
    assert all(character in "\n\t\u200c\u200d" or character.isprintable() for character in left)
    assert plain(left) == left


STEERING = "\x1b[2J \x9b2J \x9d0;t\x9c \u202e \u200b \u200f \U000e0041 \x7f"


def test_json_is_whole_and_steers_nothing() -> None:
    shown = escaped(json.dumps({"text": STEERING}, ensure_ascii=False))
    assert json.loads(shown) == {"text": STEERING}
    assert plain(shown) == shown and shown.isprintable()


def test_text_of_markdown_makes_no_link_image_or_element() -> None:
    hostile = (
        "<script>x()</script> ![i](http://e/?q) [a](javascript:x) <javascript:x> \n[r]: javascript:x\n"
        "\\[b](javascript:x) ![r][r] <img src=x onerror=y> &lt;b&gt; ``` <!-- "
    )
    made = MarkdownIt("commonmark").render(as_text_of_markdown(hostile))
    assert not re.search(r"<(?!/?p>|code>|/code>)|href|src=[\"']", made)


def test_one_line() -> None:
    assert one_line(" a\n  b\t\x1b[0mc ") == "a b c"


@given(st.text(), st.integers(1, 20))
def test_cut_fits(text: str, width: int) -> None:
    shown = cut(text, width)
    assert len(shown) <= width
    assert shown == text or shown.endswith("…")


def test_half_a_surrogate_pair_that_was_typed_is_replaced() -> None:
    assert typed(" why \udce9 ") == "why ?"


@pytest.mark.parametrize(
    ("source", "width", "shown"),
    [
        ("documents/space/moon.md", 40, "documents/space/moon.md"),
        ("/home/me/documents/space/moon.md", 20, "…/space/moon.md"),
        ("/home/me/documents/space/moon.md", 10, "…/moon.md"),
        ("/home/me/a-very-long-name-of-a-file.md", 12, "…of-a-file.md"[:1] + "-of-a-file.md"[-11:]),
        ("https://example.org/a", 40, "https://example.org/a"),
    ],
)
def test_short_path(source: str, width: int, shown: str) -> None:
    assert short_path(source, width) == shown
    assert len(shown) <= width


def test_a_path_below_the_working_folder_is_shown_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert short_path(str(tmp_path / "notes" / "a.md"), 40) == "notes/a.md"
