"""The page without a browser: what it shows of a conversation and when, as values and as HTML."""

import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.agent.state import Claim, Step
from clew.memory.errors import ClewError
from clew.ui.web import views
from clew.ui.web.markup import Markup
from clew.ui.web.serving import check_port
from clew.ui.web.views import AT_ONCE, Conversations, Now, View, revealed
from tests.conftest import ROOT
from tests.processes import PAGE, finished
from tests.ui.fakes import make_turn
from tests.ui.web_fake import ATTACK, CUT_OFF, PageAssistant
from tests.ui.writing_fake import MODEL, WORDS

MOON = "The Moon is far away. It takes\n27 days to go around Earth, and it is round. Nobody lives there."


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "FRAME", 0.0)


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[PageAssistant]:
    with PageAssistant(tmp_path) as made:
        yield made


@pytest.fixture
def conversations(assistant: PageAssistant) -> Iterator[Conversations]:
    made = Conversations(assistant)
    yield made
    made.runs.close()


@pytest.fixture
def markup() -> Markup:
    return Markup(5, ["Tides", ATTACK], ATTACK)


# An answer that grows


def test_an_answer_is_revealed_by_words_and_cites_what_is_whole() -> None:
    claims = (Claim("one two three", (1,), "supported"), Claim("four five", (2,), "weak"))
    assert revealed(claims, 2) == (Claim("one two"),)
    assert revealed(claims, 3) == (claims[0],)
    assert revealed(claims, 4) == (claims[0], Claim("four"))
    assert revealed(claims, 5) == revealed(claims, 99) == claims


# A conversation, moment by moment


def test_a_question_shows_steps_then_the_answer_then_a_finished_turn(conversations: Conversations) -> None:
    seen = list(conversations.ask("", "How far is the Moon?"))
    assert seen[0].busy and seen[0].now and seen[0].now.question == "How far is the Moon?"
    counts = [len(view.now.steps) for view in seen if view.now and not view.now.answer]
    assert counts == sorted(counts) and counts[-1] == 3
    lengths = [len(view.now.answer.plain) for view in seen if view.now and view.now.answer]
    assert len(lengths) > 2 and lengths == sorted(lengths)
    assert not seen[-1].busy and seen[-1].now is None
    assert [turn.question for turn in seen[-1].turns] == ["How far is the Moon?"]
    assert len({view.thread for view in seen}) == 1 and seen[0].thread


def test_a_conversation_goes_on_and_can_be_opened_again(conversations: Conversations) -> None:
    thread = [*conversations.ask("", "How far is the Moon?")][-1].thread
    list(conversations.ask(thread, "And Neptune?"))
    (view,) = conversations.open(thread)
    assert [turn.question for turn in view.turns] == ["How far is the Moon?", "And Neptune?"]
    assert [*conversations.open("")] == [View()]


@pytest.mark.parametrize(
    "question, said",
    [
        ("this fails", "the disk is full. Try: make room"),
        ("a bug", "internal error: ZeroDivisionError: a bug. Try: clew --verbose ui, for the traceback"),
    ],
)
def test_an_error_is_one_line_and_the_next_question_works(
    conversations: Conversations, question: str, said: str
) -> None:
    *_, last = conversations.ask("t", question)
    assert last.now and last.now.error == said and not last.busy
    assert [turn.question for turn in [*conversations.ask("t", "Again?")][-1].turns] == ["Again?"]


def test_a_turn_can_be_stopped(conversations: Conversations) -> None:
    last = View()
    for last in conversations.ask("t", "a slow question"):
        if last.now and len(last.now.steps) == 3:
            conversations.runs.stop("t")
    assert last.now and last.now.stopped and not last.now.error and not last.busy


def test_two_conversations_at_once(conversations: Conversations) -> None:
    slow = conversations.ask("one", "a slow question")
    next(slow)
    assert [*conversations.ask("two", "a quick one")][-1].turns
    conversations.runs.stop("one")
    last = [*slow][-1].now
    assert last and last.question == "a slow question" and last.stopped
    assert {step.summary.partition(": ")[2] for step in last.steps} == {"a slow question"}


def test_another_tab_follows_a_turn_in_progress_and_cannot_ask_beside_it(conversations: Conversations) -> None:
    asking = conversations.ask("t", "a slow question")
    next(asking)
    watching = conversations.open("t")
    first = next(watching)
    assert first.busy and first.now and first.now.question == "a slow question"
    (refused,) = conversations.ask("t", "Me too?")
    assert refused.now and "another tab" in refused.now.error
    conversations.runs.stop("t")
    for views_of_tab in (asking, watching):
        last = [*views_of_tab][-1]
        assert last.now and last.now.stopped and len(last.now.steps) == 3


def test_a_turn_that_was_cut_off_is_named_and_finished(tmp_path: Path) -> None:
    with PageAssistant(tmp_path, interrupted="t") as assistant:
        conversations = Conversations(assistant)
        first, *_, last = conversations.open("t")
        assert first.now and first.now.question == CUT_OFF and first.now.note == views.CUT_OFF
        assert [turn.question for turn in last.turns] == [CUT_OFF]
        assert last.now == Now(note=views.FINISHED) and not last.busy
        assert [*conversations.open("t")] == [View("t", last.turns)]
        conversations.runs.close()


