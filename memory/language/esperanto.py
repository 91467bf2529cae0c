"""Reads Esperanto by rule: words (`esperanto_words.py`), phrases and clauses (`esperanto_phrases.py`), what depends on
what in each clause, and how the clauses hang together."""

import re
from collections.abc import Iterable, Sequence

from clew.memory.errors import BadInput
from clew.memory.language.esperanto_phrases import (
    PLACES,
    ClauseDraft,
    Constituent,
    Draft,
    SeenForm,
    clauses_of,
    drafted,
)
from clew.memory.language.esperanto_words import ENDINGS, TABLE, Analyser, with_hats
from clew.memory.language.telling import language_of
from clew.memory.language.trees import Mood, Tree, WordForm
from clew.memory.text import NAMES

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
        closed = ((form, len(form) > 2 and form[-1] in "'’") for form in forms)
        forms = [part for form, closes in closed for part in ((form[:-1], form[-1]) if closes else (form,))]
    return forms


def check_esperanto(text: str) -> None:
    """Raises `BadInput` for a text that is told to be of another language."""
    if (found := language_of(text)) not in ("eo", ""):
        raise BadInput(
            f"sentences are read in Esperanto, not in {NAMES[found]}", "--language eo, to read it all the same"
        )


class Esperanto:
    """The reader of Esperanto. `strict` refuses words with an unknown root; `known` are roots beside its own."""

    def __init__(self, strict: bool = False, known: Iterable[str] = ()) -> None:
        self.analyser = Analyser()
        self.analyser.learn(known)
        self.strict = strict
        self._tokens: dict[str, SeenForm] = {}

    def read(self, sentence: str) -> Tree:
        """Raises `BadInput` for a sentence without words, and in strict mode for a word that it does not know."""
        forms = tokenize(sentence)
        if not forms:
            raise BadInput("there is no word to read")
        return self.tree(forms)

    def tree(self, forms: Sequence[str]) -> Tree:
        """The tree of words and punctuation marks that are told apart already; it has as many words as there are
        forms."""
        word = self.analyser.word
        words = [word(form) for form in forms]
        if self.strict and (unknown := next((one for one in words if not one.known and one.upos != "PROPN"), None)):
            raise BadInput(f"no root of {unknown.form!r} is known")
        draft = drafted(words, self._tokens, "?" in forms)
        clauses = clauses_of(draft)
        for clause in reversed(clauses):
            resolve(draft, clause)
        root = linked(draft, clauses)
        return _finished(draft, root)

    def keywords(self, tree: Tree) -> list[str]:
        return tree.keywords(STOP, BOUND)

    def forms(self, keyword: str) -> list[str]:
        """The forms that a keyword may have in a sentence."""
        stem = keyword[:-1] if keyword.endswith(("o", "a")) else keyword
        return [stem + ending for ending in ENDINGS]


def _finished(draft: Draft, root: int) -> Tree:
    """One root, no circles, punctuation in its place."""
    heads, roles, size = draft.heads, draft.roles, len(draft.heads)
    heads[root], roles[root] = root, "root"
    for place in range(size):
        if heads[place] < 0 and draft.tokens[place].kind != ",":
            heads[place], roles[place] = root, roles[place] or "dep"
    _break_circles(heads, root)
    for place in range(size):
        if place != root and draft.tokens[place].kind == "," and heads[place] < 0:
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
    root = next((clause.head for clause in clauses if clause.head >= 0), 0)
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
        near = before("tiel", "tiom", "tia") if lemma == "ke" else -1
        if near >= 0:
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


# Within a clause: heads and relations of UD ---------------------------------------------------------------------------


