"""The parts of an English question by closed word lists and its order: what it asks for, the helping verb, the subject,
the verb, and the phrases that follow, each with its preposition."""

from functools import lru_cache

from clew.memory.dialogue.phrases import UNDER_TOPIC, Parts, Phrase
from clew.memory.dialogue.word_classes import LISTS, is_participle, is_verb, tokens

_SUBJECTS = ("who", "which")
_WHO_DO = ("i", "we", "he", "she", "they")
_NAME_LINKS = frozenset("of for de von van der la le du da di al bin".split())
_DO = frozenset("do does did can could will would shall should may might must".split())
_MODAL = frozenset("can could will would shall should may might must".split())
_BE = frozenset("is are am was were be been being 's 're 'm".split())


@lru_cache(256)
def parts(text: str) -> Parts:
    """Of the last sentence that `text` has; of a text that is no question what can be told."""
    return _Reader(text).read()


class _Reader:
    """Goes through the tokens once, from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.at = text, tokens(text), 0
        topic = UNDER_TOPIC.match(text)
        self.opened = topic.end() if topic else 0
        self.phrases: list[Phrase] = []
        self.said: tuple[int, int] | None = None
        self.waits = False
        last = len(self.tokens)
        while last and self.tokens[last - 1].kind == "mark" and self.tokens[last - 1].text in ".?!…":
            last -= 1
        self.last = last

    def read(self) -> Parts:
        while self.at < self.last and self.tokens[self.at].start < self.opened:
            self.at += 1
        while self.at < self.last and (self.low in LISTS["leads"] or self.kind == "mark"):
            self.at += 1
        lead = self.tokens[self.at].start if self.at < self.last else len(self.text)
        asked = self._asked()
        aux = verb = None
        wh_verb = (
            asked is not None
            and self.kind == "word"
            and (is_verb(self.low) or self.text[slice(*asked)].casefold() in ("who", "what"))
        )
        if self.kind == "aux" and not (asked and self._owns(asked)):
            helper = self.low.removesuffix("n't")
            aux, verb = self._helped(asked)
            self.waits = verb is None and helper in _DO and bool(self.phrases) and self.phrases[-1].role == "subject"
        elif wh_verb or self.kind == "aux" or (asked is None and self._requests()):
            verb = self._span(self.at, self.at + 1)
            self.at += 1
        clause = self._rest()
        verb = verb or self.said
        end = self.tokens[self.last - 1].end if self.last else len(self.text)
        return Parts(self.text, self.tokens, min(lead, end), asked, aux, verb, tuple(self.phrases), clause, end)

    @property
    def kind(self) -> str:
        return self.tokens[self.at].kind if self.at < self.last else "end"

    @property
    def low(self) -> str:
        return self.tokens[self.at].low if self.at < self.last else ""

    def _look(self, ahead: int) -> str:
        return self.tokens[self.at + ahead].kind if self.at + ahead < self.last else "end"

    def _span(self, first: int, after: int) -> tuple[int, int]:
        return self.tokens[first].start, self.tokens[after - 1].end

    def _done_by(self, asked: tuple[int, int], aux: str) -> bool:
        """Whether the verb of whoever is asked for follows: 'who has won the prize'."""
        if self.kind != "word" or self.text[slice(*asked)].split()[0].casefold() not in _SUBJECTS:
            return False
        token = self.tokens[self.at]
        does = aux.removesuffix("n't") in (*_BE, "do", "does", "did")
        return not token.text[0].isupper() and is_verb(token.low) and not does

    def _can_do(self, aux: str) -> bool:
        """Whether the verb of what is counted follows: 'how many clients can connect at once'."""
        counted = bool(self.phrases) and self.phrases[-1].role == "asked"
        bare = self.kind == "word" and self.tokens[self.at].text.islower() and not self.low.endswith("s")
        return counted and bare and aux in _MODAL and self._look(1) in ("end", "prep", "adv", "sub")

    def _owns(self, asked: tuple[int, int]) -> bool:
        """Whether 'has' is the verb itself and helps none: 'who has the key'."""
        if self.low not in ("has", "have", "had") or self.text[slice(*asked)].split()[0].casefold() not in _SUBJECTS:
            return False
        rest = self.tokens[self.at + 1 : self.last]
        first = next((token for token in rest if token.kind != "adv"), None)
        if first is None or first.kind not in ("det", "number", "word", "pron") or is_verb(first.low):
            return False
        who = self.text[slice(*asked)].casefold() in ("who", "who else")
        return who or not any(is_verb(token.low) or is_participle(token) for token in rest if token.kind == "word")

    def _requests(self) -> bool:
        """Whether a request begins here: 'summarise ...', 'take the ...'"""
        if self.kind != "word" or self.low in LISTS["requests"]:
            return self.kind == "word"
        return self.at + 1 < self.last and self.low in LISTS["verbs"] and self._look(1) in ("det", "prep", "pron")

    def _asked(self) -> tuple[int, int] | None:
        """The question words, with a preposition before and the noun behind: 'in which of the countries'."""
        first = self.at
        fronted = self.kind in ("prep", "adv") and self._look(1) == "what"
        preposition = self.at if fronted else -1
        if preposition >= 0:
            self.at += 1
        if self.kind != "what":
            self.at = first
            return None
        word, opened = self.low, self.at
        self.at += 1
        while self.kind == "adv" and (word == "how" or self.low == "else"):
            self.at += 1
        if word == "which" and self.low == "of" and (main := self._after_relative()):
            self.phrases.append(self._phrase(self.at + 2, main, "asked"))
            self.at = main
            return self._span(opened, main)
        begin = self.at
        if word in ("which", "what", "whose", "how"):
            if self.low in ("one", "ones"):
                self.at += 1
            self._run_before_verb(word)
        if self.kind == "prep" and self.low == "of" and self._look(1) == "pron":
            self.at += 1
            self._pronoun("other", self.at - 1)
            return self._span(opened if preposition < 0 else preposition, self.at)
        if self.at > begin:
            phrase = self._phrase(begin, self.at, "asked")
            if word != "how" or self.tokens[begin - 1].low in ("many", "much"):
                self.phrases.append(phrase)
            while self.kind == "prep" and self.low == "of" and self._look(1) in ("det", "word", "number"):
                self.at += 1
                if not self._noun_phrase("other", self.at - 1):
                    break
        return self.tokens[preposition if preposition >= 0 else opened].start, self.tokens[self.at - 1].end

    def _after_relative(self) -> int:
        """Where it goes on behind 'the animals that flew before us' of 'which of the animals that flew before us died':
        0 where nothing follows, or there is no such clause."""
        links = (n for n in range(self.at + 3, min(self.at + 6, self.last)) if self.tokens[n].low in ("that", "who"))
        link = next(links, self.last) if self._look(1) == "det" else self.last
        done = range(link + 3, self.last)
        return max((n for n in done if self.tokens[n].kind == "aux" or is_verb(self.tokens[n].low)), default=0)

    def _run_before_verb(self, word: str) -> None:
        """Goes over the words between the question word and the verb: 'printer' of 'which printer did', 'guests' of
        'how many guests came', 'old' of 'how old is'."""
        start = self.at
        while self.kind in ("word", "number"):
            opens = self.at == start and word == "what" and not self._aux_follows()
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

    def _helped(self, asked: tuple[int, int] | None) -> tuple[tuple[int, int], tuple[int, int] | None]:
        """The helping verb, the subject and the verb: 'did the Tides exhibition open'."""
        aux, low = self._span(self.at, self.at + 1), self.low
        self.at += 1
        self.at += self.low == "not"
        if self.kind in ("end", "prep", "adv", "aux"):
            return aux, None
        if asked and (self._done_by(asked, low) or self._can_do(low)):
            verb = self._span(self.at, self.at + 1)
            self.at += 1
            return aux, verb
        if self.kind == "pron" or self._stands_for_something(low):
            self._pronoun("subject")
        elif not self._subject(low, asked):
            return aux, None
        while self.kind in ("adv", "aux"):
            self.at += 1
        if self.kind == "word" and (
            low.removesuffix("n't") in _DO or low in ("won't", "can't", "cannot") or is_verb(self.low)
        ):
            verb = self._span(self.at, self.at + 1)
            self.at += 1
            return aux, verb
        return aux, None

    def _stands_for_something(self, aux: str) -> bool:
        """Whether 'that' is the subject by itself: 'does that need ...', where 'need' is the verb."""
        pointing = self.low in ("this", "that", "these", "those") and self.at + 1 < self.last
        return pointing and aux.removesuffix("n't") in _DO and is_verb(self.tokens[self.at + 1].low)

    def _subject(self, aux: str, asked: tuple[int, int] | None) -> bool:
        plain = aux.removesuffix("n't")
        complement = plain in _BE and asked is not None and self._is_complement(asked)
        first = self.at
        bare = self.kind == "word" and self.at + 1 == self.last and self.low.endswith(("er", "est"))
        if plain in _BE and asked is not None and bare and self.text[slice(*asked)].casefold().startswith("which"):
            return False  # 'which of them is smallest'
        said = self._look(1) == "prep" and self.tokens[first + 1].low in ("with", "about")
        if plain in _BE and asked is not None and (said or is_participle(self.tokens[first])):
            return False
        end = self._subject_end(first, verb_follows=plain not in _BE, complement=complement)
        if end == first:
            return False
        self.at = end
        self._of(verb_follows=plain not in _BE)
        while self.low == "and" and self._look(1) in ("det", "word"):
            end = self._subject_end(self.at + 1, verb_follows=plain not in _BE, complement=complement)
            if end <= self.at + 1 + (self._look(1) == "det"):
                break
            self.at = end
        self.phrases.append(self._phrase(first, self.at, "subject"))
        return True

    def _is_complement(self, asked: tuple[int, int]) -> bool:
        """Whether nothing but a noun phrase can follow: 'what is the default', 'how old is the flat'."""
        words = self.text[slice(*asked)].casefold().split()
        return words[-1] in ("what", "who", "which", "whose", "where", "when") or (words[0] == "how" and len(words) > 1)

    def _subject_end(self, first: int, *, verb_follows: bool, complement: bool) -> int:
        at = first + (self.tokens[first].kind == "det")
        start = at
        while at < self.last and self.tokens[at].kind in ("word", "number"):
            token, before = self.tokens[at], self.tokens[at - 1]
            capital = token.text[0].isupper()
            if at > start and not capital and not before.low.endswith(("'s", "s'")):
                done = is_verb(token.low) and token.low not in LISTS["people"] and not _ends_in_s(token.low)
                if is_participle(token) or (verb_follows and done):
                    break
                if before.text[0].isupper() and at - 1 >= start and not complement and self.tokens[first].kind != "det":
                    break
            at += 1
        if at < self.last and self.tokens[at].low in ("one", "ones") and at > first:
            at += 1
        while at + 1 < self.last and at > start and self._joins_name(at, start):
            at += 2
        following = self.tokens[at].kind if at < self.last else "end"
        denied = at < self.last and self.tokens[at].low == "not"
        ends = following not in ("word", "number", "and", "aux") and not denied
        if verb_follows and at - start >= 3 and ends and self.tokens[at - 1].kind == "number":
            at -= 2  # 'does math round 3/2': the word before the number is what is done
        elif at - start >= 2 and ends and not complement:
            last = self.tokens[at - 1]  # it is what is said of the rest: nothing before was taken for a verb
            several = not verb_follows and last.low.endswith("s") and not last.low.endswith(("ous", "ss"))
            several = several or self.tokens[at - 2].low.endswith(("'s", "s'"))
            several = several or (following == "prep" and last.low in LISTS["people"])  # 'did the first man in space'
            at -= not last.text[0].isupper() and last.kind == "word" and last.low not in ("one", "ones") and not several
        return at

    def _of(self, *, verb_follows: bool) -> None:
        """Goes over 'of' and what follows it in a subject: 'the maximum number of columns'."""
        while self.kind == "prep" and self.low == "of" and self._look(1) in ("det", "word", "number"):
            first = self.at + 1
            end = self._subject_end(first, verb_follows=verb_follows, complement=not verb_follows)
            if end == first or (end == first + 1 and self.tokens[first].kind == "det"):
                return
            self.at = end

    def _rest(self) -> int:
        """The phrases behind the verb; where a clause begins."""
        clause = -1
        while self.at < self.last:
            kind = self.kind
            if kind == "sub" and clause < 0 and self.at > 0:
                clause = self.tokens[self.at].start
                self.at += 1
            elif kind == "prep":
                begin = self.at
                self.at += 1
                if self.tokens[begin].low == "to" and self.kind == "word" and is_verb(self.low):
                    self.said = self._span(self.at, self.at + 1)
                    self.at += 1
                    continue
                if self.kind == "pron":
                    self._pronoun("other", begin)
                elif self.kind in ("det", "word", "number"):
                    self._noun_phrase("other", begin)
            elif kind == "pron":
                self._pronoun("object")
            elif kind == "word" and self.tokens[self.at - 1].low in _WHO_DO and is_verb(self.low):
                self.at += 1  # 'when I die'
            elif kind == "word" and self.waits and not self.said and is_verb(self.low):
                self.said = self._span(self.at, self.at + 1)
                self.at += 1
            elif kind == "word" and (is_participle(self.tokens[self.at]) or self._predicate()):
                self.said = self.said or self._span(self.at, self.at + 1)
                self.at += 1
            elif kind in ("det", "word", "number"):
                joined = self.at and self.tokens[self.at - 1].kind == "and" and self.phrases
                self._noun_phrase(self.phrases[-1].role if joined else "object", -1)
            else:
                self.at += 1
        return clause

    def _predicate(self) -> bool:
        """Whether the word is said of the subject and is no thing: 'slow' of 'is it so slow'."""
        token, before = self.tokens[self.at], self.tokens[self.at - 1] if self.at else None
        ends = self._look(1) in ("end", "prep", "sub", "adv")
        after_be = any(t.kind == "aux" and t.low.removesuffix("n't") in _BE for t in self.tokens[: self.at])
        return (
            ends
            and after_be
            and before is not None
            and before.kind != "and"
            and not token.text[0].isupper()
            and (not token.low.endswith("s") or token.low.endswith(("ous", "less")))
            and "(" not in token.text
        )

    def _noun_phrase(self, role: str, preposition: int) -> bool:
        first = self.at
        if self._is_title(first):
            self.at = self.last
            self.phrases.append(self._phrase(first, self.at, role, preposition))
            return True
        at = first + (self.tokens[first].kind == "det")
        start = at
        while at < self.last and self.tokens[at].kind in ("word", "number"):
            token = self.tokens[at]
            verb = self.waits and self.said is None and is_verb(token.low)
            owned = self.tokens[at - 1].low.endswith(("'s", "s'"))
            if at > start and not (owned or token.text[0].isupper()) and (verb or self._ends_noun(at)):
                break
            at += 1
        if at < self.last and self.tokens[at].low in ("one", "ones") and at > first:
            at += 1
        while at + 1 < self.last and at > start and self._joins_name(at, start):
            at += 2 if self.tokens[at + 1].kind != "det" else 3
            while at < self.last and self.tokens[at].kind in ("word", "number") and self.tokens[at].text[0].isupper():
                at += 1
        if at in (start, first):
            self.at = max(self.at + 1, at)
            return False
        self.at = at
        while self.kind == "prep" and self.low == "of" and self._look(1) in ("det", "word", "number"):
            of = self.at + 1
            end = of + (self.tokens[of].kind == "det")
            while end < self.last and self.tokens[end].kind in ("word", "number"):
                end += 1
            self.at = end
        self.phrases.append(self._phrase(first, self.at, role, preposition))
        return True

    def _is_title(self, first: int) -> bool:
        """Whether a fragment is the title of a work and nothing else: 'Gone with the Wind'."""
        before, rest = self.tokens[:first], self.tokens[first : self.last]
        alone = all(one.kind in ("what", "mark") or one.low in LISTS["leads"] or one.low == "about" for one in before)
        ends = rest[0].text[0].isupper() and rest[-1].text[0].isupper() and rest[0].kind == "word"
        inner = alone and ends and any(one.kind == "det" and one.text.islower() for one in rest)
        return inner and all(one.text[0].isupper() or one.kind in ("det", "prep", "and") for one in rest)

    def _ends_noun(self, at: int) -> bool:
        """Whether the word is said of the noun before it, which ends there: 'suitable' of 'monkeys suitable for'."""
        token = self.tokens[at]
        said_of = self.tokens[at - 1].low.endswith("s") and token.low.endswith(("able", "ible", "ful", "ous"))
        return said_of or token.low.endswith("ed") or is_participle(token)

    def _joins_name(self, at: int, start: int) -> bool:
        """Whether a name goes on over a small word: 'HEY for Domains', 'Bank of the West'."""
        before, link, after = self.tokens[at - 1], self.tokens[at], self.tokens[at + 1]
        if at <= start or not before.text[0].isupper() or link.low not in _NAME_LINKS:
            return False
        if after.kind == "det" and at + 2 < self.last:
            return self.tokens[at + 2].text[0].isupper()
        return after.text[0].isupper() and link.low != "the"

    def _pronoun(self, role: str, preposition: int = -1) -> None:
        self.phrases.append(self._phrase(self.at, self.at + 1, role, preposition, pronoun=True))
        self.at += 1

    def _phrase(self, first: int, after: int, role: str, preposition: int = -1, pronoun: bool = False) -> Phrase:
        start, end = self.tokens[first].start, self.tokens[after - 1].end
        before = self.tokens[preposition] if preposition >= 0 else None
        return Phrase(
            self.text[start:end],
            start,
            end,
            role,
            before.low if before else "",
            before.start if before else -1,
            pronoun,
        )


def _ends_in_s(word: str) -> bool:
    """As no verb does behind 'do': 'do expense claims have to be in?'"""
    return word.endswith("s") and not word.endswith(("ss", "us"))
