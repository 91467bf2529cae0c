"""Reads Esperanto by rule: words (`esperanto_words.py`), phrases, clauses, and what depends on what; then how the
clauses hang together."""

import re
from collections.abc import Iterable, Sequence

from clew.memory.errors import BadInput
from clew.memory.language.clause_parts import ClauseDraft, clauses_of
from clew.memory.language.dependencies import resolve
from clew.memory.language.esperanto_words import ENDINGS, TABLE, Analyser, with_hats
from clew.memory.language.noun_phrases import Constituent, Draft, SeenForm, drafted
from clew.memory.language.trees import Mood, Tree, WordForm

STOP = frozenset(("est", "hav", "far"))
"""Roots that say too little to search by (seed 002)."""

BOUND = TABLE["suffixes"] | TABLE["numerals"] | TABLE["adpositions"] | TABLE["adverbs"]
"""What is no keyword where it stands in a compound before its last root (`unu` of `unutaga`)."""

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
        return tree.keywords(STOP, BOUND)

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
        seen, at = set[int](), place
        while at != root and heads[at] >= 0:
            if at in seen:
                heads[at] = root
                break
            seen.add(at)
            at = heads[at]


def _of_mark(heads: list[int], draft: Draft, place: int, root: int) -> int:
    """What a mark belongs to: the highest word of the part that it opens or closes. At the end, the root."""
    marks = {at for at, token in enumerate(draft.tokens) if token.kind == ","}
    left = next((at for at in range(place - 1, -1, -1) if at not in marks), -1)
    right = next((at for at in range(place + 1, len(heads)) if at not in marks), -1)
    if right < 0:
        return root
    while right != root and heads[right] > place:
        right = heads[right]
    if left < 0 or right != root:
        return right
    opened = {heads[at] for at in marks if at < place}
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


def linked(draft: Draft, clauses: list[ClauseDraft]) -> int:
    """Attaches the heads of clauses to one another; the place of the root."""
    main = clauses[0]
    heads = [clause for clause in clauses if clause.head >= 0]
    root = main.head if main.head >= 0 else (heads[0].head if heads else 0)
    for clause in clauses:
        head = clause.head
        if head < 0:
            if clause.opener is not None and draft.heads[clause.opener.head] < 0:
                draft.attach(clause.opener.head, root, "dep")
            continue
        if clause.opener is not None and clause.opener.kind in "QT" and clause.opener.head != head:
            draft.attach(clause.opener.head, head, "mark")
        if clause.joined >= 0:
            draft.attach(clause.joined, head, "cc")
        if head == root:
            continue
        if clause.beside is not None and clause.beside.head >= 0:
            _coordinated(draft, clause, clause.beside)
        elif clause.noun >= 0:
            noun = clause.noun
            if draft.roles[noun] == "conj" and clause.opener is not None:
                both = draft.tokens[draft.asking(clause.opener)].plural
                noun = draft.heads[noun] if both else noun
            draft.attach(head, noun, "acl")
        else:
            _subordinate(draft, clause, root)
    return root


def _coordinated(draft: Draft, clause: ClauseDraft, target: ClauseDraft) -> None:
    """To the first of the clauses beside one another; beside what is told (`... , diris li`) it stands apart."""
    while target.beside is not None and target.beside.head >= 0 and not target.mark:
        target = target.beside
    verb = clause.verb
    told = clause.joined < 0 and verb is not None and draft.tokens[verb.head].word.root in TABLE["speech"]
    own_subject = any(one.nominative for one in clause.phrases if one.head < clause.head)
    apart = clause.mark in (":", "–", "—") or (told and not own_subject)
    draft.attach(clause.head, target.head, "parataxis" if apart else "conj")


def _subordinate(draft: Draft, clause: ClauseDraft, root: int) -> None:
    """To the verb of the clause around it, or to what it says more of there."""
    head, opener, parent, start = clause.head, clause.opener, clause.parent, clause.start
    around = parent.phrases if parent is not None else []
    to = parent.head if parent is not None and parent.head >= 0 else root
    asking = draft.asking(opener) if opener is not None else -1
    lemma = draft.lemma(asking) if opener is not None else ""
    governor = next((one.head for one in reversed(around) if one.kind in "IG" and to < one.head < start), to)
    roles = {draft.roles[place] for place, its in enumerate(draft.heads) if its == to}
    subjectless = not roles & {"nsubj", "csubj"}

    def before(*lemmas: str) -> int:
        """The last place before the clause with one of these."""
        return next((place for place in range(start - 1, -1, -1) if draft.lemma(place) in lemmas), -1)

    if lemma in ("ke", "ĉu"):
        noun = next((one for one in reversed(around) if one.kind != "," and one.end <= start), None)
        near = before("tiel", "tiom", "tia") if lemma == "ke" else -1
        if noun and noun.kind == "N" and noun.head != to and _takes_clause(draft, noun):
            draft.attach(head, noun.head, "acl")
        elif near >= 0:
            said = draft.heads[near] if draft.roles[near] in ("advmod", "amod", "det") else governor
            draft.attach(head, said if 0 <= said < start else governor, "advcl")
        else:
            draft.attach(head, governor, "csubj" if "cop" in roles and subjectless else "ccomp")
        return
    free = opener is not None and draft.tokens[asking].asks and draft.tokens[asking].kind in "DPS"
    first = parent is not None and parent.verb is not None and start < parent.verb.head
    content = lemma in ("kie", "kien", "kial", "kiom", "kies") or (
        lemma == "kiel" and before("tiel", "same", "tia") < 0
    )
    if free and first and subjectless:
        draft.attach(head, governor, "csubj")
    else:
        draft.attach(head, governor, "ccomp" if free or (content and start > to) else "advcl")


def _takes_clause(draft: Draft, noun: Constituent) -> bool:
    """Whether `ke` says more of a noun: of an object, or behind a preposition, or of `tio`."""
    return not noun.bare or noun.case == "A" or draft.lemma(noun.head) == "tio"
