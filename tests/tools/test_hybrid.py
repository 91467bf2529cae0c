"""The tool `hybrid`: its two stages, and what it says of them."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from clew.agent.evaluation.ranking import distinct
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import NotSetUp
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import Library, open_library
from clew.memory.knowledge.question import MatchParameters
from clew.tools.base import encode_query
from clew.tools.hybrid import TWO_STAGE, Hybrid, HybridParameters, wordnet


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


def test_what_shares_no_word_is_found_by_default_only(examples: Library, encoder: CachedEncoder) -> None:
    query = encode_query("feline astronaut", [], encoder)
    fused = Hybrid(examples.store).search(query).passages
    assert "animals/felicette.txt" in [passage.document for passage in fused]
    strict = Hybrid(examples.store, HybridParameters(TWO_STAGE)).search(encode_query("feline", [], encoder))
    assert not strict.passages and strict.notes


def test_a_passage_says_its_words_and_both_scores(examples: Library, encoder: CachedEncoder) -> None:
    best = Hybrid(examples.store).search(encode_query("distance of the Moon", [], encoder)).passages[0]
    assert set(best.keywords) == {"distance", "moon"}
    assert set(best.scores) == {"keyword", "cosine"}
    assert "distance" in best.why and f"{best.scores['cosine']:.2f}" in best.why


def test_k_defaults_to_the_seeds(examples: Library, encoder: CachedEncoder) -> None:
    query = encode_query("the Moon", [], encoder)
    assert len(Hybrid(examples.store).search(query).passages) == 5
    assert len(Hybrid(examples.store).search(query, 2).passages) == 2
    assert Hybrid(examples.store).search(query, 0).passages == ()


@pytest.mark.parametrize("parameters", [MatchParameters(), TWO_STAGE])
def test_more_than_the_candidates_can_be_asked_for(
    tmp_path: Path, encoder: CachedEncoder, parameters: MatchParameters
) -> None:
    rows = [{"_id": f"d{n}", "title": "", "text": f"A note on the Moon and the number {n}."} for n in range(600)]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    list(index([tmp_path / "corpus.jsonl"], tmp_path / "library", encoder))
    store = open_library(tmp_path / "library", encoder).store
    tool, query = Hybrid(store, HybridParameters(parameters)), encode_query("the Moon", [], encoder)
    assert len(tool.search(query, 500).passages) == 500
    found = distinct(lambda wanted: tool.search(query, wanted).passages, 550, 150)
    assert len({document for document, _ in found}) == 550
    store.close()


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Iterator[Library]:
    """Two files of like text: what tells them apart is the title, and the name of file and folder."""
    folder = tmp_path_factory.mktemp("notes")
    (folder / "budget_2024").mkdir()
    (folder / "budget_2024" / "march-review.md").write_text("# Money\n\nThe committee met and agreed on the plan.\n")
    (folder / "other.md").write_text("# Review\n\nThe committee met and agreed on the plan of the budget.\n")
    (folder / "third.md").write_text("# Weather\n\nIt rained on the plan in March.\n")
    list(index([folder], folder / "library", encoder))
    library = open_library(folder / "library", encoder)
    yield library
    library.store.close()


def test_the_seeds_fields_count_by_themselves(notes: Library, encoder: CachedEncoder) -> None:
    alone = MatchParameters(nearest=0, cosine=0, keyword=1, title=0)
    query = encode_query("the 2024 budget review", [], encoder)
    seed = Hybrid(notes.store, HybridParameters(replace(alone, fields="seed"))).search(query).passages
    assert {passage.document for passage in seed} == {"budget_2024/march-review.md", "other.md"}
    for passage in seed:
        (fields,) = Hybrid(notes.store).fields(query, [passage.id])
        parts = {name: hit.score for name, hit in fields["question"].items()}
        assert passage.score == pytest.approx(
            0.5 * parts.get("text", 0) + 0.3 * parts.get("title", 0) + 0.2 * parts.get("metadata", 0), abs=1e-6
        )
    (fields,) = Hybrid(notes.store).fields(query, [seed[-1].id])
    assert set(fields["question"]) == {"title", "text", "metadata"}
    of_name = notes.store.keyword_search(["march 2024"], 5, fields={"metadata": 1.0})[0]
    assert [hit.chunk.split("#")[0] for hit in of_name] == ["budget_2024/march-review.md"]
    together = Hybrid(notes.store, HybridParameters(alone)).search(query).passages
    assert [passage.document for passage in together] == ["other.md"]  # by title and text alone


class Shortest:
    """A cross-encoder of one rule."""

    name = "shortest"

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


def test_synonyms_of_the_library_stand_in_like_passages(tmp_path: Path, encoder: CachedEncoder) -> None:
    rows = [
        *(f"The feline slept. A cat and a feline purred in house {n}." for n in range(4)),
        *(f"The rocket flew. An engine of a rocket burned in year {n}." for n in range(4)),
        *(f"Bread needs flour. The baker kneads dough number {n}." for n in range(4)),
        *(f"Item {n} costs {7 * n} coins." for n in range(40)),
    ]
    lines = [{"_id": f"d{n}", "title": "", "text": text} for n, text in enumerate(rows)]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines))
    list(index([tmp_path / "corpus.jsonl"], tmp_path / "library", encoder))
    with open_library(tmp_path / "library", encoder) as library:
        (alike, none) = library.store.alike(["feline", "unheard"], 3)
        assert none == () and set(alike) <= {"slept", "cat", "purred", "house"} and alike
        tool = Hybrid(library.store, HybridParameters(TWO_STAGE, synonyms="library", expand=3))
        found = tool.search(encode_query("flour", [], encoder), 12).passages
        assert 2 in {int(one.document[1:]) // 4 for one in found}
        assert any({"baker", "dough", "needs", "kneads", "bread"} & set(one.keywords) for one in found)


def test_synonyms_of_wordnet_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Corpus:
        @staticmethod
        def synsets(word: str) -> list[Any]:
            lemmas = {"film": [["film", "movie", "motion_picture"], ["plastic_film", "cinema"]]}
            return [SimpleNamespace(lemma_names=lambda names=names: names) for names in lemmas.get(word, [])]

    module = ModuleType("nltk.corpus")
    module.wordnet = Corpus  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nltk", ModuleType("nltk"))
    monkeypatch.setitem(sys.modules, "nltk.corpus", module)
    assert wordnet(["film", "xyz"], 2) == [("movie", "cinema"), ()]
    monkeypatch.setitem(sys.modules, "nltk.corpus", None)
    with pytest.raises(NotSetUp, match=r"clew\[wordnet\]"):
        wordnet(["film"], 2)
