"""What depends on what in a clause of Esperanto, and how clauses hang together: heads and relations of UD."""

from clew.memory.language.clauses import Clause
from clew.memory.language.esperanto_words import TABLE
from clew.memory.language.noun_phrases import PLACES, Draft, Phrase

BECOMING = frozenset(("iĝ", "fariĝ", "nom", "rest", "ŝajn", "opini", "sent", "elekt", "nomiĝ"))


def resolve(draft: Draft, clause: Clause) -> None:
    """Finds the head of a clause and attaches its phrases to it."""
    _coordinate(draft, clause)
    free = [phrase for phrase in clause.phrases if not phrase.done and phrase.kind not in ",C"]
    verb = clause.verb
    copula = verb is not None and verb.kind == "E"
    if copula and verb is not None:
        clause.head = _predicate(draft, clause, free, verb)
    elif verb is not None:
        clause.head = verb.head
    else:
        clause.head = _without_verb(draft, free)
    if clause.head < 0:
        return
    _Attacher(draft, clause, free).run()


def _without_verb(draft: Draft, free: list[Phrase]) -> int:
    for kinds in ("I", "N", "A", "R", "G", "J", "TQB"):
        for phrase in free:
            if phrase.kind in kinds and (kinds != "N" or phrase.preposition < 0 or len(free) == 1):
                return phrase.head
    return free[0].head if free else -1


def _predicate(draft: Draft, clause: Clause, free: list[Phrase], verb: Phrase) -> int:
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


def _predicate_phrase(draft: Draft, free: list[Phrase], verb: Phrase, said_of: bool) -> Phrase | None:
    tokens = draft.tokens
    after = [one for one in free if one.head > verb.head]
    before = [one for one in free if one.head < verb.head]
    nominal = [one for one in free if one.kind == "N" and one.preposition < 0 and one.case == "N"]
    adjectives = [one for one in (*after, *reversed(before)) if one.kind == "A" and one.case != "A" and one.preposition < 0]
    for one in adjectives:
        if tokens[one.head].participle:
            return one
    if adjectives and (nominal or adjectives[0] in after or len(adjectives) > 1 or not after):
        return adjectives[0]
    if len(nominal) > 1:
        return _of_two(draft, nominal, verb)
    adverbs = [one for one in (*after, *reversed(before)) if one.kind == "R"]
    place = next((one for one in adverbs if draft.lemma(one.head) in PLACES or draft.lemma(one.head) in ("jen", "for", "kiel")), None)
    if place is not None and (nominal or place in after):
        return place
    if not nominal:
        manner = next((one for one in adverbs if tokens[one.head].word.ending == "e" and not tokens[one.head].word.prefixes[:1] == ("ki",)), None)
        if manner is not None:
            return manner
    prepositional = [one for one in after if one.kind == "N" and one.preposition >= 0]
    if nominal and nominal[0].head < verb.head:
        infinitive = next((one for one in after if one.kind == "I" and one.preposition < 0), None)
        return prepositional[0] if prepositional else infinitive
    if nominal and (said_of or any(one.kind == "I" for one in before)):
        return nominal[0]
    if adjectives:
        return adjectives[0]
    return None if nominal else (prepositional[0] if prepositional else None)


def _of_two(draft: Draft, nominal: list[Phrase], verb: Phrase) -> Phrase:
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
        return after[1] if draft.tokens[after[0].head].kind == "P" else after[1]
    return after[0]


def _coordinate(draft: Draft, clause: Clause) -> None:
    """Phrases of one kind joined by a conjunction within a clause, and the list before them."""
    phrases = clause.phrases
    for place, phrase in enumerate(phrases):
        if phrase.kind != "C" or phrase.done:
            continue
        right = next((one for one in phrases[place + 1 :] if one.kind not in ",CTJ" and not one.done and not _light(draft, one)), None)
        if right is None or phrases.index(right) > place + 3:
            later = right if right is not None else next((one for one in phrases[place + 1 :] if one.kind not in ",C"), None)
            _cc(draft, phrase, later)
            continue
        left = _repeated(draft, phrases[:place], phrase) or _match(draft, phrases[:place], right)
        if left is None or left.head == right.head:
            _cc(draft, phrase, right)
            continue
        chain = [right]
        first = left
        while True:
            chain.append(first)
            listed = _listed_before(draft, phrases, first)
            if listed is None:
                break
            first = listed
        chain.pop()
        for one in chain:
            draft.attach(one.head, first.head, "conj")
            one.done = True
        draft.attach(phrase.head, right.head, "cc")
        phrase.done = True


