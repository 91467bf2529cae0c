from typing import Any

import pytest

from clew.memory.knowledge.clues.triple_search import extract_clues, question_type
from tests.memory.knowledge.clues.cases import CASES, FILMS, index_of, names, needs_cases

INDEX = index_of(*FILMS)


@needs_cases
@pytest.mark.parametrize("trap", CASES.get("question_type_traps", []), ids=lambda trap: trap["query"])
def test_the_seeds_traps(trap: dict[str, Any]) -> None:
    assert question_type(trap["query"]) == trap["should_be"]


@pytest.mark.parametrize(
    "question, expected",
    [
        ("Who directed Coolie?", "who"),
        ("Whose film is it?", "who"),
        ("who's the director", "who"),
        ("What is the whole story?", "what"),
        ("Why did he come out?", "why"),
        ("When somewhere?", "when"),
        ("Where is the man who knows when?", "where"),
        ("In which year was it released?", "when"),
        ("What city is it set in?", "where"),
        ("Which actor played Deva?", "who"),
        ("Which film did the man who directed Coolie make?", "what"),
        ("Name the film.", "what"),
        ("", "what"),
    ],
)
def test_the_type_is_that_of_the_first_question_word(question: str, expected: str) -> None:
    assert question_type(question) == expected


@pytest.mark.parametrize(
    "question, expected",
    [
        ("Who directed the film COOLIE?!", ["film", "coolie"]),
        ("Is “Coolie” Lokesh Kanagaraj's?", ["coolie", "lokesh kanagaraj"]),
        ("What did Kanagaraj make?", ["lokesh kanagaraj"]),
        ("Who hummed Coolie's theme?", ["coolie", "theme of coolie"]),
        ("What is a filmmaker?", []),
        ("Who played in it?", []),
    ],
)
def test_entities_are_named_by_whole_words(question: str, expected: list[str]) -> None:
    assert names(INDEX, extract_clues(question, INDEX, 10).entities) == expected


def test_a_word_of_many_entities_names_none_of_them() -> None:
    index = index_of(*((f"mill {number}", "is", "there") for number in range(11)))
    assert extract_clues("Which mill?", index, 10).entities == ()
    assert len(extract_clues("Which mill?", index, 11).entities) == 11


@pytest.mark.parametrize(
    "question, expected",
    [
        ("Who directed the film?", ("directed",)),
        ("Who was the director?", ("directed",)),
        ("Who directs the films that Priya watched?", ("directed", "watched")),
        ("Who starred as Deva?", ("played by",)),
        ("Who acted in the film titled Coolie?", ("played by", "titled")),
        ("When did it come out?", ("released",)),
        ("Who hums it?", ("hummed",)),
        ("Who is it?", ()),
    ],
)
def test_relations_are_named_by_alias_or_by_their_own_words(question: str, expected: tuple[str, ...]) -> None:
    assert extract_clues(question, INDEX, 10).relations == expected


def test_the_words_of_a_name_name_no_relation() -> None:
    index = index_of(("born to run", "performed by", "bruce springsteen"))
    assert extract_clues("Who sang Born to Run?", index, 10).relations == ("performed",)


def test_inflections_of_a_relation_that_the_table_does_not_have_are_one_clue() -> None:
    index = index_of(("ann", "hums", "a"), ("bob", "hummed", "b"), ("carl", "humming", "c"))
    assert extract_clues("Who hummed?", index, 10).relations == ("hums",)
    assert index.edges_of_relations(("hums",)).all()
