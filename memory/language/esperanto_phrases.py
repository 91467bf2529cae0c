"""The words of a sentence of Esperanto as phrases, and the phrases as clauses.

A phrase is a noun with what agrees with it, or a single word of another kind; a preposition belongs to the phrase after
it. Phrases are dealt out to clauses from left to right: a subordinator or a relative word opens one within the clause
that is open, a comma after a clause with a verb closes it, a conjunction with a verb after it puts one beside another.
"""

from dataclasses import dataclass, field, replace

from clew.memory.language.esperanto_words import TABLE
from clew.memory.language.trees import WordForm

KINDS = {
    "NOUN": "N", "PROPN": "N", "X": "N", "SYM": "N", "ADJ": "A", "PRON": "P", "NUM": "M", "ADV": "R", "ADP": "B",
    "SCONJ": "Q", "CCONJ": "C", "PART": "T", "INTJ": "J", "PUNCT": ",",
}  # fmt: skip
"""A letter for what a word can do in a phrase. Besides: L article, D correlative of the rows u, a and es, S possessive,
V finite verb, E finite `esti`, I infinitive, G adverbial participle."""

PLACES = frozenset(("kie", "tie", "ie", "ĉie", "nenie", "kien", "tien", "ien", "ĉien", "nenien"))


@dataclass(slots=True)
class SeenForm:
    """What the grammar asks of a word, worked out once for a form."""

    word: WordForm
    kind: str
    case: str
    """`N`, `A` (accusative) or empty."""
    plural: bool
    asks: bool
    """Whether it is a word in ki-."""
    participle: bool

    def agrees(self, other: "SeenForm | None") -> bool:
        return other is not None and (self.case, self.plural) == (other.case, other.plural)


@dataclass(slots=True)
class Constituent:
    """`head`, `start` and `end` (exclusive) are places of words. `kind` is that of the head, but N for all that stands
    like a noun. `preposition` is its place, or -1."""

    kind: str
    head: int
    start: int
    end: int
    case: str = ""
    preposition: int = -1
    done: bool = False
    """Whether its head has a head."""

    @property
    def bare(self) -> bool:
        """Without a preposition."""
        return self.preposition < 0

    @property
    def nominative(self) -> bool:
        """What a subject can be."""
        return self.kind == "N" and self.case == "N" and self.preposition < 0


@dataclass(slots=True)
class Draft:
    """A sentence on its way to a tree: heads (-1 for none yet, counted from 0) and roles, by place."""

    tokens: list[SeenForm]
    upos: list[str]
    heads: list[int]
    roles: list[str]
    phrases: list[Constituent] = field(default_factory=list)
    question: bool = False

    def attach(self, place: int, head: int, role: str) -> None:
        if place != head:
            self.heads[place], self.roles[place] = head, role

    def take(self, place: int, head: int, role: str) -> int:
        """Attaches the word and goes on: the place after it."""
        self.attach(place, head, role)
        return place + 1

    def token(self, place: int) -> SeenForm | None:
        return self.tokens[place] if place < len(self.tokens) else None

    def lemma(self, place: int) -> str:
        return self.tokens[place].word.lemma

    def kind(self, place: int) -> str:
        """Empty behind the last word."""
        return self.tokens[place].kind if place < len(self.tokens) else ""

    def asking(self, phrase: Constituent) -> int:
        """The place of its word in ki-, which stands before the noun in `kies hundo`; without one, of its head."""
        return next((at for at in range(phrase.start, phrase.head) if self.tokens[at].asks), phrase.head)

    def stands(self, place: int, kind: str, *lemmas: str) -> bool:
        """Whether a word of this kind, and one of these lemmas, stands there."""
        return self.kind(place) == kind and self.lemma(place) in lemmas


def token_of(word: WordForm) -> SeenForm:
    """Return the kind, case and number of a word as phrases are built from them."""
    feats, kind = word.feats, KINDS.get(word.upos, "N")
    if word.upos in ("VERB", "AUX"):
        finite = "VerbForm=Fin" in feats
        kind = ("E" if word.upos == "AUX" else "V") if finite else ("I" if "VerbForm=Inf" in feats else "G")
    elif word.upos == "DET":
        kind = "L" if word.lemma == "la" else "S" if "Poss=Yes" in feats else "D"
    case = "A" if "Case=Acc" in feats else "N" if "Case=Nom" in feats else ""
    return SeenForm(word, kind, case, "Number=Plur" in feats, "PronType=Int,Rel" in feats, "VerbForm=Part" in feats)