def _repeated(draft: Draft, phrases: list[Phrase], conjunction: Phrase) -> Phrase | None:
    """In `nek A de B, nek C` the phrase A, which the same conjunction stands before."""
    lemma = draft.lemma(conjunction.head)
    for place, one in enumerate(phrases):
        if one.kind == "C" and draft.lemma(one.head) == lemma and lemma in ("nek", "aŭ") and place + 1 < len(phrases):
            return phrases[place + 1] if draft.heads[one.head] == phrases[place + 1].head else None
    return None


def _light(draft: Draft, phrase: Phrase) -> bool:
    return phrase.kind == "R" and draft.lemma(phrase.head) in TABLE["adverbs"]


def _cc(draft: Draft, phrase: Phrase, later: Phrase | None) -> None:
    if later is not None:
        draft.attach(phrase.head, later.head, "cc")
    phrase.done = True


def _match(draft: Draft, phrases: list[Phrase], right: Phrase) -> Phrase | None:
    """The nearest phrase to the left that a phrase can be coordinated with."""
    fallback = None
    for one in reversed(phrases):
        if one.done and one.kind not in "NA":
            continue
        if one.kind != right.kind:
            if fallback is None and {one.kind, right.kind} == {"N", "A"} and one.case == right.case and one.preposition < 0:
                fallback = one
            if right.kind == "A" and one.kind == "N" and draft.tokens[one.head].case == draft.tokens[right.head].case:
                continue
            continue
        if right.kind != "N" or _alike(draft, one, right):
            return one
    return fallback


def _alike(draft: Draft, one: Phrase, right: Phrase) -> bool:
    if right.preposition >= 0:
        return one.preposition >= 0 and (draft.lemma(one.preposition) == draft.lemma(right.preposition))
    if right.case == "A":
        return one.case == "A"
    return one.case != "A"


def _listed_before(draft: Draft, phrases: list[Phrase], one: Phrase) -> Phrase | None:
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


