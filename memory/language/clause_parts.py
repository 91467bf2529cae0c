"""The second half of a sentence of Esperanto: its clauses, and what depends on what in each.

Phrases are dealt out to clauses from left to right: a subordinator or a relative word opens one within the clause that
is open, a comma after a clause with a verb closes it, a conjunction with a verb after it puts one beside another.
"""

from dataclasses import dataclass, field

from clew.memory.language.esperanto_words import TABLE
from clew.memory.language.noun_phrases import PLACES, Constituent, Draft

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
        elif draft.heads[phrase.head] < 0:
            phrase.done = True
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
        if asking != asked.head and lemma != "kies":
            return -1
        for at in range(len(parent.phrases) - 1, -1, -1):
            phrase = parent.phrases[at]
            if phrase.kind == ",":
                continue
            token = draft.tokens[phrase.head]
            if lemma == "kiam":
                return phrase.head if self._dated(phrase, parent) else -1
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

    def _dated(self, phrase: Constituent, parent: ClauseDraft) -> bool:
        """Whether `kiam` says more of a noun of time: not of one that is counted (`pasis du horoj, kiam ...`), nor of
        what it is (`estis nokto, kiam ...`)."""
        tokens = self.draft.tokens
        counted = any(tokens[one].kind == "M" for one in range(phrase.start, phrase.head))
        said = parent.verb is not None and parent.verb.kind == "E" and parent.verb.head < phrase.head
        root = tokens[phrase.head].word.root
        timed = phrase.kind == "N" and (root in TABLE["time"] or root in TABLE["moments"])
        return timed and not counted and not (said and phrase.end - phrase.start == 1)

    def _conjunction(self, place: int) -> None:
        phrase = self.phrases[place]
        if self.open.beside is not None and self.open.joined < 0 and not self.open.phrases:
            self.open.joined = phrase.head
            phrase.done = True
            return
        if self.open.verb is None or not self._verb_follows(place + 1):
            self._back_to_list(place)
            self.open.phrases.append(phrase)
            return
        target = self.open
        if self.comma and self.open.parent is not None and not self._shares(place):
            while target.parent is not None:
                target = target.parent
        while target.verb is None and target.parent is not None:
            target = target.parent
        if target.verb is None:
            self.open.phrases.append(phrase)
            return
        made = self._beside(target, phrase.start)
        made.joined = phrase.head
        phrase.done = True

    def _back_to_list(self, place: int) -> None:
        """`A, kiu ..., kaj B estas`: after a comma a subject goes on the list of the clause that waits for its verb."""
        waiting: ClauseDraft | None = self.open
        while waiting is not None and waiting.verb is not None:
            waiting = waiting.parent
        after = self.phrases[place + 1] if place + 1 < len(self.phrases) else None
        if self.comma and waiting is not None and after is not None and after.nominative:
            self.open = waiting

    def _shares(self, place: int) -> bool:
        """Whether what comes after a conjunction has no subject of its own, so that it goes on with the clause."""
        for phrase in self.phrases[place + 1 :]:
            if phrase.kind in "VE":
                return True
            if phrase.nominative:
                return False
        return True

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