def drafted(words: list[WordForm], known: dict[str, SeenForm], question: bool = False) -> Draft:
    """Phrases and what stands in them; `known` keeps the tokens of forms."""
    tokens = []
    for word in words:
        token = known.get(word.form)
        if token is None:
            token = known[word.form] = token_of(word)
        tokens.append(token)
    size = len(tokens)
    draft = Draft(tokens, [token.word.upos for token in tokens], [-1] * size, [""] * size, question=question)
    _name(draft)
    place = 0
    while place < size:
        place = _phrase(draft, place)
    _prepositions(draft)
    return draft


def _name(draft: Draft) -> None:
    """Capitals within a sentence are names, also where the ending is that of an adjective (`Maria`); at its beginning
    they are where no root is known."""
    tokens = draft.tokens
    for place, token in enumerate(tokens):
        form = token.word.form
        if token.kind not in "NA" or len(form) < 2 or not form[0].isupper():
            continue
        before = tokens[place - 1] if place else None
        first = before is None or (before.kind == "," and before.word.form not in ",;-–")
        if first and token.word.known and not {"ĉj", "nj"} & set(token.word.suffixes):
            continue
        after = draft.token(place + 1)
        describes = after is not None and after.kind in "NA" and after.agrees(token)
        if token.kind == "N" or not describes or (first and after is not None and after.word.form[0].isupper()):
            draft.upos[place] = "PROPN"
            tokens[place] = replace(token, kind="N", asks=False, participle=False) if token.kind == "A" else token


def _phrase(draft: Draft, place: int) -> int:
    """Adds the phrase that begins at `place`; the place after it."""
    kind = draft.tokens[place].kind
    of_noun = kind in "LDSAMNP" or draft.stands(place, "T", "ĉi")
    if of_noun or (kind == "R" and _before_adjective(draft, place)):
        return _noun_phrase(draft, place)
    head = place
    if kind == "R" and draft.lemma(place) != "ne":
        while draft.kind(head + 1) == "R" and draft.lemma(head) in TABLE["degree"] and draft.lemma(head + 1) != "ne":
            draft.attach(head, head + 1, "advmod")
            head += 1
    end = head + 1
    if kind == "R" and draft.stands(end, "T", "ĉi"):
        end = draft.take(end, head, "advmod")
    draft.phrases.append(Constituent(kind, head, place, end, draft.tokens[head].case))
    return end


def _before_adjective(draft: Draft, place: int) -> bool:
    """Whether an adverb says how much of the adjective after it (or after another such adverb)."""
    if draft.lemma(place) not in TABLE["degree"]:
        return False
    after = place + 1
    while draft.kind(after) == "R" and draft.lemma(after) in TABLE["degree"]:
        after += 1
    if draft.lemma(place) == "ne" and after == place + 1:
        return draft.kind(after) == "A" and place > 0 and draft.kind(place - 1) == "N"
    return draft.kind(after) == "A"


def _noun_phrase(draft: Draft, start: int) -> int:
    """Takes modifiers as long as they agree, then the noun. Without one, the last modifier is the head."""
    tokens, held = draft.tokens, list[int]()
    agreed: SeenForm | None = None
    place, head = start, -1
    while place < len(tokens) and _modifies(draft, place, held, agreed):
        if tokens[place].kind in "DSA" and tokens[place].case:
            agreed = tokens[place]
        held.append(place)
        place += 1
    if place < len(tokens) and _is_noun(tokens[place], held, agreed):
        head = place
        place += 1
    while head < 0 and held and tokens[held[-1]].kind == "R":
        place = held.pop()
    if head < 0 and not held:
        draft.phrases.append(Constituent(tokens[start].kind, start, start, start + 1, tokens[start].case))
        return start + 1
    return _close(draft, start, place, head, held)