class _Attacher:
    """Gives the phrases of one clause their heads."""

    def __init__(self, draft: Draft, clause: Clause, free: list[Phrase]) -> None:
        self.draft, self.clause = draft, clause
        self.free = [phrase for phrase in free if phrase.head != clause.head and not phrase.done]
        self.all = [phrase for phrase in clause.phrases if phrase.kind not in ",C"]
        self.head = clause.head
        self.verb = clause.verb
        self.copula = clause.verb is not None and clause.verb.head != clause.head
        infinitives = [p for p in clause.phrases if p.kind == "I" and p.head != self.head]
        self.infinitives = [p.head for p in infinitives]
        self.subject = -1
        self.modal = self.verb is not None and draft.tokens[self.head].word.root in TABLE["modals"]

    def run(self) -> None:
        for phrase in self.free:
            if phrase.kind == "I":
                self._infinitive(phrase)
        self._subject()
        for phrase in self.free:
            if not phrase.done:
                self._other(phrase)

    def _put(self, phrase: Phrase, head: int, role: str) -> None:
        self.draft.attach(phrase.head, head, role)
        phrase.done = True

    def _governor(self, phrase: Phrase) -> int:
        """The infinitive or adverbial participle that a phrase belongs to, else the head of the clause."""
        before = -1
        for one in self.clause.phrases:
            if one.start >= phrase.start:
                break
            if one.kind in "IG" or (one.kind == "A" and self.draft.tokens[one.head].participle and one.head != self.head):
                before = one.head
            elif one.kind in "VE" or (one.kind == "," and before >= 0 and self.draft.tokens[before].kind in "GA"):
                before = -1
        if before >= 0 and before != phrase.head:
            return before
        if self.modal and self.verb is not None and self.infinitives and phrase.head > self.verb.head:
            following = next((one for one in self.infinitives if one > phrase.head), -1)
            if following >= 0:
                return following
        return self.head

    def _infinitive(self, phrase: Phrase) -> None:
        draft, head = self.draft, self.head
        before = self._before(phrase)
        if draft.upos[phrase.head] == "AUX" and (said := self._said(phrase)) is not None:
            participle = draft.tokens[said.head].participle
            draft.attach(phrase.head, said.head, "aux" if participle else "cop")
            draft.upos[said.head] = "VERB" if participle else draft.upos[said.head]
            phrase.done, said.preposition = True, said.preposition if said.kind == "N" else phrase.preposition
            if phrase.preposition >= 0:
                draft.attach(phrase.preposition, said.head, "mark")
            governor = self._governor(phrase)
            self._put(said, governor if governor != phrase.head else head, "advcl" if phrase.preposition >= 0 else "xcomp")
        elif phrase.preposition >= 0:
            self._put(phrase, self._governor(phrase), "advcl")
        elif self.copula and (draft.tokens[head].kind in "AR" or self.verb is None or phrase.head < self.verb.head) and not self._nominative():
            self._put(phrase, head, "csubj")
        elif before is not None and before.kind == "N" and before.end == phrase.start and self._task(before):
            self._put(phrase, before.head, "acl")
        elif self.copula and before is not None and before.head == head and draft.tokens[head].kind == "N":
            self._put(phrase, head, "acl")
        elif self.verb is None and phrase.head == head:
            return
        else:
            governor = self._governor(phrase)
            self._put(phrase, governor if governor != phrase.head else head, "xcomp")

    def _said(self, infinitive: Phrase) -> Phrase | None:
        """What is said with the infinitive `esti`: the adjective, noun or place right after it."""
        place = self.clause.phrases.index(infinitive)
        for one in self.clause.phrases[place + 1 : place + 4]:
            if one.done or one.kind in ",CVEIQ":
                return None
            if one.kind in "AN" and one.case != "A":
                return one
        return None

    def _task(self, noun: Phrase) -> bool:
        """Whether an infinitive says what a noun is for (`la rajto paroli`), where the verb is none that takes both."""
        word = self.draft.tokens[noun.head].word
        verb = self.draft.tokens[self.head].word.root
        return verb not in TABLE["control"] and (word.root in TABLE["tasks"] or word.suffixes[-1:] in (("ebl",), ("ec",), ("em",)))

    def _before(self, phrase: Phrase) -> Phrase | None:
        place = self.clause.phrases.index(phrase)
        return self.clause.phrases[place - 1] if place else None

    def _nominative(self) -> bool:
        return any(one.kind == "N" and one.case == "N" and one.preposition < 0 for one in self.free)

    def _subject(self) -> None:
        """The first nominative without a preposition; set off by a comma before an imperative or `vi` it is called."""
        nominal = [one for one in self.free if one.kind in "NA" and one.case == "N" and one.preposition < 0 and not one.done]
        if self.verb is None and not self.copula:
            return
        nouns = [one for one in nominal if one.kind == "N"] or nominal
        if not nouns:
            return
        chosen = nouns[0]
        if len(nouns) > 1:
            rest = [one for one in nouns if not self._called(one)]
            near = [one for one in rest if self.verb is None or one.head < self.verb.head]
            chosen = (near[-1] if near and self._listed(near) else (near or rest or nouns)[0])
        elif self._called(chosen):
            return
        self._put(chosen, self.head, "nsubj")
        self.subject = chosen.head

    def _listed(self, near: list[Phrase]) -> bool:
        return False and bool(near)

    def _called(self, phrase: Phrase) -> bool:
        draft, phrases = self.draft, self.clause.phrases
        place = phrases.index(phrase)
        after = draft.kind(phrase.end) == ","
        before = phrase.start == 0 or draft.kind(phrase.start - 1) == ","
        if draft.tokens[phrase.head].kind == "P" or not (after and before):
            return False
        commanded = self.verb is not None and draft.tokens[self.verb.head].word.feats.startswith("Mood=Imp")
        others = any(one is not phrase and one.kind == "N" and one.case == "N" and one.preposition < 0 for one in phrases)
        return commanded or (others and any(draft.lemma(one.head) in ("vi", "ci") for one in phrases)) or (others and place > 0 and place == len(phrases) - 2)

    def _other(self, phrase: Phrase) -> None:
        draft = self.draft
        kind = phrase.kind
        if kind == "N" and phrase.preposition >= 0:
            self._prepositional(phrase)
        elif kind == "N" or (kind == "A" and phrase.case == "A" and self._before_kind(phrase) not in ("N", ",")):
            self._noun(phrase)
        elif kind == "A":
            before = self._before(phrase)
            self._adjective(phrase, before)
        elif kind == "R":
            self._adverb(phrase)
        elif kind == "G":
            self._put(phrase, self.head, "advcl")
        elif kind == "J":
            self._put(phrase, self.head, "discourse")
        elif kind == "T":
            self._put(phrase, self.head, "advmod")
        elif kind in "VE":
            self._put(phrase, self.head, "parataxis")
        else:
            self._put(phrase, self.head, "mark" if kind == "Q" else "dep")
        if draft.heads[phrase.head] < 0:
            draft.attach(phrase.head, self.head, "dep")

    def _adjective(self, phrase: Phrase, before: Phrase | None) -> None:
        """One that stands alone: set off by a comma it says more of the noun before, or of the subject after it."""
        draft = self.draft
        token = draft.tokens[phrase.head]
        role = "acl" if token.participle else "amod"
        if before is not None and before.kind == ",":
            for one in reversed(self.clause.phrases[: self.clause.phrases.index(before)]):
                other = draft.tokens[one.head]
                if one.kind == "N" and (one.case or "N") == (phrase.case or "N") and other.plural == token.plural:
                    self._put(phrase, one.head, role)
                    return
        first = self.verb is not None and phrase.head < self.verb.head and self.subject > phrase.head
        if first and draft.tokens[self.subject].plural == token.plural and token.participle:
            self._put(phrase, self.subject, role)
        else:
            self._put(phrase, self._governor(phrase), "obj" if phrase.case == "A" and before is not None and before.kind != "N" else "xcomp")

    def _before_kind(self, phrase: Phrase) -> str:
        before = self._before(phrase)
        return before.kind if before is not None else ""

    def _noun(self, phrase: Phrase) -> None:
        draft = self.draft
        governor = self._governor(phrase)
        if phrase.case == "A":
            timed = self._timed(phrase, governor)
            object_ = any(draft.heads[one.head] == governor and draft.roles[one.head] == "obj" for one in self.all)
            self._put(phrase, governor, "obl" if timed or object_ else "obj")
            return
        before = self._before(phrase)
        place = self.clause.phrases.index(phrase)
        earlier = [one for one in self.clause.phrases[:place] if not _light(draft, one) and draft.lemma(one.head) not in TABLE["focus"]]
        near = next((one for one in reversed(earlier) if one.kind != ","), None)
        apart = bool(earlier) and earlier[-1].kind == ","
        if self._called(phrase):
            self._put(phrase, self.head, "vocative")
        elif near is not None and near.kind == "N" and near is not phrase and near.head != phrase.head and (near.case == "N" or near.preposition >= 0):
            self._put(phrase, near.head, "appos" if apart or draft.upos[phrase.head] != "PROPN" else "flat")
        elif self.verb is not None and phrase.head > self.verb.head:
            self._put(phrase, governor, "xcomp")
        else:
            self._put(phrase, self.head, "nsubj" if self.subject < 0 and governor == self.head and self.verb is not None else "obl")

    def _timed(self, phrase: Phrase, governor: int) -> bool:
        """Whether an accusative says when or how long (`du tagojn`), and not what is had or spent."""
        words = self.draft.tokens
        measured = phrase.end - phrase.start > 1 and words[phrase.head].word.root in TABLE["time"]
        return measured and words[governor].word.root not in TABLE["spent"]

    def _prepositional(self, phrase: Phrase) -> None:
        """To the noun right before it, or to the verb: by the preposition, and by where it stands."""
        draft = self.draft
        before = self._before(phrase)
        lemma = draft.lemma(phrase.preposition)
        governor = self._governor(phrase)
        if lemma in ("ol", "kiel", "kvazaŭ"):
            compared = self._compared(phrase)
            self._put(phrase, compared if compared >= 0 else governor, "obl" if compared < 0 or draft.tokens[compared].kind != "N" else "nmod")
            return
        noun = before if before is not None and before.kind in "NA" and before.head != phrase.head else None
        if noun is None and before is not None and before.kind == "R" and lemma in ("da", "de", "el"):
            self._put(phrase, before.head, "obl" if lemma != "da" else "nmod")
            return
        if noun is not None and (draft.tokens[noun.head].kind != "P" or lemma in ("el", "de")):
            passive = lemma == "de" and draft.tokens[noun.head].participle and "Voice=Pass" in draft.tokens[noun.head].word.feats
            first = self.verb is not None and phrase.head < self.verb.head and noun.preposition < 0 and noun.case == "N" and draft.tokens[noun.head].kind != "P"
            timed = draft.tokens[noun.head].word.root in TABLE["time"] and noun.case == "A" and lemma != "da"
            if noun.kind == "N" and (lemma in TABLE["nominal"] or first or self.verb is None or self._deed(noun)) and not timed:
                self._put(phrase, noun.head, "nmod")
                return
            if passive or (noun.kind == "A" and noun.head == self.head):
                self._put(phrase, noun.head, "obl")
                return
        self._put(phrase, governor, "obl")

    def _deed(self, noun: Phrase) -> bool:
        """Whether a noun is made of a verb or quality, and has what happens where and how beside it."""
        suffixes = self.draft.tokens[noun.head].word.suffixes
        return noun.case != "A" and suffixes[-1:] in (("ad",), ("iĝ",), ("ig",), ("ec",), ("ebl",), ("ism",))

    def _compared(self, phrase: Phrase) -> int:
        """The adjective or adverb that `ol` or `kiel` compares by: the last one said to be more or as much."""
        draft = self.draft
        for place in range(phrase.preposition - 1, -1, -1):
            if draft.lemma(place) in ("pli", "malpli", "tiel", "sama", "same", "tiom", "tia", "alia", "alie"):
                head = draft.heads[place]
                return head if head >= 0 and draft.roles[place] == "advmod" else place if draft.lemma(place) in ("sama", "tia", "alia") else head
        return -1

    def _adverb(self, phrase: Phrase) -> None:
        draft = self.draft
        lemma = draft.lemma(phrase.head)
        phrases = self.clause.phrases
        place = phrases.index(phrase)
        after = phrases[place + 1] if place + 1 < len(phrases) else None
        if lemma == "ne" or lemma in TABLE["focus"]:
            if after is not None and after.kind in "NARIG" and not (lemma != "ne" and after.head == self.head and self.copula):
                self._put(phrase, after.head, "advmod")
                return
        elif after is not None and after.kind == "R" and lemma in TABLE["degree"] | {"jam", "nun"} and draft.lemma(after.head) in ("ne", "multe", "bone"):
            self._put(phrase, after.head, "advmod")
            return
        governor = self._governor(phrase)
        if after is not None and after.kind == "I" and after.preposition >= 0:
            governor = after.head
        self._put(phrase, governor if governor != phrase.head else self.head, "advmod")


