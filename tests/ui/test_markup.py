"""What the page shows, as HTML: quotations are marked, walks told, and nothing of a document is more than text."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.answer.citations import claims_of
from clew.agent.state import Answer, BoldSpan, Claim, Fallback, Prompted, Quote, Step, Turn
from clew.memory.datatypes import Passage, Subgraph
from clew.memory.dialogue.threads import Thread
from clew.ui.plain import when
from clew.ui.rendering import pieces
from clew.ui.web.markup import Markup, sources_of
from clew.ui.web.views import Now, View
from tests.ui.fakes import ATTACK, ATTACKING_WALK, DEGRADED, LEDGER, MODEL, WALK, attacking_answer, make_turn

MOON = "The Moon is far away. It takes\n27 days to go around Earth, and it is round. Nobody lives there."


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


def test_files_that_were_not_read_are_told_of_once_and_lead_to_the_list_and_an_unknown_name_is_marked() -> None:
    said = ("Nothing is said of it.", "2 files could not be read: a (1).pdf, b.pdf (clew doctor says why).")
    answer = Answer("nothing-found", tuple(map(Claim, said)), files_left_out=2, unread=("a (1).pdf", "b.pdf"))
    asked = replace(make_turn("t", 1, "@x.pdf @y.pdf who?"), answer=answer)
    steps = (Step("scope", "nothing here is called @x.pdf"), Step("scope", "y.pdf"))
    html = Markup(1, []).past(View("t", (replace(asked, steps=steps), replace(asked, turn=2))))
    assert html.count("2 files could not be read: a (1).pdf, b.pdf</button>") == 1
    assert "clew doctor" not in re.sub(r'data-copy="[^"]*"', "", html)
    assert html.count(">Nothing is said of it.") == 2 and 'data-documents="state"' in html
    assert re.findall(r'chip missing"[^>]*>(.*?)<', html) == ["@x.pdf"]
    assert "could not be read" not in Markup(1, []).now(View("t", (), Now("q", answer=answer)))


SHAPED = """It is **far** [1] [x](javascript:alert) ![x](http://x) <script>alert()</script>

| what | cost |
|---|---|
| air | 3 EUR [2] |

- one [1]

```
<b>
```"""


def test_what_a_model_wrote_in_markdown_is_rendered_and_is_never_a_link_or_a_script() -> None:
    passage = Passage("a", "a", "T", "far", 1.0, "hybrid")
    claims = tuple(replace(one, verdict="weak" if 2 in one.cites else "supported") for one in claims_of(SHAPED))
    shown = past(replace(make_turn("t", 1, "q"), answer=Answer("answered", claims, (passage, passage))))
    for part in ("<strong>far</strong>", "<th>what</th>", "<li>one", "<code>&lt;b&gt;", "&lt;script&gt;"):
        assert part in shown, part
    cell = re.search(r"<td>3 EUR(.*?)</td>", shown)
    assert cell and 'data-source="2"' in cell[1] and ">perhaps not in the source</span>" in cell[1]
    assert not re.search(r"<script|<img|href=\"(?!#source)", shown) and "\ue000" not in shown
    assert "<strong>a</strong>" in Markup(1, []).now(View("t", (), Now("q", draft="**a**\n- b <i>"), busy=True))
    icon = Claim("| \ue000 3 |", (1,), "supported", quotes=(Quote("a", 0, 3, "far"),), markup="| \ue000 3 |")
    answer = Answer("answered", (icon, replace(icon, markup="", new_line=True)), (passage,))
    assert "3" in past(replace(make_turn("t", 1, "q"), answer=answer)), "a character of a font of icons"


def test_rows_are_a_table_below_their_heads_and_items_a_list() -> None:
    passage, quotes = Passage("a", "a", "T", "far", 1.0, "hybrid"), (Quote("a", 0, 3, "far"),)
    of = [("Price", "|  |  |\n|---|---|\n| Price | 3 |"), ("May", "| M | *N* |\n|---|---|\n| May | 3 |")]
    rows = [Claim(text, (1,), quotes=quotes, markup=shown) for text, shown in (*of, of[1])]
    items = [Claim(f"{mark} one", (1,), new_line=True, quotes=quotes) for mark in "-•"]
    table = past(replace(make_turn("t", 1, "q"), answer=Answer("answered", (*rows, *items), (passage,))))
    assert (table.count("<table>"), table.count("<th>*N*</th>"), table.count("<td>May")) == (2, 1, 2)
    assert table.count("<li>one") == 2 and table.count('class="cite"') == 5
    assert "<li>one" in past(replace(make_turn("t", 1, "q"), answer=Answer("answered", (*items,), (passage,))))


@pytest.fixture
def markup() -> Markup:
    return Markup(5, [("Tides",), (ATTACK, ATTACK)], ATTACK)


def past(*turns: Turn) -> str:
    return Markup(5, []).past(View("t", turns))


def all_html(markup: Markup) -> str:
    """Everything that the page shows, with HTML in every text that comes from a document or a person."""
    refused = Answer("nothing-found", (Claim(f"Nothing. The nearest are: {ATTACK}."),), nearest=(ATTACK,))
    about: dict[str, Any] = {"steps": (Step("act", ATTACK, (ATTACK,)),), "walk": ATTACKING_WALK, "model": ATTACK}
    about |= {"degraded": (Fallback(ATTACK, ATTACK),), "ledger": (Prompted(ATTACK, ATTACK, 1, 1, 1, 1),)}
    turns = tuple(
        Turn("t", n, ATTACK, ATTACK, made, **about) for n, made in enumerate((attacking_answer(), refused), 1)
    )
    now = Now(ATTACK, (Step("act", ATTACK, (ATTACK,)),), ATTACK, ATTACK, ATTACK, attacking_answer(), ATTACK)
    view = View(ATTACK, turns, now, busy=True)
    threads = markup.threads([Thread(ATTACK, ATTACK, 2, datetime.now(UTC).isoformat())], ATTACK)
    writing = markup.now(replace(view, now=replace(now, answer=None)))
    shown = (markup.render("header"), writing, markup.past(view), markup.now(view), markup.sources(view), threads)
    return "".join([*shown, markup.past(View())])


def test_nothing_of_a_document_becomes_html(markup: Markup) -> None:
    html = all_html(markup)
    assert html.count("&lt;script&gt;") > 15
    assert not re.search(r"<script|<img", html)
    tags = {name for name, _ in re.findall(r"<([a-z0-9]+)([^>]*)>", html)}
    assert "b" in tags and not tags & {"script", "img", "iframe", "object", "style"}
    assert not re.search(r"<[^>]*\son[a-z]+\s*=", re.sub(r'"[^"]*"', '""', html))
    assert not re.search(r"[\x00-\x08\x1b\x07]", past(make_turn("t", 1, "escape")))


@pytest.mark.parametrize(
    "verdicts, quotes, worst",
    [
        (["supported", "weak"], 0, "weak"),
        (["weak", "unsupported", "supported"], 3, "unsupported"),
        (["supported", "supported"], 1, "supported"),
        (["supported", "supported"], 2, "quoted"),
        ([], 0, "uncited"),
    ],
)
def test_a_source_is_what_the_worst_that_cites_it_is(verdicts: list[str], quotes: int, worst: str) -> None:
    passage, own = Passage("a", "a", "A", "Text.", 0.5, "hybrid"), (Quote("a", 0, 5, "Text."),)
    claims = tuple(
        Claim("Text.", (1,), verdict, quotes=own if place < quotes else ())  # type: ignore[arg-type]
        for place, verdict in enumerate(verdicts)
    )
    answer = Answer("answered", claims, (passage,))
    assert [source.standing for source in sources_of(answer)] == [worst]
    assert sum(answer.standings.values()) == len(verdicts) and [*answer.standings][:1] == [worst][: len(verdicts)]


def test_sources_say_where_they_are_from_and_stay_behind_small_talk(markup: Markup) -> None:
    answered = make_turn("t", 1, "a weak one")
    html = markup.sources(View("t", (answered,)))
    where = ("The distance of the Moon", "page 2", "Average distance", "documents/space/moon-distance.md")
    for text in (*where, "keywords: moon", "<mark>The Moon is 384,400 km away.</mark>", 'class="badge weak"'):
        assert text in html
    thanks = replace(answered, turn=2, question="thanks", answer=Answer("small-talk", (Claim("You are welcome."),)))
    assert markup.sources(View("t", (answered, thanks))) == html
    assert "appear here" in markup.sources(View("t", (thanks,)))


def test_refusals_and_answers_look_different() -> None:
    refused = past(make_turn("t", 1, "And Neptune?"))
    assert 'class="notice refusal"' in refused and "Tides" in refused and 'class="answer"' not in refused
    answered = past(make_turn("t", 1, "How far is the Moon?"))
    assert 'class="answer"' in answered and "refusal" not in answered and 'href="#source-1-2"' in answered
    passage = Passage("a", "a", "A", "Anna's daughter is Mira.", 0.5, "hybrid")
    claims = (Claim(passage.text, (1,), "supported"), Claim("The documents that I found say nothing about shoe."))
    turn = replace(make_turn("t", 1, "And Neptune?"), answer=Answer("nothing-found", claims, (passage,)))
    refused = past(turn)
    assert 'class="notice refusal"' in refused and refused.count('href="#source-1-1"') == 1, "what it tells first"


def test_bold_spans_asides_and_the_work_of_a_model() -> None:
    said = "The toll is 40 crowns a <day>."
    quoted = Claim(said, (), quotes=(Quote("d", 0, len(said), said),), span=BoldSpan(12, 21))
    plain = make_turn("t", 1, "What is the toll?")
    page = re.sub(r"\s+", " ", past(replace(plain, answer=Answer("answered", (quoted, Claim("(in 2024)"))))))
    assert "The toll is <b>40 crowns</b> a &lt;day&gt;." in page and 'own">(in 2024)' in page
    html = past(replace(plain, model=MODEL, ledger=LEDGER, degraded=DEGRADED))
    assert MODEL in Markup(5, [], MODEL).render("header") and f"written by {MODEL}" in html
    assert "<b>rewriting</b>: it is empty" in html and "&lt;b&gt;out of memory&lt;/b&gt;" in html
    assert "left out: passage 7" in html
    assert not re.search("written by|degraded|ledger", past(plain))


def test_a_time_has_the_year_where_it_is_another() -> None:
    now = datetime.now().astimezone()
    assert when(now.astimezone(UTC).isoformat()) == f"{now.day} {now:%b %H:%M}"
    assert when("2025-02-03T12:00:00+00:00") == "3 Feb 2025"


# A walk

TURN = make_turn("t", 1, "What does the walk say?")


def drawn(walk: Subgraph | None) -> str:
    return past(replace(TURN, walk=walk))


def test_a_walk_is_told_in_a_sentence_and_way_by_way() -> None:
    title = "The distance of the Moon from the Earth as it was measured in Greenwich, and what came of that"
    html = drawn(replace(WALK, titles=(title, *WALK.titles[1:])))
    assert f"From “{title}” it went to “Tides” and to “Monkeys in space”." in html and 'data-map="1"' in html
    assert all(f'<p class="dim">{way.replace(">", "&gt;")}</p>' in html for way in TURN.paths) and TURN.paths
    assert 'class="walk"' not in drawn(None) + drawn(Subgraph())
