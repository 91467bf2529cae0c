"""What depends on what in a clause of Esperanto: heads and relations of UD."""

from clew.memory.language.clause_parts import ClauseDraft
from clew.memory.language.esperanto_words import TABLE
from clew.memory.language.noun_phrases import Constituent, Draft
from clew.memory.language.predicates import coordinate, is_light, predicate, without_verb


def resolve(draft: Draft, clause: ClauseDraft) -> None:
    """Finds the head of a clause and attaches its phrases to it."""
    coordinate(draft, clause)
    free = [phrase for phrase in clause.phrases if not phrase.done and phrase.kind not in ",C"]
    verb = clause.verb
    copula = verb is not None and verb.kind == "E"
    if copula and verb is not None:
        clause.head = predicate(draft, clause, free, verb)
    elif verb is not None:
        clause.head = verb.head
    else:
        clause.head = without_verb(free)
    if clause.head < 0:
        return
    for phrase in clause.phrases[:1]:
        if phrase.kind == "C" and not phrase.done:
            draft.attach(phrase.head, clause.head, "cc")
    _Attacher(draft, clause, free).run()


class _Attacher:
    """Gives the phrases of one clause their heads."""

    def __init__(self, draft: Draft, clause: ClauseDraft, free: list[Constituent]) -> None:
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

    def _put(self, phrase: Constituent, head: int, role: str) -> None:
        self.draft.attach(phrase.head, head, role)
        phrase.done = True

    def _governor(self, phrase: Constituent) -> int:
        """The infinitive or adverbial participle that a phrase belongs to, else the head of the clause."""
        before = -1
        for one in self.clause.phrases:
            if one.start >= phrase.start:
                break
            if one.kind in "IG" or (
                one.kind == "A" and self.draft.tokens[one.head].participle and one.head != self.head
            ):
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

    def _infinitive(self, phrase: Constituent) -> None:
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
            self._put(
                said, governor if governor != phrase.head else head, "advcl" if phrase.preposition >= 0 else "xcomp"
            )
        elif phrase.preposition >= 0:
            self._put(phrase, self._governor(phrase), "advcl")
        elif (
            self.copula
            and (draft.tokens[head].kind in "AR" or self.verb is None or phrase.head < self.verb.head)
            and not self._nominative()
        ):
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

    def _said(self, infinitive: Constituent) -> Constituent | None:
        """What is said with the infinitive `esti`: the adjective, noun or place right after it."""
        place = self.clause.phrases.index(infinitive)
        for one in self.clause.phrases[place + 1 : place + 4]:
            if one.done or one.kind in ",CVEIQ":
                return None
            if one.kind in "AN" and one.case != "A":
                return one
        return None

    def _task(self, noun: Constituent) -> bool:
        """Whether an infinitive says what a noun is for (`la rajto paroli`), where the verb is none that takes both."""
        word = self.draft.tokens[noun.head].word
        verb = self.draft.tokens[self.head].word.root
        return verb not in TABLE["control"] and (
            word.root in TABLE["tasks"] or word.suffixes[-1:] in (("ebl",), ("ec",), ("em",))
        )

    def _before(self, phrase: Constituent) -> Constituent | None:
        place = self.clause.phrases.index(phrase)
        return self.clause.phrases[place - 1] if place else None

    def _nominative(self) -> bool:
        return any(one.kind == "N" and one.case == "N" and one.preposition < 0 for one in self.free)

    def _subject(self) -> None:
        """The first nominative without a preposition; set off by a comma before an imperative or `vi` it is called."""
        nominal = [
            one for one in self.free if one.kind in "NA" and one.case == "N" and one.preposition < 0 and not one.done
        ]
        if self.verb is None and not self.copula:
            return
        nouns = [one for one in nominal if one.kind == "N"] or nominal
        if not nouns:
            return
        chosen = nouns[0]
        if len(nouns) > 1:
            rest = [one for one in nouns if not self._called(one)]
            near = [one for one in rest if self.verb is None or one.head < self.verb.head]
            chosen = (near or rest or nouns)[0]
        elif self._called(chosen):
            return
        self._put(chosen, self.head, "nsubj")
        self.subject = chosen.head

    def _called(self, phrase: Constituent) -> bool:
        draft, phrases = self.draft, self.clause.phrases
        place = phrases.index(phrase)
        after = draft.kind(phrase.end) == ","
        before = phrase.start == 0 or draft.kind(phrase.start - 1) == ","
        if draft.tokens[phrase.head].kind == "P" or not (after and before):
            return False
        commanded = self.verb is not None and draft.tokens[self.verb.head].word.feats.startswith("Mood=Imp")
        others = any(
            one is not phrase and one.kind == "N" and one.case == "N" and one.preposition < 0 for one in phrases
        )
        return (
            commanded
            or (others and any(draft.lemma(one.head) in ("vi", "ci") for one in phrases))
            or (others and place > 0 and place == len(phrases) - 2)
        )

    def _other(self, phrase: Constituent) -> None:
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

    def _adjective(self, phrase: Constituent, before: Constituent | None) -> None:
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
            self._put(
                phrase,
                self._governor(phrase),
                "obj" if phrase.case == "A" and before is not None and before.kind != "N" else "xcomp",
            )

    def _before_kind(self, phrase: Constituent) -> str:
        before = self._before(phrase)
        return before.kind if before is not None else ""

    def _noun(self, phrase: Constituent) -> None:
        draft = self.draft
        governor = self._governor(phrase)
        if phrase.case == "A":
            timed = self._timed(phrase, governor)
            object_ = any(draft.heads[one.head] == governor and draft.roles[one.head] == "obj" for one in self.all)
            self._put(phrase, governor, "obl" if timed or object_ else "obj")
            return
        self._before(phrase)
        place = self.clause.phrases.index(phrase)
        earlier = [
            one
            for one in self.clause.phrases[:place]
            if not is_light(draft, one) and draft.lemma(one.head) not in TABLE["focus"]
        ]
        near = next((one for one in reversed(earlier) if one.kind != ","), None)
        apart = bool(earlier) and earlier[-1].kind == ","
        if self._called(phrase):
            self._put(phrase, self.head, "vocative")
        elif (
            near is not None
            and near.kind == "N"
            and near is not phrase
            and near.head != phrase.head
            and (near.case == "N" or near.preposition >= 0)
        ):
            self._put(phrase, near.head, "appos" if apart or draft.upos[phrase.head] != "PROPN" else "flat")
        elif self.verb is not None and phrase.head > self.verb.head:
            self._put(phrase, governor, "xcomp")
        else:
            self._put(
                phrase,
                self.head,
                "nsubj" if self.subject < 0 and governor == self.head and self.verb is not None else "obl",
            )

    def _timed(self, phrase: Constituent, governor: int) -> bool:
        """Whether an accusative says when or how long (`du tagojn`), and not what is had or spent."""
        words = self.draft.tokens
        measured = phrase.end - phrase.start > 1 and words[phrase.head].word.root in TABLE["time"]
        return measured and words[governor].word.root not in TABLE["spent"]

    def _prepositional(self, phrase: Constituent) -> None:
        """To the noun right before it, or to the verb: by the preposition, and by where it stands."""
        draft = self.draft
        before = self._before(phrase)
        lemma = draft.lemma(phrase.preposition)
        governor = self._governor(phrase)
        if lemma in ("ol", "kiel", "kvazaŭ"):
            compared = self._compared(phrase)
            self._put(
                phrase,
                compared if compared >= 0 else governor,
                "obl" if compared < 0 or draft.tokens[compared].kind != "N" else "nmod",
            )
            return
        noun = before if before is not None and before.kind in "NA" and before.head != phrase.head else None
        if (
            noun is None
            and before is not None
            and before.kind == "R"
            and lemma in ("da", "de", "el")
            and not is_light(draft, before)
        ):
            self._put(phrase, before.head, "obl" if lemma != "da" else "nmod")
            return
        if noun is not None and (draft.tokens[noun.head].kind != "P" or lemma in ("el", "de")):
            passive = (
                lemma == "de"
                and draft.tokens[noun.head].participle
                and "Voice=Pass" in draft.tokens[noun.head].word.feats
            )
            first = (
                self.verb is not None
                and phrase.head < self.verb.head
                and noun.preposition < 0
                and noun.case == "N"
                and draft.tokens[noun.head].kind != "P"
            )
            timed = draft.tokens[noun.head].word.root in TABLE["time"] and noun.case == "A" and lemma != "da"
            if (
                noun.kind == "N"
                and (lemma in TABLE["nominal"] or first or self.verb is None or self._deed(noun))
                and not timed
            ):
                self._put(phrase, noun.head, "nmod")
                return
            if passive or (noun.kind == "A" and noun.head == self.head):
                self._put(phrase, noun.head, "obl")
                return
        self._put(phrase, governor, "obl")

    def _deed(self, noun: Constituent) -> bool:
        """Whether a noun is made of a verb or quality, and has what happens where and how beside it."""
        suffixes = self.draft.tokens[noun.head].word.suffixes
        return noun.case != "A" and suffixes[-1:] in (("ad",), ("iĝ",), ("ig",), ("ec",), ("ebl",), ("ism",))

    def _compared(self, phrase: Constituent) -> int:
        """The adjective or adverb that `ol` or `kiel` compares by: the last one said to be more or as much."""
        draft = self.draft
        for place in range(phrase.preposition - 1, -1, -1):
            if draft.lemma(place) in ("pli", "malpli", "tiel", "sama", "same", "tiom", "tia", "alia", "alie"):
                head = draft.heads[place]
                return (
                    head
                    if head >= 0 and draft.roles[place] == "advmod"
                    else place
                    if draft.lemma(place) in ("sama", "tia", "alia")
                    else head
                )
        return -1

    def _adverb(self, phrase: Constituent) -> None:
        draft = self.draft
        lemma = draft.lemma(phrase.head)
        phrases = self.clause.phrases
        place = phrases.index(phrase)
        after = phrases[place + 1] if place + 1 < len(phrases) else None
        if lemma == "ne" or lemma in TABLE["focus"]:
            if (
                after is not None
                and after.kind in "NARIG"
                and not (lemma != "ne" and after.head == self.head and self.copula)
            ):
                self._put(phrase, after.head, "advmod")
                return
        elif (
            after is not None
            and after.kind == "R"
            and lemma in TABLE["degree"] | {"jam", "nun"}
            and draft.lemma(after.head) in ("ne", "multe", "bone")
        ):
            self._put(phrase, after.head, "advmod")
            return
        governor = self._governor(phrase)
        inside = after is not None and ((after.kind == "I" and after.preposition >= 0) or after.kind == "G")
        if after is not None and inside:
            governor = after.head
        if lemma in ("ne", "jes") and not place and after is not None and after.kind == ",":
            self._put(phrase, self.head, "discourse")
            return
        self._put(phrase, governor if governor != phrase.head else self.head, "advmod")
