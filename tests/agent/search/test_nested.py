"""What a question has inside, and what it is asked by."""

import time

import pytest

from clew.agent.search.nested import nested


@pytest.mark.parametrize(
    "question, inside, kind",
    [
        ("When was the director of Metropolis born?", "Who is the director of Metropolis?", "person"),
        ("What is the phone number of the landlord of the flat?", "Who is the landlord of the flat?", "person"),
        ("When is the birthday of Anna's daughter?", "Who is Anna's daughter?", "person"),
        ("Where does the husband of Anna Lund work?", "Who is the husband of Anna Lund?", "person"),
        ('Who founded the publisher of "Low Tide"?', 'Who is the publisher of "Low Tide"?', "person"),
        ("Who rules the country where Buyende is located?", "In which country is Buyende located?", "place"),
        ("Who rules the country in which Buyende lies?", "In which country is it that Buyende lies?", "place"),
        ("Who rules the country Buyende is in?", "Which country is Buyende in?", "place"),
        ("Which river flows through Hanna Ost's birthplace?", "Where was Hanna Ost born?", "place"),
        ("How big is the place of death of Hanna Ost?", "Where did Hanna Ost die?", "place"),
        ("How big is the city of birth of Hanna Ost?", "Where was Hanna Ost born?", "place"),
        (
            "How long is the guarantee of the firm that Felix works for?",
            "Which firm is it that Felix works for?",
            "name",
        ),
        ("What does the company Felix works for make?", "Which company is it that Felix works for?", "name"),
        ("What guarantee does the firm that repaired the boiler give?", "Which firm repaired the boiler?", "name"),
        ("What's Anna's daughter's number?", "Who is Anna's daughter?", "person"),
        ("What does the landlord of the flat want?", "Who is the landlord of the flat?", "person"),
        ("How many days does the insurer of the van need?", "What is the insurer of the van?", "name"),
        ("When did the country containing Nugegoda become free?", "Which country contains Nugegoda?", "place"),
        ("How long is the book written by Peter Ost?", "Which book is written by Peter Ost?", "name"),
        ("How high is the mountain that Knott is part of?", "Which mountain is Knott part of?", "name"),
        (
            "What is said of the range that Norris mountain is part of?",
            "Which range is Norris mountain part of?",
            "name",
        ),
    ],
)
def test_what_is_asked_inside(question: str, inside: str | None, kind: str) -> None:
    found = nested(question)
    assert (found.question if found else None) == inside
    assert (found.kind if found else "") == kind


@pytest.mark.parametrize(
    "question",
    [
        "Who is the director of Metropolis?",
        "What is the capital of Norway?",
        "what was the name of Nance's mother?",
        "What was the wife of Sultan's master called?",
        "What is the name of the school where Ivo works?",
        "What should I write in place of the tilde?",
        "Did St Olave's bell ring?",
        "How much is the rent?",
        "Where is the district that Knott is part of?",
        "Who wrote Metropolis, and when?",
        "Is Grit Sommer the treasurer of the club?",
        "Who is the chair of the club, Dora or Ivo?",
        "What is the population of the city of Paris?",
        "What is Anna's sister Clara's salary?",
        "When was Adam's wife, Eve, born?",
        "What are the names of Anna's husband and daughter?",
        "Summarise the letters of the landlord of the flat.",
        "Where is the area that Anna described?",
        "When does the landlord of the flat take calls?",
    ],
)
def test_what_asks_no_more_than_who_or_what_it_is(question: str) -> None:
    assert nested(question) is None


@pytest.mark.parametrize("much", ["A " * 20_000, "Anna's " * 5_000, "the author of Anna " * 2_000])
def test_a_long_text_takes_no_time(much: str) -> None:
    started = time.perf_counter()
    assert nested(f"Who knows {much}?") is None
    assert time.perf_counter() - started < 0.5


def test_the_inmost_is_asked_first() -> None:
    question = "Who rules the country where the city where Steven Blankaart was born is located?"
    found = nested(question)
    assert found and found.question == "In which city was Steven Blankaart born?"
    assert found.filled(question, "Middelburg") == "Who rules the country where Middelburg is located?"
    assert found.without_noun(question) == "Who rules the country where Steven Blankaart is located?"
