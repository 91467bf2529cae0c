"""Further wordings: dates written out, days that are counted from today, and misspelt words."""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.datatypes import Sentence, Wording
from clew.memory.dates import DAYS
from clew.memory.dialogue import rewriting
from clew.memory.dialogue.rewriting import (
    COGNATES,
    Rewritten,
    cognates,
    dated,
    offered,
    own_words,
    relative_dates,
    with_cognates,
    with_dates,
    with_evidence,
    with_spelling,
)
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.vocabulary import distance

BOATS = {
    "Gull": "A new sail for the Sea Gull costs 650 euros. A rudder for the Sea Gull costs 90 euros.",
    "Tern": "A new sail for the Tern costs 800 euros. A rudder for the Tern costs 120 euros.",
}
SAID = (
    Sentence("How much is a new sail for the Sea Gull?", "user", 1),
    Sentence("A new sail for the Sea Gull costs 650 euros.", "agent", 1),
)


@pytest.mark.parametrize(
    ("question", "standing", "text"),
    [
        ("What about a rudder?", "How much is a new sail for a rudder?", "How much is a rudder for the Sea Gull?"),
        ("What about a rudder?", "How much is a rudder?", "How much is a rudder?"),  # one sentence holds it already
        ("What about a lamp?", "How much is a new sail for a lamp?", "How much is a new sail for a lamp?"),
    ],
)
def test_a_question_that_leans_is_made_of_words_that_stand_together(
    question: str, standing: str, text: str, tmp_path: Path, encoder: CachedEncoder
) -> None:
    for name, prices in BOATS.items():
        (tmp_path / f"{name}.txt").write_text(prices)
    list(index([*tmp_path.glob("*.txt")], tmp_path / "library", encoder))
    wordings = (Wording("question", question, 0.5), Wording("standing", standing, 0.5))
    with open_library(tmp_path / "library", encoder) as library:
        made = with_evidence(Rewritten(standing, wordings), SAID, library.store)
    assert [made.text, *(one.text for one in made.wordings)] == [text, question, text]


TODAY = "2026-11-22"
WORDS = frozenset(
    "package parcel desert metropolis employees annual leave fox félicette wo ist denn das gerät zeit".split()
)


