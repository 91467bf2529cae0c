"""The tool `hybrid`: its two stages, and what it says of them."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from clew.agent.evaluation.ranking import distinct
from clew.agent.parameters import chosen
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, NoLibrary, NotSetUp
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import Library, open_library
from clew.memory.knowledge.question import SEED_FIELDS, MatchParameters
from clew.memory.knowledge.reranking import CrossEncoderReranker
from clew.memory.knowledge.structure import open_structure
from clew.tools.base import encode_query
from clew.tools.hybrid import TWO_STAGE, Hybrid, HybridParameters, wordnet
from tests.tools.conftest import made


def test_the_pure_two_stage_form_takes_by_words_and_orders_by_meaning(
    examples: Library, encoder: CachedEncoder
) -> None:
    query = encode_query("Which chimpanzee flew into space?", [], encoder)
    two_stage = Hybrid(examples.store, HybridParameters(replace(TWO_STAGE, candidates=20)))
    passages = two_stage.search(query, 10).passages
    by_words = {hit.chunk for hit in examples.store.keyword_search([query.text], 20)[0]}
    assert {passage.id for passage in passages} <= by_words
    cosines = examples.store.vectors([passage.id for passage in passages]) @ query.forms[0].vector
    assert np.all(np.diff(cosines) <= 1e-6)
    assert [passage.score for passage in passages] == pytest.approx(cosines.tolist(), abs=1e-5)


def test_a_passage_says_its_words_and_both_scores(examples: Library, encoder: CachedEncoder) -> None:
    best = Hybrid(examples.store).search(encode_query("distance of the Moon", [], encoder)).passages[0]
    assert set(best.keywords) == {"distance", "moon"}
    assert set(best.scores) == {"keyword", "cosine"}
    assert "distance" in best.why and f"{best.scores['cosine']:.2f}" in best.why


def test_more_than_the_candidates_can_be_asked_for(tmp_path: Path, encoder: CachedEncoder) -> None:
    texts = {f"d{n}": f"A note on the Moon and the number {n}." for n in range(250)}
    query = encode_query("the Moon", [], encoder)
    with made(tmp_path / "made", encoder, texts) as library:
        for parameters in (MatchParameters(), TWO_STAGE):
            tool = Hybrid(library.store, HybridParameters(parameters))
            assert len(tool.search(query, 200).passages) == 200
        found = distinct(lambda wanted: tool.search(query, wanted).passages, 220, 150)
        assert len({document for document, _ in found}) == 220


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[Library]:
    """Two files of like text: what tells them apart is the title, and the name of file and folder."""
    folder = tmp_path_factory.mktemp("notes")
    (folder / "budget_2024").mkdir()
    (folder / "budget_2024" / "march-review.md").write_text("# Money\n\nThe committee met and agreed on the plan.\n")
    (folder / "other.md").write_text("# Review\n\nThe committee met and agreed on the plan of the budget.\n")
    (folder / "third.md").write_text("# Weather\n\nIt rained on the plan in March.\n")
    list(index([folder], folder / "library", encoder))
    with open_library(folder / "library", encoder) as library:
        yield library


def test_the_seeds_fields_count_by_themselves(notes: Library, encoder: CachedEncoder) -> None:
    alone = MatchParameters(nearest=0, cosine=0, keyword=1, title=0)
    query = encode_query("the 2024 budget review", [], encoder)
    seed = Hybrid(notes.store, HybridParameters(replace(alone, fields="seed"))).search(query).passages
    assert {passage.document for passage in seed} == {"budget_2024/march-review.md", "other.md"}
    for passage in seed:
        (hits,) = notes.store.keyword_search([query.text], 1, among=[passage.id], fields=SEED_FIELDS)
        parts = {name: hit.score for name, hit in hits[0].fields.items()}
        assert passage.score == pytest.approx(
            0.5 * parts.get("text", 0) + 0.3 * parts.get("title", 0) + 0.2 * parts.get("metadata", 0), abs=1e-6
        )
    assert set(parts) == {"title", "text", "metadata"}
    of_name = notes.store.keyword_search(["march 2024"], 5, fields={"metadata": 1.0})[0]
    assert [hit.chunk.split("#")[0] for hit in of_name] == ["budget_2024/march-review.md"]
    together = Hybrid(notes.store, HybridParameters(alone)).search(query).passages
    assert [passage.document for passage in together] == ["budget_2024/march-review.md", "other.md"]


class Shortest(CrossEncoderReranker):
    """A cross-encoder of one rule."""

    def __init__(self) -> None:
        super().__init__("shortest", Path())

    def scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        self.seen = len(texts)
        return np.array([1 / len(text) for text in texts])


def test_a_cross_encoder_orders_the_best_as_a_third_stage(examples: Library, encoder: CachedEncoder) -> None:
    query, reranker = encode_query("How far is the Moon?", [], encoder), Shortest()
    plain = Hybrid(examples.store).search(query, 30).passages
    found = Hybrid(examples.store, HybridParameters(reranked=20), reranker).search(query, 5).passages
    assert reranker.seen == 20 and len(found) == 5
    lengths = sorted(len(f"{one.title}. {one.text}") for one in plain[:20])
    assert [len(f"{one.title}. {one.text}") for one in found] == pytest.approx(lengths[:5], abs=2)
    assert {one.id for one in found} <= {one.id for one in plain[:20]}
    assert all("cross-encoder" in one.why and one.scores["cross-encoder"] == one.score for one in found)
    more = Hybrid(examples.store, HybridParameters(reranked=3), reranker).search(query, 10).passages
    scores = [one.score for one in more]
    assert len(more) == 10 and scores == sorted(scores, reverse=True)
    assert [one.id for one in more[3:]] == [one.id for one in plain[3:10]]


def test_without_wordnet_its_command_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.corpus", None)
    with pytest.raises(NotSetUp, match=r"clew\[wordnet\]"):
        wordnet(["film"], 2)


# What the original of seed 002 promises of its two stages (`hybrid_invariants` of `cases/klareco.json`), of the tool
# `hybrid` in the seed's pure form (`TWO_STAGE`), each with what stands for it here. Two are held to be wrong. A
# question with unknown words alone returns k results there, as nearest ones are always found: in the pure form
# nothing hits and nothing is found, which is said, and in the default form the nearest are, each telling that no word
# of the question is in it. And what a search returns has one type here, whatever is asked for: there an argument
# decides.

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
    texts = {f"s{n}": text for n, text in enumerate(CORPUS)}
    with made(tmp_path_factory.mktemp("sentences") / "made", encoder, texts) as opened:
        yield opened


def test_what_the_original_promises_holds_of_its_form_here(library: Library, encoder: CachedEncoder) -> None:
    pure, fused = Hybrid(library.store, PURE), Hybrid(library.store)
    hundo, unknown = encode_query("hundo", [], encoder), encode_query("xyzzy", [], encoder)
    # results sorted by descending score
    for tool in (pure, fused):
        found = [one.score for one in tool.search(encode_query("Kiu vidas la hundon?", [], encoder)).passages]
        assert len(found) > 1 and found == sorted(found, reverse=True)
    # every result contains at least one keyword; a root, which is a token too, is written `hund-`
    every = Hybrid(library.store, HybridParameters(TWO_STAGE)).search(hundo).passages
    assert {one.text for one in every} == {CORPUS[n] for n in (0, 2, 4, 5)}
    for one in every:
        assert one.keywords and all(word.rstrip("-") in one.text.casefold() for word in one.keywords)
    # candidates_reranked <= keyword_candidates; stage 1 tells keywords, candidates, what is shown and reranked
    by_words = {hit.chunk for hit in library.store.keyword_search([hundo.text], CANDIDATES)[0]}
    matches = pure.matches(hundo, 2)
    (hits,) = matches.hits
    assert set(matches.ids) <= by_words and {word for hit in hits.values() for word in hit.terms} == {"hundo", "hund-"}
    assert len(hits) == len(matches.ids) == CANDIDATES > len(pure.findings(hundo, matches, 2).passages) == 2
    # k > corpus size returns at most corpus size
    assert (len(fused.search(hundo, 100).passages), len(pure.search(hundo, 100).passages)) == (len(CORPUS), 4)
    # unknown word query still returns k results
    strict, nearest = pure.search(unknown, 3), fused.search(unknown, 3).passages
    assert not strict.passages and strict.notes == ("no passage holds a word of the question",)
    assert len(nearest) == 3
    assert all(not one.keywords and one.why.startswith("no word of the question") for one in nearest)


def test_what_is_missing_and_an_unknown_mode_are_said(library: Library) -> None:
    folder = library.path
    assert isinstance(folder, Path)
    with pytest.raises(NoLibrary, match="there is no library"):
        open_library(folder / "none", None)
    with pytest.raises(NotSetUp, match="clew train-structure"):
        open_structure(folder)
    for name in ("stage2", "fields", "synonyms"):
        with pytest.raises(BadInput, match="one of"):
            chosen({f"tools.hybrid.{name}": "dreams"})
