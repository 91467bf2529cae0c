"""What the reader makes: whole trees, CoNLL-U in and out, keywords."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory.language.esperanto import Esperanto
from clew.memory.language.trees import Tree, aligned, parsed_conllu

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


CONLLU = """\
# sent_id = a
# text = La hundo dank'al mi kuras.
1\tLa\tX\tX\t_\tX=Y\t9\tx\t_\t_
2\thundo
3-4\tdank'al\t_\t_\t_\t_\t_\t_\t_\t_
3\tdank'\t_\t_\t_\t_\t_\t_\t_\t_
4\tal\t_\t_\t_\t_\t_\t_\t_\t_
5\tmi\t_\t_\t_\t_\t_\t_\t_\t_
6\tkuras\t_\t_\t_\t_\t_\t_\t_\t_
6.1\tkuras\t_\t_\t_\t_\t_\t_\t_\t_
7\t.\t_\t_\t_\t_\t_\t_\t_\t_

1\tVenu\t_\t_\t_\t_\t_\t_\t_\t_
"""


def test_conllu_keeps_ids_and_forms_and_looks_at_nothing_else() -> None:
    written = list(parsed_conllu(CONLLU.split("\n"), Esperanto().tree))
    rows = [line.split("\t") for line in written if line and not line.startswith("#")]
    given_rows = [line.split("\t") for line in CONLLU.split("\n") if line and not line.startswith("#")]
    assert [row[:2] for row in rows] == [row[:2] for row in given_rows] and {len(row) for row in rows} == {10}
    assert written[:2] == CONLLU.split("\n")[:2] and written[-1] == ""
    heads = {row[0]: row[6:8] for row in rows}
    assert heads["2"] == ["6", "nsubj"] and heads["6"] == ["0", "root"] and heads["3-4"] == heads["6.1"] == ["_", "_"]


def test_no_conllu_is_said() -> None:
    with pytest.raises(ValueError, match="no CoNLL-U"):
        list(parsed_conllu(["La hundo kuras."], Esperanto().tree))


@pytest.mark.parametrize(
    ("question", "sentence", "pairs"),
    [
        ("Kiu vidis la hundon?", "La maljuna reĝo vidis du hundojn.", "Kiu=reĝo vidis=vidis hundon=hundojn"),
        ("Kion vidis la reĝo?", "La reĝo longe vidis belegan ĝardenon.", "Kion=ĝardenon vidis=vidis reĝo=reĝo"),
        ("Kie loĝas la kato?", "La kato de la hundo dormas.", "kato=kato"),  # nothing stands beneath the same word
        ("Ĉu la hundo amas la hundon?", "Hundo amas hundon.", "hundo=Hundo amas=amas hundon=hundon"),  # by its role
        ("Kiu estas tiu?", "Tiu estas ĉi tie.", ""),  # words that say nothing by themselves
    ],
)
def test_words_of_a_question_are_aligned_by_root_and_role(question: str, sentence: str, pairs: str) -> None:
    reader = Esperanto()
    found = aligned(reader.read(question), reader.read(sentence))
    assert " ".join("=".join(pair) for pair in found) == pairs


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
