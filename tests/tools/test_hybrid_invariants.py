"""What the original of seed 002 promises of its two stages (`hybrid_invariants` of `cases/klareco.json`), of the tool
`hybrid` in the seed's pure form (`TWO_STAGE`), each with what stands for it here.

Two are held to be wrong. A question with unknown words alone returns k results there, as nearest ones are always found:
in the pure form nothing hits and nothing is found, which is said, and in the default form the nearest are, each telling
that no word of the question is in it. And what a search returns has one type here, whatever is asked for: there an
argument decides.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from clew.agent.parameters import chosen
from clew.memory.datatypes import Findings, Query
from clew.memory.encoding import CachedEncoder, load_encoder
from clew.memory.errors import BadInput, NoLibrary, NoModel, NotSetUp
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import Library, open_library
from clew.memory.knowledge.structure import open_structure
from clew.tools.base import encode_query
from clew.tools.hybrid import TWO_STAGE, Hybrid, HybridParameters

CORPUS = [
    "La hundo vidas la katon.",
    "La kato dormas sur la tablo.",
    "La knabo legas libron pri hundoj.",
    "Mitrandiro estas saĝa magiisto.",
    "La HUNDO de la knabo bojas.",
    "La hundoj kuras al la maro, kaj ili estas tre lacaj.",
]
CANDIDATES = 3
PURE = HybridParameters(replace(TWO_STAGE, candidates=CANDIDATES))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("sentences")
    rows = [{"_id": f"s{n}", "title": "", "text": text} for n, text in enumerate(CORPUS)]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    list(index([folder / "corpus.jsonl"], folder / "library", encoder))
    opened = open_library(folder / "library", encoder)
    yield opened
    opened.store.close()


Asks = Callable[[str], Query]


@pytest.fixture
def asks(encoder: CachedEncoder) -> Asks:
    return lambda text: encode_query(text, [], encoder)


def scores_descend(library: Library, asks: Asks) -> None:
    for parameters in (PURE, None):
        found = [one.score for one in Hybrid(library.store, parameters).search(asks("Kiu vidas la hundon?")).passages]
        assert len(found) > 1 and found == sorted(found, reverse=True)


def each_holds_a_keyword(library: Library, asks: Asks) -> None:
    found = Hybrid(library.store, HybridParameters(TWO_STAGE)).search(asks("hundo")).passages
    assert {one.text for one in found} == {CORPUS[n] for n in (0, 2, 4, 5)}
    for one in found:  # a root, which a text of Esperanto has as a token too, is written `hund-`
        assert one.keywords and all(word.rstrip("-") in one.text.casefold() for word in one.keywords)


def no_more_are_reranked_than_keywords_found(library: Library, asks: Asks) -> None:
    query = asks("hundo")
    by_words = {hit.chunk for hit in library.store.keyword_search([query.text], CANDIDATES)[0]}
    reranked = Hybrid(library.store, PURE).matches(query, 2).ids
    assert len(by_words) == CANDIDATES and set(reranked) <= by_words


def one_type_is_returned(library: Library, asks: Asks) -> None:
    for question in ("hundo", "xyzzy"):
        found = Hybrid(library.store, PURE).search(asks(question))
        assert isinstance(found, Findings) and isinstance(found.passages, tuple)


def what_stage_1_did_is_told(library: Library, asks: Asks) -> None:
    """Keywords: those of each match; candidates: the hits; shown: passages; reranked: the matches."""
    tool, query = Hybrid(library.store, PURE), asks("hundo")
    matches = tool.matches(query, 2)
    shown = tool.findings(query, matches, 2).passages
    (hits,) = matches.hits
    assert {word for hit in hits.values() for word in hit.terms} == {"hundo", "hund-"}
    assert len(hits) == len(matches.ids) == CANDIDATES > len(shown) == 2


def k_beyond_the_corpus_is_all_of_it(library: Library, asks: Asks) -> None:
    assert len(Hybrid(library.store).search(asks("hundo"), 100).passages) == len(CORPUS)
    assert len(Hybrid(library.store, PURE).search(asks("hundo"), 100).passages) == 4


def an_unknown_word_hits_nothing(library: Library, asks: Asks) -> None:
    strict = Hybrid(library.store, PURE).search(asks("xyzzy"), 3)
    assert not strict.passages and strict.notes == ("no passage holds a word of the question",)
    nearest = Hybrid(library.store).search(asks("xyzzy"), 3).passages
    assert len(nearest) == 3
    assert all(not one.keywords and one.why.startswith("no word of the question") for one in nearest)


def what_is_not_there_is_not_set_up(library: Library, asks: Asks) -> None:
    folder = library.path
    assert isinstance(folder, Path)
    with pytest.raises(NoLibrary, match="there is no library"):
        open_library(folder / "none", None)
    with pytest.raises(NotSetUp, match="clew train-structure"):
        open_structure(folder)
    with pytest.raises(NoModel):
        load_encoder("nobody/nothing", folder / "cache")


def another_mode_is_bad_input(library: Library, asks: Asks) -> None:
    for name in ("stage2", "fields", "synonyms"):
        with pytest.raises(BadInput, match="one of"):
            chosen({f"tools.hybrid.{name}": "dreams"})


HERE: dict[str, Callable[[Library, Asks], None]] = {
    "results sorted by descending score": scores_descend,
    "every result contains at least one keyword (case-insensitive)": each_holds_a_keyword,
    "candidates_reranked <= keyword_candidates": no_more_are_reranked_than_keywords_found,
    "return_stage1_info=False returns a plain list": one_type_is_returned,
    "stage1 info has keywords,total_candidates,candidates_shown,candidates_reranked": what_stage_1_did_is_told,
    "k > corpus size returns at most corpus size": k_beyond_the_corpus_is_all_of_it,
    "unknown word query still returns k results": an_unknown_word_hits_nothing,
    "missing index/metadata/model raises FileNotFoundError": what_is_not_there_is_not_set_up,
    "unknown mode raises ValueError": another_mode_is_bad_input,
}


@pytest.mark.parametrize("invariant", HERE)
def test_what_the_original_promises_holds_of_its_form_here(library: Library, asks: Asks, invariant: str) -> None:
    HERE[invariant](library, asks)


def test_each_of_the_files_invariants_is_here(data: Path) -> None:
    path = data.parent / "cases" / "klareco.json"
    if not path.is_file():
        pytest.skip(f"there is no {path}")
    assert json.loads(path.read_text("utf-8"))["hybrid_invariants"] == list(HERE)
