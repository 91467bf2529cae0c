"""Which questions depend on what was said before them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.dialogue.signals import clarifies, depends_on_context

LEAN = {
    "pronoun": "And where was she buried?\nWho repaired it?\nhow is that done?\nWhat does that mean?",
    "ellipsis": "Why?\nHow old?\nTell me more\nferry tickets?\nWho else?\nwhat about the ferry?\nAnd the Rhine?",
    "comparison": "Which one is older?\nAre there others?\nwhy not the other one?\nthe latter",
    "bare noun": "How long did the mission last?\nWhat is the film\u2019s title?\nWhen was the song released?",
    "place": "How do I get there?",
    "behind another sentence": "That is a pity. Was anyone hurt?",
}
STAND_ALONE = {
    "named": "Who built Fort Adler?\nWho painted the film poster of Adler?\nwho is Okafor?",
    "named before the pronoun": "When was Ada Berg born and when did she die?\nWhere was salt mined and is it used?",
    "it stands for what follows": "How long does it take to bake bread?\nIs it true that the lake is shrinking?",
    "this of now": "where does the ferry stop this week\nHow are the roads this winter?",
    "says which": "What about the north face of the Eiger?\nWhich boats that crossed the lake carried mail?",
    "compared within": "Is one mile longer than one kilometre?\nAre the inn and the old mill the same house?",
    "said before the question": "I hear goats are kept for milk. Is that true?",
    "no question of English": "???\nKio estas la luno?\n\u5b83\u662f\u4ec0\u4e48",
}


@pytest.mark.parametrize("kind", LEAN)
def test_it_leans(kind: str) -> None:
    assert all(map(depends_on_context, LEAN[kind].split("\n")))


@pytest.mark.parametrize("kind", STAND_ALONE)
def test_it_stands_alone(kind: str) -> None:
    assert not any(map(depends_on_context, STAND_ALONE[kind].split("\n")))


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    assert depends_on_context(text) in (True, False)


@pytest.mark.parametrize(
    ("turn", "asked_back", "wanted"),
    [
        ("I mean the one in Boston", False, True),
        ("No, I meant for Mars?", False, True),
        ("the one in Boston", True, True),
        ("the one in Boston", False, False),
        ("I was talking to a lawyer about my lease, what is a sublet?", False, False),
    ],
)
def test_what_clarifies(turn: str, asked_back: bool, wanted: bool) -> None:
    assert clarifies(turn, asked_back) is wanted
