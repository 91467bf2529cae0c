"""Turns on threads with the real encoder and library: memory, crashes at every node, cancelling, several at once."""

import json
import os
import signal
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from clew.agent import graph
from clew.agent.assistant import LONGEST, Assistant
from clew.agent.settings import DATABASE, Settings, read_settings
from clew.agent.state import Step, Turn
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, Cancelled
from clew.memory.knowledge.disk import current_generation
from tests.agent.conftest import over
from tests.agent.conftest import turn_of as ask
from tests.memory.knowledge.index.test_run import run as index_run
from tests.memory.knowledge.index.test_run import write
from tests.processes import finished

NODES = ("recall", "rewrite", "think", "act", "stitch", "walk", "observe", "answer", "verify", "remember")

DIE = """
import os, signal, sys
from pathlib import Path
from clew.agent import graph
from clew.agent.settings import read_settings

def die(state, runtime):
    if word not in state.typed:
        return real(state, runtime)
    os.kill(os.getpid(), signal.SIGKILL)

library, data, cache, node, question, word = sys.argv[1:]
nodes = next(one for one in (graph.EVIDENCE, graph.ANSWER, graph.AROUND) if node in one)
real, nodes[node] = nodes[node], die
from clew.agent.assistant import LONGEST, Assistant
from dataclasses import replace
from tests.agent.walks import WALKS
opened = Assistant.open(read_settings(library=Path(library), home=Path(data), cache=Path(cache)))
assistant = Assistant(replace(opened.services, router=WALKS), opened.settings)
print(list(assistant.ask("t", question)))
"""


def killed(home: Settings, node: str, question: str, word: str = "") -> None:
    """A process that asks on thread t dies at this node, once what is asked there has the word."""
    died = finished(["-c", DIE, home.library, home.home, home.cache, node, question, word])
    assert died.returncode == -signal.SIGKILL, died.stderr


@pytest.fixture
def home(examples_path: Path, cache: Path, tmp_path: Path) -> Settings:
    return read_settings(library=examples_path, home=tmp_path / "data", cache=cache)


def test_a_turn_shows_each_step_and_ends_in_a_cited_answer(assistant: Assistant) -> None:
    *steps, turn = assistant.ask("t", "What is the distance between the Moon and Earth?")
    assert isinstance(turn, Turn)
    nodes = [step.node for step in steps if isinstance(step, Step)]
    assert nodes == [node for node in NODES if node not in ("stitch", "walk") or turn.walk]
    assert all(step.ms >= 0 and step.summary for step in steps if isinstance(step, Step))
    assert "384,400" in turn.answer.text
    assert turn.answer.sources[0].document == "space/moon-distance.md"
    assert {claim.verdict for claim in turn.answer.claims} == {"supported"}
    assert turn.library == assistant.services.library.manifest.fingerprint


def test_what_was_said_helps_the_next_question(assistant: Assistant) -> None:
    ask(assistant, "t", "Who directed the film Metropolis?")
    turn = ask(assistant, "t", "and where was he born?")
    assert (turn.turn, turn.rewritten) == (2, "Where was Fritz Lang born?") and "Vienna" in turn.answer.text
    assert {sentence.turn for sentence in turn.recalled.selected} == {1}
    assert {wording.name for wording in turn.wordings} == {"question", "standing", "before", "expanded"}
    other = ask(assistant, "another thread", "and where was he born?")
    assert (other.turn, other.recalled.selected) == (1, ())


def test_threads_outlive_the_process(assistant: Assistant, home: Settings) -> None:
    first = ask(assistant, "t", "Who directed the film Metropolis?")
    assistant.close()
    with Assistant.open(home) as again:
        assert again.turns("t") == [first]
        assert "Vienna" in ask(again, "t", "where was he born?").answer.text
        assert [thread.id for thread in again.threads.recent()] == ["t"]