def resolve(draft: Draft, clause: ClauseDraft) -> None:
    """Finds the head of a clause and attaches its phrases to it."""
    coordinate(draft, clause)
    free = [phrase for phrase in clause.phrases if not phrase.done and phrase.kind not in ",C"]
    if clause.verb is None:
        clause.head = without_verb(free)
    else:
        clause.head = predicate(draft, clause, free, clause.verb) if clause.verb.kind == "E" else clause.verb.head
    if clause.head < 0:
        return
    for phrase in clause.phrases[:1]:
        if phrase.kind == "C" and not phrase.done:
            draft.attach(phrase.head, clause.head, "cc")
    _Attacher(draft, clause, free).run()


ALONE = {"G": "advcl", "J": "discourse", "T": "advmod", "V": "parataxis", "E": "parataxis", "Q": "mark"}
"""Roles of what a kind alone decides."""


class _Attacher:
    """Gives the phrases of one clause their heads."""

    def __init__(self, draft: Draft, clause: ClauseDraft, free: list[Constituent]) -> None:
        self.draft, self.clause, self.tokens = draft, clause, draft.tokens
        self.free = [phrase for phrase in free if phrase.head != clause.head and not phrase.done]
        self.head, self.verb, self.subject = clause.head, clause.verb, -1
        self.copula = clause.verb is not None and clause.verb.head != clause.head
        self.infinitives = [p.head for p in clause.phrases if p.kind == "I" and p.head != self.head]
        self.modal = self.verb is not None and self._root(self.head) in TABLE["modals"]

    def run(self) -> None:
        for phrase in self.free:
            if phrase.kind == "I":
                self._infinitive(phrase)
        self._subject()
        for phrase in self.free:
            if not phrase.done:
                self._other(phrase)

    # What stands where --------------------------------------------------------------------------------------------

    def _put(self, phrase: Constituent, head: int, role: str) -> None:
        self.draft.attach(phrase.head, head, role)
        phrase.done = True

    def _root(self, place: int) -> str:
        return self.tokens[place].word.root

    def _before(self, phrase: Constituent) -> Constituent | None:
        place = self.clause.phrases.index(phrase)
        return self.clause.phrases[place - 1] if place else None

    def _after(self, phrase: Constituent) -> Constituent | None:
        return next(iter(self.clause.phrases[self.clause.phrases.index(phrase) + 1 :]), None)

    def _opens(self, phrase: Constituent) -> bool:
        """Whether it stands before the verb."""
        return self.verb is not None and phrase.head < self.verb.head

    def _governor(self, phrase: Constituent) -> int:
        """The infinitive or adverbial participle that a phrase belongs to, else the head of the clause."""
        before = -1
        for one in self.clause.phrases:
            if one.start >= phrase.start:
                break
            participle = one.kind == "A" and self.tokens[one.head].participle and one.head != self.head
            if one.kind in "IG" or participle:
                before = one.head
            elif one.kind in "VE" or (one.kind == "," and before >= 0 and self.tokens[before].kind in "GA"):
                before = -1
        if before not in (-1, phrase.head):
            return before
        if self.modal and not self._opens(phrase):
            return next((one for one in self.infinitives if one > phrase.head), self.head)
        return self.head

    # Infinitives --------------------------------------------------------------------------------------------------

    def _infinitive(self, phrase: Constituent) -> None:
        head, before = self.head, self._before(phrase)
        noun = before if before is not None and before.kind == "N" else None
        described = self.tokens[head].kind in "AR" or self._opens(phrase)
        if not phrase.bare:
            self._put(phrase, self._governor(phrase), "advcl")
        elif self.copula and described and not any(one.nominative for one in self.free):
            self._put(phrase, head, "csubj")
        elif noun is not None and noun.end == phrase.start and self._task(noun):
            self._put(phrase, noun.head, "acl")
        elif self.copula and before is not None and before.head == head and self.tokens[head].kind == "N":
            self._put(phrase, head, "acl")
        elif self.verb is not None or phrase.head != head:
            self._put(phrase, self._governor(phrase), "xcomp")

    def _task(self, noun: Constituent) -> bool:
        """Whether an infinitive says what a noun is for (`la rajto paroli`), where the verb is none that takes both."""
        word = self.tokens[noun.head].word
        task = word.root in TABLE["tasks"] or word.suffixes[-1:] in (("ebl",), ("ec",), ("em",))
        return task and self._root(self.head) not in TABLE["control"]

    # The subject --------------------------------------------------------------------------------------------------

    def _subject(self) -> None:
        """The first nominative without a preposition; set off by a comma before an imperative or `vi` it is called."""
        if self.verb is None:
            return
        nominal = [one for one in self.free if one.kind in "NA" and one.case == "N" and one.bare and not one.done]
        nouns = [one for one in nominal if one.kind == "N"] or nominal
        uncalled = [one for one in nouns if not self._called(one)]
        if len(nouns) == 1:
            nouns = uncalled
        for chosen in ([one for one in uncalled if self._opens(one)] or uncalled or nouns)[:1]:
            self._put(chosen, self.head, "nsubj")
            self.subject = chosen.head

    def _called(self, phrase: Constituent) -> bool:
        draft, phrases = self.draft, self.clause.phrases
        before = phrase.start == 0 or draft.kind(phrase.start - 1) == ","
        if self.tokens[phrase.head].kind == "P" or draft.kind(phrase.end) != "," or not before:
            return False
        if self.verb is not None and self.tokens[self.verb.head].word.feats.startswith("Mood=Imp"):
            return True
        others = any(one is not phrase and one.nominative for one in phrases)
        near_the_end = 0 < phrases.index(phrase) == len(phrases) - 2
        return others and (near_the_end or any(draft.lemma(one.head) in ("vi", "ci") for one in phrases))

    # The rest -----------------------------------------------------------------------------------------------------

    def _other(self, phrase: Constituent) -> None:
        before = self._before(phrase)
        object_ = phrase.kind == "A" and phrase.case == "A" and (before is None or before.kind not in "N,")
        if phrase.kind == "N" and not phrase.bare:
            self._prepositional(phrase)
        elif phrase.kind == "N" or object_:
            self._noun(phrase)
        elif phrase.kind == "A":
            self._adjective(phrase, before)
        elif phrase.kind == "R":
            self._adverb(phrase)
        else:
            self._put(phrase, self.head, ALONE.get(phrase.kind, "dep"))
        if self.draft.heads[phrase.head] < 0:
            self.draft.attach(phrase.head, self.head, "dep")

    def _adjective(self, phrase: Constituent, before: Constituent | None) -> None:
        """One that stands alone: set off by a comma it says more of the noun before, or of the subject after it."""
        token = self.tokens[phrase.head]
        role = "acl" if token.participle else "amod"
        if before is not None and before.kind == ",":
            for one in reversed(self.clause.phrases[: self.clause.phrases.index(before)]):
                same_case = (one.case or "N") == (phrase.case or "N")
                if one.kind == "N" and same_case and self.tokens[one.head].plural == token.plural:
                    self._put(phrase, one.head, role)
                    return
        of_subject = token.participle and self._opens(phrase) and self.subject > phrase.head
        if of_subject and self.tokens[self.subject].plural == token.plural:
            self._put(phrase, self.subject, role)
        else:
            object_ = phrase.case == "A" and before is not None and before.kind != "N"
            self._put(phrase, self._governor(phrase), "obj" if object_ else "xcomp")

    def _noun(self, phrase: Constituent) -> None:
        draft, governor = self.draft, self._governor(phrase)
        if phrase.case == "A":
            objects = (
                one.head for one in self.clause.phrases if one.kind not in ",C" and draft.heads[one.head] == governor
            )
            oblique = self._timed(phrase, governor) or any(draft.roles[one] == "obj" for one in objects)
            self._put(phrase, governor, "obl" if oblique else "obj")
            return
        earlier = [
            one
            for one in self.clause.phrases[: self.clause.phrases.index(phrase)]
            if not is_light(draft, one) and draft.lemma(one.head) not in TABLE["focus"]
        ]
        near = next((one for one in reversed(earlier) if one.kind != ","), None)
        if self._called(phrase):
            self._put(phrase, self.head, "vocative")
        elif near and near.kind == "N" and near.head != phrase.head and (near.case == "N" or not near.bare):
            apart = earlier[-1].kind == "," or draft.upos[phrase.head] != "PROPN"
            self._put(phrase, near.head, "appos" if apart else "flat")
        elif self.verb is not None and phrase.head > self.verb.head:
            self._put(phrase, governor, "xcomp")
        else:
            subject = self.subject < 0 and governor == self.head and self.verb is not None
            self._put(phrase, self.head, "nsubj" if subject else "obl")

    def _timed(self, phrase: Constituent, governor: int) -> bool:
        """Whether an accusative says when or how long (`du tagojn`), and not what is had or spent."""
        measured = phrase.end - phrase.start > 1 and self._root(phrase.head) in TABLE["time"]
        return (measured or self._date(phrase)) and self._root(governor) not in TABLE["spent"]

    def _date(self, phrase: Constituent) -> bool:
        """Whether it is an ordinal without a noun that a month follows (`la dekan de majo`), or one in digits."""
        word, after = self.tokens[phrase.head].word, self._after(phrase)
        if word.feature("NumType") != "Ord":
            return False
        of_month = after is not None and not after.bare and self.draft.lemma(after.preposition) == "de"
        return word.form[0].isdigit() or (of_month and after is not None and self._root(after.head) in TABLE["months"])

    def _prepositional(self, phrase: Constituent) -> None:
        """To the noun right before it, or to the verb: by the preposition, and by where it stands."""
        before, lemma = self._before(phrase), self.draft.lemma(phrase.preposition)
        governor, role = self._governor(phrase), "obl"
        if lemma in ("ol", "kiel", "kvazaŭ"):
            compared = self._compared(phrase)
            if compared >= 0:
                governor, role = compared, "nmod" if self.tokens[compared].kind == "N" else "obl"
        elif before is not None and before.kind == "R":
            if lemma in ("da", "de", "el") and not is_light(self.draft, before):
                governor, role = before.head, "nmod" if lemma == "da" else "obl"
        elif before is not None and before.head != phrase.head and self._modifies(phrase, before, lemma):
            governor, role = before.head, "nmod"
        self._put(phrase, governor, role)

    def _modifies(self, phrase: Constituent, noun: Constituent, lemma: str) -> bool:
        """Whether it says of which the noun before it is."""
        token = self.tokens[noun.head]
        if noun.kind != "N" or (token.kind == "P" and lemma not in ("el", "de")):
            return False
        if token.word.root in TABLE["time"] and noun.case == "A" and lemma != "da":
            return False
        first = self._opens(phrase) and noun.nominative and token.kind != "P"
        return first or lemma in TABLE["nominal"] or self.verb is None

    def _compared(self, phrase: Constituent) -> int:
        """The adjective or adverb that `ol` or `kiel` compares by: the last one said to be more or as much; -1 where
        there is none."""
        for place in range(phrase.preposition - 1, -1, -1):
            lemma, head = self.draft.lemma(place), self.draft.heads[place]
            if lemma in ("sama", "tia", "alia"):
                return head if head >= 0 and self.draft.roles[place] == "advmod" else place
            if lemma in ("pli", "malpli", "tiel", "same", "tiom", "alie"):
                return head
        return -1

    def _adverb(self, phrase: Constituent) -> None:
        lemma, after = self.draft.lemma(phrase.head), self._after(phrase)
        if after is not None and self._stresses(lemma, after):
            self._put(phrase, after.head, "advmod")
        elif lemma in ("ne", "jes") and phrase is self.clause.phrases[0] and after is not None and after.kind == ",":
            self._put(phrase, self.head, "discourse")
        elif after is not None and (after.kind == "G" or (after.kind == "I" and not after.bare)):
            self._put(phrase, after.head, "advmod")
        else:
            self._put(phrase, self._governor(phrase), "advmod")

    def _stresses(self, lemma: str, after: Constituent) -> bool:
        """Whether an adverb belongs to the phrase after it: `ne`, `nur`, or what says how much."""
        if lemma == "ne" or lemma in TABLE["focus"]:
            return after.kind in "NARIG" and (lemma == "ne" or after.head != self.head or not self.copula)
        measures = lemma in TABLE["degree"] or lemma in ("jam", "nun")
        return measures and after.kind == "R" and self.draft.lemma(after.head) in ("ne", "multe", "bone")


