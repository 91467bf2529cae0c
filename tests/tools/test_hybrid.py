"""The tool `hybrid`: its two stages, and what it says of them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clew.agent.evaluation.ranking import distinct
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import Library, open_library
from clew.memory.knowledge.question import MatchParameters
from clew.tools.base import encode_query
from clew.tools.hybrid import TWO_STAGE, Hybrid


def test_the_pure_two_stage_form_takes_by_words_and_orders_by_meaning(
    examples: Library, encoder: CachedEncoder
) -> None:
    query = encode_query("Which chimpanzee flew into space?", [], encoder)
    two_stage = Hybrid(examples.store, replace(TWO_STAGE, candidates=20))
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
    strict = Hybrid(examples.store, TWO_STAGE).search(encode_query("feline", [], encoder))
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
    rows = [{"_id": f"d{n}", "title": "", "text": f"A note on the Moon and the number {n % 3}."} for n in range(600)]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    list(index([tmp_path / "corpus.jsonl"], tmp_path / "library", encoder))
    store = open_library(tmp_path / "library", encoder).store
    tool, query = Hybrid(store, parameters), encode_query("the Moon", [], encoder)
    assert len(tool.search(query, 500).passages) == 500
    found = distinct(lambda wanted: tool.search(query, wanted).passages, 550, 150)
    assert len({document for document, _ in found}) == 550
    store.close()
