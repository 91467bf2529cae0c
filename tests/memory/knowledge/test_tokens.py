"""What words become in the keyword indexes: in Esperanto their roots too, in no other language."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import pytest
import Stemmer
from bm25s.stopwords import STOPWORDS_EN

from clew.memory.knowledge import keywords
from clew.memory.knowledge.cluster.statistics import ChunkWords, statistics_of
from clew.memory.knowledge.keywords import KeywordAnalyser, KeywordParameters, rooted_in

EO = [
    "La malnova kapitano vojaĝadis trans la maron kaj serĉis la insulon de sia juneco.",
    "En la vilaĝo vivis bakisto, kiu ĉiumatene donis panon al la infanoj.",
    "Mitrandiro estas saĝa magiisto, kaj ĉiuj en la urbo konas lin.",
    "Cxevaloj kuras sur la kampo, sed la akvobirdoj dormas cxe la lago.",
]
EN = [
    "The baker of Ulm sold bread on 3 May.",
    "La Scala is an opera house in Milan.",
    "Elmo ate a banana and ran home.",
]
PARAMETERS = KeywordParameters()


@pytest.mark.parametrize("language", ["english", "german", "french", ""])
def test_tokens_are_those_of_bm25s(language: Any) -> None:
    """Which is not imported to search. In English its list of stop words has Clew's question words beside it."""
    texts = [*EO, *EN, "Die Häuser der Städte stehen nicht.", "What is it that the cats were eating?", "ÉTÉ à l'école"]
    given = KeywordParameters(stemmer=language, stop_words=language)
    stop_words = list(keywords.ENGLISH_STOP_WORDS) if language == "english" else language or None
    stemmer = Stemmer.Stemmer(language) if language else None
    tokenize = keywords.tokenizer(given)
    for text in texts:
        theirs = bm25s.tokenize([text], stopwords=stop_words, stemmer=stemmer, return_ids=False, show_progress=False)
        ours = [token for token in tokenize(keywords.words_of(text)) if token]
        assert ours[: len(theirs[0])] == theirs[0], "behind them are words without their accents"
    assert set(STOPWORDS_EN) < keywords.ENGLISH_STOP_WORDS


def test_scores_are_those_of_bm25s(tmp_path: Path) -> None:
    index = index_of(tmp_path / "index", EN)
    theirs = bm25s.BM25.load(tmp_path / "index" / keywords.TOGETHER, mmap=True, show_progress=False)
    asked = ["bread", "opera", "hous"]
    most = sum(np.log1p((3 - 1 + 0.5) / (1 + 0.5)) for _ in asked)
    found = {int(hit.chunk): hit.score * most for hit in index.hits("bread opera house", 3, numbers)}
    assert found == pytest.approx(dict(enumerate(theirs.get_scores(asked)[:2].tolist())), rel=1e-6)


def numbers(rows: Sequence[int]) -> list[str]:
    return [*map(str, rows)]


def index_of(folder: Path, texts: list[str], titles: list[str] | None = None) -> keywords.KeywordIndex:
    folder.mkdir()
    list(keywords.write(folder, KeywordAnalyser(PARAMETERS).fields(titles or [""] * len(texts), texts), PARAMETERS))
    return keywords.KeywordIndex(folder, PARAMETERS, len(texts))


@pytest.mark.parametrize(
    ("question", "best", "root"),
    [
        ("Kiu estas vojaĝanto de la mare?", 0, "vojaĝ-"),
        ("Kie oni povas ricevi bakaĵojn de la bakejo?", 1, "bak-"),
        ("Kion oni diras pri Mitrandiron?", 2, "mitrandir-"),
        ("Kie vivas la birdo?", 3, "bird-"),
    ],
)
def test_a_root_is_found_under_other_affixes(tmp_path: Path, question: str, best: int, root: str) -> None:
    index = index_of(tmp_path / "eo", EO)
    [hit] = index.hits(question, 1, numbers)
    assert int(hit.chunk) == best and hit.score > 0
    assert root in hit.fields["text"].terms


def test_only_esperanto_is_taken_for_it() -> None:
    assert {*map(rooted_in, EO)} == {"eo"} and not any(map(rooted_in, EN))
    assert rooted_in("La hundoj kuras al la maro.") == rooted_in("Bonaj kalkuloj, bonaj kunuloj") == "eo"
    assert rooted_in("Estas fechas no se corresponden con las luchas en el sur del continente") == "es"
    assert not rooted_in("") and rooted_in("El perro y la casa de mi padre no están en la ciudad.") == "es"


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("Welche Verträge gibt es?", 0),
        ("Cafe Gdansk", 2),  # nobody types all accents
        ("\uff36\uff45\uff52\uff54\uff52\uff41\uff47", 0),  # in full-width letters
        ("¿Cuántos gatos vivían en la casa?", 3),
    ],
)
def test_words_of_other_languages_are_found_in_other_forms(tmp_path: Path, question: str, best: int) -> None:
    texts = [
        "Der Vertrag wird im Haus der Stadt und dem Verein geschlossen.",
        "Le contrat sera signé par la ville et par une société.",
        "The café is in Gdańsk.",
        "El gato vive en una casa que está en el campo.",
        "Die Welt ist das, was es gibt, wenn es nicht viele sind.",
    ]
    index = index_of(tmp_path / "others", texts)
    assert int(index.hits(question, 1, numbers)[0].chunk) == best
    assert "haus-de-" in index.words("Häusern").values() and index.count("haus-de-") == 1


def test_a_cluster_has_the_same_tokens(tmp_path: Path) -> None:
    titles, texts = ["La kapitano", "", "Magiistoj", "Birdoj"] + [""] * 3, [*EO, *EN]
    index, analyse = index_of(tmp_path / "mixed", texts, titles), KeywordAnalyser(PARAMETERS)
    found = list(zip(*analyse.fields(titles, texts), strict=True))
    statistics = statistics_of(found, PARAMETERS, "")
    assert set(statistics.tokens) == {token for token in index.tokens if token}
    for token in statistics.tokens:
        assert statistics.count(token, keywords.TOGETHER) == index.count(token)
    question = "Kiu estas vojaĝanta kapitanino?"
    assert statistics.words("kapitanino") == index.words("kapitanino") and "kapitan-" in index.tokens
    scores = {int(hit.chunk): hit for hit in index.hits(question, len(texts), numbers)}
    for row, its in enumerate(found):
        hit = statistics.hit(str(row), question, ChunkWords.of(*its))
        assert (hit is None) == (row not in scores)
        if hit:
            assert hit.score == pytest.approx(scores[row].score, abs=1e-5)
            assert set(hit.fields["text"].terms) == set(scores[row].fields["text"].terms)
            assert hit.title_coverage == pytest.approx(scores[row].title_coverage, abs=1e-5)
