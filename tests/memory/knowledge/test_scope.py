"""Which document a question limits itself to, and which questions do not."""

import pytest

from clew.memory.knowledge.catalogue import Catalogue, Listed, document_meant, scoped

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
]


@pytest.fixture
def catalogue() -> Catalogue:
    return Catalogue([Listed(id_, title, f"/home/me/{id_}", date) for id_, title, date in FILES])


@pytest.mark.parametrize(
    ("question", "expected", "left"),
    [
        ("In the lease, who pays for repairs?", "letters/lease.txt", "who pays for repairs?"),
        ("who pays for repairs according to lease.txt?", "letters/lease.txt", "who pays for repairs ?"),
        ("does the lease allow dogs?", "letters/lease.txt", "does the lease allow dogs?"),
        (
            "What does the constitution say about rent?",
            "rules/constitution.txt",
            "What does the constitution say about rent?",
        ),
        ("who was excused in the minutes of 12 June?", "club/2025-06-12-minutes.md", "who was excused ?"),
    ],
)
def test_a_question_names_a_document_to_look_in(catalogue: Catalogue, question: str, expected: str, left: str) -> None:
    found = document_meant(question, catalogue)
    assert found is not None and found.document.id == expected and found.without(question) == left


@pytest.mark.parametrize(
    "question",
    [
        "In the minutes, who was elected?",  # there are two
        "In 2023, what was the rent?",
        "When does the lease end?",
        "What is the price of a lease?",
        "How long is it between the start of the constitution and the start of the lease?",
    ],
)
def test_other_questions_go_over_all(catalogue: Catalogue, question: str) -> None:
    assert document_meant(question, catalogue) is None


@pytest.mark.parametrize(
    ("question", "left", "found"),
    [
        ("@club who was excused?", "who was excused?", ["club/2025-06-12-minutes.md", "club/2025-03-20-minutes.md"]),
        ('@FAQ.html @"Constitution of the club" pets?', "pets?", ["help/FAQ.html", "rules/constitution.txt"]),
        ("who is @nobody, and bea@example.org?", "who is @nobody, and bea@example.org?", []),
    ],
)
def test_what_stands_behind_at_is_looked_in(catalogue: Catalogue, question: str, left: str, found: list[str]) -> None:
    asked = scoped(question, catalogue)
    assert (asked.question, [*asked.documents]) == (left, found)
    assert asked.unknown == (("@nobody",) if "@nobody" in question else ())


def test_an_entry_of_a_file_of_many_limits_nothing() -> None:
    catalogue = Catalogue([Listed("1", "Metropolis", "corpus.jsonl:1", ""), Listed("2", "Ham", "corpus.jsonl:2", "")])
    assert document_meant("In Metropolis, who plays Maria?", catalogue) is None


def test_the_names_that_can_stand_behind_at() -> None:
    listed = [Listed(id_, "", f"/me/{id_}", "") for id_ in ("to do/my list.md", "to do/b.md", "b.md")]
    entry = Listed("q1", "An entry", "/me/all.jsonl:1", "")
    catalogue = Catalogue([*listed, entry])
    assert catalogue.suggested("") == ["to do", "my list.md", "b.md"] and catalogue.suggested("MY") == ["my list.md"]
    assert all(scoped(f'@"{name}" who?', catalogue).documents for name in catalogue.suggested(""))