def test_a_question_on_a_thread_that_was_cut_off_finishes_that_first(tmp_path: Path) -> None:
    with PageAssistant(tmp_path, interrupted="t") as assistant:
        conversations = Conversations(assistant)
        seen = [*conversations.ask("t", "And now?")]
        conversations.runs.close()
    asked = [view.now.question for view in seen if view.now]
    assert list(dict.fromkeys(asked)) == [CUT_OFF, "And now?"]
    assert [turn.question for turn in seen[-1].turns] == [CUT_OFF, "And now?"] and seen[-1].now is None


def test_the_first_question_waits_for_the_encoder_and_says_so(tmp_path: Path) -> None:
    with PageAssistant(tmp_path, loading=0.5) as assistant:
        conversations = Conversations(assistant)
        conversations.runs.warm_up()
        started = time.monotonic()
        seen = [*conversations.ask("t", "Yes?")]
        conversations.runs.close()
    assert time.monotonic() - started > 0.4
    assert seen[0].now and seen[0].now.status == views.LOADING and seen[-1].turns
    assert views.LOADING not in [view.now.status for view in seen if view.now and view.now.steps]


def test_stopping_does_not_wait_for_the_encoder(tmp_path: Path) -> None:
    with PageAssistant(tmp_path, loading=1.5) as assistant:
        conversations = Conversations(assistant)
        conversations.runs.warm_up()
        started = time.monotonic()
        asking = conversations.ask("t", "Yes?")
        next(asking)
        conversations.runs.stop("t")
        last = [*asking][-1]
        assert last.now and last.now.stopped and time.monotonic() - started < 1
        conversations.runs.close()


def test_a_database_that_cannot_be_read_is_a_line(
    conversations: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> list[str]:
        raise ClewError("the threads are damaged", "move the file away")

    monkeypatch.setattr(PageAssistant, "turns", broken)
    for seen in ([*conversations.open("t")], [*conversations.ask("t", "Yes?")]):
        assert [view.now.error for view in seen if view.now] == ["the threads are damaged. Try: move the file away"]


def test_a_conversation_is_shown_to_its_owner_alone(conversations: Conversations) -> None:
    thread = [*conversations.ask("", "How far is the Moon?", "ann")][-1].thread
    list(conversations.ask("mine", "How old is the Moon?"))
    for owner, own, others in (("ann", thread, "mine"), ("", "mine", thread)):
        assert [len(view.turns) for view in conversations.open(own, owner)] == [1]
        refused = [*conversations.open(others, owner), *conversations.resume(others, owner)]
        refused += conversations.ask(others, "And now?", owner)
        refused += conversations.open("nobody's", "bob")
        assert {view.now.error for view in refused if view.now} == {views.NOT_THERE}
        assert [view.turns for view in refused] == [()] * 4
    assert [len(view.turns) for view in conversations.open(thread, "ann")] == [1], "nothing was asked on"


def test_a_turn_is_stopped_by_its_owner_alone(conversations: Conversations) -> None:
    asking = conversations.ask("", "a slow question", "ann")
    thread = next(asking).thread
    for owner in ("bob", ""):
        conversations.stop(thread, owner)
    assert not conversations.runs._runs[thread].cancel.is_set()
    conversations.stop(thread, "ann")
    last = [*asking][-1].now
    assert last and last.stopped


def test_turns_wait_in_their_order_and_say_where_they_are(conversations: Conversations) -> None:
    def where(asking: Iterator[View]) -> str:
        view = next(asking)
        assert view.now
        return view.now.status

    busy = [conversations.ask(f"busy {number}", "a slow question") for number in range(AT_ONCE)]
    for asking in busy:
        while "Waiting" in where(asking):
            time.sleep(0.01)
    first, second = (conversations.ask(name, "Yes?") for name in ("first", "second"))
    assert where(first) == "Waiting: number 1 in the queue…" and where(second) == "Waiting: number 2 in the queue…"
    conversations.stop("first")
    last = [*first][-1].now
    assert last and last.stopped, "while it waited"
    while where(second) != "Waiting: number 1 in the queue…":
        pass
    conversations.stop("busy 0")
    assert [*second][-1].turns
    for number in range(AT_ONCE):
        conversations.stop(f"busy {number}")
    assert conversations.runs._waiting == []


def test_a_conversation_over_another_library_is_folded_away_and_says_so(
    conversations: Conversations, assistant: PageAssistant, markup: Markup
) -> None:
    assistant.threads.library = "one"
    list(conversations.ask("t", "How far is the Moon?"))
    assert [view.note for view in conversations.open("t")] == [""]
    assistant.threads.library = "two"
    (view,) = conversations.open("t")
    assert view.note == views.ELSEWHERE and views.ELSEWHERE in markup.past(view)
    html = markup.threads(assistant.threads.over_library(), "", assistant.threads.over_others())
    assert "No conversations yet." in html and html.index("<details") < html.index('data-pick="t"')


# The server


def test_a_port_that_is_taken_is_named_before_anything_is_loaded() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ClewError, match=f"port {port} cannot be used: address already in use") as caught:
            check_port(port)
    assert caught.value.hint.startswith("clew ui --port ")


