"""How many requests a round of a turn makes to a cluster, counted where they go out: as many in any library."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.agent import nodes
from clew.agent.search import rounds
from clew.agent.search.lookups import held_language
from clew.agent.search.rounds import AUTO, ObserveParameters
from clew.agent.services import Services, TurnContext, services_for
from clew.agent.settings import Settings
from clew.agent.state import Turn
from clew.memory.datatypes import Wording
from clew.memory.dialogue.threads import Threads
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.cluster.connection import Cluster, address
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.cluster.publishing import publish
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.library import open_library
from tests.cluster import Server

QUESTIONS = (
    "Who directed Metropolis?",
    "Where was the director of Metropolis born?",
    "Which animals flew to space before people did?",
)
EVERY = ("hybrid", "graph", "walk", "clues", "local", "communities")


@pytest.fixture(scope="module")
def place(server: Server, examples_path: Path) -> Iterator[Cluster]:
    where = address(server.library())
    assert where
    for _ in publish(Cluster(where), required_generation(examples_path)):
        pass
    yield Cluster(where)
    Generations(Cluster(where)).remove_all()


@pytest.fixture
def services(place: Cluster, encoder: CachedEncoder) -> Iterator[Services]:
    """Nothing that belongs to a question is held; what a process reads once is."""
    with open_library(place.where, encoder) as library, Threads(None) as threads:
        made = services_for(Settings(library=place.where), library, encoder, threads)
        library.store.vocabulary.counts(["warm"])
        _ = library.store.catalogue, held_language(made), library.store.communities  # type: ignore[attr-defined]
        yield made


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    transport = pytest.importorskip("elastic_transport").Transport
    sent, send = list[str](), transport.perform_request

    def counting(self: object, method: str, target: str, **options: object) -> object:
        sent.append(f"{method} {target}")
        return send(self, method, target, **options)

    monkeypatch.setattr(transport, "perform_request", counting)
    return sent


@pytest.mark.parametrize(("tools", "most"), [(("hybrid",), 4), (("hybrid", "graph", "walk"), 12), (EVERY, 12)])
def test_a_round_takes_few(tools: tuple[str, ...], most: int, services: Services, requests: list[str]) -> None:
    """From the plan to the end of the walk, with the tools that a gate may choose, and with all."""
    for question in QUESTIONS:
        run = TurnContext(services)
        turn = Turn("", 1, question, question, meant=question, wordings=(Wording("question", question, 1.0),))
        turn = nodes.think(turn, run).searched(tools=tools, round=0)
        turn = turn.searched(planned=rounds.plan(turn, AUTO, ObserveParameters()).calls, round=1)
        turn = nodes.act(turn, run)
        if rounds.walks(turn.search):
            turn = nodes.walk(nodes.stitch(turn, run), run)
        assert turn.passages and 0 < len(requests) <= most, requests
        requests.clear()
