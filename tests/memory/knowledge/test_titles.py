"""Names in titles, and which of them a text has: exact before stems, long before short, rivals, nothing at all."""

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.knowledge.titles import LONGEST, TitleIndex, named_in, names_of, title_index

TITLES = ["Paris, Texas", "Paris", "Moon", "Walking", "The Walk", "Fritz Lang (director)", "Lang", "The Who", ""]


def index_of(*titles: str) -> TitleIndex:
    return title_index((title, "two words") for title in titles)


def named(text: str, *titles: str) -> dict[str, str]:
    """By title, the words of the text that name it."""
    found, words = named_in(text, index_of(*titles)), text.split()
    spans = zip(found.starts.tolist(), found.ends.tolist(), strict=True)
    return {titles[node]: " ".join(words[start:end]) for node, (start, end) in zip(found.nodes, spans, strict=True)}


def test_a_title_with_a_comma_is_named_as_a_whole_too() -> None:
    text = "Who directed Paris Texas and not Berlin"
    assert named(text, "Paris, Texas", "Texas", "Paris")["Paris, Texas"] == "Paris Texas"
    found = named_in("Who directed Paris, Texas?", index_of("Paris, Texas", "Texas", "Paris"))
    assert list(zip(found.starts.tolist(), found.ends.tolist(), strict=True)) == [(2, 4), (3, 4), (2, 3)]
    assert found.rivals.tolist() == [1, 2, 2]


def test_rivals_are_all_the_nodes_of_one_name() -> None:
    found = named_in("the mercury of it", index_of("Mercury (planet)", "Venus", "mercury, quicksilver", "Mercury"))
    assert found.nodes.tolist() == [0, 2, 3]
    assert found.rivals.tolist() == [3, 3, 3]
    assert named_in("quicksilver", index_of("Mercury", "mercury, quicksilver")).rivals.tolist() == [1]


def test_function_words_alone_name_nothing() -> None:
    assert named("who is the who", *TITLES) == {}
    assert named("What is it about", "It", "About", "What Is It") == {}
    assert named("the walk", *TITLES) == {"The Walk": "the walk", "Walking": "walk"}


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