# What `esti` says of its subject, and what is coordinated -------------------------------------------------------------


def without_verb(free: list[Constituent]) -> int:
    """Return the place of the word that heads a sentence without a verb; -1 if there are no phrases."""
    for kinds in ("I", "N", "A", "R", "G", "J", "TQB"):
        for phrase in free:
            if phrase.kind in kinds and (kinds != "N" or phrase.preposition < 0 or len(free) == 1):
                return phrase.head
    return free[0].head if free else -1


def predicate(draft: Draft, clause: ClauseDraft, free: list[Constituent], verb: Constituent) -> int:
    """The head of a clause with `esti`, which is then a copula or auxiliary; or the verb itself where it says that
    something exists."""
    found = _predicate_phrase(draft, free, verb, clause.said_of)
    if found is None:
        draft.upos[verb.head] = "VERB"
        return verb.head
    token = draft.tokens[found.head]
    if token.participle and found.kind == "A":
        draft.upos[found.head] = "VERB"
        draft.attach(verb.head, found.head, "aux")
    else:
        draft.attach(verb.head, found.head, "cop")
    found.done = verb.done = True
    return found.head


def _predicate_phrase(draft: Draft, free: list[Constituent], verb: Constituent, said_of: bool) -> Constituent | None:
    """What `esti` says of its subject: a participle or adjective, one of two nouns, a place, a manner, else what stands
    after the verb; None where it says that something exists."""
    tokens = draft.tokens
    after = [one for one in free if one.head > verb.head]
    before = [one for one in free if one.head < verb.head]
    nearest = [*after, *reversed(before)]
    nominal = [one for one in free if one.nominative]
    adjectives = [one for one in nearest if one.kind == "A" and one.case != "A" and one.bare]
    if adjectives and (nominal or adjectives[0] in after or len(adjectives) > 1 or not after):
        return adjectives[0]
    if len(nominal) > 1:
        return _of_two(draft, nominal, verb)
    adverbs = [one for one in nearest if one.kind == "R"]
    place = next((one for one in adverbs if draft.lemma(one.head) in PLACES | {"jen", "for", "kiel"}), None)
    if place is not None and (nominal or place in after):
        return place
    manners = (one for one in adverbs if tokens[one.head].word.ending == "e")
    manner = next((one for one in manners if tokens[one.head].word.prefixes[:1] != ("ki",)), None)
    if manner is not None and not nominal:
        return manner
    prepositional = next((one for one in after if one.kind == "N" and not one.bare), None)
    if nominal and nominal[0].head < verb.head:
        return prepositional or next((one for one in after if one.kind == "I" and one.bare), None)
    if nominal:
        return nominal[0] if said_of or any(one.kind == "I" for one in before) else next(iter(adjectives), None)
    return next(iter(adjectives), prepositional)