def _modifies(draft: Draft, place: int, held: list[int], agreed: SeenForm | None) -> bool:
    """Whether a word goes before a noun, behind the modifiers that are `held`; `agreed` is the last of them with a
    case."""
    token = draft.tokens[place]
    if token.kind == "T":
        return token.word.lemma == "ĉi"
    if token.kind == "R":
        after = draft.token(place + 1)
        said_of_participle = after is not None and after.kind == "A" and after.participle
        ever = token.word.lemma == "ajn" and bool(held) and draft.kind(held[-1]) in ("D", "P")
        return ever or _before_adjective(draft, place) or (bool(held) and said_of_participle)
    if token.kind == "L":
        return not held or draft.lemma(held[-1]) in ("ĉiu", "tuta", "ambaŭ")
    if token.kind in "DSA" and token.case:
        return agreed is None or token.agrees(agreed)
    return token.kind in "MD"


def _is_noun(token: SeenForm, held: list[int], agreed: SeenForm | None) -> bool:
    """Whether a word is the noun of these modifiers. A pronoun has none."""
    if token.kind == "P":
        return not held
    return token.kind == "N" and (not token.case or agreed is None or token.agrees(agreed))


def _past(draft: Draft, place: int, kinds: str) -> int:
    """The first place from here on with a word of none of these kinds."""
    return next((at for at in range(place, len(draft.tokens)) if draft.tokens[at].kind not in kinds), len(draft.tokens))


def _close(draft: Draft, start: int, end: int, head: int, held: list[int]) -> int:
    """Attaches the modifiers to the head, and what of the words behind it belongs to it; the place after those."""
    tokens = draft.tokens
    if head < 0:
        head = next((place for place in reversed(held) if tokens[place].kind != "T"), held[-1])
    elif tokens[head].kind == "N":
        end = _after_noun(draft, head, end)
    elif draft.stands(end, "R", "mem", "ambaŭ"):
        end = draft.take(end, head, "advmod")
    elif draft.stands(end, "D", "ĉiu") and draft.kind(end + 1) not in ("N", "A"):
        draft.upos[end] = "PRON"
        end = draft.take(end, head, "det")
    if tokens[head].kind == "P" and draft.stands(end, "T", "ĉi"):
        end = draft.take(end, head, "advmod")
    if draft.stands(end, "R", "ajn"):
        end = draft.take(end, head, "advmod")
    _modifiers(draft, head, held)
    kind = tokens[head].kind
    if kind in "DS":
        draft.upos[head] = "PRON"
    cases = (tokens[place].case for place in (head, *held) if tokens[place].case)
    case = next(cases, "N" if kind in "NPM" else "")
    only_adverbs = start + sum(tokens[place].kind == "R" for place in held) == head
    draft.phrases.append(Constituent("A" if kind == "A" and only_adverbs else "N", head, start, end, case))
    return end


def _after_noun(draft: Draft, head: int, end: int) -> int:
    """Names in a row (`Ludoviko Zamenhof`, `sinjoro Petro`), then an adjective that agrees: `pasero kaptita`."""
    noun = draft.tokens[head]
    named = draft.upos[head] == "PROPN" or noun.word.root in TABLE["titles"] or noun.word.suffixes[-1:] == ("in",)
    while named and draft.kind(end) == "N" and draft.upos[end] in ("PROPN", "X"):
        end = draft.take(end, head, "flat")
    if draft.kind(end) == "M" and draft.tokens[end].word.form.isdigit():
        end = draft.take(end, head, "nummod")
    behind = _past(draft, end, "RT")
    said = draft.token(behind)
    if said is None or said.kind not in "AS" or not said.agrees(noun):
        return end
    if not said.participle and any(draft.lemma(one) not in TABLE["degree"] for one in range(end, behind)):
        return end
    follows = draft.token(behind + 1)
    if follows is not None and follows.kind in "NA" and follows.agrees(said):
        return end
    for place in range(end, behind):
        draft.attach(place, behind, "advmod")
    return draft.take(behind, head, "amod" if said.kind == "A" else "det")


