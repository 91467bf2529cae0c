"""Which questions are about the whole of a library."""

import pytest

from clew.memory.knowledge.communities.overview import asks_for_the_whole


@pytest.mark.parametrize(
    "question",
    [
        "What is this collection about?",
        "what are the main themes?",
        "Summarise everything.",
        "Summarize all the documents, please",
        "Give me an overview",
        "What topics are covered here?",
        "What do these documents talk about?",
        "Tell me about everything",
        "What's in the library?",
        "What are the key topics in this corpus?",
        "What's in here?",
        "So what do you have in here?",
        "Which subjects do the papers deal with?",
    ],
)
def test_of_the_whole(question: str) -> None:
    assert asks_for_the_whole(question)


@pytest.mark.parametrize(
    "question",
    [
        "What are the main themes of Metropolis?",
        "Who directed Metropolis?",
        "Summarise the life of Laika",
        "What is this about?",
        "Give me an overview of the Apollo programme",
        "Which document mentions Vienna?",
        "",
        "and why?",
        "Who is in here?",
        "What is here?",
        "What is he doing in here?",
        "What was in here?",
        "What is the subject of the second film?",
        "Where is the library of Alexandria?",
        "Tell me all about Ham",
    ],
)
def test_of_a_part(question: str) -> None:
    assert not asks_for_the_whole(question)