def _of_two(draft: Draft, nominal: list[Constituent], verb: Constituent) -> Constituent:
    """Which of two nouns beside `esti` is said of the other: the one after the verb, a question word before all."""
    asking = [one for one in nominal if draft.tokens[one.head].asks and draft.lemma(one.head) in ("kio", "kiu")]
    if asking and draft.question:
        return asking[0]
    after = [one for one in nominal if one.head > verb.head]
    before = [one for one in nominal if one.head < verb.head]
    if asking and len(before) > 1:
        return asking[0]
    if not after:
        return before[-1] if draft.tokens[before[0].head].kind == "P" or len(before) < 3 else before[1]
    if not before:
        return after[1]
    return after[0]


def coordinate(draft: Draft, clause: ClauseDraft) -> None:
    """Phrases of one kind joined by a conjunction within a clause, and the list before them."""
    phrases = clause.phrases
    for place, phrase in enumerate(phrases):
        if phrase.kind != "C" or phrase.done:
            continue
        following = [one for one in phrases[place + 1 :] if one.kind not in ",C"]
        candidates = (one for one in following if one.kind not in "TJ" and not one.done and not is_light(draft, one))
        right = next(candidates, None)
        if right is None or phrases.index(right) > place + 3:
            _cc(draft, phrase, right or next(iter(following), None))
            continue
        left = _match(draft, phrases[:place], right)
        if left is None and not place:
            continue
        if left is not None and left.head != right.head:
            _join(draft, phrases, _parallel(draft, phrases, left, right), right)
        _cc(draft, phrase, right)


