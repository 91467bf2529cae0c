"""The page without a browser: what it shows of a conversation and when, and what Gradio makes and keeps of it."""

import inspect
import json
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clew.agent.state import Claim, Step, Turn
from clew.memory.errors import ClewError
from clew.ui.web import views
from clew.ui.web.markup import Markup
from clew.ui.web.serving import HOST, bound, without_stub_files
from clew.ui.web.views import AT_ONCE, Conversations, Runs, View, revealed
from tests.conftest import ROOT
from tests.processes import PAGE, finished
from tests.ui.fakes import ATTACK, CUT_OFF, WORDS, FakeAssistant


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Conversations]:
    """Over an assistant of fakes.py."""
    monkeypatch.setattr(views, "FRAME", 0.0)
    with FakeAssistant(tmp_path) as assistant:
        made = Conversations(assistant)
        yield made
        made.runs.close()


@pytest.fixture
def markup() -> Markup:
    return Markup(5, [("Tides",), (ATTACK, ATTACK)], ATTACK)


def questions(view: View) -> list[str]:
    return [turn.question for turn in view.turns]


# A conversation, moment by moment


def test_an_answer_is_revealed_by_words_and_cites_what_is_whole() -> None:
    claims = (Claim("one two three", (1,), "supported"), Claim("four five", (2,), "weak"))
    assert revealed(claims, 2) == (Claim("one two"),)
    assert revealed(claims, 3) == (claims[0],)
    assert revealed(claims, 4) == (claims[0], Claim("four"))
    assert revealed(claims, 5) == revealed(claims, 99) == claims


def test_a_question_shows_steps_then_the_answer_then_a_finished_turn_that_can_be_opened(page: Conversations) -> None:
    seen = list(page.say("", "How far is the Moon?"))
    assert seen[0].busy and seen[0].now and seen[0].now.question == "How far is the Moon?"
    counts = [len(view.now.steps) for view in seen if view.now and not view.now.answer]
    assert counts == sorted(counts)  # a busy page shows several at once
    assert all(len(view.now.steps) == 2 for view in seen if view.now and view.now.answer)
    lengths = [len(view.now.answer.plain) for view in seen if view.now and view.now.answer]
    assert len(lengths) > 2 and lengths == sorted(lengths)
    assert not seen[-1].busy and seen[-1].now is None and questions(seen[-1]) == ["How far is the Moon?"]
    assert len({view.thread for view in seen}) == 1 and seen[0].thread
    list(page.say(seen[0].thread, "And Neptune?"))
    (view,) = page.open(seen[0].thread)
    assert questions(view) == ["How far is the Moon?", "And Neptune?"]
    assert [*page.open("")] == [View()]


@pytest.mark.parametrize(
    "question, said",
    [
        ("this fails", "the disk is full. Try: make room"),
        ("a bug", "internal error: ZeroDivisionError: a bug. Try: clew --verbose ui, for the traceback"),
    ],
)
def test_an_error_is_one_line_and_the_next_question_works(page: Conversations, question: str, said: str) -> None:
    *_, last = page.say("t", question)
    assert last.now and last.now.error == said and not last.busy
    assert questions([*page.say("t", "Again?")][-1]) == ["Again?"]


def test_a_command_of_the_terminal_says_what_to_click(page: Conversations) -> None:
    *_, last = page.say("t", "/open 1")
    assert last.said and last.said.error == "/open is for the terminal. Try: click a source's path"


