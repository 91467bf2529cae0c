import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.knowledge.extraction.entities import entities
from clew.memory.knowledge.extraction.lexicon import EMPTY, NUMBERS, PRONOUNS

DETERMINERS = frozenset("a an the this that these those".split())


def texts(text: str, title: str = "") -> list[str]:
    return [mention.text for mention in entities(text, title)]


def kinds(text: str, title: str = "") -> dict[str, str]:
    return {mention.text: mention.kind for mention in entities(text, title)}


@pytest.mark.parametrize(
    "text, expected",
    [
        ("The paper was read by Dr. B. R. Ambedkar.", ["Dr. B. R. Ambedkar"]),
        ("We know that J. R. R. Tolkien wrote it.", ["J. R. R. Tolkien"]),
        ("We met Sir Arthur Conan Doyle there.", ["Sir Arthur Conan Doyle"]),
        ("It was painted by Vincent van Gogh.", ["Vincent van Gogh"]),
        ("They gave it to the Bank of England.", ["Bank of England"]),
        ("He worked at the Institute for Advanced Study in Princeton.", ["Institute for Advanced Study", "Princeton"]),
        ("It was read at Columbia University, New York, U.S.A.", ["Columbia University", "New York", "U.S.A."]),
        ("That was Sotheby's own, and Ambedkar's too.", ["Sotheby", "Ambedkar"]),
        ("In the end Martin Luther King, Jr. spoke.", ["Martin Luther King, Jr"]),
        ("The school in Łódź knew Šemso and Çelik.", ["Łódź", "Šemso", "Çelik"]),
        # A capital at the start of a sentence.
        ("However, the Soviet Union fell.", ["Soviet Union"]),
        ("In Paris it rained.", ["Paris"]),
        ("Caste is old. Many wrote of Caste.", ["Caste", "Caste"]),
        ("Lang directed Metropolis.", ["Lang", "Metropolis"]),
        ("You and I know that One is not They.", []),
        # Numbers are no dates, and what is only said is no work.
        ("It has 1500 inhabitants.", []),
        ('It remains in the domain of the "unexplained", she said: "We do not know."', []),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    "date",
    """
    9 May 1916|9th May 1916|May 9, 1916|May 1917|July 4|1990s|1917|2006–2010|19th century|nineteenth century|44 BC
    """.strip().split("|"),
)
def test_dates(date: str) -> None:
    assert kinds(f"That was in {date} or so.") == {date: "date"}


@pytest.mark.parametrize(
    "text, work",
    [
        ('He wrote "The Lord of the Rings" there.', "The Lord of the Rings"),
        ("He wrote “ Castes in India ” there.", "Castes in India"),
        ("He wrote 'Castes in India' there.", "Castes in India"),
        ("He wrote *Castes in India* there.", "Castes in India"),
        ("He said “the lost years of all” there.", ""),
    ],
)
def test_works_in_quotes_and_italics(text: str, work: str) -> None:
    assert [found for found, kind in kinds(text).items() if kind == "work"] == [work] * bool(work)


@pytest.mark.parametrize(
    "text, name, kind",
    [
        ("Ada Lovelace (born 1815) wrote it.", "Ada Lovelace", "person"),
        ("He was born in Vienna.", "Vienna", "place"),
        ("She left the University of Texas.", "University of Texas", "organisation"),
        ("They saw Metropolis.", "Metropolis", "name"),
        ("Johannes Kepler was a German astronomer. As a boy Kepler saw a comet.", "Kepler", "person"),
        ("Ford Focus is a car model.", "Ford Focus", "name"),
        ("Dr. Marie Curie came. All saw Curie.", "Curie", "person"),
    ],
)
def test_the_kind_is_told_where_there_is_evidence(text: str, name: str, kind: str) -> None:
    assert kinds(text)[name] == kind


def test_terms_are_what_recurs() -> None:
    found = kinds("The caste system is old. No caste system lasts. It is a social institution of India.")
    assert {term for term, kind in found.items() if kind == "term"} == {"caste system"}


@settings(deadline=None)
@given(st.text(), st.text(max_size=20))
def test_any_text_is_read(text: str, title: str) -> None:
    found = entities(text, title)
    assert found == entities(text, title)
    assert all(mention.text == text[mention.start : mention.end] and mention.text for mention in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


WORDS = st.sampled_from(
    [*sorted(PRONOUNS | NUMBERS | DETERMINERS), "17", "3.5", "Lang", "of", "Dr.", "wrote", ".", ","]
)
CASED = st.builds(lambda word, way: way(word), WORDS, st.sampled_from([str.lower, str.capitalize, str.upper]))


@settings(deadline=None)
@given(st.lists(CASED, max_size=14).map(" ".join))
def test_no_pronoun_number_or_determiner_is_an_entity(text: str) -> None:
    for mention in entities(text):
        assert mention.text.casefold() not in PRONOUNS | NUMBERS | DETERMINERS | EMPTY
        assert mention.kind == "date" or any(letter.isalpha() for letter in mention.text)


@pytest.mark.parametrize("part", ["A ", "a", "Ab of the ", "Ab's ", "word ", "Ab, ", '"Ab ', "is a "])
def test_a_line_without_an_end_takes_no_longer_than_its_length(part: str) -> None:
    line = part * (30_000 // len(part))
    started = time.process_time()
    entities(line)
    assert time.process_time() - started < 3