def _join(draft: Draft, phrases: list[Constituent], left: Constituent, right: Constituent) -> None:
    """Attaches all of a list to its first phrase: B and C to A in `A, B kaj C`."""
    chain = [right, left]
    while (listed := _listed_before(draft, phrases, chain[-1])) is not None:
        chain.append(listed)
    first = chain.pop()
    for one in chain:
        draft.attach(one.head, first.head, "conj")
        one.done = True


def _parallel(draft: Draft, phrases: list[Constituent], left: Constituent, right: Constituent) -> Constituent:
    """In `la edzino de mia nevo kaj la nevino de mia edzino` the noun that both have something of, not the nearest."""
    after, place = phrases.index(right) + 1, phrases.index(left)
    if left.bare or not right.bare or after >= len(phrases) or phrases[after].bare or not place:
        return left
    outer = phrases[place - 1]
    same = draft.lemma(phrases[after].preposition) == draft.lemma(left.preposition)
    return outer if same and outer.kind == "N" and _alike(draft, outer, right) and not outer.done else left


def is_light(draft: Draft, phrase: Constituent) -> bool:
    """Return whether the phrase is an adverb that the table of words lists."""
    return phrase.kind == "R" and draft.lemma(phrase.head) in TABLE["adverbs"]


def _cc(draft: Draft, phrase: Constituent, later: Constituent | None) -> None:
    if later is not None:
        draft.attach(phrase.head, later.head, "cc")
    phrase.done = True