def _modifiers(draft: Draft, head: int, held: list[int]) -> None:
    tokens = draft.tokens
    for number, place in enumerate(held):
        if place == head:
            continue
        kind, later = tokens[place].kind, (*held[number + 1 :], head)
        if kind == "A":
            draft.attach(place, head, "amod")
        elif kind == "M":
            compound = tokens[later[0]].kind == "M"
            draft.attach(place, later[0] if compound else head, "compound" if compound else "nummod")
        elif kind == "T":
            beside = (one for one in (place - 1, place + 1) if one >= 0 and draft.kind(one) in ("D", "P"))
            draft.attach(place, next(beside, head), "advmod")
        elif kind == "R" and draft.lemma(place) == "ajn":
            draft.attach(place, place - 1, "advmod")
        elif kind == "R":
            draft.attach(place, next((one for one in later if tokens[one].kind in "AM"), head), "advmod")
        else:
            draft.attach(place, head, "det")


def _prepositions(draft: Draft) -> None:
    """A preposition joins the phrase after it; `antaŭ ol` and `por ke` are one; before an infinitive it is a mark."""
    kept: list[Constituent] = []
    waiting: list[Constituent] = []
    for phrase in draft.phrases:
        if phrase.kind == "B":
            waiting.append(phrase)
            continue
        if waiting:
            first = waiting[0].head
            for other in waiting[1:]:
                draft.attach(other.head, first, "fixed")
            if phrase.kind == "Q":
                draft.attach(phrase.head, first, "fixed")
                phrase = Constituent("Q", first, first, phrase.end)
            elif phrase.kind in "NRI" or (phrase.kind == "A" and phrase.case):
                phrase.preposition, phrase.start = first, first
                draft.attach(first, phrase.head, "mark" if phrase.kind == "I" else "case")
                if phrase.kind == "A":
                    phrase.kind = "N"
            else:
                kept.append(Constituent("R", first, first, first + 1))
            waiting = []
        kept.append(phrase)
    kept += [Constituent("R", phrase.head, phrase.start, phrase.end) for phrase in waiting]
    draft.phrases = kept


# Clauses --------------------------------------------------------------------------------------------------------------

STRONG = frozenset(";:–—")

UNTIL = ("dum", "ĝis", "ekde")
"""Prepositions that open a clause before a subject and its verb."""


@dataclass(slots=True)
class ClauseDraft:
    """`opener` is the phrase that makes it a subordinate clause, `noun` the place of what a relative clause is about,
    `joined` the place of the conjunction before it, `beside` the clause that it is coordinated with."""

    parent: "ClauseDraft | None" = None
    opener: Constituent | None = None
    noun: int = -1
    joined: int = -1
    beside: "ClauseDraft | None" = None
    verb: Constituent | None = None
    phrases: list[Constituent] = field(default_factory=list)
    head: int = -1
    start: int = 0
    mark: str = ""
    """The strong mark (`;`) that it begins after."""
    said_of: bool = False
    """Whether another clause, of the kind of `kiu venas`, is its subject."""


def clauses_of(draft: Draft) -> list[ClauseDraft]:
    """All clauses of a sentence, the main one first."""
    splitter = _Splitter(draft)
    for place in range(len(draft.phrases)):
        splitter.take(place)
    return splitter.clauses