def test_a_database_that_cannot_be_read_is_a_line(page: Conversations, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> list[Turn]:
        raise ClewError("the threads are damaged", "move the file away")

    monkeypatch.setattr(FakeAssistant, "turns", broken)
    for seen in ([*page.open("t")], [*page.say("t", "Yes?")]):
        assert [view.now.error for view in seen if view.now] == ["the threads are damaged. Try: move the file away"]


def test_another_tab_follows_a_turn_in_progress_and_what_is_asked_meanwhile_waits_for_it(page: Conversations) -> None:
    asking = page.say("t", "a slow question")
    next(asking)
    watching = page.open("t")
    first = next(watching)
    assert first.busy and first.now and first.now.question == "a slow question"
    waiting = [page.say("t", question) for question in ("Me too?", "And I?", "And I?")]
    assert [next(one).queued for one in waiting] == [("Me too?",), ("Me too?", "And I?"), ("Me too?", "And I?")]
    while not (slow := next(asking)).now or len(slow.now.steps) < 3:
        pass
    page.runs.stop("t")
    for views_of_tab in (asking, watching, *waiting):
        last = [*views_of_tab][-1]
        assert questions(last) == ["a slow question", "Me too?", "And I?"] and not last.busy and not last.queued
        assert last.turns[0].answer.outcome == "stopped"


def test_two_tabs_at_once_follow_one_run_of_a_cut_off_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both hear that it was cut off before either has begun."""
    asked = FakeAssistant.interrupted

    def slow_to_say(self: FakeAssistant, thread: str) -> str:
        question = asked(self, thread)
        time.sleep(0.2)
        return question

    monkeypatch.setattr(FakeAssistant, "interrupted", slow_to_say)
    with FakeAssistant(tmp_path, pause=0.1, interrupted="t") as assistant:
        runs = Runs(assistant)
        with ThreadPoolExecutor(2) as tabs:
            first, second = tabs.map(lambda _: runs.open("t"), range(2))
        assert first is not None and first is second
        assert [event.question for events in first.follow() for event in events if isinstance(event, Turn)] == [CUT_OFF]
        runs.close()


def test_a_conversation_is_shown_to_its_owner_alone(page: Conversations) -> None:
    thread = [*page.say("", "How far is the Moon?", "ann")][-1].thread
    list(page.say("mine", "How old is the Moon?"))
    for owner, own, others in (("ann", thread, "mine"), ("", "mine", thread)):
        assert [len(view.turns) for view in page.open(own, owner)] == [1]
        refused = [*page.open(others, owner), *page.say(others, "/resume", owner)]
        refused += page.say(others, "And now?", owner)
        refused += page.open("nobody's", "bob")
        assert {view.now.error for view in refused if view.now} == {views.NOT_THERE}
        assert [view.turns for view in refused] == [()] * 4
    assert [len(view.turns) for view in page.open(thread, "ann")] == [1], "nothing was asked on"
    asking = page.say("", "a slow question", "ann")
    thread = next(asking).thread
    for owner in ("bob", ""):
        page.stop(thread, owner)
    assert not page.runs._runs[thread].cancel.is_set()
    page.stop(thread, "ann")
    last = [*asking][-1]
    assert (last.now and last.now.stopped) or last.turns[-1].answer.outcome == "stopped"


def test_turns_wait_in_their_order_and_say_where_they_are(page: Conversations) -> None:
    def where(asking: Iterator[View]) -> str:
        view = next(asking)
        assert view.now
        return view.now.status

    busy = [page.say(f"busy {number}", "a slow question") for number in range(AT_ONCE)]
    for asking in busy:
        while "Waiting" in where(asking):
            time.sleep(0.01)
    first, second = (page.say(name, "Yes?") for name in ("first", "second"))
    assert where(first) == "Waiting: number 1 in the queue…" and where(second) == "Waiting: number 2 in the queue…"
    page.stop("first")
    last = [*first][-1].now
    assert last and last.stopped, "while it waited"
    while where(second) != "Waiting: number 1 in the queue…":
        pass
    page.stop("busy 0")
    assert [*second][-1].turns
    for number in range(AT_ONCE):
        page.stop(f"busy {number}")
    assert all(run.begun for run in page.runs._runs.values())


def test_a_conversation_over_another_library_is_folded_away_and_says_so(page: Conversations, markup: Markup) -> None:
    threads = page.assistant.threads
    threads.library = "one"
    list(page.say("t", "How far is the Moon?"))
    assert [view.note for view in page.open("t")] == [""]
    threads.library = "two"
    (view,) = page.open("t")
    assert view.note == views.ELSEWHERE and views.ELSEWHERE in markup.past(view)
    html = markup.threads(threads.over_library(), "", threads.over_others())
    assert "No conversations yet." in html and html.index("<details") < html.index('data-pick="t"')


# What a language model writes


def test_a_stopped_answer_comes_back_where_going_on_fails(page: Conversations, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = View()
    for stopped in page.say("t", "unfinished"):
        if stopped.now and stopped.now.draft == "".join(WORDS[:2]):
            page.runs.stop("t")
    assert [turn.answer.outcome for turn in stopped.turns] == ["stopped"] and stopped.now is None

    def fails(*_: object, **__: object) -> Iterator[Step]:
        yield Step("answer", "begun")
        raise ClewError("the server is gone", "ollama serve")

    monkeypatch.setattr(FakeAssistant, "resume", fails)
    *_, last = page.say("t", "/resume")
    assert last.turns == stopped.turns and not last.busy
    assert last.now and (last.now.question, last.now.error) == ("", "the server is gone. Try: ollama serve")


# The server


def test_a_port_that_is_taken_is_named_before_anything_is_loaded() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ClewError, match=f"port {port} cannot be used: address already in use") as caught:
            bound(port, HOST)
    assert caught.value.hint.startswith("clew ui --port ")


def test_of_gradios_components_alone_no_source_file_is_found_while_it_is_imported() -> None:
    component = type("Box", (), {"__module__": "gradio.components.box"})
    with without_stub_files():
        assert inspect.getfile(ClewError).endswith("errors.py")
        with pytest.raises(OSError, match="no stub file"):
            inspect.getfile(component)
    with pytest.raises(TypeError, match="built-in"):
        inspect.getfile(component)


PROBE = """
import json, sys
from pathlib import Path
from clew.ui.web.page import BrowserPage
from clew.ui.web.serving import theme
from clew.ui.web.views import Conversations
from tests.ui.fakes import FakeAssistant

assistant = FakeAssistant(Path(sys.argv[1]))
conversations = Conversations(assistant)
blocks, look = BrowserPage(conversations).blocks, theme()
conversations.runs.close()
print(json.dumps({
    "analytics": blocks.analytics_enabled,
    "visible": sorted({function.api_visibility for function in blocks.fns.values()}),
    "theme": f"{look._get_theme_css()} {look._stylesheets}",
}))
"""
OURS = ("style.css", "page.js", "templates/entry.html", "templates/icon.svg")


@pytest.mark.timeout(300)
def test_gradio_offers_no_interface_and_names_no_host(tmp_path: Path) -> None:
    """In a process of its own: Gradio leaves event loops open."""
    done = finished(["-c", PROBE, tmp_path], preload=PAGE)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["analytics"] is False and said["visible"] == ["private"]
    style, *others = ((ROOT / "ui" / "web" / name).read_text("utf-8") for name in OURS)
    text = f"{said['theme']} {style} {others}"
    hosts = set(re.findall(r"https?:/+[\w.]+", text))
    assert hosts <= {"http://www.w3.org"}, "the name space of SVG, which nobody fetches"
    assert "url(" not in style and "@import" not in text