class SmallVocabulary:
    """A library of a few words, spelt as they are."""

    def kinds(self, phrases: Sequence[str]) -> list[str]:
        return ["" for _ in phrases]

    def counts(self, words: Sequence[str]) -> list[int]:
        return [int(word.casefold() in WORDS) for word in words]

    def near(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        def close(word: str) -> tuple[str, ...]:
            edits = 2 if len(word) >= 8 else 1
            found = sorted((distance(word.casefold(), known), known) for known in WORDS)
            return tuple(known for count, known in found if 0 < count <= edits)

        return [close(word) for word in words]


def asked(question: str) -> Rewritten:
    return Rewritten(question, (Wording("question", question, 1.0),))


def spelt(question: str, encoder: CachedEncoder) -> Rewritten:
    return with_spelling(asked(question), SmallVocabulary(), encoder)


@pytest.mark.parametrize(
    ("question", "text", "searched", "weight", "why"),
    [
        (
            "Where is my pacakge?",
            "Where is my package?",
            "Where is my package?",
            0.5,
            "'pacakge' is taken for 'package'",
        ),
        ("Which fox eats dessert?", "", "Which fox eats desert?", 0.25, "'dessert' may be meant for 'desert'"),
        ("Wo zeigt denn das Gerät E4 an?", "", "Wo zeit denn das Gerät E4 an?", 0.25, None),  # German: in pieces all
        ("When did Felicette fly?", None, "When did Félicette fly?", None, None),
        ("What anual leave do emploees have?", "What annual leave do employees have?", None, None, None),
    ],
)
def test_a_slip_is_searched_as_both_and_a_word_of_the_language_stays(
    question: str, text: str | None, searched: str | None, weight: float | None, why: str | None, encoder: CachedEncoder
) -> None:
    made = spelt(question, encoder)
    assert text is None or made.text == (text or question)
    asked, other = made.wordings[:2]
    assert (asked.name, asked.text, other.name) == ("question", question, "spelling")
    assert searched is None or other.text == searched
    assert weight is None or (asked.weight, other.weight) == (1 - weight, weight)
    assert why is None or other.why == why


def test_a_slip_of_an_earlier_turn_is_mended_too(encoder: CachedEncoder) -> None:
    question, alone = "and when was it sent?", "When was the pacakge sent?"
    made = Rewritten(alone, (Wording("question", question, 0.5), Wording("standing", alone, 0.5)))
    made = with_spelling(made, SmallVocabulary(), encoder)
    assert made.text == "When was the package sent?"
    assert [one.text for one in made.wordings] == [question, "When was the package sent?"]


@pytest.mark.parametrize(
    "question",
    [
        "Where is my package?", "What is PARCLE?", "What is par7el?", "Where is it?",
        "Warum kam dann jetzt parsel nie?", "Is the annual leave of employees short?",
    ],
)  # fmt: skip
def test_names_numbers_known_words_and_other_languages_stay(question: str, encoder: CachedEncoder) -> None:
    assert spelt(question, encoder) == asked(question)


def test_a_long_name_with_a_letter_too_few_is_a_slip_and_with_another_letter_a_name(encoder: CachedEncoder) -> None:
    """Which is searched as both, and stays."""
    assert spelt("Who directed Metroplis?", encoder).text == "Who directed Metropolis?"
    for typed, other in (("Metrobolis", "Metropolis"), ("Dezert", "Desert")):
        made = spelt(f"Who directed {typed}?", encoder)
        assert made.text == f"Who directed {typed}?"
        assert [(one.text, one.weight) for one in made.wordings[1:]] == [(f"Who directed {other}?", 0.25)]
        assert made.wordings[1].why == f"'{typed}' may be meant for '{other}'"
        assert offered(f"When did {typed} come out?", made.wordings) == f"When did {other} come out?"


def test_another_word_in_small_letters_is_not_offered() -> None:
    question, found = "Who is the mayor of Ulm?", "Who is the manor of Ulm?"
    assert offered(question, (Wording("question", question, 0.7), Wording("spelling", found, 0.3))) == ""


def test_dates_take_the_place_in_every_wording_but_the_question() -> None:
    question = "And what did I say yesterday?"
    made = Rewritten(
        "What did I say to Ann yesterday?",
        (Wording("question", question, 0.4), Wording("standing", "What did I say to Ann yesterday?", 0.6)),
    )
    dated = with_dates(made, TODAY)
    assert dated.text == "What did I say to Ann on 21 November 2026?"
    assert [(one.name, one.text) for one in dated.wordings] == [
        ("question", question),
        ("dated", "And what did I say on 21 November 2026?"),
        ("standing", "What did I say to Ann on 21 November 2026?"),
    ]
    assert dated.wordings[1].why == "'yesterday' is 21 November 2026"
    assert sum(one.weight for one in dated.wordings) == pytest.approx(1)


class English(SmallVocabulary):
    """A few words, and what a word of Spanish is spelt nearly like."""

    def counts(self, words: Sequence[str]) -> list[int]:
        return [
            int(word.casefold() in "httpx urllib3 university characters table 1915 music die".split()) for word in words
        ]

    def near(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        return [("characters",) if word == "caracteres" else () for word in words]


def test_names_numbers_and_words_alike_are_taken_and_its_own_small_words_are_not() -> None:
    german = "Wann wurde die Universität 1915 von urllib3 gegründet?"
    assert list(cognates(own_words(german, "de"), English()).values()) == ["university", "urllib3", "1915"]
    assert own_words("Quand Debian 2.2 est-il sorti ? Que chante-t-elle ?", "fr") == [
        "Debian",
        "sorti",
        "chante",
        "2.2",
    ]
    french = "Comment écrire des caractères dans une table ?"
    assert cognates(own_words(french, "fr"), English()) == {"caractères": "characters", "table": "table"}
    assert list(cognates(own_words("¿Qué música hay?", "es"), English()).values()) == ["music"]
    assert cognates(own_words("Wo wohnt sie?", "de"), English()) == {}


def test_they_are_searched_beside_the_question_where_the_documents_are_in_another_language() -> None:
    question = "Wer schrieb httpx?"
    made = Rewritten(question, (Wording("question", question, 1.0),))
    foreign = with_cognates(made, "de", "en", English())
    assert [(one.name, one.text, one.weight) for one in foreign.wordings] == [
        ("question", question, 0.55),
        (COGNATES, "httpx", 0.45),
    ]
    for language, held in (("de", "de"), ("", "en"), ("de", "")):
        assert with_cognates(made, language, held, English()) == made


SUNDAY = "2026-11-22"
ROWS = Path(rewriting.__file__).with_name("relative_dates.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        *(tuple(row.split(" | ")[2:]) for row in ROWS if " | " in row),
        ("What was said in yesterday's meeting?", "What was said in the 21 November 2026 meeting?"),
        ("What was the rent three years ago?", "What was the rent in 2023?"),
        ("What did I weigh last November?", "What did I weigh in November 2025?"),
        ("What will I do next Monday?", "What will I do on 23 November 2026?"),
        ("What changed in the past two years?", "What changed from 1 January 2024 to 22 November 2026?"),
    ],
)
def test_a_date_takes_the_place_of_a_relative_one(question: str, shown: str) -> None:
    assert dated(question, SUNDAY) == shown
    assert dated(question, "") == question


@pytest.mark.parametrize(
    "question",
    [
        "What happened in the last week of the war?", "What did he do the next day?", "What happened in March 1918?",
        "What happened on 3 March?", "Who wrote March?", "When did Lenin spend his last year of exile?",
        "What is a problem of today's world?",
        "Who wrote the tonight show?", "When is the last day to register?",
        "How many did he sell in two weeks?", "Was it from June to August?",
    ],
)  # fmt: skip
def test_what_does_not_count_from_today_stays(question: str) -> None:
    assert dated(question, SUNDAY) == question


def test_today_may_mean_nowadays() -> None:
    question = "Is the mill a museum today?"
    assert dated(question, SUNDAY, but_today=True) == question != dated(question, SUNDAY)


todays = st.dates(date(1970, 1, 1), date(2090, 12, 31))


@given(todays, st.sampled_from(DAYS))
def test_weekdays(today: date, weekday: str) -> None:
    (last,), (coming,) = (relative_dates(f"Who is it {which} {weekday}?", str(today)) for which in ("last", "next"))
    assert last.first.strftime("%A") == coming.first.strftime("%A") == weekday
    assert today - timedelta(7) <= last.first < today < coming.first <= today + timedelta(7)
