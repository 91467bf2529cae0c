"""What depends on what in a clause of Esperanto: heads and relations of UD."""

from clew.memory.language.clause_parts import ClauseDraft
from clew.memory.language.esperanto_words import TABLE
from clew.memory.language.noun_phrases import Constituent, Draft
from clew.memory.language.predicates import coordinate, is_light, predicate, without_verb


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
        said = self._said(phrase) if self.draft.upos[phrase.head] == "AUX" else None
        if said is not None:
            self._esti(phrase, said)
        elif not phrase.bare:
            self._put(phrase, self._governor(phrase), "advcl")
        elif self.copula and self._can_be_subject(phrase):
            self._put(phrase, head, "csubj")
        elif noun is not None and noun.end == phrase.start and self._task(noun):
            self._put(phrase, noun.head, "acl")
        elif self.copula and before is not None and before.head == head and self.tokens[head].kind == "N":
            self._put(phrase, head, "acl")
        elif self.verb is not None or phrase.head != head:
            self._put(phrase, self._governor(phrase), "xcomp")

    def _esti(self, infinitive: Constituent, said: Constituent) -> None:
        """`esti bona`, `esti farita`: the infinitive depends on what is said with it."""
        participle = self.tokens[said.head].participle
        self.draft.attach(infinitive.head, said.head, "aux" if participle else "cop")
        if participle:
            self.draft.upos[said.head] = "VERB"
        infinitive.done = True
        if said.kind != "N":
            said.preposition = infinitive.preposition
        if not infinitive.bare:
            self.draft.attach(infinitive.preposition, said.head, "mark")
        self._put(said, self._governor(infinitive), "xcomp" if infinitive.bare else "advcl")

    def _said(self, infinitive: Constituent) -> Constituent | None:
        """What is said with the infinitive `esti`: the adjective, noun or place right after it."""
        place = self.clause.phrases.index(infinitive)
        for one in self.clause.phrases[place + 1 : place + 4]:
            if one.done or one.kind in ",CVEIQ":
                return None
            if one.kind in "AN" and one.case != "A":
                return one
        return None

    def _can_be_subject(self, infinitive: Constituent) -> bool:
        described = self.tokens[self.head].kind in "AR"
        return (described or self._opens(infinitive)) and not any(one.nominative for one in self.free)

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
        elif before is not None and before.kind in "NA" and before.head != phrase.head:
            if self._modifies(phrase, before, lemma):
                governor, role = before.head, "nmod"
            elif self._completes(before, lemma):
                governor = before.head
        self._put(phrase, governor, role)

    def _modifies(self, phrase: Constituent, noun: Constituent, lemma: str) -> bool:
        """Whether it says of which the noun before it is."""
        token = self.tokens[noun.head]
        if noun.kind != "N" or (token.kind == "P" and lemma not in ("el", "de")):
            return False
        if token.word.root in TABLE["time"] and noun.case == "A" and lemma != "da":
            return False
        first = self._opens(phrase) and noun.nominative and token.kind != "P"
        return first or lemma in TABLE["nominal"] or self.verb is None or self._deed(noun)

    def _completes(self, before: Constituent, lemma: str) -> bool:
        """Whether it belongs to a passive participle, or to the adjective that is said of the subject."""
        token = self.tokens[before.head]
        if token.kind == "P" and lemma not in ("el", "de"):
            return False
        passive = lemma == "de" and token.participle and "Voice=Pass" in token.word.feats
        return passive or (before.kind == "A" and before.head == self.head)

    def _deed(self, noun: Constituent) -> bool:
        """Whether a noun is made of a verb or quality, and has what happens where and how beside it."""
        suffixes = self.tokens[noun.head].word.suffixes
        return noun.case != "A" and suffixes[-1:] in (("ad",), ("iĝ",), ("ig",), ("ec",), ("ebl",), ("ism",))

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
