"""Which questions depend on what was said before them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.dialogue.context_dependence import clarifies, depends_on_context, unnamed

LEAN = """
And where was he born?
Why?
what about Saturn?
And the Moon?
How about in the United States of America?
what about the cotton gin?
Who directed it?
why not the other one?
Is it the same for earthquakes?
how is that calculated?
Tell me more
Which one is older?
FICO?
streaming services?
How old?
Did Lang direct it?
Do you know when the song was released?
Who else?
What does that mean?
What happened next?
the regular one
How do I get there?
What is the film\u2019s title?
Which of these is bigger?
What was her name?
the latter
Are there others?
How long did the mission last?
That is too bad. Was anyone hurt?
"""

STAND_ALONE = """
Who directed Metropolis?
what makes the different shapes of the moon
What is the distance between the moon and earth?
what makes monkeys suitable for space travel?
Where was the cotton gin invented and where is it used today?
who is Patel?
Is there H on Mars to make water with O?
How long does it take to reach the Moon?
Is it true that the Moon is moving away?
where do the arizona cardinals play this week
Explain photosynthesis
Since planets are all subject to gravity, does it follow that they all have orbits?
When was Fritz Lang born and when did he die?
Who directed the film Metropolis?
What about the far side of the Moon?
What about the major discoveries made by the spacecraft Galileo?
Are the Arizona Cardinals and the Chicago Cardinals the same team?
Which missions that landed on the Moon brought back rocks?
Is one kilometre longer than one mile?
I'm told guinea pigs are raised for human consumption. Is that true?
???
Kio estas la luno?
\u5b83\u662f\u4ec0\u4e48
"""


@pytest.mark.parametrize("question", LEAN.strip().splitlines())
def test_it_leans(question: str) -> None:
    assert depends_on_context(question)


@pytest.mark.parametrize("question", STAND_ALONE.strip().splitlines())
def test_it_stands_alone(question: str) -> None:
    assert not depends_on_context(question)


def test_nothing_leans_on_nothing() -> None:
    assert not depends_on_context("")


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    assert depends_on_context(text) in (True, False)


@pytest.mark.parametrize(
    ("turn", "asked_back", "wanted"),
    [
        ("I mean the one in Boston", False, True),
        ("No, I meant for Mars?", False, True),
        ("I'm talking about the film.", False, True),
        ("the one in Boston", True, True),
        ("the one in Boston", False, False),
        ("Tell me about black holes", True, False),
        ("I want to know about the history of jazz.", False, False),
        ("I was talking to a lawyer about my lease, what is a sublet?", False, False),
        ("I'm interested in learning how to bake bread", False, False),
        ("So I mean to buy a house, what taxes do I pay?", False, False),
    ],
)
def test_what_clarifies(turn: str, asked_back: bool, wanted: bool) -> None:
    assert clarifies(turn, asked_back) is wanted


@pytest.mark.parametrize(
    ("question", "nouns"),
    [
        ("What awards has the actor received?", ("actor",)),
        ("In which country is this language officially spoken?", ("language",)),
        ("How was the hurricane's impact on this town?", ("town", "hurricane")),
        ("What is the capital of Mongolia?", ()),
        ("Who directed the film that Lang wrote?", ()),
        ("Who was the first human in space?", ()),
        ("How far away is the Moon?", ()),
        ("Kiu estas la urbo?", ()),
        ("Does that dog have fleas?", ("dog",)),
        ("Do these rules apply?", ("rules",)),
    ],
)
def test_a_noun_that_nothing_makes_definite(question: str, nouns: tuple[str, ...]) -> None:
    assert unnamed(question, []) == nouns


def test_what_was_said_before_is_known() -> None:
    assert unnamed("What awards has the actor received?", ["Chris Hemsworth is an actor."]) == ()


@pytest.mark.parametrize("time", ["year", "winter", "spring", "weekend", "semester"])
def test_a_time_of_now_needs_no_context(time: str) -> None:
    assert not depends_on_context(f"Where do the boats stand this {time}?")
