"""What a word of a follow-up cannot stand for, and questions that ask by themselves."""

import pytest

from clew.memory.dialogue.answer_names import names
from clew.memory.dialogue.follow_ups import standing
from tests.memory.dialogue.test_referents import said


@pytest.mark.parametrize(
    ("turns", "question"),
    [
        ([("What does the harbour master do?", "He keeps the book.")], "how many berths are free?"),
        ([("Which drops are kept cold?", "The blue ones.")], "what does bd mean?"),
        ([("Who plays the flute?", "Olga does.")], "when do the vans come?"),
        ([("Why can't we row in May?", "The river is high.")], "what did the surveyor charge?"),
        ([("My key isn't taken by the lock", "")], "is it unwise to be up there alone?"),
        ([("What is our file number?", "")], "what does it cost to ask and then be heard?"),
        ([("Who writes the report?", "Ines does.")], "why not go by train?"),
        ([("Who is the umpire?", "Mr. Tolley is.")], "what does the keeper pay if he loses?"),
    ],
)
def test_what_asks_by_itself_is_left_alone(turns: list[tuple[str, str]], question: str) -> None:
    assert standing(question, said(*turns)).text == question


def test_what_is_no_thing_is_no_topic() -> None:
    """'copy' of 'what need I not copy?'; a topic that was asked about still is one."""
    assert standing("what matters most?", said(("What need I not copy?", "The caches."))).text == "what matters most?"
    asked = said(("What does listener authentication mean?", "Who listens is known."))
    assert standing("which methods are there?", asked).text.startswith("As for listener authentication, ")


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        (
            [("How long is the warranty?", "Five years on the hull, two years on the riggers.")],
            "do they pay for a crash?",
            "As for the warranty, do they pay for a crash?",
        ),
        ([("What do the agents keep?", "The deposit.")], "what do they want?", "what do the agents want?"),
        (
            [("Which fable did Ann learn?", 'She learnt "The Fox and Many Hounds" by heart.')],
            "did she like music?",
            "did Ann like music?",
        ),
        (
            [("How do oak and ash differ?", "")],
            "by day or by night, what's the difference?",
            "by day or by night, what's the difference?",
        ),
        ([("Where is the boat?", "In Hull.")], "is the trailer still there?", "is the trailer still there?"),
        (
            [("What is a hive?", "A box.")],
            "My hand was thick for a day. is that normal?",
            "My hand was thick for a day. is that normal?",
        ),
        ([("Who wrote a map?", "Ann.")], "how often ought one to look?", "how often ought one to look?"),
    ],
)
def test_whom_and_what_a_word_cannot_stand_for(turns: list[tuple[str, str]], question: str, expected: str) -> None:
    assert standing(question, said(*turns)).text == expected


@pytest.mark.parametrize(
    ("text", "name"), [("Marked the Cherry queen blue.", "the Cherry"), ("Alfred the Great ruled.", "Alfred the Great")]
)
def test_what_was_done_is_no_name(text: str, name: str) -> None:
    assert [one.text for one in names(text)] == [name]


def test_titles_in_small_letters_are_titles() -> None:
    gown = ("What did mrs allen pay for a yard of her gown?", "Nine shillings.")
    assert standing("what did she wear?", said(gown)).text == "what did mrs allen wear?"
    tilney = ("What is Mr Tilney like?", "A clergyman.")
    assert standing("what did he pay?", said(tilney, gown)).text == "what did Mr Tilney pay?"
    assert standing("when is she in?", said(("when does dr benedetti operate?", "On Mondays."))).text.startswith(
        "when is dr benedetti in"
    )


@pytest.mark.parametrize(
    ("asked", "question", "expected"),
    [
        ("Where was the man who painted Low Water born?", "how did they mend it?", "how did they mend Low Water?"),
        ("Where was the man who painted Low Water born?", "when did he die?", "when did the man die?"),
        ("When does the girl that feeds the hens arrive?", "is she paid?", "is the girl paid?"),
        ("How much thicker did the ice get near Hull?", "is it safe?", "is it safe?"),
        ("How much milk does the calf drink?", "is it warm?", "is the milk that the calf drinks warm?"),
        ("Where was the man who painted Low Water born?", "when was it sold?", "when was Low Water sold?"),
    ],
)
def test_no_clause_and_no_quality_is_a_thing(asked: str, question: str, expected: str) -> None:
    """'painted Low Water' is what somebody did, 'thicker' what something was."""
    assert standing(question, said((asked, ""))).text == expected


@pytest.mark.parametrize(
    ("asked", "question", "expected"),
    [
        ("Which day did Ines return the drill?", "what did it cost?", "what did the drill cost?"),
        ("Another thing: what date did Ines return the drill?", "is it loud?", "is the drill loud?"),
        (
            "What ways of lighting the barn are there?",
            "when do they begin wiring it?",
            "when do they begin wiring the barn?",
        ),
        ("Which sorts of lamp did they weigh up?", "what are they going to buy?", "what are they going to buy?"),
        ("Which two kinds are there?", "what do they cost?", "what do the two kinds cost?"),
        ("Which lamps did Ines buy?", "are they bright?", "are the lamps that Ines bought bright?"),
    ],
)
def test_what_only_says_how_something_is_asked_for_is_no_thing(asked: str, question: str, expected: str) -> None:
    """No one wires ways, and no date costs anything."""
    assert standing(question, said((asked, ""))).text == expected


