"""Reads Esperanto by rule: words (`esperanto_words.py`), phrases, clauses, and what depends on what."""

import re
from collections.abc import Iterable, Sequence

from clew.memory.errors import BadInput
from clew.memory.language.clause_links import linked
from clew.memory.language.clause_parts import clauses_of
from clew.memory.language.dependencies import resolve
from clew.memory.language.esperanto_words import ENDINGS, Analyser, with_hats
from clew.memory.language.noun_phrases import Draft, SeenForm, drafted
from clew.memory.language.trees import Mood, Tree, WordForm

STOP = frozenset(("est", "hav", "far"))
"""Roots that say too little to search by (seed 002)."""

_FORM = re.compile(r"[lL]['’](?=\s?\w)|\d[\d.,:]*\d(?:-?[aoe]j?n?)?\b|\w+(?:[-‑]\w+)*(?:['’](?!\w))?|\.\.\.|--|[^\w\s]")
_OPENING_QUOTE = re.compile(r"(?:^|[\s(])['’‘]")


def tokenize(sentence: str) -> list[str]:
    """Words and marks; an apostrophe belongs to the word that it shortens, where no quote is open."""
    forms = _FORM.findall(sentence)
    if _OPENING_QUOTE.search(sentence):
        forms = [part for form in forms for part in (_unquoted(form) if form[-1] in "'’" else (form,))]
    return forms


def _unquoted(form: str) -> tuple[str, ...]:
    return (form[:-1], form[-1]) if len(form) > 2 else (form,)


class Esperanto:
    """The reader of Esperanto. `strict` refuses words with an unknown root; `known` are roots beside its own."""

    language = "eo"

    def __init__(self, strict: bool = False, known: Iterable[str] = ()) -> None:
        self.analyser = Analyser()
        self.analyser.learn(known)
        self.strict = strict
        self._tokens: dict[str, SeenForm] = {}

    def read(self, sentence: str) -> Tree:
        forms = tokenize(sentence)
        if not forms:
            raise BadInput("there is no word to read")
        return self.tree(forms)

    def tree(self, forms: Sequence[str]) -> Tree:
        word = self.analyser.word
        words = [word(form) for form in forms]
        if self.strict and (unknown := next((one for one in words if not one.known and one.upos != "PROPN"), None)):
            raise BadInput(f"no root of {unknown.form!r} is known")
        draft = drafted(words, self._tokens, forms[-1] == "?" or "?" in forms)
        clauses = clauses_of(draft)
        for clause in reversed(clauses):
            resolve(draft, clause)
        root = linked(draft, clauses)
        return _finished(draft, root)

    def keywords(self, tree: Tree) -> list[str]:
        return tree.keywords(STOP)

    def forms(self, keyword: str) -> list[str]:
        stem = keyword[:-1] if keyword.endswith(("o", "a")) else keyword
        return [stem + ending for ending in ENDINGS]


def _finished(draft: Draft, root: int) -> Tree:
    """One root, no circles, punctuation in its place."""
    heads, roles, size = draft.heads, draft.roles, len(draft.heads)
    heads[root], roles[root] = root, "root"
    for place in range(size):
        if heads[place] < 0 and draft.tokens[place].kind != ",":
            heads[place], roles[place] = root, roles[place] or "dep"
    for place in range(size):
        if heads[place] == place and place != root:
            heads[place] = root
    _break_circles(heads, root)
    for place in range(size):
        if place != root and draft.tokens[place].kind == "," and (heads[place] < 0 or heads[place] == place):
            heads[place], roles[place] = _of_mark(heads, draft, place, root), "punct"
    words = tuple(
        token.word if token.word.upos == upos else _retagged(token.word, upos)
        for token, upos in zip(draft.tokens, draft.upos, strict=True)
    )
    mood, asks = _mood(draft, root)
    return Tree(words, tuple(0 if i == root else head + 1 for i, head in enumerate(heads)), tuple(roles), mood, asks)


def _break_circles(heads: list[int], root: int) -> None:
    for place in range(len(heads)):
        if heads[place] < 0:
            continue
        seen = set()
        at = place
        while at != root and heads[at] >= 0:
            if at in seen:
                heads[at] = root
                break
            seen.add(at)
            at = heads[at]


def _of_mark(heads: list[int], draft: Draft, place: int, root: int) -> int:
    """What a mark belongs to: the highest word of the part that it opens or closes. At the end, the root."""
    size = len(heads)
    last = size - 1
    while last > 0 and draft.tokens[last].kind == ",":
        last -= 1
    if place > last:
        return root
    right = place + 1
    while right < size and draft.tokens[right].kind == ",":
        right += 1
    left = place - 1
    while left >= 0 and draft.tokens[left].kind == ",":
        left -= 1
    while right < size and right != root and heads[right] > place:
        right = heads[right]
    if left < 0:
        return right if right < size else root
    if right != root and right < size:
        return right
    opened = {heads[one] for one in range(place) if draft.tokens[one].kind == ","}
    while left != root and 0 <= heads[left] < place and left not in opened:
        left = heads[left]
    return left


def _retagged(word: WordForm, upos: str) -> WordForm:
    if upos == "PROPN" and word.upos != "PROPN":
        form = with_hats(word.form)
        lemma = form[: len(word.lemma)]
        return word._replace(upos=upos, lemma=lemma, root=lemma.lower() if not word.known else word.root)
    return word._replace(upos=upos)


def _mood(draft: Draft, root: int) -> tuple[Mood, str]:
    if draft.question:
        asks = next((token.word.lemma for token in draft.tokens if token.asks or token.word.lemma == "ĉu"), "")
        return "question", asks
    first = draft.tokens[0].word.lemma
    if first == "ĉu":
        return "question", first
    finite = [i for i, token in enumerate(draft.tokens) if token.kind in "VE" and (i == root or draft.heads[i] == root)]
    command = any(draft.tokens[i].word.feats.startswith("Mood=Imp") for i in finite[:1])
    return ("command" if command else "statement"), ""
