"""Think, stitch, walk and observe of a turn, on the real library of examples/."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from clew.agent import nodes
from clew.agent.assistant import Assistant
from clew.agent.evaluation.evaluate import answered
from clew.agent.graph import evidence_graph
from clew.agent.search.rounds import ObserveParameters
from clew.agent.search.router import Router
from clew.agent.services import TurnContext
from clew.agent.settings import read_settings
from clew.agent.state import TURN_JSON, Step, Turn
from clew.memory.knowledge.walking.walk_paths import lines, parents
from clew.tools.walk import Walk
from tests.agent.conftest import turn_of
from tests.agent.walks import WALKS, evidence

QUESTION = "Where was the director of Metropolis born?"


@pytest.fixture(scope="module")
def assistant(examples_path: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Assistant]:
    """One that walks for every question."""
    home = tmp_path_factory.mktemp("data")
    with Assistant.open(read_settings(library=examples_path, home=home, cache=cache)) as opened:
        yield Assistant(replace(opened.services, router=WALKS), opened.settings)


@pytest.fixture(scope="module")
def turn(assistant: Assistant) -> Turn:
    return answered(assistant.services, QUESTION, [])


def steps_of(turn: Turn, node: str) -> list[Step]:
    return [step for step in turn.steps if step.node == node]


def test_a_turn_has_its_walk_and_the_paths_of_it(assistant: Assistant, turn: Turn) -> None:
    walk = turn.walk
    assert walk is not None and walk.landings >= 1
    assert len(walk.nodes) == len(set(walk.nodes)) == len(walk.titles) == len(walk.scores) == len(walk.partitions)
    assert len(walk.edges) == len(walk.nodes) - walk.landings > 0
    assert all(before < place for place, before in enumerate(parents(walk)))
    assert turn.paths == lines(walk) and any(path.startswith("Metropolis -> ") for path in turn.paths)
    chunks = assistant.services.library.store.chunks(walk.nodes)
    assert tuple(chunk.title for chunk in chunks) == tuple(walk.titles)


def test_turns_that_were_stored_before_are_read(turn: Turn) -> None:
    """With keys that are no more, and without those that were not yet."""
    record = json.loads(TURN_JSON.dump_json(turn))
    gone = {"meant": QUESTION, "expanded": "Metropolis", "with_history": True, "own_weight": 0.4}
    assert not gone.keys() & record.keys() and TURN_JSON.validate_python(record | gone) == replace(turn, id=0)
    del record["walk"]["back"]
    walk = TURN_JSON.validate_python(record).walk
    assert walk is not None and turn.walk is not None and walk == replace(turn.walk, back=())
    del record["walk"], record["paths"]
    old = TURN_JSON.validate_python(record)
    assert (old.walk, old.paths) == (None, ())


def test_what_tool_and_walk_found_is_in_one_order(assistant: Assistant, turn: Turn) -> None:
    services = assistant.services
    plain = evidence(replace(services, router=Router()), QUESTION, [], 10)
    walked = evidence(services, QUESTION, [], 10)
    assert {p.id for p in plain} <= {p.id for p in walked} and {p.tool for p in plain} == {"hybrid"}
    masses = [p.scores["mass"] for p in walked]
    assert masses == sorted(masses, reverse=True) and sum(masses) == pytest.approx(1)
    assert not any("mass" in p.scores for p in plain)
    found = [p for p in walked if "walk" in p.scores]
    assert found and all(p.why for p in found) and turn.walk is not None
    assert set(turn.walk.nodes) & {p.id for p in found}


def test_a_passage_of_the_walk_is_read_and_cited_like_others(assistant: Assistant) -> None:
    """One passage a search; the walk comes to another of the same document, which answers."""
    narrow = replace(assistant.services, evidence=1)
    turn = answered(narrow, "How far did Lunokhod 1 drive?", [])
    cited = [(source.document, source.tool) for source in turn.answer.sources]
    assert cited == [("space/robots-on-the-moon.pdf", "walk")]


def test_a_further_round_walks_for_what_is_missing_and_keeps_what_was_found(assistant: Assistant) -> None:
    """Two passages a search and two a walk: of Metropolis, then of animals in space."""
    narrow = replace(assistant.services, evidence=2)
    question = "Who directed Metropolis, and which dog went to space? Please."
    turn = answered(narrow, question, [])
    _, second = steps_of(turn, "think")
    assert "for what is missing: dog went space" in second.summary and second.tools == ("hybrid", "walk")
    walked = [p for p in turn.passages if p.tool == "walk"]
    assert "animals/laika.md" in {p.document for p in walked}
    assert len({p.id for p in turn.passages}) == len(turn.passages) > 4
    assert set(turn.search.beside) < {p.id for p in turn.passages}
    alone = answered(replace(narrow, observe=ObserveParameters(rounds=1)), question, [])
    assert alone.walk is not None and turn.walk is not None
    assert alone.walk.nodes == turn.walk.nodes, "the walk that is shown is the first one"
    assert turn.paths == lines(turn.walk) and len(parents(turn.walk)) == len(turn.walk.nodes)


def test_the_tool_walk_leads_and_no_second_walk_is_made(assistant: Assistant) -> None:
    turn = turn_of(assistant, "by walk", QUESTION, tool="walk")
    assert not steps_of(turn, "stitch") and not steps_of(turn, "walk")
    assert {p.tool for p in turn.passages} == {"walk"}
    assert turn.walk is not None and turn.paths == lines(turn.walk) != ()


def test_the_walk_stays_within_a_scope(assistant: Assistant) -> None:
    scope = ("films/metropolis.md", "animals/laika.md", "people/thea-von-harbou.md")
    turn = turn_of(assistant, "scope", QUESTION, scope=scope)
    assert turn.walk is not None
    chunks = assistant.services.library.store.chunks(turn.walk.nodes)
    assert {chunk.document for chunk in chunks} <= set(scope)
    assert {p.document for p in turn.passages} <= set(scope)


def test_a_walk_is_the_same_where_another_process_has_stitched(assistant: Assistant) -> None:
    """A crash takes the scratch of a run: what `stitch` had thought is thought again."""
    services = assistant.services
    found: Turn = evidence_graph().invoke({"turn": Turn("t", 1, QUESTION)}, context=TurnContext(services))["turn"]
    other = TurnContext(replace(services, tools={**services.tools, "walk": Walk(services.library.store)}))
    assert services.walker() is not other.services.walker()
    run = TurnContext(services)
    stitched = nodes.stitch(found, run)
    assert run.scratch and not other.scratch
    assert nodes.walk(stitched, other) == nodes.walk(stitched, run)
