"""What a whole library is about."""

from types import SimpleNamespace
from typing import cast

import pytest

from clew.agent.search.lookups import subject_of
from clew.agent.services import Services


class Words:
    """'SQLite' and 'Moon' are names, and every word stands in 8 of 10 chunks but 'Moon', in 2."""

    def kinds(self, phrases: list[str]) -> list[str]:
        return ["name" if phrase in ("SQLite", "Moon", "Night", "Owl") else "" for phrase in phrases]

    def counts(self, words: list[str]) -> list[int]:
        return [2 if word == "Moon" else 8 for word in words]


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        (["Castes in India. Their mechanism"], "Castes in India"),
        ([], ""),
        (["About SQLite", "Limits For SQLite", "Quirks"], "SQLite"),
        (["The Moon", "Phases of the Moon"], ""),
        (["Night Owl Docs", "Start Night Owl"], "Night Owl"),
    ],
)
def test_a_library_has_a_subject_where_all_of_it_is_about_one_thing(titles: list[str], expected: str) -> None:
    store = SimpleNamespace(titles=lambda limit: titles[:limit], vocabulary=Words())
    library = SimpleNamespace(store=store, manifest=SimpleNamespace(fingerprint="f", chunks=10))
    services = cast("Services", SimpleNamespace(once_a_library=lambda tell: tell(library)))
    assert subject_of(services) == expected