PROBE = """
import sys
from pathlib import Path
from tests.ui.web_fake import PageAssistant
from clew.ui.web.page import BrowserPage
from clew.ui.web.views import Conversations
assistant = PageAssistant(Path(sys.argv[1]))
page = BrowserPage(assistant, Conversations(assistant)).blocks
print(page.analytics_enabled, sorted({function.api_visibility for function in page.fns.values()}))
"""


def test_the_page_is_made_without_a_server_and_offers_no_programming_interface(tmp_path: Path) -> None:
    """In a process of its own: Gradio leaves event loops open."""
    made = finished(["-c", PROBE, tmp_path], preload=PAGE)
    assert made.stdout == "False ['private']\n", made.stderr


OURS = ("style.css", "page.js", "templates/entry.html", "templates/icon.svg")


def test_the_looks_name_no_other_host() -> None:
    from clew.ui.web.serving import looks

    theme = looks()["theme"]
    style, *ours = ((ROOT / "ui" / "web" / name).read_text("utf-8") for name in OURS)
    text = f"{theme._get_theme_css()} {theme._stylesheets} {style} {ours}"
    assert set(re.findall(r"https?:/+[\w.]+", text)) <= {"http://www.w3.org"}, (
        "the name space of SVG, which nobody fetches"
    )
    assert "url(" not in style and "@import" not in text


# What a language model writes


def test_words_are_shown_as_they_come_and_the_answer_is_not_revealed_again(conversations: Conversations) -> None:
    seen = list(conversations.ask("t", "it writes"))
    said = [view.now.draft for view in seen if view.now and view.now.draft]
    assert said[0] == WORDS[0] and said[-1] == "".join(WORDS) and said == sorted(said, key=len)
    assert [view.now.status for view in seen if view.now and view.now.status.startswith("loading")] == [
        f"loading {MODEL}…"
    ]
    assert not [view for view in seen if view.now and view.now.answer]
    assert seen[-1].turns[0].model == MODEL and seen[-1].now is None


def test_what_is_begun_anew_takes_the_place_of_what_was_said(conversations: Conversations) -> None:
    said = [view.now.draft for view in conversations.ask("t", "restarts") if view.now]
    assert "Something else altogether " in said and said[-1] == "".join(WORDS)


def test_pieces_are_drawn_no_more_often_than_can_be_seen(
    conversations: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "FRAME", 60.0)
    seen = list(conversations.ask("t", "it writes"))
    assert len({view.now.draft for view in seen if view.now}) <= 2
    assert seen[-1].turns[0].model == MODEL, "the turn behind them has them all"


def test_what_was_said_until_the_stop_is_kept_and_can_be_gone_on_with(
    conversations: Conversations, markup: Markup
) -> None:
    stopped = stop_when_said(conversations)
    assert [turn.answer.outcome for turn in stopped.turns] == ["stopped"] and stopped.now is None
    html = markup.past(stopped)
    assert "The Moon is 384,4" in html and 'data-pick="/resume">Go on<' in html
    first, *_, last = conversations.resume("t")
    assert first.now and first.now.question == "unfinished" and first.turns == () and first.busy
    assert [turn.answer.outcome for turn in last.turns] == ["answered"] and last.turns[0].turn == 1
    assert "Go on" not in markup.past(last)
    assert [*conversations.resume("t")] == [View("t", last.turns)], "there is nothing to go on with"


def stop_when_said(conversations: Conversations) -> View:
    last = View()
    for last in conversations.ask("t", "unfinished"):
        if last.now and last.now.draft == "".join(WORDS[:2]):
            conversations.runs.stop("t")
    return last


def test_a_stopped_answer_comes_back_where_going_on_fails(
    conversations: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = stop_when_said(conversations)

    def fails(*_: object) -> Iterator[Step]:
        yield Step("answer", "begun")
        raise ClewError("the server is gone", "ollama serve")

    monkeypatch.setattr(PageAssistant, "resume", fails)
    *_, last = conversations.resume("t")
    assert last.turns == stopped.turns and not last.busy
    assert last.now and (last.now.question, last.now.error) == ("", "the server is gone. Try: ollama serve")


def test_the_page_says_which_model_wrote_and_what_was_done_without_it(conversations: Conversations) -> None:
    *_, last = conversations.ask("t", "writes degraded")
    markup = Markup(5, [], MODEL)
    html = markup.past(last)
    assert MODEL in markup.header() and f"written by {MODEL}" in html
    assert "<b>rewriting</b>: it is empty" in html and "&lt;b&gt;out of memory&lt;/b&gt;" in html
    assert "left out: passage 7" in html
    plain = markup.past(View("t", (make_turn("t", 1, "Why?"),)))
    assert "written by" not in plain and "degraded" not in plain and "ledger" not in plain