@pytest.mark.parametrize(
    "node", [pytest.param(node, marks=() if node == "answer" else pytest.mark.soak) for node in NODES]
)
def test_a_kill_at_any_node_loses_nothing(node: str, home: Settings) -> None:
    """A real process dies in the middle of turn 2; the next one finishes that turn and goes on."""
    with Assistant.open(home) as before:
        ask(before, "t", "Who directed the film Metropolis?")
    question = "and where was he born?"
    killed(home, node, question)
    with Assistant.open(home) as after:
        assert len(after.turns("t")) == 1
        assert after.interrupted("t") == question
        *_, resumed = after.resume("t")
        assert isinstance(resumed, Turn)
        assert (resumed.turn, resumed.question) == (2, question)
        assert "Vienna" in resumed.answer.text
        reached = NODES[: NODES.index(node)] if node in NODES[4:] else NODES[:4]
        assert [step.node for step in resumed.steps][: len(reached)] == list(reached)
        assert [step.node for step in resumed.steps][-3:] == ["observe", "answer", "verify"]
        assert after.interrupted("t") == ""
        assert ask(after, "t", "How far away is the Moon?").turn == 3
        assert [turn.turn for turn in after.turns("t")] == [1, 2, 3]


def test_a_kill_in_the_second_of_two_questions_loses_nothing(home: Settings) -> None:
    """What the first was answered is in the checkpoint of the subgraph."""
    question = "Who was Laika? And how far away is the Moon?"
    killed(home, "observe", question, "Moon")
    with Assistant.open(home) as after:
        assert after.interrupted("t") == question
        *steps, resumed = after.resume("t")
        assert isinstance(resumed, Turn) and "384,400" in resumed.answer.text and "Laika was" in resumed.answer.text
        assert [step.node for step in steps if isinstance(step, Step)][:2] == ["observe", "answer"]
        assert [step.node for step in resumed.steps].count("answer") == 2 and after.turns("t") == [resumed]


@pytest.mark.parametrize("forgotten", [False, True])
def test_asking_on_finishes_what_was_cut_off_first_unless_it_is_forgotten(home: Settings, forgotten: bool) -> None:
    killed(home, "answer", "Summarise Metropolis")
    with Assistant.open(home) as after:
        assert after.interrupted("t") == "Summarise Metropolis"
        if forgotten:
            after.take_out("t")
            assert after.interrupted("t") == ""
        turns = [event for event in after.ask("t", "Who was Laika?") if isinstance(event, Turn)]
        asked = ["Who was Laika?"] if forgotten else ["Summarise Metropolis", "Who was Laika?"]
        assert [(turn.turn, turn.question) for turn in turns] == [*enumerate(asked, 1)]
        assert forgotten or turns[0].answer.outcome == "summary"


def test_a_turn_that_an_older_version_left_is_not_gone_on_with(home: Settings) -> None:
    """Its checkpoint has fields of the search that are no more."""
    killed(home, "answer", "Who was Laika?")
    with Assistant.open(home) as after:
        reached, config = after._reached("t", 1), graph.config_for("t")
        assert reached
        old = replace(reached["turn"], search={"asking": "Who was Laika?"})  # type: ignore[arg-type]
        after._graph.update_state(config, {"turn": old}, as_node="walk")
        assert after.interrupted("t") == ""
        assert "Laika was" in ask(after, "t", "Who was Laika?").answer.text


