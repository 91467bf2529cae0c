"""Reading Esperanto: what each rule of the grammar does, on sentences of our own."""

import pytest

from clew.memory.errors import BadInput
from clew.memory.language.esperanto import Esperanto, tokenize
from clew.memory.language.esperanto_words import Analyser, closed_words, mined_roots, roots, with_hats
from clew.memory.language.trees import SentenceReader

READER = Esperanto()


def roles(sentence: str, reader: SentenceReader = READER) -> dict[str, tuple[str, str]]:
    """Form -> its role and the word that it depends on."""
    tree = reader.read(sentence)
    forms = [word.form for word in tree.words]
    return {
        form: (role, forms[head - 1] if head else "")
        for form, head, role in zip(forms, tree.heads, tree.roles, strict=True)
    }


@pytest.mark.parametrize(
    "form, upos, feats",
    [
        ("hundoj", "NOUN", "Case=Nom|Number=Plur"), ("belajn", "ADJ", "Case=Acc|Number=Plur"), ("bele", "ADV", ""),
        ("hejmen", "ADV", "Case=Acc"), ("kuri", "VERB", "VerbForm=Inf"),
        ("kuras", "VERB", "Mood=Ind|Tense=Pres|VerbForm=Fin"),
        ("kurus", "VERB", "Mood=Cnd|VerbForm=Fin"), ("estis", "AUX", "Mood=Ind|Tense=Past|VerbForm=Fin"),
        ("lernonta", "ADJ", "Case=Nom|Number=Sing|Tense=Fut|VerbForm=Part|Voice=Act"),
        ("sekvate", "VERB", "Tense=Pres|VerbForm=Part|Voice=Pass"), ("kvardek", "NUM", "NumType=Card"),
        ("1905", "NUM", "NumType=Card"), ("15-an", "ADJ", "Case=Acc|Number=Sing|NumType=Ord"),
        ("tria", "ADJ", "Case=Nom|Number=Sing|NumType=Ord"),
        ("niajn", "DET", "Case=Acc|Number=Plur|Person=1|Poss=Yes|PronType=Prs"),
        ("gxojo", "NOUN", "Case=Nom|Number=Sing"),
    ],
)  # fmt: skip
def test_words(form: str, upos: str, feats: str) -> None:
    word = READER.analyser.word(form)
    assert (word.upos, word.feats) == (upos, feats)


def test_all_correlatives_with_their_cases() -> None:
    forms = [
        begin + end
        for begin in ("ki", "ti", "i", "ĉi", "neni")
        for end in ("u", "a", "o", "es", "e", "am", "al", "el", "om")
    ]
    inflected = [form + end for form in forms if form[-1] in "ua" for end in ("n", "j", "jn")]
    inflected += [form + "n" for form in forms if form[-1] in "oe"]
    assert len(forms) == 45 and set(forms + inflected) <= set(closed_words())
    assert closed_words()["neniujn"].feats == "Case=Acc|Number=Plur|PronType=Neg"


@pytest.mark.parametrize(
    "form, parts",
    [
        ("malsanulejo", (("mal",), ("san",), ("ul", "ej"))), ("ekparoladis", (("ek",), ("parol",), ("ad",))),
        ("dormoĉambro", ((), ("dorm", "ĉambr"), ())), ("nekompreneble", (("ne",), ("kompren",), ("ebl",))),
        ("vaporŝipo", ((), ("vapor", "ŝip"), ())), ("danĝero", ((), ("danĝer",), ())), ("ulo", ((), ("ul",), ())),
        ("eniri", (("en",), ("ir",), ())), ("boneco", ((), ("bon",), ("ec",))), ("revido", (("re",), ("vid",), ())),
    ],
)  # fmt: skip
def test_parts_of_a_word(form: str, parts: object) -> None:
    word = READER.analyser.word(form)
    assert (word.prefixes, (*word.compound, word.root), word.suffixes) == parts


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