class _Splitter:
    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.phrases = draft.phrases
        self.main = self.open = ClauseDraft()
        self.clauses = [self.main]
        self.comma = False
        verbs = 0
        self.verbs_before = [0]
        for phrase in self.phrases:
            verbs += phrase.kind in "VE"
            self.verbs_before.append(verbs)

    def take(self, place: int) -> None:
        phrase = self.phrases[place]
        if phrase.kind == ",":
            self._mark(place)
            return
        if self._opens(place):
            self._subordinate(place)
        elif phrase.kind == "C":
            self._conjunction(place)
        else:
            if phrase.kind in "VE":
                if self.open.verb is not None:
                    self._another_verb(place)
                self.open.verb = phrase
            elif self.comma and self.open.verb is not None and phrase.kind in "NRAIGTJ":
                self._after_comma(place)
            self.open.phrases.append(phrase)
        self.comma = False

    def _mark(self, place: int) -> None:
        mark = self.draft.lemma(self.phrases[place].head)
        self.comma = True
        self.open.phrases.append(self.phrases[place])
        if mark in STRONG and self._verb_follows(place + 1, strong=True) and self.main.verb is not None:
            self._beside(self.main, self.phrases[place].head + 1).mark = mark

    def _verb_follows(self, place: int, strong: bool = False) -> bool:
        """Whether a finite verb stands before the next mark or word that opens or joins clauses."""
        for phrase in self.phrases[place:]:
            if phrase.kind in "VE":
                return True
            if phrase.kind == "," and (not strong or self.draft.lemma(phrase.head) in STRONG):
                return False
            if not strong and (phrase.kind == "Q" or (phrase.kind == "C" and phrase is not self.phrases[place])):
                return False
            if not strong and self.draft.tokens[self.draft.asking(phrase)].asks and phrase is not self.phrases[place]:
                return False
        return False

    def _opens(self, place: int) -> bool:
        """Whether a phrase opens a subordinate clause. `Kiu venas?` does not, `ol` and `kiel` before no verb are like
        prepositions, `dum` opens one before a subject and its verb."""
        phrase, draft = self.phrases[place], self.draft
        token = draft.tokens[phrase.head]
        lemma = token.word.lemma
        if phrase.kind == "Q" and lemma != "ol":
            return True
        if lemma == "ol" or (lemma in ("kiel", "kvazaŭ") and phrase.kind in "RQ"):
            if (place and place + 1 < len(self.phrases) and self._measured(place)) or not self._verb_follows(place + 1):
                return self._compared(place)
            return bool(self.open.verb or not draft.question or lemma != "kiel")
        if draft.tokens[draft.asking(phrase)].asks:
            verbs_after = self.verbs_before[-1] - self.verbs_before[place]
            begun = self.main.verb is not None or any(p.kind in "NAIG" for p in self.main.phrases)
            return verbs_after > 0 if begun or self.open is not self.main else verbs_after > 1 and not draft.question
        if phrase.kind == "T" and lemma == "ĉu":
            return self.open.verb is not None and self._verb_follows(place + 1)
        if phrase.kind == "N" and not phrase.bare and draft.lemma(phrase.preposition) in UNTIL:
            following = self.phrases[place + 1 : place + 4]
            verb = next((at for at, one in enumerate(following) if one.kind in "VE"), -1)
            return verb >= 0 and not any(one.kind == "," or one.nominative for one in following[:verb])
        return False

    def _compared(self, place: int) -> bool:
        """`pli bona ol mia`: the word is the case of the phrase after it, where there is one."""
        phrase, draft = self.phrases[place], self.draft
        after = self.phrases[place + 1] if place + 1 < len(self.phrases) else None
        more = draft.lemma(phrase.head - 1) if phrase.head else ""
        if after is not None and more in ("pli", "malpli") and self._measured(place):
            draft.attach(phrase.head, phrase.head - 1, "fixed")
            draft.attach(phrase.head - 1, after.start if draft.kind(after.start) == "M" else after.head, "advmod")
            draft.upos[phrase.head] = "ADP"
            before = self.phrases[place - 1]
            phrase.done = before.done = True
            if before.preposition >= 0:
                after.preposition = before.preposition
                draft.attach(before.preposition, after.head, "case")
            return False
        if after is not None and after.kind in "NARI":
            draft.attach(phrase.head, after.head, "mark" if after.kind == "I" else "case")
            if draft.upos[phrase.head] == "SCONJ" and after.kind != "I":
                draft.upos[phrase.head] = "ADP"
            phrase.done = True
            if after.preposition < 0:
                after.preposition = phrase.head
        return False

    def _measured(self, place: int) -> bool:
        """`pli ol tri jaroj`, `de pli ol jarcento`: how much, and nothing compared."""
        before, after = self.phrases[place - 1], self.phrases[place + 1]
        counted = self.draft.kind(after.start) == "M" or self.draft.tokens[after.head].word.root in TABLE["time"]
        return before.end == self.phrases[place].start and before.kind == "R" and (counted or before.preposition >= 0)

    def _subordinate(self, place: int) -> None:
        phrase, draft = self.phrases[place], self.draft
        token = draft.tokens[draft.asking(phrase)]
        before = self.phrases[place - 1] if place else None
        joined = before if before is not None and before.kind == "C" else None
        parent = self.open
        beside = None
        if joined is not None:
            begun = parent.beside if not parent.phrases else None
            parent = begun or parent
            while parent.parent is not None and (
                parent.opener is None or draft.tokens[draft.asking(parent.opener)].kind != token.kind
            ):
                parent = parent.parent
            beside = parent if parent.parent is not None else None
            if begun and beside:  # what the conjunction began is this clause
                self.clauses.pop()
            elif begun:
                parent = self.open
        elif (phrase.kind == "Q" and token.word.lemma != "ke") or (
            token.kind == "R" and not (token.asks and self._antecedent(place, parent) >= 0)
        ):
            while parent.verb is not None and parent.parent is not None and parent.parent.verb is None:
                parent = parent.parent
        made = ClauseDraft(parent.parent if beside else parent, phrase, start=phrase.start, beside=beside)
        if joined is not None and beside is not None:
            made.joined = joined.head
            joined.done = True
        made.noun = self._antecedent(place, parent) if (token.asks and token.kind in "DPRS") else -1
        if token.asks and token.kind in "DPS" and made.noun < 0 and parent.verb is None:
            parent.said_of = True
        self.clauses.append(made)
        self.open = made
        if phrase.kind not in "QT":
            made.phrases.append(phrase)
        if not phrase.bare and draft.lemma(phrase.preposition) in UNTIL and not token.asks:
            made.opener = Constituent("Q", phrase.preposition, phrase.start, phrase.start + 1)
            draft.upos[phrase.preposition] = "SCONJ"
            draft.heads[phrase.preposition] = -1
            phrase.preposition = -1

    def _antecedent(self, place: int, parent: ClauseDraft) -> int:
        """The noun, pronoun or adverb of place or time right before a relative word (and its comma). `Kiu domo` asks
        and has none, `kies domo` has one."""
        draft, asked = self.draft, self.phrases[place]
        asking = draft.asking(asked)
        lemma, plural = draft.lemma(asking), draft.tokens[asking].plural
        if lemma == "kiam" or (asking != asked.head and lemma != "kies"):
            return -1
        for at in range(len(parent.phrases) - 1, -1, -1):
            phrase = parent.phrases[at]
            if phrase.kind == ",":
                continue
            token = draft.tokens[phrase.head]
            if lemma in ("kiu", "kia", "kio", "kies", "kie") and phrase.kind in "NA":
                if lemma == "kie" and token.kind == "P":
                    return -1
                listed = (
                    plural and at > 1 and parent.phrases[at - 1].kind == "C" and parent.phrases[at - 2].kind in "NA"
                )
                if lemma != "kiu" or token.kind == "M" or token.plural == plural or listed:
                    return phrase.head
                continue
            return phrase.head if phrase.kind == "R" and draft.lemma(phrase.head) in PLACES else -1
        return -1

    def _conjunction(self, place: int) -> None:
        phrase = self.phrases[place]
        if self.open.beside is not None and self.open.joined < 0 and not self.open.phrases:
            self.open.joined = phrase.head
            phrase.done = True
            return
        if self.open.verb is None or not self._verb_follows(place + 1):
            self.open.phrases.append(phrase)
            return
        made = self._beside(self.open, phrase.start)
        made.joined = phrase.head
        phrase.done = True

    def _beside(self, target: ClauseDraft, start: int) -> ClauseDraft:
        made = ClauseDraft(target.parent, None, start=start, beside=target)
        self.clauses.append(made)
        self.open = made
        return made

    def _after_comma(self, place: int) -> None:
        """After a clause with a verb and a comma: back to the clause that still waits for its verb, or a new one."""
        follows = self._verb_follows(place)
        waiting = self.open
        while waiting.parent is not None and waiting.verb is not None:
            waiting = waiting.parent
        if waiting.verb is None:
            if follows or self.open.verb is not None:
                self.open = waiting
        elif follows:
            self._beside(self.open if self.open.parent is None else self.main, self.phrases[place].start)

    def _another_verb(self, place: int) -> None:
        """A second verb without a conjunction: of the clause that waits for one, else of a new one."""
        waiting: ClauseDraft | None = self.open
        while waiting is not None and waiting.verb is not None:
            waiting = waiting.parent
        if waiting is not None:
            self.open = waiting
        else:
            beside = self.main if self.comma and self.open.parent is not None else self.open
            self._beside(beside, self.phrases[place].start)
