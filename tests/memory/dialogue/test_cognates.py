"""A question in another language than the documents: the names, numbers and words that both have."""

from collections.abc import Sequence

from clew.memory.datatypes import Wording
from clew.memory.dialogue.cognates import COGNATES, cognates, own_words, with_cognates
from clew.memory.dialogue.rewriting import rewritten

WORDS = {"httpx", "urllib3", "university", "characters", "table", "1915", "music", "die"}


class Held:
    """A vocabulary of a few words."""

    def counts(self, words: Sequence[str]) -> list[int]:
        return [int(word.casefold() in WORDS) for word in words]

    def kinds(self, phrases: Sequence[str]) -> list[str]:
        return ["" for _ in phrases]

    def near(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        return [("characters",) if word == "caracteres" else () for word in words]


def test_names_numbers_and_words_alike_are_taken_and_its_own_small_words_are_not() -> None:
    german = "Wann wurde die Universität 1915 von urllib3 gegründet?"
    assert list(cognates(own_words(german, "de"), Held()).values()) == ["university", "1915", "urllib3"]
    french = "Comment écrire des caractères dans une table ?"
    assert cognates(own_words(french, "fr"), Held()) == {"caractères": "characters", "table": "table"}
    assert list(cognates(own_words("¿Qué música hay?", "es"), Held()).values()) == ["music"]
    assert cognates(own_words("Wo wohnt sie?", "de"), Held()) == {}


def test_they_are_searched_beside_the_question_where_the_documents_are_in_another_language() -> None:
    question = "Wer schrieb httpx?"
    made = rewritten(question, (Wording("question", question, 1.0),))
    foreign = with_cognates(made, "de", "en", Held())
    assert [(one.name, one.text, one.weight) for one in foreign.wordings] == [
        ("question", question, 0.55),
        (COGNATES, "httpx", 0.45),
    ]
    for language, held in (("de", "de"), ("", "en"), ("de", "")):
        assert with_cognates(made, language, held, Held()) == made
