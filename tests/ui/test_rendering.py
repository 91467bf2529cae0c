"""An answer in text: what is bold, and what is Clew's own beside quotations."""

import re
from dataclasses import replace

import pytest

from clew.agent.state import Answer, BoldSpan, Claim, Quote
from clew.memory.dialogue.threads import Thread
from clew.ui.plain import one_line
from clew.ui.rendering import BOLD, OWN, answer_text, pieces_of
from clew.ui.transcript import as_markdown
from clew.ui.web.markup import Markup
from clew.ui.web.views import View
from tests.ui.fakes import make_turn

SAID = "The  toll\nis \x1b[1m40 crowns\x1b[0m a <day>."
QUOTED = Claim(
    SAID, (), quotes=(Quote("d", 0, len(SAID), SAID),), span=BoldSpan(SAID.index("40"), SAID.index("\x1b[0m"))
)
ASIDE = Claim("(3 September 2024)")
ANSWER = Answer("answered", (QUOTED, ASIDE))


def styled(answer: Answer, style: object) -> list[str]:
    text = answer_text(answer)
    return [text.plain[span.start : span.end] for span in text.spans if span.style == style]


def test_the_span_is_bold_and_what_is_ours_looks_so() -> None:
    assert answer_text(ANSWER).plain == "The toll is 40 crowns a <day>. (3 September 2024)"
    assert styled(ANSWER, BOLD) == ["40 crowns"] and styled(ANSWER, OWN) == [ASIDE.text]
    assert styled(Answer("answered", (ASIDE,)), OWN) == [], "nothing is quoted that it could be taken for"


@pytest.mark.parametrize(("start", "end"), [(0, 3), (5, 9), (9, len(SAID)), (0, len(SAID))])
def test_the_pieces_are_the_text(start: int, end: int) -> None:
    claim = Claim("The  toll is   40 crowns.", span=BoldSpan(start, min(end, 25)))
    assert "".join(piece for piece, _ in pieces_of(claim)) == one_line(claim.text)


def test_on_the_page_and_in_markdown() -> None:
    turn = replace(make_turn("t", 1, "What is the toll?"), answer=ANSWER)
    page = re.sub(r"\s+", " ", Markup(1, []).past(View(turns=(turn,))))
    assert "The toll is <b>40 crowns</b> a &lt;day&gt;." in page
    assert f'own">{ASIDE.text}' in page
    assert "The toll is **40 crowns** a \\<day>. (3 September 2024)" in as_markdown(Thread("t", "T", 1, ""), [turn])
