"""What the page shows, as HTML: what is quoted is marked, and nothing of a document is more than text."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.state import Answer, Claim, Fallback, Prompted, Step
from clew.memory.datatypes import Passage
from clew.memory.dialogue.threads import Thread
from clew.ui.web.markup import Markup, parted, pieces, sources_of, when
from clew.ui.web.views import Now, View
from tests.ui.fakes import make_turn
from tests.ui.web_fake import ATTACK, ATTACKING_WALK, attacking_answer

MOON = "The Moon is far away. It takes\n27 days to go around Earth, and it is round. Nobody lives there."


# Which words are quoted


@pytest.mark.parametrize(
    "quotes, marked",
    [
        (["it takes 27 days to go around Earth."], ["It takes\n27 days to go around Earth"]),
        (["the moon IS far away."], ["The Moon is far away."]),
        (["The Moon takes 27 days to go around Earth."], ["takes\n27 days to go around Earth"]),
        (["The Moon is far away.", "Nobody lives there."], ["The Moon is far away.", "Nobody lives there."]),
        (["It is far to the Earth"], []),
        (["Nobody!"], ["Nobody"]),
        ([], []),
    ],
)
def test_what_an_answer_quotes_is_marked(quotes: list[str], marked: list[str]) -> None:
    assert [piece for piece, cited in pieces(MOON, quotes) if cited] == marked


@given(st.text(alphabet="ab .\n<", max_size=60), st.lists(st.text(alphabet="ab .<", max_size=30), max_size=3))
def test_a_marked_passage_is_whole(text: str, quotes: list[str]) -> None:
    assert "".join(piece for piece, _ in pieces(text, quotes)) == text


def test_titles_are_found_in_a_refusal() -> None:
    said = "The nearest are: The Moon; The Moon (film)."
    assert parted(said, ["The Moon", "The Moon (film)"]) == [
        ("The nearest are: ", False),
        ("The Moon", True),
        ("; ", False),
        ("The Moon (film)", True),
        (".", False),
    ]
    assert parted(said, []) == [(said, False)]


# As HTML


@pytest.fixture
def markup() -> Markup:
    return Markup(5, ["Tides", ATTACK], ATTACK)


def all_html(markup: Markup) -> str:
    """Everything that the page shows, with HTML in every text that comes from a document or a person."""
    turn = make_turn("t", 1, f"Why {ATTACK}?")
    refused = Answer("nothing-found", (Claim(f"Nothing. The nearest are: {ATTACK}."),), nearest=(ATTACK,))
    turns = tuple(
        type(turn)("t", n, ATTACK, ATTACK, answer, steps=(Step("act", ATTACK, (ATTACK,)),), walk=ATTACKING_WALK)
        for n, answer in enumerate((attacking_answer(), refused), 1)
    )
    told = {"model": ATTACK, "degraded": (Fallback(ATTACK, ATTACK),)}
    turns = tuple(replace(turn, **told, ledger=(Prompted(ATTACK, ATTACK, 1, 1, 1, 1),)) for turn in turns)  # type: ignore[arg-type]
    now = Now(ATTACK, (Step("act", ATTACK, (ATTACK,)),), ATTACK, ATTACK, ATTACK, attacking_answer(), ATTACK)
    view = View(ATTACK, turns, now, busy=True)
    writing = markup.now(replace(view, now=replace(now, answer=None)))
    thread = Thread(ATTACK, ATTACK, 2, datetime.now(UTC).isoformat())
    welcome = markup.past(View())
    return "".join(
        [
            markup.header(),
            writing,
            markup.past(view),
            markup.now(view),
            markup.sources(view),
            markup.threads([thread], ATTACK),
            welcome,
        ]
    )


def test_nothing_of_a_document_becomes_html(markup: Markup) -> None:
    html = all_html(markup)
    assert html.count("&lt;script&gt;") > 15
    assert not re.search(r"<script|<img", html)
    tags = {name for name, _ in re.findall(r"<([a-z0-9]+)([^>]*)>", html)}
    assert "b" in tags and not tags & {"script", "img", "iframe", "object", "style"}
    assert not re.search(r"<[^>]*\son[a-z]+\s*=", re.sub(r'"[^"]*"', '""', html))


def test_a_source_shows_where_it_is_from_and_why(markup: Markup) -> None:
    html = markup.sources(View("t", (make_turn("t", 1, "a weak one"),)))
    shown = ("The distance of the Moon", "page 2", "Average distance", "documents/space/moon-distance.md", "0.71")
    for text in (*shown, "keywords: moon", "<mark>The Moon is 384,400 km away.</mark>", 'class="badge weak"'):
        assert text in html


def test_small_talk_leaves_the_sources_of_the_answer_before_it(markup: Markup) -> None:
    answered = make_turn("t", 1, "a weak one")
    thanks = replace(answered, turn=2, question="thanks", answer=Answer("small-talk", (Claim("You are welcome."),)))
    assert markup.sources(View("t", (answered, thanks))) == markup.sources(View("t", (answered,)))
    assert "appear here" in markup.sources(View("t", (thanks,)))


@pytest.mark.parametrize(
    "verdicts, shown",
    [
        (["supported", "weak"], "weak"),
        (["weak", "unsupported", "supported"], "unsupported"),
        (["supported"], "supported"),
        ([], "uncited"),
    ],
)
def test_a_source_has_the_worst_verdict_of_what_cites_it(verdicts: list[str], shown: str) -> None:
    passage = Passage("a", "a", "A", "Text.", 0.5, "hybrid")
    claims = tuple(Claim("Text.", (1,), verdict) for verdict in verdicts)  # type: ignore[arg-type]
    assert [source.verdict for source in sources_of(Answer("answered", claims, (passage,)))] == [shown]


def test_refusals_and_answers_look_different(markup: Markup) -> None:
    refused = markup.past(View("t", (make_turn("t", 1, "And Neptune?"),)))
    assert 'class="notice refusal"' in refused and "<b>Tides</b>" in refused and 'class="answer"' not in refused
    answered = markup.past(View("t", (make_turn("t", 1, "How far is the Moon?"),)))
    assert 'class="answer"' in answered and "refusal" not in answered and 'href="#source-1-2"' in answered


def test_what_a_refusal_tells_first_has_its_source(markup: Markup) -> None:
    passage = Passage("a", "a", "A", "Anna's daughter is Mira.", 0.5, "hybrid")
    claims = (Claim(passage.text, (1,), "supported"), Claim("The documents that I found say nothing about shoe."))
    turn = replace(make_turn("t", 1, "And Neptune?"), answer=Answer("nothing-found", claims, (passage,)))
    refused = markup.past(View("t", (turn,)))
    assert 'class="notice refusal"' in refused and refused.count('href="#source-1-1"') == 1


def test_control_characters_are_gone(markup: Markup) -> None:
    assert not re.search(r"[\x00-\x08\x1b\x07]", markup.past(View("t", (make_turn("t", 1, "escape"),))))


def test_old_conversations_are_counted_not_listed(markup: Markup) -> None:
    threads = [Thread(str(n), f"Thread {n}", 1, datetime.now(UTC).isoformat()) for n in range(130)]
    html = markup.threads(threads, "3")
    assert html.count("data-pick") == 100 and "30 older" in html
    assert re.findall(r'data-pick="(\w+)" aria-current', html) == ["3"]


def test_times_are_said_as_people_do() -> None:
    now = datetime(2026, 3, 10, 12, 0).astimezone()
    said = [
        when((now - timedelta(**ago)).astimezone(UTC).isoformat(), now)
        for ago in ({"seconds": 5}, {"minutes": 7}, {"hours": 3}, {"hours": 20}, {"days": 9}, {"days": 400})
    ]
    assert said == ["just now", "7 min ago", "today 09:00", "yesterday 16:00", "1 Mar", "3 Feb 2025"]
