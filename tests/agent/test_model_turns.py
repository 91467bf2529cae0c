"""Whole turns in which a language model of the double calls tools, or fails to: never less than the policy finds."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from clew.agent.assistant import Assistant
from clew.agent.evaluation.evaluate import answered
from clew.agent.models import Writers, writers_for
from clew.agent.search.router import Router
from clew.agent.services import Services
from clew.agent.settings import Settings
from clew.agent.state import Fallback, Step, Turn
from clew.memory.errors import Cancelled
from clew.memory.ports import Abilities
from tests.agent.conftest import turn_of
from tests.agent.walks import WALKS, evidence
from tests.memory.scripted_writer import ScriptedWriter
from tests.ollama.playing import words
from tests.ollama.server import Asked, Model, OllamaDouble, Said

QUESTION = "Where was the director of Metropolis born?"


ROUNDS = 3
PLAYED = count()
Open = Callable[[str], Assistant]
Thinking = Callable[..., Services]


@pytest.fixture
def assistant_with(indexed: Settings, ollama: OllamaDouble) -> Iterator[Open]:
    """An assistant whose model of that name thinks, and does nothing else."""
    opened: list[Assistant] = []

    def made(model: str) -> Assistant:
        llm = f"none,think=ollama:{model}" if model else "none"
        opened.append(Assistant.open(indexed.model_copy(update={"llm": llm})))
        return opened[-1]

    yield made
    for assistant in opened:
        assistant.close()


@pytest.fixture
def plain(assistant_with: Open) -> Services:
    """Without a model; two passages a search, as the library is small. Every question is walked for."""
    return replace(assistant_with("").services, evidence=2, router=WALKS)


def ask(assistant: Assistant, question: str = QUESTION) -> Turn:
    """In a conversation of its own."""
    return turn_of(assistant, f"thread {next(PLAYED)}", question)


@pytest.fixture
def thinking(plain: Services, ollama: OllamaDouble, indexed: Settings) -> Thinking:
    """The services with a model that plays so."""

    def made(play: Any, **options: Any) -> Services:
        name = f"played-{next(PLAYED)}:1b"  # what is known of a model is kept by its name
        ollama.models[name] = Model(play, **options)
        named = writers_for(indexed.model_copy(update={"llm": f"none,think=ollama:{name}"}))
        return replace(plain, writers=Writers(think=named.think))

    return made


def steps(turn: Turn, node: str) -> list[Step]:
    return [step for step in turn.steps if step.node == node]


def ids(turn: Turn) -> list[str]:
    return [passage.id for passage in turn.passages]


def asks(asked: Asked) -> int:
    """How many rounds of results it has seen."""
    return sum(message.get("role") == "tool" for message in asked.messages)


def wanders(asked: Asked) -> Said:
    """Always something else, never enough."""
    return iter([("hybrid", {"query": f"film number {asks(asked)}"})])


@pytest.mark.parametrize(
    ("model", "requests", "degraded"),
    [
        ("good:1b", 2, ""),
        ("thinks:1b", 2, ""),
        ("plain:1b", 1, ""),
        ("never-calls:1b", 1, ""),
        ("loops:1b", 3, ""),
        ("calls-wrongly:1b", 2, "there is no tool 'browse_web'"),
        ("broken-json:1b", 2, "it breaks off before its end"),
        ("crashes:1b", 1, "llama runner process has terminated"),
        ("lacks-memory:1b", 1, "memory"),
    ],
)
def test_whatever_the_model_does_the_policys_search_is_made_and_leads(
    model: str, requests: int, degraded: str, assistant_with: Open, ollama: OllamaDouble
) -> None:
    alone = ask(assistant_with(""))
    assert not ollama.requests
    turn = ask(assistant_with(model))
    first, best = alone.calls[0], assistant_with("").services.observe.best
    assert replace(turn.calls[0], ms=0.0) == replace(first, ms=0.0)
    assert ids(turn)[:best] == ids(alone)[:best] and set(ids(alone)) <= set(ids(turn))
    assert turn.answer.text == alone.answer.text
    assert turn.answer.outcome == alone.answer.outcome and turn.answer.sources[0] == alone.answer.sources[0]
    assert len(ollama.requests) == len(turn.ledger) == requests <= 2 * ROUNDS
    assert len(turn.degraded) == bool(degraded) and all(d.part == "think" for d in turn.degraded)
    assert not degraded or degraded in turn.degraded[0].why
    assert all(request["options"]["num_ctx"] for request in ollama.requests)


def test_a_model_that_is_never_content_ends_after_so_many_rounds(
    plain: Services, ollama: OllamaDouble, thinking: Thinking
) -> None:
    services = thinking(wanders)
    alone, turn = answered(plain, QUESTION, []), answered(services, QUESTION, [])
    assert len(ollama.requests) == len(steps(turn, "think")) == len(steps(turn, "act")) == ROUNDS
    wanted = [call for call in turn.calls if call.wordings[0].name == "model"]
    assert len({call.wordings[0].text for call in wanted}) == ROUNDS and not turn.degraded
    assert ids(turn)[:2] == ids(alone)[:2]
    found = evidence(services, QUESTION, [], 2)
    assert [passage.id for passage in found[:2]] == [passage.id for passage in evidence(plain, QUESTION, [], 2)[:2]]


def test_calls_at_once_are_made_in_their_order_behind_the_policys(plain: Services, thinking: Thinking) -> None:
    def both(asked: Asked) -> Said:
        if asks(asked):
            return words("ENOUGH")
        return iter([("graph", {"query": "Yuri Gagarin's launch"}), ("local", {"query": "the cat from Paris"})])

    turn = answered(thinking(both), QUESTION, [])
    assert [(call.tool, call.wordings[-1].text) for call in turn.calls[:3]] == [
        ("hybrid", QUESTION),
        ("graph", "Yuri Gagarin's launch"),
        ("local", "the cat from Paris"),
    ]
    assert ids(turn)[:2] == ids(answered(plain, QUESTION, []))[:2]
    assert {"Baikonur", "Félicette"} <= {passage.title for passage in turn.passages[2:]}
    assert any("looked for: the cat from Paris" in passage.why for passage in turn.passages)
    first, second = steps(turn, "think")
    assert "2 searches of the model" in first.summary and second.details[0].endswith(" calls nothing")
    assert [line.partition(" wants ")[2] for line in first.details[-2:]] == [
        "graph: Yuri Gagarin's launch",
        "local: the cat from Paris",
    ]


def test_the_model_sees_what_its_searches_brought_and_looks_on(
    plain: Services, ollama: OllamaDouble, thinking: Thinking
) -> None:
    def looks_on(asked: Asked) -> Said:
        if "Baikonur" not in asked.text:
            return iter([("hybrid", {"query": "spaceport in the steppe"})])
        return words("ENOUGH") if asks(asked) > 2 else iter([("hybrid", {"query": "cat in space"})])

    turn = answered(thinking(looks_on), QUESTION, [])
    assert [call.wordings[0].text for call in turn.calls if call.wordings[0].name == "model"] == [
        "spaceport in the steppe",
        "cat in space",
    ]
    *_, last = ollama.requests
    system, user, called, *results, more = last["messages"]
    assert more["role"] == "user"
    assert (system["role"], user["content"].splitlines()[0]) == ("system", f"Question: {QUESTION}")
    assert [one["function"]["name"] for one in called["tool_calls"]] == [r["tool_name"] for r in results]
    assert [one["function"]["arguments"]["query"] for one in called["tool_calls"]][:2] == [
        QUESTION,
        "spaceport in the steppe",
    ]
    assert "Metropolis" in results[0]["content"] and "- Baikonur: Baikonur is a spaceport" in results[1]["content"]
    assert [one["function"]["name"] for one in last["tools"]] == list(plain.tools)
    assert [line.purpose for line in turn.ledger] == ["think"] * 3
    assert all(line.estimated >= line.read > 0 and line.written for line in turn.ledger)
    assert [part.kept for part in turn.ledger[1].parts] == ["whole", "whole"]


def test_a_refused_call_is_answered_by_its_id_and_the_second_try_counts(
    ollama: OllamaDouble, thinking: Thinking
) -> None:
    def learns(asked: Asked) -> Said:
        if asks(asked) > 1:
            return words("ENOUGH")
        told = str(asked.messages[-2].get("content")) if len(asked.messages) > 2 else ""
        return iter([("local", {"query": "cat"}) if told.startswith("Error") else ("browse", {"url": "x"})])

    turn = answered(thinking(learns), QUESTION, [])
    error = ollama.requests[1]["messages"][-2]
    assert (error["role"], error["tool_name"]) == ("tool", "browse")
    assert error["content"].startswith("Error: there is no tool 'browse', only hybrid")
    assert not turn.degraded and turn.calls[1].tool == "local"
    assert steps(turn, "think")[0].details[-2].startswith("refused browse(url=x): there is no tool")


def test_a_model_without_tools_writes_its_searches_as_json(ollama: OllamaDouble, thinking: Thinking) -> None:
    def writes(asked: Asked) -> Said:
        calls = [] if "found so far" in asked.text else [{"tool": "graph", "query": "cat in space"}]
        return words(json.dumps({"calls": calls}))

    turn = answered(thinking(writes, capabilities=("completion",)), QUESTION, [])
    assert turn.calls[1].tool == "graph" and not turn.degraded
    assert all(not request["tools"] and request["format"]["required"] == ["calls"] for request in ollama.requests)
    assert "Félicette" in ollama.requests[1]["messages"][-1]["content"]


def test_a_model_that_can_do_neither_is_not_asked(plain: Services) -> None:
    def says(*_: Any) -> str:
        raise AssertionError("it was asked")

    writer = ScriptedWriter(says, abilities=Abilities())
    turn = answered(replace(plain, writers=Writers(think=writer)), QUESTION, [])
    assert turn.passages == answered(plain, QUESTION, []).passages
    assert "scripted can call no tools" in steps(turn, "think")[0].details


def test_a_model_is_not_asked_about_the_whole_library(ollama: OllamaDouble, thinking: Thinking) -> None:
    answered(thinking(wanders), "What are these documents about?", [])
    assert not ollama.requests


def test_a_models_own_words_do_not_answer_for_the_question(thinking: Thinking) -> None:
    """It repeats a passage as its query: nearest to that, and no answer."""
    text = "Félicette was a cat from Paris who flew into space on a French rocket in October 1963."

    def parrots(asked: Asked) -> Said:
        return iter([("hybrid", {"query": text})]) if not asks(asked) else words("ENOUGH")

    turn = answered(thinking(parrots), QUESTION, [])
    (cat,) = [passage for passage in turn.passages if passage.title == "Félicette"]
    assert cat.score <= cat.scores["cosine"] < 0.3
    assert not any("Félicette answers" in step.summary for step in turn.steps)


def test_a_window_that_is_too_short_for_the_tools_leaves_the_policy_alone(
    plain: Services, ollama: OllamaDouble, thinking: Thinking
) -> None:
    turn = answered(thinking(wanders, window=1000), QUESTION, [])
    assert not ollama.requests and "the window of" in turn.degraded[0].why
    assert turn.passages == answered(plain, QUESTION, []).passages


def test_a_turn_can_be_stopped_while_the_model_thinks(
    indexed: Settings, assistant_with: Open, ollama: OllamaDouble
) -> None:
    cancel = threading.Event()

    def hangs(asked: Asked) -> Said:
        cancel.set()
        yield 5.0
        yield "never"

    ollama.models["hangs:1b"] = Model(hangs)
    with pytest.raises(Cancelled):
        list(assistant_with("hangs:1b").ask("stopped", QUESTION, cancel=cancel))


def test_once_a_model_has_failed_it_is_left_alone_for_the_turn(
    plain: Services, ollama: OllamaDouble, thinking: Thinking
) -> None:
    """By `hybrid` alone the policy needs two rounds for the question."""
    plain = replace(plain, router=Router())
    services = replace(thinking(lambda asked: iter([("browse", {})])), router=Router())
    question = "Tell me of Fritz Lang, and of the cat on a rocket to the steppe of Kazakhstan."
    alone, turn = answered(plain, question, []), answered(services, question, [])
    assert _searched(turn) == _searched(alone) and len(_searched(alone)) > 1
    assert ids(turn) == ids(alone) and turn.answer == alone.answer
    assert len(ollama.requests) == 2 and turn.degraded == (
        Fallback("think", f"there is no tool 'browse', only {', '.join(plain.tools)}"),
    )


def _searched(turn: Turn) -> Sequence[Any]:
    return [(call.tool, call.wordings) for call in turn.calls]
