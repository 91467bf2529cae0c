"""The readers of languages by name; and that of English: by the dependency parse of a spaCy pipeline where one is
installed, else by what is plain to see.

spaCy's labels are those of ClearNLP; trees are UD's, so that prepositions and copulas depend on what they stand with.
Without a pipeline a sentence is read shallowly: names, content words and question words, nouns around the first verb.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from clew.memory.errors import BadInput
from clew.memory.language.esperanto import Esperanto
from clew.memory.language.telling import language_of
from clew.memory.language.trees import Mood, SentenceReader, Tree, WordForm
from clew.memory.text import NAMES, word_lists

TABLE = {name: frozenset(words) for name, words in word_lists(Path(__file__).with_name("english_words.txt")).items()}
CLOSED = {word: name for name in reversed(TABLE) if name.isupper() for word in TABLE[name]}
STOP = TABLE["common"] | TABLE["AUX"]

_FORM = re.compile(r"n['’]t\b|['’](?:s|re|ve|ll|d|m)\b|\d[\d.,:]*\d|\w+?(?=n['’]t\b)|\w+(?:-\w+)*|[^\w\s]")
_ENDINGS = {
    "ADV": ("ly",),
    "VERB": ("ed", "ing", "ify", "ize", "ise"),
    "ADJ": ("ous", "ful", "able", "ible", "ive", "less", "ish", "ic", "al"),
}
_SUBJECTS = {"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"}
UD = {
    "dobj": "obj", "nsubjpass": "nsubj", "csubjpass": "csubj", "auxpass": "aux", "attr": "xcomp", "acomp": "xcomp",
    "oprd": "xcomp", "dative": "iobj", "poss": "nmod", "prt": "compound", "neg": "advmod", "intj": "discourse",
    "relcl": "acl", "npadvmod": "obl", "pobj": "obl", "pcomp": "advcl", "prep": "case", "agent": "case",
    "preconj": "cc", "predet": "det", "quantmod": "advmod", "nn": "compound", "number": "nummod", "num": "nummod",
    "possessive": "case", "meta": "dep", "complm": "mark", "ROOT": "root", "": "dep",
}  # fmt: skip


class English:
    """The reader of English; `pipeline` is a spaCy `Language`, or nothing. In strict mode it refuses nothing: there is
    no list of roots that a word could be missing from."""

    language = "en"

    def __init__(self, pipeline: Any = None) -> None:
        self._pipeline = pipeline

    def read(self, sentence: str) -> Tree:
        forms = (
            [token.text for token in self._pipeline.make_doc(sentence) if not token.is_space] if self._pipeline else []
        )
        forms = forms or _FORM.findall(sentence)
        if not forms:
            raise BadInput("there is no word to read")
        return self.tree(forms)

    def tree(self, forms: Sequence[str]) -> Tree:
        if self._pipeline is not None:
            from spacy.tokens import Doc

            doc = self._pipeline(Doc(self._pipeline.vocab, words=list(forms)))
            if doc.has_annotation("DEP"):
                return _parsed(doc)
        return _shallow(forms)

    def keywords(self, tree: Tree) -> list[str]:
        return tree.keywords(STOP)

    def forms(self, keyword: str) -> list[str]:
        return [keyword]


def installed_pipeline() -> Any:
    """The first English spaCy pipeline that is installed, or nothing."""
    try:
        import spacy
    except ImportError:
        return None
    name = min((name for name in spacy.util.get_installed_models() if name.startswith("en_")), default="")
    return spacy.load(name) if name else None


def _parsed(doc: Any) -> Tree:
    heads = [token.head.i for token in doc]
    roles = [token.dep_ if token.dep_ in UD.values() else UD.get(token.dep_, "dep") for token in doc]
    for token in doc:
        if token.dep_ in ("prep", "agent") and (
            inner := next((c for c in token.children if c.dep_ in ("pobj", "pcomp")), None)
        ):
            heads[inner.i], heads[token.i] = heads[token.i], inner.i
            noun = token.head.pos_ in ("NOUN", "PROPN", "PRON", "NUM")
            roles[inner.i] = ("nmod" if noun else "obl") if inner.dep_ == "pobj" else "advcl"
            for child in token.children:
                if child is not inner and child.i != inner.i:
                    heads[child.i] = inner.i
    for token in doc:
        if token.lemma_.casefold() == "be" or token.lower_ in ("is", "are", "was", "were", "am", "'s"):
            said = next((child for child in token.children if child.dep_ in ("attr", "acomp")), None)
            if said is not None:
                _turned(heads, roles, token.i, said.i)
    root = next(i for i, head in enumerate(heads) if head == i)
    for place, head in enumerate(heads):  # one sentence, whatever the pipeline made of it
        if head == place and place != root:
            heads[place], roles[place] = root, "parataxis"
    words = tuple(
        WordForm(
            token.text,
            token.lemma_ or token.lower_,
            token.pos_ or "X",
            str(token.morph),
            (token.lemma_ or token.text).casefold(),
        )
        for token in doc
    )
    return _tree(words, heads, roles, root)


def _turned(heads: list[int], roles: list[str], copula: int, said: int) -> None:
    """What is said by `be` becomes the head, and `be` its copula."""
    above, role = heads[copula], roles[copula]
    for place, head in enumerate(heads):
        if head == copula and place not in (copula, said):
            heads[place] = said
    heads[said], roles[said] = (said if above == copula else above), role
    heads[copula], roles[copula] = said, "cop"


def _shallow(forms: Sequence[str]) -> Tree:
    upos = [_part_of_speech(forms, place) for place in range(len(forms))]
    size = len(forms)
    verbs = [i for i in range(size) if upos[i] == "VERB"] or [i for i in range(size) if upos[i] == "AUX"]
    root = verbs[0] if verbs else next((i for i in range(size) if upos[i] in ("NOUN", "PROPN")), 0)
    heads, roles = [root] * size, ["dep"] * size
    nouns = ("NOUN", "PROPN", "PRON", "NUM")
    for place in range(size):
        noun = next((i for i in range(place + 1, size) if upos[i] in nouns), -1)
        here = upos[place]
        if here == "PROPN" and place and upos[place - 1] == "PROPN":
            first = place - 1
            while roles[first] == "flat":
                first = heads[first]
            heads[place], roles[place] = first, "flat"
        elif here in ("DET", "ADJ", "ADP") and noun >= 0:
            heads[place], roles[place] = noun, {"DET": "det", "ADJ": "amod", "ADP": "case"}[here]
        elif here == "NOUN" and place + 1 < size and upos[place + 1] == "NOUN":
            heads[place], roles[place] = place + 1, "compound"
        elif here in nouns and place != root:
            cased = any(upos[i] == "ADP" for i in range(max(0, place - 3), place) if heads[i] == place)
            roles[place] = "obl" if cased else "nsubj" if place < root else "obj"
        elif here in ("AUX", "ADV", "PUNCT", "CCONJ", "SCONJ"):
            roles[place] = {"AUX": "aux", "ADV": "advmod", "PUNCT": "punct", "CCONJ": "cc", "SCONJ": "mark"}[here]
    words = tuple(
        WordForm(form, _lemma(form, tag), tag, "", _lemma(form, tag).casefold())
        for form, tag in zip(forms, upos, strict=True)
    )
    heads[root], roles[root] = root, "root"
    return _tree(words, heads, roles, root)


def _part_of_speech(forms: Sequence[str], place: int) -> str:
    form = forms[place]
    low = form.casefold().replace("’", "'")
    if not any(map(str.isalnum, form)):
        return "PUNCT"
    if form[0].isdigit():
        return "NUM"
    if low in CLOSED and (place == 0 or form.islower() or low == "i"):
        return CLOSED[low]
    after = forms[place + 1] if place + 1 < len(forms) else ""
    if form[0].isupper() and (place or (after[:1].isupper() and after.casefold() not in CLOSED)):
        return "PROPN"
    for upos, endings in _ENDINGS.items():
        if low[2:].endswith(endings):
            return upos
    before = forms[place - 1].casefold() if place else ""
    return "VERB" if before in ("to", "who", "i", "you", "we", "they", "he", "she", "it") else "NOUN"


def _lemma(form: str, upos: str) -> str:
    low = form if upos == "PROPN" else form.casefold()
    if upos == "NOUN" and low.endswith("s") and not low.endswith(("ss", "us", "is")):
        return low[:-3] + "y" if low.endswith("ies") else low[:-1]
    return low


def _tree(words: tuple[WordForm, ...], heads: list[int], roles: list[str], root: int) -> Tree:
    low = [word.form.casefold() for word in words]
    asks = next((form for form in low if form in TABLE["asking"]), "")
    mood: Mood = "statement"
    if low[-1] == "?" or "?" in low or low[0] in TABLE["asking"]:
        mood = "question"
    elif words[root].upos == "VERB" and not any(
        head == root and role in _SUBJECTS for head, role in zip(heads, roles, strict=True)
    ):
        mood = "command"
    counted = tuple(0 if place == root else head + 1 for place, head in enumerate(heads))
    return Tree(words, counted, tuple(roles), mood, asks if mood == "question" else "")


READ = ("eo", "en")


def reader_of(language: str, strict: bool = False, known: Iterable[str] = ()) -> SentenceReader:
    """`known` are roots of Esperanto beside the reader's own. Raises `BadInput` for a language that none reads."""
    if language == "eo":
        return Esperanto(strict, known)
    if language == "en":
        return English(installed_pipeline())
    known = " or ".join(f"{one} ({NAMES[one]})" for one in READ)
    raise BadInput(f"sentences are read in {known}, not in {NAMES.get(language, language)}", "--language eo")


def detected(text: str) -> str:
    """The language of a text. Raises `BadInput` where it cannot be told."""
    found = language_of(text)
    if not found:
        raise BadInput("the language of the text cannot be told", "--language eo, or --language en")
    return found
