"""Whole turns in which a language model of the double plans searches, or fails to: never less than the policy finds."""

import json
from collections.abc import Callable, Iterator
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
from clew.agent.state import Step, Turn
from tests.agent.walks import WALKS
from tests.ollama.playing import words
from tests.ollama.server import Model, OllamaDouble, Said

HOPS = "Where was the man born who directed Metropolis?"
PLAYED = count()

Thinking = Callable[..., Services]


@pytest.fixture
def plain(indexed: Settings) -> Iterator[Services]:
    """Without a model; two passages a search, as the library is small. Every question has several hops."""
    with Assistant.open(indexed.model_copy(update={"llm": "none"})) as assistant:
        yield replace(assistant.services, evidence=2, router=WALKS)


@pytest.fixture
def thinking(plain: Services, ollama: OllamaDouble, indexed: Settings) -> Thinking:
    """The services with a model that plays so."""

    def made(play: Any, **options: Any) -> Services:
        name = f"played-{next(PLAYED)}:1b"  # what is known of a model is kept by its name
        ollama.models[name] = Model(play, **options)
        named = writers_for(indexed.model_copy(update={"llm": f"none,think=ollama:{name}"}))
        return replace(plain, writers=Writers(think=named.think))

    return made


def wants(*calls: tuple[str, str]) -> Said:
    return words(json.dumps({"calls": [{"tool": tool, "query": query} for tool, query in calls]}))


def steps(turn: Turn, node: str) -> list[Step]:
    return [step for step in turn.steps if step.node == node]


def ids(turn: Turn) -> list[str]:
    return [passage.id for passage in turn.passages]


@pytest.mark.parametrize(
    ("model", "degraded"),
    [
        ("good:1b", ""),
        ("never-plans:1b", "no JSON"),
        ("plans-wrongly:1b", "there is no tool 'browse_web'"),
        ("broken-json:1b", "it breaks off before its end"),
        ("crashes:1b", "llama runner process has terminated"),
    ],
)
def test_whatever_the_model_does_the_policys_search_is_made_and_leads(
    model: str, degraded: str, plain: Services, indexed: Settings, ollama: OllamaDouble
) -> None:
    alone = answered(plain, HOPS, [])
    named = writers_for(indexed.model_copy(update={"llm": f"none,think=ollama:{model}"}))
    turn = answered(replace(plain, writers=Writers(think=named.think)), HOPS, [])
    best = plain.observe.best
    assert replace(turn.calls[0], ms=0.0) == replace(alone.calls[0], ms=0.0)
    assert ids(turn)[:best] == ids(alone)[:best] and set(ids(alone)) <= set(ids(turn))
    assert turn.answer.text == alone.answer.text
    assert len(ollama.requests) == len(turn.ledger) == 1
    assert len(turn.degraded) == bool(degraded) and all(d.part == "think" for d in turn.degraded)
    assert not degraded or degraded in turn.degraded[0].why


def test_the_model_sees_what_was_found_and_its_searches_are_made_behind_it(
    plain: Services, ollama: OllamaDouble, thinking: Thinking
) -> None:
    turn = answered(
        thinking(
            lambda _: wants(("graph", "Yuri Gagarin's launch"), ("local", "the cat from Paris")),
            parameters=8 * 10**9,
        ),
        HOPS,
        [],
    )
    assert [(call.tool, call.wordings[0].text) for call in turn.calls if call.by_model] == [
        ("graph", "Yuri Gagarin's launch"),
        ("local", "the cat from Paris"),
    ]
    assert ids(turn)[:2] == ids(answered(plain, HOPS, []))[:2]
    assert {"Baikonur", "Félicette"} <= {passage.title for passage in turn.passages[2:]}
    assert any("looked for: the cat from Paris" in passage.why for passage in turn.passages)
    second = steps(turn, "think")[1]
    assert "2 searches of the model" in second.summary
    (request,) = ollama.requests
    (message,) = request["messages"]
    assert f"Question: {HOPS}" in message["content"] and "Metropolis" in message["content"].partition("<found>")[2]
    assert all(f"- {name}(query, within?, from_date?, to_date?): " in message["content"] for name in plain.tools)
    assert request["format"]["required"] == ["calls"] and "tools" not in request
    assert [line.purpose for line in turn.ledger] == ["think"]
    assert all(line.estimated >= line.read > 0 and line.written for line in turn.ledger)


@pytest.mark.parametrize(
    ("question", "router", "parameters", "why"),
    [
        ("Who directed Metropolis?", Router(), 3_200_000_000, "the words of the question were found"),
        (HOPS, WALKS, 500_000_000, "it is too small to"),
        ("What are these documents about?", WALKS, 3_200_000_000, ""),  # nothing is searched
    ],
)
def test_nothing_is_planned(
    question: str, router: Router, parameters: int, why: str, ollama: OllamaDouble, thinking: Thinking
) -> None:
    """And a step says why."""
    services = thinking(lambda _: wants(("hybrid", "anything")), parameters=parameters)
    turn = answered(replace(services, router=router), question, [])
    assert not ollama.requests
    told = [detail for step in steps(turn, "observe") for detail in step.details]
    assert [why in one for one in told] == ([True] if why else [])
    assert all(one.startswith("no plan by played-") for one in told)


def test_a_question_in_another_language_is_searched_for_in_the_words_of_the_documents(thinking: Thinking) -> None:
    question = "Welches Tier aus Paris flog mit einer Rakete in den Weltraum?"
    turn = answered(thinking(lambda _: wants(("search", "cat flown into space by a rocket"))), question, [])
    assert [call.wordings[0].text for call in turn.calls if call.by_model] == ["cat flown into space by a rocket"]
    assert "Félicette" in {passage.title for passage in turn.passages} and not turn.degraded


def test_a_models_own_words_do_not_answer_for_the_question(thinking: Thinking) -> None:
    """It repeats a passage as its query: nearest to that, and no answer."""
    text = "Félicette was a cat from Paris who flew into space on a French rocket in October 1963."
    turn = answered(thinking(lambda _: wants(("search", text))), HOPS, [])
    cats = [passage for passage in turn.passages if passage.title == "Félicette"]
    assert all(cat.score <= cat.scores["cosine"] < 0.3 for cat in cats)
    assert not any("Félicette answers" in step.summary for step in turn.steps)
