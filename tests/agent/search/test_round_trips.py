"""How many requests a round of a turn makes to a cluster, counted where they go out: as many in any library."""

from collections.abc import Iterator, Sequence
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
from clew.memory.knowledge.cluster.cluster_store import ClusterStore
from clew.memory.knowledge.cluster.connection import Cluster, address
from clew.memory.knowledge.cluster.publishing import publish
from clew.memory.knowledge.disk import required_generation
from clew.memory.knowledge.library import open_library
from tests.benchmarks.cluster import MadeLibrary, write
from tests.cluster import Server, remove_library
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

REWRITING = 3
"""Requests before a round: what a question that was typed small may name, which of the things that a pronoun may stand
for the documents tell of, and words that the library lacks."""


@pytest.fixture(scope="module", params=[0, 4_000])
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
    remove_library(Cluster(where))


@pytest.fixture
def opened(place: Cluster, encoder: CachedEncoder) -> Iterator[Services]:
    """Nothing that belongs to a question is held; what a process reads once is."""
    with open_library(place.where, encoder) as library, Threads(None) as threads:
        made = services_for(Settings(library=place.where), library, encoder, threads)
        assert isinstance(library.store, ClusterStore)
        library.store.vocabulary.counts(["warm"])
        _ = library.store.catalogue, held_language(made), library.store.communities
        yield made


@pytest.mark.parametrize(("tools", "most"), [((), FEW), (BESIDE, MANY)])
@pytest.mark.parametrize(("question", "history"), QUESTIONS)
def test_a_round(
    question: str,
    history: Sequence[Utterance],
    tools: tuple[str, ...],
    most: int,
    opened: Services,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(router, "chosen", lambda *_: tools)
    with round_trips() as counted:
        turn = searched(opened, question, history)
    rounds = counted.rounds()
    assert turn.passages and len(rounds) == turn.search.round and 0 < max(map(len, rounds)) <= most


@pytest.mark.parametrize(("question", "history"), QUESTIONS)
def test_names_are_asked_for_at_once_and_once(question: str, history: Sequence[Utterance], opened: Services) -> None:
    """However many turns were spoken; in the same generation neither what is a name nor what is none again."""
    history = [*history, *AT_LENGTH] if history else history
    for most in (REWRITING, 0):
        with round_trips() as counted:
            searched(opened, question, history)
        assert sum(len(sent) for name, sent in counted.of_nodes if name == "rewrite") <= most