def test_a_turn_that_failed_is_over(assistant: Assistant, monkeypatch: pytest.MonkeyPatch, home: Settings) -> None:
    def fail(*_: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setitem(graph.ANSWER, "answer", fail)
    with Assistant.open(home) as broken:
        with pytest.raises(OSError, match="disk"):
            list(broken.ask("t", "Who was Laika?"))
        assert broken.interrupted("t") == ""
    assert ask(assistant, "t", "How far away is the Moon?").turn == 1


def test_a_turn_can_be_cancelled(assistant: Assistant) -> None:
    cancel = threading.Event()
    events = assistant.ask("t", "Who was Laika?", cancel=cancel)
    assert isinstance(next(events), Step)
    cancel.set()
    *_, stopped = events
    assert isinstance(stopped, Turn) and (stopped.answer.outcome, stopped.answer.claims) == ("stopped", ())
    assert (assistant.turns("t"), assistant.interrupted("t")) == ([stopped], "")
    *_, whole = assistant.resume("t", tool="hybrid")
    assert isinstance(whole, Turn) and "Laika was" in whole.answer.text
    assert {call.tool for call in whole.calls} == {"hybrid"}
    assert assistant.turns("t") == [whole] and assistant.stopped("t") is None
    assert ask(assistant, "t", "How far away is the Moon?").turn == 2


@pytest.mark.parametrize(("node", "times"), [("observe", 1), ("answer", 1), ("think", 2), ("observe", 2)])
def test_a_turn_of_several_questions_is_stopped_with_all_of_them(assistant: Assistant, node: str, times: int) -> None:
    cancel, met, asked = threading.Event(), 0, "Who was Laika and how far away is the Moon and who directed Metropolis?"
    for event in assistant.ask("t", asked, cancel=cancel):
        met += isinstance(event, Step) and event.node == node
        if met == times:
            cancel.set()
    (stopped,) = assistant.turns("t")
    assert stopped.answer.outcome == "stopped" and "Metropolis" not in stopped.answer.plain
    assert ("Laika" in stopped.answer.plain) == ((node, times) != ("observe", 1))
    assert stopped.rewritten == "Who was Laika? How far away is the Moon? Who directed Metropolis?"
    *_, whole = assistant.resume("t")
    assert isinstance(whole, Turn) and "Laika" in whole.answer.plain and "Lang" in whole.answer.plain


def test_a_question_asked_anew_in_other_words_or_as_it_is_meant_is_another_way(assistant: Assistant) -> None:
    """Each way has what was said on it, and nothing of the others."""
    ask(assistant, "t", "Who directed the film Metropolis?")
    born = ask(assistant, "t", "and where was he born?")
    ask(assistant, "t", "How far away is the Moon?")
    again = ask(assistant, "t", born.question, parent=born.parent, tool="clues")
    assert (again.turn, again.rewritten, again.parent) == (2, born.rewritten, born.parent)
    assert {call.tool for call in again.calls} == {"clues"} and "Vienna" in again.answer.text
    given = ask(assistant, "t", born.question, parent=born.parent, understood="Who was Laika?")
    assert (given.question, given.rewritten) == (born.question, "Who was Laika?") and "Laika was" in given.answer.text
    assert [turn.id for turn in assistant.turns("t")] == [1, given.id]
    tree = assistant.threads.tree("t")
    assert tree.versions(given.id) == [born.id, again.id, given.id]
    follow_up = ask(assistant, "t", "and where was she found?")
    assert "Laika" in follow_up.rewritten and {one.turn for one in follow_up.recalled.extracted} == {1, 2}
    assert not any("Vienna" in one.text for one in follow_up.recalled.extracted)
    other = ask(assistant, "t", "Who was Laika?", parent=0)
    assert (other.turn, other.recalled.extracted) == (1, ())
    assistant.threads.go_to("t", tree.newest_below(born.id))
    assert [turn.turn for turn in assistant.turns("t")] == [1, 2, 3]
    assert assistant.turns("t")[1] == born


def test_two_on_one_thread_take_turns(assistant: Assistant, home: Settings) -> None:
    with Assistant.open(home) as other:
        pair = [
            threading.Thread(target=ask, args=(one, "t", question))
            for one, question in ((assistant, "Who was Laika?"), (other, "How far away is the Moon?"))
        ]
        for thread in pair:
            thread.start()
        for thread in pair:
            thread.join()
    turns = assistant.turns("t")
    assert [turn.turn for turn in turns] == [1, 2]
    assert {turn.question for turn in turns} == {"Who was Laika?", "How far away is the Moon?"}


def test_what_cannot_be_asked_says_so(assistant: Assistant) -> None:
    with pytest.raises(BadInput, match="empty"):
        list(assistant.ask("t", "  \n"))
    with pytest.raises(BadInput, match="4,001 characters"):
        list(assistant.ask("t", "?" * (LONGEST + 1)))
    with pytest.raises(BadInput, match="no tool 'oracle'"):
        list(assistant.ask("t", "Who was Laika?", tool="oracle"))


def test_forgetting_a_thread_leaves_nothing(assistant: Assistant, home: Settings) -> None:
    ask(assistant, "t", "Who was Laika, called Kudryavka?")
    assistant.threads.delete("t")
    assert assistant.turns("t") == []
    assistant.close()
    for file in home.home.glob("threads.sqlite*"):
        assert b"Kudryavka" not in file.read_bytes() or file.suffix != ".sqlite"
    with Assistant.open(home) as again:
        assert again.threads.recent() == []


def test_waiting_for_another_turn_can_be_cancelled(assistant: Assistant, home: Settings) -> None:
    first = assistant.ask("t", "Who was Laika?")
    next(first)
    cancel = threading.Event()
    with Assistant.open(home) as other:
        threading.Timer(0.5, cancel.set).start()
        with pytest.raises(Cancelled):
            list(other.ask("t", "How far away is the Moon?", cancel=cancel))
    assert isinstance(list(first)[-1], Turn)


def libraries(turn: Turn) -> list[str]:
    return [step.summary for step in turn.steps if step.node == "library"]


def test_a_conversation_moves_to_what_was_indexed_between_two_turns_and_says_so(
    tmp_path: Path, encoder: CachedEncoder, cache: Path
) -> None:
    notes, library = tmp_path / "notes", tmp_path / "library"
    texts = {"moon.txt": "The Moon is 384,400 km away from the Earth.", "sun.txt": "The Sun is hot."}
    with over(texts, tmp_path, cache, encoder) as assistant:
        assert not libraries(ask(assistant, "t", "How far away is the Moon?"))
        for number in range(3):  # more than stay beside the current one
            write(notes, mars=f"Phobos is moon number {number} of Mars.")
            index_run([notes], library, encoder)
        events = list(assistant.ask("t", "What is Phobos?"))
        turn = events[-1]
        assert isinstance(turn, Turn) and isinstance(events[0], Step)
        assert (
            libraries(turn)
            == [events[0].summary]
            == ["the library was indexed since it was opened: it has 3 documents now"]
        )
        assert "number 2" in turn.answer.text
        assert turn.library == assistant.services.library.manifest.fingerprint
        assert not libraries(ask(assistant, "t", "What is the Sun like?"))
        assert len([entry for entry in library.iterdir() if entry.is_dir()]) == 2
        write(notes, mars="Deimos is a moon of Mars.")
        index_run([notes], library, encoder)
        assert len([entry for entry in library.iterdir() if entry.is_dir()]) == 2  # its own and the current one


def test_a_library_that_was_made_with_another_encoder_meanwhile_is_read_as_it_was(
    tmp_path: Path, encoder: CachedEncoder, cache: Path
) -> None:
    notes, library = tmp_path / "notes", tmp_path / "library"
    with over({"moon.txt": "The Moon is 384,400 km away from the Earth."}, tmp_path, cache, encoder) as assistant:
        write(notes, moon="The Moon is 400,000 km away from the Earth.")
        index_run([notes], library, encoder)
        current = current_generation(library)
        assert current
        manifest = json.loads((current / "manifest.json").read_text())
        manifest["encoder"]["hash"] = "f" * 64
        (current / "manifest.json").write_text(json.dumps(manifest))
        turn = ask(assistant, "t", "How far away is the Moon?")
        assert "384,400" in turn.answer.text
        assert "clew index --rebuild" in libraries(turn)[0]


FULL = """
import os, sys
os.environ["HF_HUB_OFFLINE"] = "1"
import sqlite3
connect, left = sqlite3.connect, int(sys.argv.pop(1))

def bounded(*arguments, **options):
    database = connect(*arguments, **options)
    if "threads.sqlite" in str(arguments[0]):
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        database.execute(f"PRAGMA max_page_count = {pages + left}")  # as if the disk ended here
    return database

sqlite3.connect = bounded
from clew.ui.cli import main
main()
"""


@pytest.mark.parametrize("left", [0, 1])
def test_a_full_disk_says_so_and_what_to_do(home: Settings, left: int) -> None:
    with Assistant.open(home) as assistant:
        ask(assistant, "t", "Who directed the film Metropolis?")
    with closing(sqlite3.connect(home.home / DATABASE)) as database:
        database.execute("VACUUM")  # no page is free
    where = ["--library", home.library, "--thread", "t", "-q", "How far away is the Moon?"]
    environment = {"CLEW_HOME": str(home.home), "CLEW_CACHE": str(home.cache), "CLEW_LLM": "none"}
    done = finished(["-c", FULL, left, "ask", *where], env={**os.environ, **environment})
    assert done.returncode == 1 or left, done.stderr
    if done.returncode:
        assert "the disk is full" in done.stderr and "try: free some space" in done.stderr
    assert "internal error" not in done.stderr and "Traceback" not in done.stderr
    with Assistant.open(home) as assistant:
        assert [turn.turn for turn in assistant.turns("t")] in ([1], [1, 2])
        assert "384,400" in ask(assistant, "t", "How far away is the Moon?").answer.text
