"""The tool `graph`: what no passage says alone is found over what they name, and the way is told."""

from collections.abc import Iterator

import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library
from clew.tools.base import encode_query
from clew.tools.graph import GraphSearch
from clew.tools.hybrid import Hybrid
from tests.memory.knowledge.walking.test_paths import TEXTS
from tests.tools.conftest import made

FILLING = {
    f"Note {n}": f"A director was born on day {n} in a town where people like films and bread." for n in range(12)
}
QUESTION = "Where was the director of Metropolis born?"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[Library]:
    with made(tmp_path_factory.mktemp("films") / "made", encoder, {**TEXTS, **FILLING}) as opened:
        yield opened


def test_the_second_step_is_found_with_its_path(library: Library, encoder: CachedEncoder) -> None:
    query = encode_query(QUESTION, [], encoder)
    findings = GraphSearch(library.store).search(query, 5)
    documents = [passage.document for passage in findings.passages]
    assert set(documents[:2]) == {"Metropolis (1927 film)", "Fritz Lang"}
    without = [passage.document for passage in Hybrid(library.store).search(query, 20).passages]
    assert documents.index("Fritz Lang") < without.index("Fritz Lang")
    passage = findings.passages[documents.index("Fritz Lang")]
    assert passage.path == ("(Metropolis) <-[directed]- (Fritz Lang)",)
    assert passage.why == "by Fritz Lang in Metropolis"
    assert findings.walk and ("Fritz Lang", "Metropolis", "directed") in [
        (edge.source, edge.target, edge.relation) for edge in findings.walk.edges
    ]


def test_scores_are_shares_of_the_mass(library: Library, encoder: CachedEncoder) -> None:
    passages = GraphSearch(library.store).search(encode_query(QUESTION, [], encoder), 50).passages
    assert sum(passage.score for passage in passages) == pytest.approx(1)
    assert "matches the question" in passages[0].why
