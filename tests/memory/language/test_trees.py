"""What the reader makes: whole trees, keywords."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.language.esperanto import Esperanto
from clew.memory.language.trees import Tree

WORDS = (
    "la hundo hundon kaj , kiu kiun ke vidas estas bona bonaj en de granda tute ne ? . « tre por iri the dog Who saw 5"
).split()


def is_whole(tree: Tree) -> bool:
    """One root, and every word leads to it."""
    for place in range(len(tree.words)):
        seen = set()
        at = place + 1
        while at:
            if at in seen:
                return False
            seen.add(at)
            at = tree.heads[at - 1]
    return tree.heads.count(0) == 1 and tree.roles[tree.root] == "root" and all(tree.roles)


@given(st.lists(st.sampled_from(WORDS) | st.text(min_size=1, max_size=8).filter(str.strip), min_size=1, max_size=25))
def test_whatever_is_read_becomes_a_whole_tree(forms: list[str]) -> None:
    tree = Esperanto().tree(forms)
    assert [word.form for word in tree.words] == forms and is_whole(tree)


@pytest.mark.parametrize(
    ("sentence", "keywords"),
    [
        ("Ĉu la bela historio pri Frodo Baginzo estas tute vera?", "frodo baginzo, bel, histori, ver"),
        ("Kiu estas doktoro Zamenhof?", "zamenhof, doktor"),  # a name below its title is one
        ("Kie loĝas reĝo Arturo?", "arturo, loĝ, reĝ"),
        ("La urbo Parizo estas bela.", "parizo, urb, bel"),
        ("La vaporŝipo portis birdokantojn.", "vapor, ŝip, port, bird, kant"),  # all roots of a compound
        ("Ĉu la unutaga lernejestro venis?", "tag, lern, ven"),  # but no numerals and suffixes in it
        ("Sinjoro Petro Smith loĝas en Londono.", "petro smith, londono, sinjor, loĝ"),
    ],
)
def test_names_come_first_and_whole_among_the_keywords(sentence: str, keywords: str) -> None:
    reader = Esperanto()
    assert ", ".join(reader.keywords(reader.read(sentence))) == keywords
