import os
import subprocess
import sys
from pathlib import Path

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
        ("BR Ambedkar", "br ambedkar"),
        ("U.S.A.", "usa"),
        ("The Beatles", "beatles"),
        ("Apple Inc.", "apple"),
        ("President of France", "president of france"),
        ("Saint Petersburg", "saint petersburg"),
        ("Čapek", "čapek"),
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


def test_a_surname_and_initials_are_joined_to_the_one_fuller_name() -> None:
    aliases = canonical({"a": mentions("Dr. B. R. Ambedkar", "Ambedkar", "Bhimrao Ramji Ambedkar")})
    for surface in ("Dr. B. R. Ambedkar", "Ambedkar", "Ambedkar's", "Dr. Ambedkar", "Bhimrao Ramji Ambedkar"):
        assert aliases.of("a", surface) == "bhimrao ramji ambedkar"


def test_two_full_names_are_never_joined() -> None:
    aliases = canonical({"a": mentions("Jane Smith", "John Smith", "John Q. Smith", "Smith")})
    ids = [aliases.of("a", name) for name in ("Jane Smith", "John Smith", "John Q. Smith", "Smith")]
    assert len(set(ids)) == 4


def test_a_document_decides_for_itself_whom_a_surname_means() -> None:
    aliases = canonical(
        {"a": mentions("Jane Smith", "Smith"), "b": mentions("John Smith", "Smith"), "c": mentions("Smith")}
    )
    assert [aliases.of(document, "Smith") for document in "abc"] == ["jane smith", "john smith", "smith"]


def test_where_a_document_has_no_full_name_the_one_of_the_library_is_meant() -> None:
    aliases = canonical({"a": mentions("Bhimrao Ambedkar"), "b": mentions("Dr. Ambedkar")})
    assert aliases.of("b", "Dr. Ambedkar") == "bhimrao ambedkar"


def test_a_place_is_not_joined_to_a_person() -> None:
    found = {
        "a": mentions("George Washington"),
        "b": mentions("Washington", kind="place"),
        "c": mentions("York", kind="name"),
    }
    aliases = canonical(found | {"d": mentions("New York", kind="name")})
    assert aliases.of("b", "Washington") == "washington"
    assert aliases.of("c", "York") == "york"


def test_an_acronym_is_the_one_name_that_it_spells_in_its_document() -> None:
    names = mentions("Federal Communications Commission", "FCC", kind="name")
    aliases = canonical({"a": names, "b": mentions("FCC", kind="name")})
    assert aliases.of("a", "FCC") == "federal communications commission"
    assert aliases.of("b", "FCC") == "fcc"


def test_the_name_of_the_title_is_the_longer_one_that_the_text_gives() -> None:
    names = {"a": mentions("Hilarie Ross Burton", "Hilarie Burton", "Burton")}
    aliases = canonical(names, {"a": "Hilarie Burton"})
    assert aliases.of("a", "Hilarie Ross Burton") == aliases.of("a", "Hilarie Burton") == "hilarie burton"
    assert aliases.of("a", "Burton") == "hilarie burton"
    assert canonical(names).of("a", "Hilarie Ross Burton") == "hilarie ross burton"


NAMES = st.sampled_from("Jane Smith|J. Smith|Smith|John Smith|J. Q. Smith|FCC|York|New York|Dr. Smith|smith".split("|"))
LIBRARIES = st.dictionaries(
    st.sampled_from("abcd"), st.lists(st.builds(lambda name: mentions(name)[0], NAMES), max_size=6)
)


@settings(deadline=None)
@given(LIBRARIES)
def test_the_order_does_not_matter(library: dict[str, list[Mention]]) -> None:
    turned = {document: its[::-1] for document, its in reversed(library.items())}
    assert canonical(library) == canonical(turned)
    aliases = canonical(library)
    known = {normalised(mention.text) for its in library.values() for mention in its}
    for document, its in library.items():
        for mention in its:
            id_ = aliases.of(document, mention.text)
            assert aliases.of(document, id_) == id_ or id_ in known


def test_the_hash_seed_does_not_matter() -> None:
    probe = (
        "from clew.memory.knowledge.extraction.aliases import canonical\n"
        "from clew.memory.knowledge.extraction.entities import entities\n"
        "text = 'Dr. B. R. Ambedkar met Jane Smith (born 1950) and J. Smith. Smith saw Ambedkar at the FCC.'\n"
        "print(canonical({'a': entities(text), 'b': entities('Mr. Smith knew Ambedkar.')}))"
    )
    root = Path(__file__).parents[4]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", probe],
            cwd=root,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1