def join(draft: Draft, clauses: list[Clause]) -> int:
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
            target = clause.beside
            while target.beside is not None and target.beside.head >= 0:
                target = target.beside
            told = clause.joined < 0 and clause.verb is not None and draft.tokens[clause.verb.head].word.root in TABLE["speech"]
            after = any(one.kind == "N" and one.case == "N" and one.preposition < 0 for one in clause.phrases if one.head < head)
            draft.attach(head, target.head, "parataxis" if told and not after else "conj")
        elif clause.noun >= 0:
            noun = clause.noun
            if draft.roles[noun] == "conj" and clause.opener is not None and draft.tokens[clause.opener.head].plural:
                noun = draft.heads[noun]
            draft.attach(head, noun, "acl")
        else:
            _subordinate(draft, clause, root)
    return root


def _subordinate(draft: Draft, clause: Clause, root: int) -> None:
    parent = clause.parent
    to = parent.head if parent is not None and parent.head >= 0 else root
    head, opener = clause.head, clause.opener
    lemma = draft.lemma(opener.head) if opener is not None else ""
    governor = to
    if parent is not None:
        inside = [p.head for p in parent.phrases if p.kind in "IG" and to < p.head < clause.start]
        governor = inside[-1] if inside else to
    has_subject = any(draft.heads[i] == to and draft.roles[i] in ("nsubj", "csubj") for i in range(len(draft.heads)))
    copula = any(draft.heads[i] == to and draft.roles[i] == "cop" for i in range(len(draft.heads)))
    free = opener is not None and draft.tokens[opener.head].asks and draft.tokens[opener.head].kind in "DPS"
    before = draft.phrases and next((p for p in reversed(parent.phrases) if p.kind != "," and p.end <= clause.start), None) if parent else None
    if lemma == "ke" or (lemma == "ĉu" and opener is not None):
        correlated = any(draft.lemma(i) in ("tiel", "tiom", "tia") for i in range(clause.start))
        if before and before.kind == "N" and before.head != to and (before.preposition >= 0 or draft.lemma(before.head) in ("tio",) or before.case == "A"):
            draft.attach(head, before.head, "acl")
        elif correlated and lemma == "ke":
            draft.attach(head, governor, "advcl")
        else:
            draft.attach(head, governor, "csubj" if copula and not has_subject else "ccomp")
    elif free or lemma in ("kie", "kien", "kial", "kiom", "kies") or (lemma == "kiel" and not any(draft.lemma(i) in ("tiel", "same", "tia") for i in range(clause.start))):
        first = parent is not None and parent.verb is not None and clause.start < parent.verb.head
        draft.attach(head, governor, "csubj" if free and first and not has_subject else "ccomp" if free or clause.start > to else "advcl")
    else:
        draft.attach(head, governor, "advcl")
