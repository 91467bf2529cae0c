"""Which document a question limits itself to, and which questions do not."""

import pytest

from clew.agent.search.scope import document_meant
from clew.memory.knowledge.catalogue import Catalogue, Listed

FILES = [
    ("letters/lease.txt", "Lease", "2023-04-01"),
    ("letters/to-aunt-bea.md", "Letter to Aunt Bea, 22 June 2025", "2025-06-22"),
    ("help/FAQ.html", "Questions of tenants", ""),
    ("club/2025-06-12-minutes.md", "Minutes of 12 June 2025", "2025-06-12"),
    ("club/2025-03-20-minutes.md", "Minutes of 20 March 2025", "2025-03-20"),
    ("rules/constitution.txt", "Constitution of the club", ""),
    ("book/chowder.txt", "Chowder", ""),
    ("travel/slovenia.md", "Slovenia", ""),
    ("house/contract.md", "Contract for the flat at 14 Harrow Lane, third floor", ""),
    ("house/3.md", "Invoice of Oakley and Daughters, roofers, for the repair of the barn", ""),
    ("papers/time-series.pdf", "A paper on time series in R", ""),
]


@pytest.fixture
def catalogue() -> Catalogue:
    return Catalogue([Listed(id_, title, f"/home/me/{id_}", date) for id_, title, date in FILES])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("In the lease, who pays for repairs?", "letters/lease.txt"),
        ("Who pays for repairs according to the lease?", "letters/lease.txt"),
        ("according to FAQ.html, are pets allowed?", "help/FAQ.html"),
        ("are pets allowed in help/FAQ.html", "help/FAQ.html"),
        ("What does the constitution say about elections?", "rules/constitution.txt"),
        ("does the lease allow dogs?", "letters/lease.txt"),
        ('What does "Constitution of the club" say about elections?', "rules/constitution.txt"),
        ("who was excused in the minutes of 12 June?", "club/2025-06-12-minutes.md"),
        ("Where is the party, in the letter to Aunt Bea?", "letters/to-aunt-bea.md"),
        ("In the contract, who pays for repairs?", "house/contract.md"),
        ("In the invoice, what is the sum?", "house/3.md"),
        ("What is the sum according to the invoice?", "house/3.md"),
        ("In Chowder, who serves the soup?", "book/chowder.txt"),
    ],
)
def test_a_question_names_the_document_to_look_in(catalogue: Catalogue, question: str, expected: str) -> None:
    found = document_meant(question, catalogue)
    assert found is not None and found.document.id == expected


@pytest.mark.parametrize(
    "question",
    [
        "In the minutes, who was elected?",
        "What is the capital of Slovenia?",
        "how much is the boat in Slovenia?",
        "In 2023, what was the rent?",
        "Who lives in the barn?",
        "In the end, who paid?",
        "What happened in June 2025?",
        "In short, what is the rent?",
        "How many trees are in the garden of the club?",
        "in which paper is chowder eaten?",
        "When does the lease end?",
        "who is the author of the series?",
        "What is in the soup?",
        "Is there a letter from the bank?",
        "What is the price of a lease?",
        "How long is it between the start of the constitution and the start of the lease?",
        "How long is it from the constitution to the end of the lease?",
    ],
)
def test_other_questions_go_over_all(catalogue: Catalogue, question: str) -> None:
    assert document_meant(question, catalogue) is None


def test_the_words_that_name_it_ask_nothing(catalogue: Catalogue) -> None:
    for question in (
        "In the lease, who pays for repairs?",
        "who pays for repairs? according to the lease",
        "who pays for repairs according to lease.txt?",
    ):
        found = document_meant(question, catalogue)
        assert found is not None and found.without(question).startswith("who pays for repairs")
        assert "lease" not in found.without(question)
    found = document_meant("does the lease allow dogs?", catalogue)
    assert found is not None and found.without("does the lease allow dogs?") == "does the lease allow dogs?"


def test_an_entry_of_a_file_of_many_limits_nothing() -> None:
    catalogue = Catalogue([Listed("1", "Metropolis", "corpus.jsonl:1", ""), Listed("2", "Ham", "corpus.jsonl:2", "")])
    assert document_meant("In Metropolis, who plays Maria?", catalogue) is None


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What does the constitution say about elections?", "What is said about elections?"),
        ('What does "Constitution of the club" say on elections?', "What is said on elections?"),
        ("What does the constitution require of members?", "What does the constitution require of members?"),
        ("What does the constitution forbid on Sundays?", "What does the constitution forbid on Sundays?"),
        ("does the constitution say anything about dogs?", "does the constitution say anything about dogs?"),
    ],
)
def test_what_it_says_about_something_is_asked_without_its_name(catalogue: Catalogue, question: str, left: str) -> None:
    found = document_meant(question, catalogue)
    assert found is not None and found.without(question) == left
