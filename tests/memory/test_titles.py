"""Names in titles, and which of them a text has: exact before stems, long before short, rivals, nothing at all."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.titles import LONGEST, TitleIndex, named_in, names_of, read_titles, title_index, write_titles

TITLES = ["Paris, Texas", "Paris", "Moon", "Walking", "The Walk", "Fritz Lang (director)", "Lang", "The Who", ""]


def index_of(*titles: str) -> TitleIndex:
    return title_index((title, "two words") for title in titles)


def named(text: str, *titles: str) -> dict[str, str]:
    """By title, the words of the text that name it."""
    found, words = named_in(text, index_of(*titles)), text.split()
    spans = zip(found.starts.tolist(), found.ends.tolist(), strict=True)
    return {titles[node]: " ".join(words[start:end]) for node, (start, end) in zip(found.nodes, spans, strict=True)}


@pytest.mark.parametrize(
    "title, names",
    [
        ("Moon", ["Moon"]),
        ("Paris, Texas", ["Paris", "Texas", "Paris, Texas"]),
        ("entity,  thing (concept), object", ["entity", "thing", "object", "entity,  thing, object"]),
        ("Mercury (planet)", ["Mercury"]),
        ("(500) Days of Summer", ["Days of Summer"]),
        ("(1984)", ["(1984)"]),
        ("1,000 miles", ["1,000 miles"]),
        ("dog, dog", ["dog", "dog, dog"]),
        ("", [""]),
    ],
)
def test_the_names_of_a_title(title: str, names: list[str]) -> None:
    assert names_of(title) == names


def test_a_title_with_a_comma_is_named_as_a_whole_too() -> None:
    text = "Who directed Paris Texas and not Berlin"
    assert named(text, "Paris, Texas", "Texas", "Paris")["Paris, Texas"] == "Paris Texas"
    found = named_in("Who directed Paris, Texas?", index_of("Paris, Texas", "Texas", "Paris"))
    assert list(zip(found.starts.tolist(), found.ends.tolist(), strict=True)) == [(2, 4), (3, 4), (2, 3)]
    assert found.rivals.tolist() == [1, 2, 2]


def test_the_longest_name_of_a_node_is_the_one() -> None:
    found = named_in("is Paris Texas in Texas or in Paris", index_of("Paris, Texas"))
    assert (found.starts.tolist(), found.ends.tolist(), found.places.tolist()) == ([1], [3], [2])


def test_as_written_comes_before_a_longer_name_by_its_stems() -> None:
    found = named_in("walking dogs walks", index_of("walks, walk dog"))
    assert (found.starts.tolist(), found.exact.tolist(), found.places.tolist()) == ([2], [True], [0])
    stems = named_in("walking dogs", index_of("walks, walk dog"))
    assert (stems.starts.tolist(), stems.ends.tolist()) == ([0], [2])
    assert (stems.exact.tolist(), stems.places.tolist()) == ([False], [1])


def test_the_first_in_the_title_and_in_the_text_breaks_a_tie() -> None:
    found = named_in("sun and moon and sun", index_of("moon, sun"))
    assert (found.starts.tolist(), found.places.tolist()) == ([2], [0])
    assert named_in("sun and moon and sun", index_of("sun")).starts.tolist() == [0]


def test_rivals_are_all_the_nodes_of_one_name() -> None:
    found = named_in("the mercury of it", index_of("Mercury (planet)", "Venus", "mercury, quicksilver", "Mercury"))
    assert found.nodes.tolist() == [0, 2, 3]
    assert found.rivals.tolist() == [3, 3, 3]
    assert named_in("quicksilver", index_of("Mercury", "mercury, quicksilver")).rivals.tolist() == [1]


@pytest.mark.parametrize("title", ["moon, Moon", "dog, dogs", "Moon (a), moon"])
def test_a_node_is_no_rival_of_itself(title: str) -> None:
    found = named_in("the dog and the moon", index_of(title))
    assert (found.nodes.tolist(), found.rivals.tolist()) == ([0], [1])


def test_function_words_alone_name_nothing() -> None:
    assert named("who is the who", *TITLES) == {}
    assert named("What is it about", "It", "About", "What Is It") == {}
    assert named("the walk", *TITLES) == {"The Walk": "the walk", "Walking": "walk"}


def test_of_a_title_that_is_too_long_only_its_short_names_are_known() -> None:
    long = " ".join(f"word{n}" for n in range(LONGEST + 1))
    assert named(long, long) == {}
    assert named(f"{long} of the moon", f"{long}, moon") == {f"{long}, moon": "moon"}
    assert list(named(long, long.rsplit(" ", 1)[0]).values()) == [long.rsplit(" ", 1)[0]]


def test_of_each_node_its_names_and_the_length_of_its_text() -> None:
    index = title_index([("a, b", "one two three"), ("", ""), ("Moon (x)", "it's the Moon's")])
    assert index.names.tolist() == [3, 1, 1]
    assert index.lengths.tolist() == [3, 0, 3]


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    for titles in (TITLES, []):
        made = index_of(*titles)
        write_titles(tmp_path, title_index((title, "two words") for title in titles))
        again = read_titles(tmp_path)
        for field in fields(TitleIndex):
            one, other = getattr(again, field.name), getattr(made, field.name)
            assert one.dtype == other.dtype and np.array_equal(one, other), field.name


WORDS = ["moon", "moons", "sun", "the", "of", "paris", "texas"]
TITLE = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join), min_size=1, max_size=2).map(
    ", ".join
)


@settings(deadline=None)
@given(st.lists(TITLE, max_size=5), st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join))
def test_each_node_is_named_where_a_slow_search_finds_it(titles: list[str], text: str) -> None:
    parts = text.replace("moons", "moon").split()

    def has(title: str) -> bool:
        names = [name.replace(",", "").replace("moons", "moon").split() for name in names_of(title)]
        return any(
            parts[start : start + len(name)] == name and set(name) - {"the", "of"}
            for name in names
            for start in range(len(parts))
            if len(name) <= LONGEST
        )

    found = named_in(text, index_of(*titles))
    assert found.nodes.tolist() == [node for node, title in enumerate(titles) if has(title)]