@pytest.mark.parametrize(
    ("asked", "question", "expected"),
    [
        ("Lighting's gone since the storm came, who do I ring?", "did Olga make her pay?", "did Olga make her pay?"),
        ("My kettle's broken, can you mend it?", "how old is it?", "how old is my kettle?"),
        ("Our picnic's off, who tells Ines?", "can we move it?", "can we move our picnic?"),
        ("The pump's making a noise, who do I call?", "is it loud?", "is the pump loud?"),
        ("Who has Olga's broken kettle?", "where does she live?", "where does Olga live?"),
        ("How is Olga's back?", "how old is she?", "how old is Olga?"),
    ],
)
def test_a_shortened_verb_owns_nothing(asked: str, question: str, expected: str) -> None:
    """'my kettle's broken' is no kettle's."""
    assert standing(question, said((asked, ""))).text == expected


@pytest.mark.parametrize(
    ("asked", "question", "expected"),
    [
        ("Can I bring my kettle?", "was it a guest or a cook who slipped?", "was it a guest or a cook who slipped?"),
        ("Can I bring my kettle?", "was it Olga who mended it?", "was it Olga who mended my kettle?"),
        ("Can I bring my kettle?", "is it the fuse that gets hot?", "is it the fuse that gets hot?"),
        ("Can I bring my kettle?", "what time is it now?", "what time is it now?"),
        ("Who leads the tour?", "my son is late - how do I reach him?", "my son is late - how do I reach him?"),
        ("Is there a lamp in my tent?", "I have jars - how do I open one?", "I have jars - how do I open one?"),
        ("Is there a lamp in my tent?", "Back to jars - how do I open one?", "how do I open a jar?"),
        ("Are jars for sale?", "where do I buy one?", "where do I buy a jar?"),
        ("Is there a lamp in my tent?", "what's his name, the guard I mean", "what's the guard's name?"),
        ("Is there a lamp in my tent?", "who made it - the tent, I mean?", "who made the tent?"),
        ("What is a jar?", "Mine leaks since May. How come?", "Mine leaks since May. How come?"),
        ("What is the jar for?", "It leaks since May. Why is that?", "the jar leaks since May. Why is that?"),
    ],
)
def test_the_question_itself_says_what_a_word_stands_for(asked: str, question: str, expected: str) -> None:
    turn = said((asked, "Jonas Vale knows."))
    assert standing(question, turn).text == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("sorry, i meant in march", "Who rows on a Friday in March?"),
        ("and on mondays?", "Who rows on Mondays in June?"),
        ("and in april 2021?", "Who rows on a Friday in April 2021?"),
    ],
)
def test_days_and_months_get_their_capital(question: str, expected: str) -> None:
    assert standing(question, said(("Who rows on a Friday in June?", "Ines."))).text == expected


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        (["What does a berth cost?", "May my son use the berth?"], "how do I get one?", "how do I get a berth?"),
        (["What did Olga's dad do for a living?"], "where did he live?", "where did Olga's dad live?"),
        (["What did Olga's dad do for a living?"], "was it hard?", "was it hard?"),
        (["Who is Olga Winter?"], "did they make her pay the fee?", "did they make Olga Winter pay the fee?"),
        (["Which oil does the pump take if I set nothing?"], "since when?",
         "Since when does the pump take that oil if I set nothing?"),
    ],
)  # fmt: skip
def test_whom_and_what_was_spoken_of(turns: list[str], question: str, expected: str) -> None:
    assert standing(question, said(*((one, "") for one in turns))).text == expected


@pytest.mark.parametrize(
    ("turn", "question", "expected"),
    [
        (("When is the sewing evening?", "On Mondays."), "what if we're early?", "what if we're early?"),
        (("When is the sewing evening?", "On Mondays."), "any lockers nearby?", "Are there any lockers nearby?"),
        (("When is the sewing evening?", "On Mondays."), "any cake?", "Is there any cake?"),
        (("When is the sewing lesson?", "On Mondays."), "what about kids?", "When is the sewing lesson for kids?"),
        (("What did the vet charge?", "84 pounds."), "was that with the drops?", "was that with the drops?"),
        (("How do I bake the cake?", "Beat the eggs."), "how many eggs is that?", "how many eggs is that?"),
        (("Can I return the coat?", "With the receipt."), "and without one?", "and without one?"),
        (("My agent's kept the key. What now?", "Write."), "how big is it?", "how big is the key?"),
        (("Who sells the van?", "Ines."), "is it worth it?", "is it worth it?"),
        (("What did the man that mended the pump charge?", "9 pounds."), "and the tap?",
         "what did the man that mended the tap charge?"),
    ],
)  # fmt: skip
def test_everyday_follow_ups(turn: tuple[str, str], question: str, expected: str) -> None:
    assert standing(question, said(turn)).text.casefold() == expected.casefold()
