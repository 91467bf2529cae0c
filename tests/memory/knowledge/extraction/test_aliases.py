import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.knowledge.extraction.aliases import canonical, normalised
from clew.memory.knowledge.extraction.lexicon import EntityKind, Mention


def mentions(*names: str, kind: EntityKind = "person") -> list[Mention]:
    return [Mention(name, 0, len(name), kind) for name in names]


@pytest.mark.parametrize(
    "surface, key",
    [
        ("Dr. B. R. Ambedkar", "br ambedkar"),
        ("B.R. Ambedkar’s", "br ambedkar"),
        ("U.S.A.", "usa"),
        ("The Beatles", "beatles"),
        ("Apple Inc.", "apple"),
        ("President of France", "president of france"),
        ("Grey's Anatomy", "greys anatomy"),
        ("9th May 1916", "1916 05 09"),
        ("May 9, 1916", "1916 05 09"),
    ],
)
def test_one_key_for_the_ways_to_write_a_name(surface: str, key: str) -> None:
    assert normalised(surface) == key


@settings(deadline=None)
@given(st.text(max_size=30))
def test_what_is_normalised_stays_so(surface: str) -> None:
    assert normalised(normalised(surface)) == normalised(surface)


def id_in(library: dict[str, list[Mention]], document: str, surface: str) -> str:
    return canonical(library).get((document, normalised(surface)), normalised(surface))


@pytest.mark.parametrize(
    ("names", "surface", "id_"),
    [
        (("Dr. B. R. Ambedkar", "Ambedkar", "Bhimrao Ramji Ambedkar"), "B.R. Ambedkar", "bhimrao ramji ambedkar"),
        (("Jane Smith", "J. Smith"), "J. Smith", "jane smith"),
        (("Jane Smith", "John Smith", "Smith"), "Smith", "smith"),  # two have it
        (("John Smith", "John Q. Smith"), "John Smith", "john smith"),  # full names are never joined
    ],
)
def test_a_surname_or_initials_are_the_one_fuller_name_of_the_document(
    names: tuple[str, ...], surface: str, id_: str
) -> None:
    assert id_in({"a": mentions(*names)}, "a", surface) == id_


def test_a_document_decides_for_itself_whom_a_surname_means() -> None:
    library = {"a": mentions("Jane Smith", "Smith"), "b": mentions("John Smith", "Smith"), "c": mentions("Smith")}
    assert [id_in(library, document, "Smith") for document in "abc"] == ["jane smith", "john smith", "smith"]


def test_an_acronym_is_the_one_name_that_it_spells_in_its_document() -> None:
    names = mentions("Federal Communications Commission", "FCC", kind="name")
    library = {"a": names, "b": mentions("FCC", kind="name")}
    assert [id_in(library, document, "FCC") for document in "ab"] == ["federal communications commission", "fcc"]


NAMES = st.sampled_from("Jane Smith|J. Smith|Smith|John Smith|J. Q. Smith|FCC|York|New York|Dr. Smith|smith".split("|"))
LIBRARIES = st.dictionaries(
    st.sampled_from("abcd"), st.lists(st.builds(lambda name: mentions(name)[0], NAMES), max_size=6)
)


@settings(deadline=None)
@given(LIBRARIES)
def test_the_order_does_not_matter(library: dict[str, list[Mention]]) -> None:
    turned = {document: its[::-1] for document, its in reversed(library.items())}
    assert canonical(library) == canonical(turned)
    known = {normalised(mention.text) for its in library.values() for mention in its}
    assert known.issuperset(canonical(library).values())