def _match(draft: Draft, phrases: list[Constituent], right: Constituent) -> Constituent | None:
    """The nearest phrase to the left that a phrase can be coordinated with."""
    fallback = None
    for one in reversed(phrases):
        if one.done and one.kind not in "NA":
            continue
        if one.kind == right.kind and (right.kind != "N" or _alike(draft, one, right)):
            return one
        if {one.kind, right.kind} == {"N", "A"} and one.case == right.case and one.bare:
            fallback = fallback or one
    return fallback


def _alike(draft: Draft, one: Constituent, right: Constituent) -> bool:
    if not right.bare:
        return not one.bare and draft.lemma(one.preposition) == draft.lemma(right.preposition)
    return (one.case == "A") == (right.case == "A")


def _listed_before(draft: Draft, phrases: list[Constituent], one: Constituent) -> Constituent | None:
    """In `A, B kaj C` the phrase A of a B."""
    place = phrases.index(one)
    if place < 2 or phrases[place - 1].kind != "," or draft.lemma(phrases[place - 1].head) != ",":
        return None
    for before in reversed(phrases[: place - 1]):
        if before.kind == "," or before.kind in "VE":
            return None
        if before.kind == one.kind and (one.kind != "N" or _alike(draft, before, one)) and not before.done:
            return before
    return None
