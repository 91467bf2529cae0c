"""Follow-ups that change a word of the question before, and words that stand for nothing that was spoken of."""

import pytest

from clew.memory.dialogue.follow_ups import standing
from tests.memory.dialogue.test_referents import said


def alone(turns: list[tuple[str, str]], question: str) -> str:
    return standing(question, said(*turns)).text.casefold().rstrip("?")


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        ([("When did Ines paint her first fresco?", "In 1870.")], "and the third one?",
         "When did Ines paint her third fresco?"),
        ([("How many pages were in the first printing?", "90.")], "and in the second?",
         "How many pages were in the second printing?"),
        ([("How loud is the Breeze 30?", "It is quiet.")], "and the 60?", "How loud is the Breeze 60?"),
        ([("the boiler shows F2", "F2: no water.")], "and H7?", "the boiler shows H7"),
        ([("What is a sourdough?", "A dough that rises by itself.")], "steps?", "What are the steps of a sourdough?"),
        ([("When did the road reach the mill by the lake?", "In 1901.")], "and the one in the hills?",
         "When did the road reach the mill in the hills?"),
        ([("When did the road reach the one by the lake?", "In 1901.")], "and the one in the hills?",
         "When did the road reach the one in the hills?"),
        ([("What do I press to get a receipt?", "The green button.")], "and to cancel the last order?",
         "What do I press to cancel the last order?"),
        ([("Who winds the clock?", "Olga Winter does.")], "and the sexton, who was that?", "Who was the sexton?"),
        ([("How do I set the depth of a drawer?", "Turn it.")], "and of the whole chest?",
         "How do I set the depth of the whole chest?"),
        ([("Which of the levers stops the mill?", "The blue lever stops the mill.")], "where is it?",
         "where is the blue lever?"),
        ([("Who winds the clock?", "Olga Winter does.")], "pallet - what is that?", "What is pallet?"),
    ],
)  # fmt: skip
def test_a_word_of_the_question_before(turns: list[tuple[str, str]], question: str, expected: str) -> None:
    assert alone(turns, question) == expected.casefold().rstrip("?")


TAPS = ("Taps don't turn, what do I do?", "Oil the taps.")


@pytest.mark.parametrize(
    ("turns", "question", "expected"),
    [
        ([TAPS], "why were they fitted?", "why were the taps fitted?"),
        ([TAPS], "A pump stands still. What do Olga and Ines do?", "A pump stands still. What do Olga and Ines do?"),
        ([("What is a latch?", "A bolt.")], "how do I ask for a key without losing it?",
         "how do I ask for a key without losing it?"),
        ([("What is a latch?", "A bolt.")], "two of them fit - which one is right?",
         "two of the latches fit - which one is right?"),
        ([("When was the power cut?", "In May.")], "what caused it?", "what caused the power cut?"),
        ([("Which boiler did we buy?", "The Breeze.")], "when will it come?", "when will the boiler come?"),
        ([("What did the lady lift?", "A trunk.")], "how heavy was it?", "how heavy was what the lady lifted?"),
        ([("Who is Mrs. Hale?", "Mrs. Hale is a nurse.")], "what about her made Dr. Bell suspicious?",
         "what about Mrs. Hale made Dr. Bell suspicious?"),
        ([("Which of the bridges fell down?", "The old one.")], "when was that?", "when was that?"),
        ([("How did the Hale sisters spend their money?", "They bought shares in a mill.")], "what did they sell?",
         "what did the Hale sisters sell?"),
        ([("What is relaying?", "To pass a stream on.")], "which two kinds are there?",
         "As for relaying, which two kinds are there?"),
        ([("When did Tarnix first come out?", "In 1990.")], "who revived it?", "who revived Tarnix?"),
        ([("What speed is guaranteed for the Big Line?", "90.")], "what do I get if it is lower?",
         "what do I get if the speed guaranteed for the Big Line is lower?"),
        ([("What did Tarnix lose?", "A ring.")], "did he sell his watch?", "did Tarnix sell his watch?"),
        ([("Who tells the tale?", "THE NIGHT AT HARROW. I was the porter there.")], "what did he see?",
         "what did he see?"),
        ([("What is Harrow for?", "For cows.")], "rose_tint - what is it good for?",
         "rose_tint - what is it good for?"),
        ([("Which dyes are there?", "Woad, weld and madder.")], "which one makes the best green?",
         "which of woad, weld and madder makes the best green?"),
        ([("Which formats can it make?", "It lets you convert a song to one of your choice, transcoding audio and"
           " embedding covers along the way.")], "which one is the default?", "which format is the default?"),
        ([("Which stories are there?", "There are four.")], "how did they lift the bell?",
         "As for the stories, how did they lift the bell?"),
        ([("Which stories are there?", "There are four.")], "how do they begin?", "how do the stories begin?"),
        ([("Who lit the lamp?", "Olga did.")], "how old was she by the way?", "how old was Olga?"),
        ([("Which format is the default?", "mp3."), ("What does the convert plugin do?", "It converts songs.")],
         "does it delete the originals?", "does the convert plugin delete the originals?"),
        ([("Can I copy the files as well?", "No.")], "what should I take for that?",
         "what should I take for copying the files?"),
        ([("Why is opening big folders so slow?", "They have no cache.")], "what can I do about that?",
         "what can I do about opening big folders?"),
        ([("What is a virtual package?", "A generic name.")], "give me an example",
         "what is an example of the virtual package?"),
        ([("What is the folder for?", "For mails.")], "what is a limit then?", "what is a limit then?"),
        ([("Which formats are there?", "It has four formats: mbox, MMDF, MH and Maildir.")],
         "which one is the fastest?", "which of mbox, MMDF, MH and Maildir is the fastest?"),
        ([("When does the boat insurance end?", "In May.")], "what does it cost?",
         "what does the boat insurance cost?"),
        ([("Where do wet boots go?", "Outside.")], "why?", "why do wet boots go there?"),
        ([("What was wrong with the mast?", "It leans.")], "why no stays?", "why no stays?"),
        ([("How did Kim hurt herself?", "At the saw.")], "what was her job?", "what was Kim's job?"),
        ([("Who mends the mast?", "Olga does.")], "how do I lift a crate with its lid?",
         "how do I lift a crate with its lid?"),
        ([("Which two ships sank?", "The Star and the Hope.")], "which one was older?",
         "which of the Star and the Hope was older?"),
        ([("What does the Harrow Trust pay for?", "For the roof.")], "who chairs their board?",
         "who chairs the Harrow Trust's board?"),
    ],
)  # fmt: skip
def test_what_a_word_stands_for(turns: list[tuple[str, str]], question: str, expected: str) -> None:
    assert alone(turns, question) == expected.casefold().rstrip("?")


@pytest.mark.parametrize("verb", ["are", "were"])
def test_the_verb_is_that_of_what_is_asked_for(verb: str) -> None:
    turns = [("Why does the mast lean?", "A stay broke.")]
    assert alone(turns, f"what other damages {verb} a sign of it?").startswith(f"what other damages {verb} a sign of")
