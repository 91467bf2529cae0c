import pytest

from clew.memory.datatypes import Sentence
from clew.memory.dialogue.weaving import woven

SAID = (
    Sentence("How do I file in Small Claims Court?", "user", 1),
    Sentence("In the Small Claims Court you file a claim; a storm drain, or two, is no matter for it.", "agent", 1),
    Sentence("The Bank of England's vault and the storm drains are old.", "agent", 2),
)


@pytest.mark.parametrize(
    ("question", "words", "read"),
    [
        ("How much is the fee?", ["Small", "Claims"], "How much is the fee, regarding Small Claims Court?"),
        ("How much is the fee?", ["Bank"], "How much is the fee, regarding Bank of England?"),
        ("how old", ["drain", "storm"], "how old, regarding storm drains"),
        (
            "Who pays?!",
            ["storm", "drain", "fee", "vault"],
            "Who pays, regarding storm drains and Bank of England's vault?!",
        ),
        ("Tell me about the fee.", ["claim"], "Tell me about the fee, regarding Small Claims Court."),
        ("Who pays?", [], "Who pays?"),
        ("Who pays?", ["elephant"], "Who pays?"),
    ],
)
def test_words_are_put_behind_the_question_in_their_phrase(question: str, words: list[str], read: str) -> None:
    assert woven(question, words, SAID) == read
