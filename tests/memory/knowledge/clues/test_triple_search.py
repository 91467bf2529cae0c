import pytest

from clew.memory.knowledge.clues.triple_search import search_paths, shown
from tests.memory.knowledge.clues.cases import FILMS, index_of


@pytest.mark.parametrize(
    "question, answer",
    [
        ("Who directed the film Coolie?", "Lokesh Kanagaraj"),
        ("Who played Deva?", "Rajinikanth"),
        ("Whom did Rajinikanth play?", "Deva"),
        ("What did Priya watch?", "Coolie"),
        ("What is the film titled?", "Coolie"),
        ("What did Lokesh Kanagaraj direct?", "Film"),
        ("Why did Deva come out of retirement?", "To save his friend"),
        ("When was Coolie released?", "August 2025"),
        ("Where was Coolie released?", "India"),
        ("When was Lokesh Kanagaraj born?", "14 March 1986"),
        ("Where was Lokesh Kanagaraj born?", "Kinathukadavu"),
        ("When was the director of the film born?", "14 March 1986"),
        ("Who hummed the theme?", "Anirudh"),
        ("How many days has a week?", ""),
    ],
)
def test_answers_are_of_the_type_that_is_asked_for(question: str, answer: str) -> None:
    assert search_paths(question, index_of(*FILMS)).answer == answer


@pytest.mark.parametrize(
    "rows, answer",
    [
        ([("deva", "played by", "rajinikanth")], "Rajinikanth"),
        ([("rajinikanth", "played", "deva")], "Rajinikanth"),
        ([("deva", "actor", "rajinikanth")], "Rajinikanth"),
    ],
)
def test_the_end_that_the_question_does_not_name_answers_either_way(
    rows: list[tuple[str, str, str]], answer: str
) -> None:
    assert search_paths("Who played Deva?", index_of(*rows)).answer == answer


def test_where_the_question_names_neither_end_who_is_the_subject_or_the_one_by_whom() -> None:
    assert search_paths("Who directed?", index_of(("ann", "directed", "metropolis"))).answer == "Ann"
    assert search_paths("Who directed?", index_of(("metropolis", "directed by", "ann"))).answer == "Ann"


SEEN = [
    *(("Anna", "watched", "Metropolis"), ("Tom", "watched", "Nosferatu"), ("Fritz Lang", "directed", "Metropolis")),
    *(("Metropolis", "is a", "film"), ("Nosferatu", "is a", "film"), ("Tom", "lives in", "Graz")),
]


@pytest.mark.parametrize(
    "rows, question, answer",
    [
        ([("I", "watched", "film"), ("film", "titled", "Coolie")], "What film was watched?", "Coolie"),
        ([("I", "watched", "film")], "What film was watched?", "Film"),
        ([("I", "watched", "film")], "Which film was watched?", "Film"),
        ([("I", "watched", "Coolie"), ("Coolie", "is a", "film")], "What film was watched?", "Coolie"),
        ([("I", "watched", "film")], "Who watched the film?", "I"),
        ([("lion", "watched", "film")], "What animal watched the film?", "Lion"),
        ([("I", "watched", "film"), ("film", "titled", "Coolie")], "What did I watch?", "Film"),
        (SEEN, "Which film was seen by Tom?", "Nosferatu"),
        (SEEN, "What film did Anna see?", "Metropolis"),
        (SEEN, "Who saw Nosferatu?", "Tom"),
        (
            [("Metropolis", "is a", "film"), ("Metropolis", "shot in", "Berlin")],
            "Which film about Berlin?",
            "Metropolis",
        ),
    ],
)
def test_a_what_question_takes_the_object_of_a_watched_edge(
    rows: list[tuple[str, str, str]], question: str, answer: str
) -> None:
    assert search_paths(question, index_of(*rows)).answer == answer


def test_else_it_is_the_tail_of_the_best_edge() -> None:
    assert search_paths("What about Ann?", index_of(("ann", "of", "metropolis"))).answer == "Metropolis"


AMBEDKAR = ("Dr. B. R. Ambedkar", "wrote", "Annihilation of Caste"), ("B.R. Ambedkar", "born in", "Mhow")
BORN = "Where was the author of Annihilation of Caste born?"


def test_one_name_written_in_two_ways_is_one_place_on_a_path() -> None:
    found = search_paths(BORN, index_of(*AMBEDKAR))
    assert (found.answer, len(found.paths[0].edges)) == ("Mhow", 2)


def test_a_where_without_an_edge_of_a_place_and_of_all_that_is_named_has_no_answer() -> None:
    found = search_paths(BORN, index_of(AMBEDKAR[0]))
    assert found.paths and (found.answer, found.edge) == ("", None)
    when = search_paths("When was the author of Annihilation of Caste born?", index_of(*AMBEDKAR))
    assert when.answer != "B.R. Ambedkar"


@pytest.mark.parametrize(
    "name, type_, expected",
    [
        ("lokesh kanagaraj", "who", "Lokesh Kanagaraj"),
        ("to save his friend", "why", "To save his friend"),
        ("van Gogh", "who", "van Gogh"),
        ("1986", "when", "1986"),
    ],
)
def test_a_name_without_capitals_gets_them(name: str, type_: str, expected: str) -> None:
    assert shown(name, type_) == expected  # type: ignore[arg-type]
