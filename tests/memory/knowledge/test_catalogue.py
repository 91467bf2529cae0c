"""What documents are called, which of them a phrase names, and the groups that they fall into."""

import pytest

from clew.memory.knowledge.catalogue import Catalogue, Listed

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
