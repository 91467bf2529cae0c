"""What is put on a terminal: nothing in it steers the screen, and words, progress, walks and marks read alike."""

import io
import json
import os
import pty
import re
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from clew.agent.answer.citations import claims_of
from clew.agent.state import Answer, BoldSpan, Claim, Quote
from clew.memory.datatypes import Passage, Progress
from clew.memory.dialogue.threads import Thread
from clew.ui.console import _with_lines, shown
from clew.ui.plain import as_text_of_markdown, cut, escaped, one_line, plain, short_path, typed
from clew.ui.rendering import BOLD, OWN, answer_text, markdown_of, marks_of, pieces_of, printed
from clew.ui.transcript import as_markdown
from clew.ui.web.markup import sources_of
from tests.processes import finished
from tests.ui.fakes import make_turn


@pytest.mark.parametrize(
    ("text", "left"),
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
def test_plain(text: str, left: str) -> None:
    assert plain(text) == left


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


def test_json_is_whole_and_steers_nothing() -> None:
    steering = "\x1b[2J \x9b2J \x9d0;t\x9c \u202e \u200b \u200f \U000e0041 \x7f"
    text = escaped(json.dumps({"text": steering}, ensure_ascii=False))
    assert json.loads(text) == {"text": steering}
    assert plain(text) == text and text.isprintable()


def test_text_of_markdown_makes_no_link_image_or_element() -> None:
    hostile = (
        "<script>x()</script> ![i](http://e/?q) [a](javascript:x) <javascript:x> \n[r]: javascript:x\n"
        "\\[b](javascript:x) ![r][r] <img src=x onerror=y> &lt;b&gt; ``` <!-- "
    )
    made = MarkdownIt("commonmark").render(as_text_of_markdown(hostile))
    assert not re.search(r"<(?!/?p>|code>|/code>)|href|src=[\"']", made)


def test_lines_that_fit() -> None:
    assert one_line(" a\n  b\t\x1b[0mc ") == "a b c"
    assert typed(" why \udce9 ") == "why ?", "half a surrogate pair"
    assert [cut("a word", width) for width in (6, 5, 3, 1)] == ["a word", "a wo…", "a…", "…"]


@pytest.mark.parametrize(
    ("source", "width", "short"),
    [
        ("/home/me/documents/space/moon.md", 20, "…/space/moon.md"),
        ("/home/me/documents/space/moon.md", 10, "…/moon.md"),
        ("/home/me/a-very-long-name-of-a-file.md", 12, "…of-a-file.md"[:1] + "-of-a-file.md"[-11:]),
        ("{here}/notes/a.md", 40, "notes/a.md"),
    ],
)
def test_short_path(source: str, width: int, short: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert short_path(source.format(here=tmp_path), width) == short and len(short) <= width


# Progress


def test_a_line_every_few_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    events = [Progress("reading", 1, 0), *(Progress("embedding", done, 40) for done in range(0, 41, 10)), "the report"]
    seconds = count(0.0, 3.0)  # every look at the clock is three seconds later
    assert list(_with_lines(events, lambda: next(seconds))) == ["the report"]
    assert capsys.readouterr().err.splitlines() == ["embedding: 0 of 40", "embedding: 20 of 40", "embedding: 40 of 40"]


def test_a_short_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(shown([Progress("reading", 0, 1), "a", Progress("reading", 1, 1), "b"], quiet=False)) == ["a", "b"]
    assert capsys.readouterr() == ("", "")
    assert list(shown([Progress("reading", 0, 1), "the report"], quiet=True)) == ["the report"]


def test_results_go_into_the_pipe_though_bars_are_drawn_on_the_terminal(home: object) -> None:
    code = (
        "from clew.memory.datatypes import Progress\nfrom clew.ui.console import print_json, shown\n"
        "for event in shown([Progress('turns', 0, 2), 1, Progress('turns', 1, 2), 2], False): print_json({'n': event})"
    )
    terminal, other = pty.openpty()
    run = finished(["-c", code], stderr=other)
    os.close(other)
    assert run.stdout == '{"n": 1}\n{"n": 2}\n'
    assert b"turns" in os.read(terminal, 65536)
    os.close(terminal)


# An answer

SAID = "The  toll\nis \x1b[1m40 crowns\x1b[0m a <day>."
QUOTED = Claim(
    SAID, (), quotes=(Quote("d", 0, len(SAID), SAID),), span=BoldSpan(SAID.index("40"), SAID.index("\x1b[0m"))
)
ASIDE = Claim("(3 September 2024)")
ANSWER = Answer("answered", (QUOTED, ASIDE))


def test_the_span_is_bold_and_what_is_ours_looks_so() -> None:
    def styled(answer: Answer, style: object) -> list[str]:
        text = answer_text(answer)
        return [text.plain[span.start : span.end] for span in text.spans if span.style == style]

    assert answer_text(ANSWER).plain == "The toll is 40 crowns a <day>. (3 September 2024)"
    assert styled(ANSWER, BOLD) == ["40 crowns"] and styled(ANSWER, OWN) == [ASIDE.text]
    assert styled(Answer("answered", (ASIDE,)), OWN) == [], "nothing is quoted that it could be taken for"
    turn = replace(make_turn("t", 1, "What is the toll?"), answer=ANSWER)
    assert "The toll is **40 crowns** a \\<day>. (3 September 2024)" in as_markdown(Thread("t", "T", 1, ""), [turn])
    asked = replace(turn, question="@toll.md what is the toll", rewritten="What is the toll?")
    assert "Understood as" not in as_markdown(Thread("t", "T", 1, ""), [asked]), "as the page hides it"
    other = replace(turn, rewritten="What is the toll of the bridge?")
    assert "Understood as: What is the toll of the bridge?" in as_markdown(Thread("t", "T", 1, ""), [other])
    for start, end in ((0, 3), (5, 9), (9, 25), (0, 25)):
        claim = Claim("The  toll is   40 crowns.", span=BoldSpan(start, end))
        assert "".join(piece for piece, _ in pieces_of(claim)) == one_line(claim.text)


SHAPED = """### Costs

It is **far** [1].

| what | cost |
|---|--:|
| air | 3 EUR [2] |

Do this:

1. Pack [1].
   - all of it [2]

```
ls <b>
```"""


def test_what_a_model_wrote_in_markdown_stays_so_and_is_rendered_on_a_screen() -> None:
    answer, out = Answer("answered", claims_of(SHAPED)), io.StringIO()
    assert markdown_of(answer, marks_of) == SHAPED.replace("Pack [1].", "Pack. [1]").replace(
        "**far** [1].", "**far**. [1]"
    )
    console = Console(file=out, width=40, force_terminal=True, color_system=None)
    console.print(printed(answer, console))
    for part in ("Costs", "It is far. [1]", "3 EUR [2]", "1 Pack. [1]", "• all of it [2]", "ls <b>"):
        assert part in out.getvalue(), part
    assert not re.search(r"[|#`*]", out.getvalue())


def test_what_is_quoted_is_no_markup_and_its_cells_are_apart() -> None:
    rows = [("what | *cost*", "\n|---|---|"), ("air | <3> EUR", "")]
    quoted = [Claim(text, (1,), new_line=True, quotes=QUOTES, markup=f"| {text} |{rule}") for text, rule in rows]
    assert markdown_of(Answer("answered", (*quoted,)), marks_of) == (
        "| what | \\*cost\\* [1] |\n|---|---|\n| air | \\<3> EUR [1] |"
    )
    assert answer_text(Answer("answered", (*quoted,))).plain == "what · *cost* [1]\nair · <3> EUR [1]"
    below = [
        Claim(f"{one} | 3", (1,), quotes=QUOTES, markup=f"| what | cost |\n|---|---|\n| {one} | 3 |")
        for one in ("air", "sun")
    ]
    assert answer_text(Answer("answered", (*below,))).plain == "what · cost\nair · 3 [1]\nsun · 3 [1]"
    [source] = sources_of(Answer("answered", (*below,), (Passage("p", "d", "D", "air | 3", 1.0, ""),)))
    assert "".join(text for text, _ in source.pieces) == "air · 3"


QUOTES = (Quote("d", 0, 1, "w"),)
