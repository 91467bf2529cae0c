"""How many requests a round of a turn makes to a cluster, counted where they go out: as many in any library."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from clew.agent.evaluation.evaluate import searched
from clew.agent.search import router
from clew.agent.search.lookups import held_language
from clew.agent.services import Services, services_for
from clew.agent.settings import Settings
from clew.memory.datatypes import Utterance
from clew.memory.dialogue.threads import Threads
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.cluster.connection import Cluster, address
from clew.memory.knowledge.cluster.generations import Generations
from clew.memory.knowledge.cluster.publishing import publish
from clew.memory.knowledge.cluster.searches import ENDPOINT
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.library import open_library
from tests.benchmarks.cluster import MadeLibrary, write
from tests.cluster import Server
from tests.proxy import Proxy
from tests.round_trips import round_trips

pytestmark = pytest.mark.soak

HISTORY = (
    Utterance("user", "Who directed Metropolis?"),
    Utterance("agent", "Fritz Lang directed Metropolis, a film of 1927."),
)
AT_LENGTH = tuple(
    said
    for one in ("Anna Kern", "Otto Weiss", "Ida Holm", "Karl Lund")
    for said in (
        Utterance("user", f"Who was {one}?"),
        Utterance("agent", f"{one} was a friend of Mies Rohe in Aachen."),
    )
)
QUESTIONS = (
    ("Who directed Metropolis?", ()),
    ("Where was the director of Metropolis born?", ()),
    ("Which animals flew to space before people did?", ()),
    ("Where was he born, and which zeppelins did he see there?", HISTORY),
    ("Why does the moon raise the tides at an unheard-of quay?", HISTORY),
)
BESIDE = ("graph", "walk", "clues", "local", "communities", "elastic")
"""All that the router may choose beside `hybrid`."""

FEW, MANY = 4, 12
"""Requests of a round where the router stays with `hybrid`, and where all tools run."""

REWRITING = 4
"""Requests before a round: what a question that was typed small may name, what the conversation may be about, which of
the things that a pronoun may stand for the documents tell of, and words that the library lacks."""


@pytest.fixture(scope="module", params=[0, pytest.param(4_000, marks=pytest.mark.soak)])
def place(request: pytest.FixtureRequest, server: Server, examples_path: Path) -> Iterator[Cluster]:
    """The examples, and so many made chunks that are like them: of 20 partitions, of which a question reaches ten."""
    where = address(server.library())
    assert where
    if request.param:
        write(MadeLibrary(examples_path, request.param), Cluster(where))
    else:
        for _ in publish(Cluster(where), required_generation(examples_path)):
            pass
    yield Cluster(where)
    Generations(Cluster(where)).remove_all()


@pytest.fixture
def opened(place: Cluster, encoder: CachedEncoder) -> Iterator[Services]:
    with serving(place, encoder) as made:
        yield made


@contextmanager
def serving(place: Cluster, encoder: CachedEncoder) -> Iterator[Services]:
    """Nothing that belongs to a question is held; what a process reads once is."""
    with open_library(place.where, encoder) as library, Threads(None) as threads:
        made = services_for(Settings(library=place.where), library, encoder, threads)
        library.store.vocabulary.counts(["warm"])
        _ = library.store.catalogue, held_language(made), library.store.communities  # type: ignore[attr-defined]
        yield made


def most_of_a_round(services: Services, question: str, history: Sequence[Utterance]) -> int:
    with round_trips() as counted:
        turn = searched(services, question, history)
    rounds = counted.rounds()
    assert turn.passages and len(rounds) == turn.search.round
    return max(map(len, rounds))


@pytest.mark.parametrize(("question", "history"), QUESTIONS)
def test_where_the_gate_stays_with_hybrid(
    question: str, history: Sequence[Utterance], opened: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(router, "chosen", lambda *_: ())
    assert 0 < most_of_a_round(opened, question, history) <= FEW


@pytest.mark.parametrize(("question", "history"), QUESTIONS)
def test_where_all_tools_run(
    question: str, history: Sequence[Utterance], opened: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(router, "chosen", lambda *_: BESIDE)
    assert 0 < most_of_a_round(opened, question, history) <= MANY


def test_where_elastic_has_elsers_tokens(
    proxy: Proxy, examples_path: Path, encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a double of that one route, which is asked for the tokens of all forms at once."""
    monkeypatch.setenv(ENDPOINT, "my-elser")
    where = address(Server(f"http://{proxy.host}", {}).library())
    assert where
    for _ in publish(Cluster(where), required_generation(examples_path)):
        pass
    for question, history in QUESTIONS:
        with serving(Cluster(where), encoder) as opened:
            before = len(proxy.inferred)
            services = replace(opened, default_tool="+".join(("hybrid", *BESIDE)))
            assert most_of_a_round(services, question, history) <= MANY and len(proxy.inferred) > before
    Generations(Cluster(where)).remove_all()


@pytest.mark.parametrize(("question", "history"), QUESTIONS)
def test_names_are_asked_for_at_once_and_once(question: str, history: Sequence[Utterance], opened: Services) -> None:
    """However many turns were spoken; in the same generation neither what is a name nor what is none again."""
    history = [*history, *AT_LENGTH] if history else history
    for most in (REWRITING, 0):
        with round_trips() as counted:
            searched(opened, question, history)
        assert sum(len(sent) for name, sent in counted.of_nodes if name == "rewrite") <= most
