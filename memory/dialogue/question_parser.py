"""The parts of an English question by closed word lists and its order: what it asks for, the helping verb, the subject,
the verb, and the phrases that follow, each with its preposition."""

from dataclasses import replace
from functools import lru_cache

from clew.memory.dialogue.graded import counts, is_most
from clew.memory.dialogue.phrases import UNDER_TOPIC, Parts, Phrase
from clew.memory.dialogue.word_classes import (
    BE,
    LISTS,
    acts,
    behind_relative,
    denies,
    ends_in_s,
    ends_in_verb,
    has_subject,
    has_thing,
    is_done,
    is_participle,
    is_predicate,
    is_title,
    is_verb,
    joins_name,
    states,
    tokens,
)

_SUBJECTS = (["who"], ["which"])
_MODAL = frozenset("can could will would shall should may might must".split())
_DO = _MODAL | {"do", "does", "did"}


@lru_cache(256)
def parts(text: str) -> Parts:
    """Of the last sentence that `text` has; of a text that is no question what can be told."""
    return _Reader(text).read()


class _Reader:
    """Goes through the tokens once, from left to right; `at` is the place of the next.

    `asks` are the question words in small letters; `helper` is the helping verb, `plain_helper` without its 'not';
    `said` is a verb met behind both; `waits`: one has to follow, as none was known behind 'do' and its subject."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.at = text, tokens(text), 0
        self.phrases: list[Phrase] = []
        self.asks: list[str] = []
        self.helper, self.plain_helper, self.waits = "", "", False
        self.said: tuple[int, int] | None = None
        self.last = len(self.tokens)
        while self.last and self.tokens[self.last - 1].kind == "mark" and self.tokens[self.last - 1].text in ".?!…":
            self.last -= 1

    def read(self) -> Parts:
        self._skip_lead()
        lead = self.tokens[self.at].start if self.at < self.last else len(self.text)
        asked = self._question_words()
        self.asks = self.text[slice(*asked)].casefold().split() if asked else []
        aux = verb = None
        if self.kind == "aux" and not self._owns():
            aux, verb = self._helped()
            do = self.plain_helper in _DO and bool(self.phrases) and self.phrases[-1].role == "subject"
            self.waits = do and verb is None
        elif self._begins_with_verb():
            verb = self._take()
        clause, end = self._rest(), self.tokens[self.last - 1].end if self.last else len(self.text)
        phrases = tuple(one for one in self.phrases if not (self.phrases[0].role == "asked" and is_most(one.text)))
        return Parts(self.text, self.tokens, min(lead, end), asked, aux, verb or self.said, phrases, clause, end)

    # Where it is --------------------------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        return self._kind(self.at)

    @property
    def low(self) -> str:
        return self.tokens[self.at].low if self.at < self.last else ""

    def _look(self, ahead: int) -> str:
        return self._kind(self.at + ahead)

    def _kind(self, place: int) -> str:
        return self.tokens[place].kind if place < self.last else "end"

    def _is_noun(self, place: int) -> bool:
        """Whether a word can stand in a noun phrase."""
        return self._kind(place) in ("word", "number")

    def _of_follows(self) -> bool:
        return self.kind == "prep" and self.low == "of" and self._look(1) in ("det", "word", "number")

    def _span(self, first: int, after: int) -> tuple[int, int]:
        return self.tokens[first].start, self.tokens[after - 1].end

    def _take(self) -> tuple[int, int]:
        """Goes over one word, and says where it stands."""
        self.at += 1
        return self._span(self.at - 1, self.at)

    def _skip_lead(self) -> None:
        topic = UNDER_TOPIC.match(self.text)
        while self.at < self.last and topic and self.tokens[self.at].start < topic.end():
            self.at += 1
        while self.low in LISTS["leads"] or self.kind == "mark":
            self.at += 1

    # The question words -------------------------------------------------------------------------------------------

    def _question_words(self) -> tuple[int, int] | None:
        """The question words, with a preposition before and the noun behind: 'in which of the countries'."""
        first, fronted = self.at, self.kind in ("prep", "adv") and self._look(1) == "what"
        if not fronted and self.kind != "what":
            return None
        self.at += fronted
        word = self.low
        self.at += 1
        while self.kind == "adv" and (word == "how" or self.low == "else"):
            self.at += 1
        if word == "which" and self.low == "of" and (main := behind_relative(self.tokens[: self.last], self.at)):
            self.phrases.append(self._phrase(self.at + 2, main, "asked"))
            self.at = main
            return self._span(first + fronted, main)
        noun = self.at
        if word in ("which", "what", "whose", "how"):
            self.at += self.low in ("one", "ones")
            self._run_before_verb(word)
        if self.kind == "prep" and self.low == "of" and self._look(1) == "pron":
            self.at += 1
            self._pronoun("other", self.at - 1)
        elif self.at > noun:
            if word != "how" or counts(self.tokens, noun):
                self.phrases.append(self._phrase(noun, self.at, "asked"))
            while self._of_follows():
                self.at += 1
                if not self._noun_phrase("other", self.at - 1):
                    break
        return self._span(first, self.at)

    def _run_before_verb(self, word: str) -> None:
        """Goes over the words between the question word and the verb: 'printer' of 'which printer did', 'guests' of
        'how many guests came', 'old' of 'how old is'."""
        start = self.at
        while self.kind in ("word", "number"):
            one = self.tokens[start - 1].low == "one" and is_verb(self.low)  # 'which one makes noise'
            opens = self.at == start and (one or word == "what") and not self._aux_follows()
            if opens or (self.at > start and is_verb(self.low) and self._look(1) != "aux"):
                break
            self.at += 1
        happened = self.at > start and is_verb(self.tokens[self.at - 1].low)
        if word == "what" and self.kind == "end" and happened:  # 'what happened', not 'on what heat'
            self.at = start

    def _aux_follows(self) -> bool:
        """Whether a helping verb comes after the nouns: 'what mean accuracy did', not 'what makes monkeys suitable'."""
        kinds = (token.kind for token in self.tokens[self.at : self.last] if token.kind not in ("word", "number"))
        behind = next(kinds, "end")
        return behind == "aux" or (behind in ("prep", "end") and not is_verb(self.low))

    # The verbs and the subject ------------------------------------------------------------------------------------

    def _begins_with_verb(self) -> bool:
        """Whether the verb comes next: behind 'who', or as a request ('summarise ...', 'take the ...')."""
        if self.kind != "word":
            return self.kind == "aux"
        if self.asks:
            return is_verb(self.low) or self.asks in (["who"], ["what"])
        thing = self._look(1) in ("det", "prep", "pron")
        return self.low in LISTS["requests"] or (self.low in LISTS["verbs"] and thing)

    def _owns(self) -> bool:
        """Whether 'has' is the verb itself and helps none: 'who has the key'."""
        if self.low not in ("has", "have", "had") or self.asks[:1] not in _SUBJECTS:
            return False
        rest = self.tokens[self.at + 1 : self.last]
        first = next((token for token in rest if token.kind != "adv"), None)
        if first is None or first.kind not in ("det", "number", "word", "pron") or is_verb(first.low):
            return False
        who = self.asks in (["who"], ["who", "else"])
        return who or not any(one.low in LISTS["past"] or is_participle(one) for one in rest if one.kind == "word")

    def _helped(self) -> tuple[tuple[int, int], tuple[int, int] | None]:
        """The helping verb, the subject and the verb: 'did the Tides exhibition open'."""
        self.helper, self.plain_helper = self.low, self.low.removesuffix("n't")
        aux = self._take()
        self.at += self.low == "not"
        if self.kind in ("end", "prep", "adv", "aux"):
            return aux, None
        if self._done_by() or self._can_do():
            return aux, self._take()
        if self.kind == "pron" or self._stands_for_something():
            self._pronoun("subject")
        elif not self._subject():
            return aux, None
        while self.kind in ("adv", "aux"):
            if self.plain_helper in _DO and has_thing(self.tokens[: self.last], self.at):
                return aux, self._take()
            self.at += 1
        does = self.plain_helper in _DO or self.helper in ("won't", "can't", "cannot") or acts(self.tokens, self.at)
        return aux, self._take() if self.kind == "word" and does else None

    def _done_by(self) -> bool:
        """Whether the verb of whoever is asked for follows: 'who has won the prize'."""
        does = self.plain_helper in (*BE, "do", "does", "did")
        verb = self.kind == "word" and not self.tokens[self.at].text[0].isupper() and is_verb(self.low)
        return verb and self.asks[:1] in _SUBJECTS and not does

    def _can_do(self) -> bool:
        """Whether the verb of what is counted follows: 'how many clients can connect at once'."""
        counted = bool(self.asks and self.phrases) and self.phrases[-1].role == "asked"
        bare = self.kind == "word" and self.tokens[self.at].text.islower() and not self.low.endswith("s")
        return counted and bare and self.helper in _MODAL and self._look(1) in ("end", "prep", "adv", "sub")

    def _stands_for_something(self) -> bool:
        """Whether 'that' is the subject by itself: 'does that need ...', where 'need' is the verb."""
        pointing = self.low in ("this", "that", "these", "those") and self.at + 1 < self.last
        return pointing and self.plain_helper in _DO and is_verb(self.tokens[self.at + 1].low)

    def _subject(self) -> bool:
        first, complement = self.at, False
        if self.plain_helper in BE and self.asks:
            bare = self.kind == "word" and self.at + 1 == self.last and self.low.endswith(("er", "est"))
            about = self._look(1) == "prep" and self.tokens[first + 1].low in ("with", "about")
            if (bare and self.asks[0] == "which") or about or is_participle(self.tokens[first]):
                return False  # 'which of them is smallest'
            complement = self._is_complement()
        end = self._subject_end(first, complement)
        done = self.asks == ["what"] and self.plain_helper in _DO and self.tokens[self.last - 1].low == "do"
        if done and all(self._kind(at) in ("det", "word", "number") for at in range(first, self.last - 1)):
            end = self.last - 1  # 'what does history merge do'
        if end == first:
            return False
        self.at = end
        self._over_of()
        while self.low == "and" and self._look(1) in ("det", "word"):
            end = self._subject_end(self.at + 1, complement)
            if end <= self.at + 1 + (self._look(1) == "det"):
                break
            self.at = end
        self.phrases.append(self._phrase(first, self.at, "subject"))
        return True

    def _is_complement(self) -> bool:
        """Whether nothing but a noun phrase can follow: 'what is the default', 'how old is the flat'."""
        alone = self.asks[-1] in ("what", "who", "which", "whose", "where", "when")
        return alone or (self.asks[0] == "how" and len(self.asks) > 1)

    def _subject_end(self, first: int, complement: bool) -> int:
        start = first + (self.tokens[first].kind == "det")
        at = start
        while self._is_noun(at) and not self._ends_subject(at, start, named=start == first and not complement):
            at += 1
        at = self._over_one(at, first)
        while joins_name(self.tokens[: self.last], at, start):
            at += 2
        following = self._kind(at)
        denied = at < self.last and self.tokens[at].low == "not"
        if denied or following in ("word", "number", "and", "aux"):
            return at
        if self.plain_helper not in BE and at - start >= 3 and self.tokens[at - 1].kind == "number":
            return at - 2  # 'does math round 3/2': the word before the number is what is done
        return at - (at - start >= 2 and not complement and self._is_said_of(at - 1, following))

    def _ends_subject(self, at: int, start: int, named: bool) -> bool:
        """Whether a word is what the subject does, or is said of it. `named`: that may stand right behind a name."""
        token, before = self.tokens[at], self.tokens[at - 1]
        if at == start or not token.text[0].islower() or before.low.endswith(("'s", "s'")):
            return False
        if self._kind(at + 1) == "prep" and self._done_last():
            return False
        be, no_verb = self.plain_helper in BE, ends_in_s(token.low)
        done = not be and is_verb(token.low) and token.low not in LISTS["people"] and not no_verb
        return is_participle(token) or done or (named and before.text[0].isupper() and (be or not no_verb))

    def _is_said_of(self, at: int, following: str) -> bool:
        """Whether the last word of what could be a subject is said of the rest, as nothing before was taken for a
        verb."""
        last, before = self.tokens[at], self.tokens[at - 1]
        done_last = following == "prep" and self._done_last()
        if done_last or last.text[0].isupper() or last.kind != "word" or last.low in ("one", "ones"):
            return False
        several = self.plain_helper in BE and last.low.endswith("s") and not last.low.endswith(("ous", "ss"))
        person = following == "prep" and last.low in LISTS["people"]  # 'did the first man in space'
        return not (several or person or before.low.endswith(("'s", "s'")))

    def _over_of(self) -> None:
        """Goes over 'of' and what follows it in a subject: 'the maximum number of columns'."""
        while self._of_follows():
            first = self.at + 1
            end = self._subject_end(first, complement=self.plain_helper in BE and self.asks[:1] not in ([], ["why"]))
            if end == first or (end == first + 1 and self.tokens[first].kind == "det"):
                return
            self.at = end

    def _done_last(self) -> bool:
        return self.plain_helper in ("do", "does", "did") and ends_in_verb(self.tokens[: self.last])

    # The rest -----------------------------------------------------------------------------------------------------

    def _rest(self) -> int:
        """The phrases behind the verb; where a clause begins."""
        clause = -1
        while self.at < self.last:
            kind = self.kind
            if kind == "sub" and clause < 0 and self.at > 0:
                clause = self._take()[0]
            elif kind == "prep":
                self._behind_preposition()
            elif kind == "pron":
                self._pronoun("object")
            elif kind == "word" and has_subject(self.tokens, self.at):
                self.at += 1  # 'when I die'
            elif kind == "word" and self.waits and not self.said and acts(self.tokens, self.at):
                self.said = self._take()
            elif kind == "aux" and denies(self.tokens[: self.last], self.at):
                self.at += 1 + (self._look(1) == "adv")
                done = self._take()
                self.said = self.said or done
            elif self.phrases and self._states(self.at):
                self.phrases[-1] = replace(self.phrases[-1], role="subject")
                self.said = self._take()
            elif kind == "word" and (
                is_participle(self.tokens[self.at]) or is_predicate(self.tokens[: self.last], self.at)
            ):
                done = self._take()
                self.said = self.said or done
            elif kind in ("det", "word", "number"):
                joined = self.at and self.tokens[self.at - 1].kind == "and" and self.phrases
                self._noun_phrase(self.phrases[-1].role if joined else "object", -1)
            else:
                self.at += 1
        return clause

    def _behind_preposition(self) -> None:
        """A phrase; or a verb behind 'to'."""
        preposition = self.at
        self.at += 1
        if self.tokens[preposition].low == "to" and self.kind == "word" and is_verb(self.low):
            self.said = self._take()
        elif self.kind == "pron":
            self._pronoun("other", preposition)
        elif self.kind in ("det", "word", "number"):
            self._noun_phrase("other", preposition)

    def _states(self, at: int) -> bool:
        return not (self.asks or self.helper or self.said) and states(self.tokens[: self.last], at)

    def _noun_phrase(self, role: str, preposition: int) -> bool:
        first = self.at
        if is_title(self.tokens[: self.last], first):
            self.at = self.last
            self.phrases.append(self._phrase(first, self.at, role, preposition))
            return True
        start = first + (self.tokens[first].kind == "det")
        at = start
        while self._is_noun(at) and not self._ends_phrase(at, start):
            at += 1
        at = self._over_one(at, first)
        while joins_name(self.tokens[: self.last], at, start):
            at += 2 if self.tokens[at + 1].kind != "det" else 3
            while self._is_noun(at) and self.tokens[at].text[0].isupper():
                at += 1
        if at in (start, first):
            self.at = max(self.at + 1, at)
            return False
        self.at = at
        while self._of_follows():
            self.at += 1 + (self._look(1) == "det")
            while self._is_noun(self.at):
                self.at += 1
        self.phrases.append(self._phrase(first, self.at, role, preposition))
        return True

    def _ends_phrase(self, at: int, start: int) -> bool:
        """Whether a word is a verb, or said of the noun before it: 'suitable' of 'monkeys suitable for'."""
        token, before = self.tokens[at], self.tokens[at - 1]
        if at == start or token.text[0].isupper() or before.low.endswith(("'s", "s'")):
            return False
        last = at == self.last - 1 or not self._done_last()
        done = bool(self.asks) and not self.helper and is_done(self.tokens[: self.last], at)
        ending = token.low.endswith(("able", "ible", "ful", "ous"))
        said_of = ending and (before.low.endswith("s") or before.text[0].isupper())
        verb = last and self.waits and self.said is None and is_verb(token.low)
        ends = verb or done or has_subject(self.tokens, at) or self._states(at)
        return ends or said_of or token.low.endswith("ed") or is_participle(token)

    def _over_one(self, at: int, first: int) -> int:
        """The place behind 'one': 'the green one'."""
        return at + (first < at < self.last and self.tokens[at].low in ("one", "ones"))

    def _pronoun(self, role: str, preposition: int = -1) -> None:
        self.phrases.append(self._phrase(self.at, self.at + 1, role, preposition, pronoun=True))
        self.at += 1

    def _phrase(self, first: int, after: int, role: str, preposition: int = -1, pronoun: bool = False) -> Phrase:
        start, end = self._span(first, after)
        before = (self.tokens[preposition].low, self.tokens[preposition].start) if preposition >= 0 else ("", -1)
        return Phrase(self.text[start:end], start, end, role, *before, pronoun)
