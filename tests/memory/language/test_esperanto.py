"""Reading Esperanto: what each rule of the grammar does, on sentences of our own."""

from pathlib import Path

import pytest

from clew.memory.errors import BadInput
from clew.memory.language.esperanto import Esperanto, tokenize
from clew.memory.language.esperanto_words import Analyser, mined_roots, roots, with_hats

READER = Esperanto()


def roles(sentence: str) -> dict[str, tuple[str, str]]:
    """Form -> its role and the word that it depends on."""
    tree = READER.read(sentence)
    forms = [word.form for word in tree.words]
    return {
        form: (role, forms[head - 1] if head else "")
        for form, head, role in zip(forms, tree.heads, tree.roles, strict=True)
    }


def test_roots_are_small_and_a_librarys_own_are_added() -> None:
    assert sum(len(root.encode()) + 1 for root in roots()) < 300_000
    assert Analyser().word("hobitino").suffixes == ("in",)
    assert not Analyser().word("gnapaĵo").known
    assert Esperanto(known=["gnap"]).read("gnapaĵo").words[0].suffixes == ("aĵ",)
    assert mined_roots("gnapo gnapojn malgnapa gnapisto blankfo Zorko zorko zorki".split()) == ["gnap", "zork"]


def test_a_word_without_a_known_root_is_read_by_its_ending_and_refused_in_strict_mode() -> None:
    assert READER.read("La gnapoj brinkas.").words[1].upos == "NOUN"
    with pytest.raises(BadInput, match="gnapoj"):
        Esperanto(strict=True).read("La gnapoj brinkas.")
    assert Esperanto(strict=True).read("Mitrandiro venas.").words[0].upos == "PROPN"


def test_elision_and_quotes() -> None:
    assert tokenize("La mastro de l' ringo, amik' mia") == ["La", "mastro", "de", "l'", "ringo", ",", "amik'", "mia"]
    assert tokenize("Li diris 'jes'.") == ["Li", "diris", "'", "jes", "'", "."]
    assert with_hats("cxiuj EHXOSXANGXE") == "ĉiuj EĤOŜANĜE"
    assert READER.read("Ho, mia kor', ne batu!").words[3].lemma == "koro"


DEPENDENCIES = Path(__file__).with_name("dependencies.txt").read_text("utf-8").splitlines()[2:]


@pytest.mark.parametrize("row", DEPENDENCIES)
def test_what_depends_on_what(row: str) -> None:
    sentence, word, role, head = row.split(" | ")
    assert roles(sentence)[word] == (role, head)


@pytest.mark.parametrize(
    "sentence, mood, asks",
    [
        ("Ĉu vi venas?", "question", "ĉu"), ("Vi venas?", "question", ""), ("Kien vi iras?", "question", "kien"),
        ("La homo, kiu venas, estas juna.", "statement", ""), ("Venu!", "command", ""),
        ("Li diris, ke mi venu.", "statement", ""),
    ],
)  # fmt: skip
def test_questions_and_commands(sentence: str, mood: str, asks: str) -> None:
    tree = READER.read(sentence)
    assert (tree.mood, tree.asks) == (mood, asks if asks != "kien" else "kie")
