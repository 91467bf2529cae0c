"""What documents are called, which of them a phrase names, their groups, and what a question limits itself to."""

import pytest

from clew.memory.knowledge.catalogue import Catalogue, Listed, document_meant, scoped

FILES = [
    ("club/2025-03-20-minutes.md", "Bee-keepers: minutes of 20 March 2025", "2025-03-20"),
    ("club/2025-06-12-minutes.md", "Bee-keepers: minutes of 12 June 2025", "2025-06-12"),
    ("letters/lease.txt", "LEASE", "2023-04-01"),
    ("letters/FAQ.html", "Questions of tenants", ""),
    ("book/chapter-5.txt", "CHAPTER V", ""),
    ("book/chapter-15.txt", "CHAPTER XV", ""),
    ("book/04-the-counterpane.txt", "04 the counterpane", ""),
    ("honey_prices.csv", "Honey prices", "2025"),
    ("letters/settings-file.html", "Settings file", ""),
]


@pytest.fixture
def catalogue() -> Catalogue:
    return Catalogue([Listed(id_, title, f"/home/me/papers/{id_}", date) for id_, title, date in FILES])


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("the minutes of 12 June 2025", ["club/2025-06-12-minutes.md"]),
        ("the meeting of 20 March", ["club/2025-03-20-minutes.md"]),
        ("the last meeting", ["club/2025-06-12-minutes.md"]),
        ("the minutes", ["club/2025-03-20-minutes.md", "club/2025-06-12-minutes.md"]),
        ("my lease", ["letters/lease.txt"]),
        ("the file faq.html", ["letters/FAQ.html"]),
        ("chapter 5", ["book/chapter-5.txt"]),
        ("the prices of honey", ["honey_prices.csv"]),
        ("the meeting of 13 June", []),
        ("the document", []),
        ("", []),
    ],
)
def test_a_phrase_names_the_documents_that_it_fits(catalogue: Catalogue, phrase: str, expected: list[str]) -> None:
    assert [one.id for one in catalogue.named(phrase).documents] == expected


def test_titles_are_shown_without_what_all_end_with() -> None:
    pages = [
        ("a.html", "Mount \u2014 Borg 1.2"),
        ("b.html", "Prune \u2014 Borg 1.2"),
        ("c.html", "Keys \u2014 Borg 1.2"),
    ]
    titles = Catalogue([Listed(id_, title, f"/docs/{id_}", "") for id_, title in pages]).shown
    assert list(titles.values()) == ["Mount", "Prune", "Keys"]


def test_folders_are_those_below_all_documents(catalogue: Catalogue) -> None:
    assert {name: len(inside) for name, inside in catalogue.folders().items()} == {
        "": 1,
        "book": 3,
        "club": 2,
        "letters": 3,
    }
    assert catalogue.folders({"book/chapter-5.txt", "book/chapter-15.txt"}) == {}
    assert Catalogue([Listed("7", "Ham", "corpus.jsonl:7", "")]).folders() == {}


SCOPES = [
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
def scopes() -> Catalogue:
    return Catalogue([Listed(id_, title, f"/home/me/{id_}", date) for id_, title, date in SCOPES])


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
def test_a_question_names_a_document_to_look_in(scopes: Catalogue, question: str, expected: str, left: str) -> None:
    found = document_meant(question, scopes)
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
def test_other_questions_go_over_all(scopes: Catalogue, question: str) -> None:
    assert document_meant(question, scopes) is None


@pytest.mark.parametrize(
    ("question", "left", "found"),
    [
        ("@club who was excused?", "who was excused?", ["club/2025-06-12-minutes.md", "club/2025-03-20-minutes.md"]),
        ('@FAQ.html @"Constitution of the club" pets?', "pets?", ["help/FAQ.html", "rules/constitution.txt"]),
        ("who is @nobody, and bea@example.org?", "who is @nobody, and bea@example.org?", []),
    ],
)
def test_what_stands_behind_at_is_looked_in(scopes: Catalogue, question: str, left: str, found: list[str]) -> None:
    asked = scoped(question, scopes)
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