@pytest.mark.parametrize(
    "sentence, word, role, head",
    [
        ("La katon vidas la hundo.", "katon", "obj", "vidas"),
        ("La katon vidas la hundo.", "hundo", "nsubj", "vidas"),
        ("Petro kaj Maria kantas.", "Maria", "conj", "Petro"),
        ("Li mangxas pomon, piron kaj panon.", "panon", "conj", "pomon"),
        ("La domo de mia patro brulis.", "patro", "nmod", "domo"),
        ("Mi laboris du tagojn.", "tagojn", "obl", "laboris"),
        ("Mi volas vidi la maron.", "maron", "obj", "vidi"),
        ("Mi volis lin bati.", "lin", "obj", "bati"),
        ("Li diris, ke li venos.", "venos", "ccomp", "diris"),
        ("Se li venos, mi ridos.", "venos", "advcl", "ridos"),
        ("La libro, kiun vi legas, estas bona.", "legas", "acl", "libro"),
        ("La urbo, en kiu mi loĝas, estas granda.", "kiu", "obl", "loĝas"),
        ("La viro, kies hundo bojas, estas mia amiko.", "bojas", "acl", "viro"),
        ("La viro, al kies hundo mi donis panon, foriris.", "donis", "acl", "viro"),
        ("La knabinoj kaj la viro, kies hundoj bojas, foriris.", "bojas", "acl", "viro"),
        ("Mi ne scias, kies hundo bojas.", "bojas", "ccomp", "scias"),
        ("Mi demandis la viron, en kiu domo li loĝas.", "loĝas", "ccomp", "demandis"),
        ("La knabo kaj la knabino, kiuj ludas, estas miaj infanoj.", "ludas", "acl", "knabo"),
        ("Petro, Maria kaj Johano, kiujn mi konas, venis.", "konas", "acl", "Petro"),
        ("La viro, kies filino kantas kaj kies filo dancas, ridas.", "dancas", "conj", "kantas"),
        ("La viro, kies filino kantas kaj kies filo dancas, ridas.", "kaj", "cc", "dancas"),
        ("Li venis kaj kiam mi kantis li foriris.", "kaj", "cc", "foriris"),
        ("Pasis du horoj, kiam li venis.", "venis", "advcl", "Pasis"),
        ("La hundo, kiam ĝi vidis min, forkuris.", "vidis", "advcl", "forkuris"),
        ("La urbo, kie li loĝas, estas granda.", "loĝas", "acl", "urbo"),
        ("La knabo, kiu loĝas en la urbo, kie mi kantas, venis.", "kantas", "acl", "urbo"),
        ("Li demandis min, kie mi loĝas.", "loĝas", "ccomp", "demandis"),
        ("Li venis la 15-an de decembro.", "15-an", "obl", "venis"),
        ("La 15-an li aĉetis domon.", "15-an", "obl", "aĉetis"),
        ("Li venis la dekan de majo.", "dekan", "obl", "venis"),
        ("Li prenis la dekan de la pomoj.", "dekan", "obj", "prenis"),
        ("Ili festas la 15-an de decembro.", "15-an", "obj", "festas"),
        ("Mi ne scias, kie li loĝas.", "loĝas", "ccomp", "scias"),
        ("Petro, donu al mi panon!", "Petro", "vocative", "donu"),
        ("La domo estas konstruita de mia avo.", "estas", "aux", "konstruita"),
        ("La domo estas konstruita de mia avo.", "avo", "obl", "konstruita"),
        ("Promenante sur la strato, mi falis.", "Promenante", "advcl", "falis"),
        ("Li estas pli forta ol mi.", "mi", "obl", "forta"),
        ("Antaŭ ol li venis, mi dormis.", "venis", "advcl", "dormis"),
        ("Ludoviko Zamenhof estis kuracisto.", "Zamenhof", "flat", "Ludoviko"),
        ("Kien iras la knabo?", "knabo", "nsubj", "iras"),
        ("Li kantas kaj ŝi dancas.", "dancas", "conj", "kantas"),
        ("Estas bone promeni.", "promeni", "csubj", "bone"),
    ],
)
def test_what_depends_on_what(sentence: str, word: str, role: str, head: str) -> None:
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
