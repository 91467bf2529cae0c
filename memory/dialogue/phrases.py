"""The parts of a question by rules: what it asks for, the helping verb, the subject, the verb, and the phrases that
follow, each with its preposition. English; closed word lists say what is no noun, and the order of an English question
says the rest."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from clew.memory.text import content_words, word_lists

_LISTS = {name: frozenset(listed) for name, listed in word_lists(Path(__file__).with_name("context_words.txt")).items()}
_TOKEN = re.compile(
    r"\b(?:what|who|where|when|how|why|that|there|it|he|she|they|we|you|i)(?=['’](?:s|re|d|ll|ve|m)\b)"
    r"|(?<=\w)['’](?:re|d|ll|ve|m)\b|(?<=what|that|here)['’]s\b|(?<=who|how|why)['’]s\b|(?<=when)['’]s\b"
    r"|(?<=\bit|\bhe)['’]s\b|(?<=\bshe)['’]s\b"
    r"|\w+(?:['’./=:&+-]\w+)*(?:['’](?!\w))?(?:\(\))?[+#%]*|[^\w\s]",
    re.IGNORECASE,
)
_LINKS = frozenset("of".split())
_NAME_LINKS = frozenset("of the for and de von van der la le du da di al bin in".split())
_NO_VERBS = frozenset("need seed speed feed weed breed indeed hundred exceed proceed succeed kindred sacred naked".split())
_DO = frozenset("do does did can could will would shall should may might must".split())
_BE = frozenset("is are am was were be been being 's 're 'm".split())
_HAVE = frozenset("has have had 've".split())
_CLAUSE_TOO = frozenset("after before since until till as".split())
_SUBJECTS = frozenset("i you we he she it they".split())
_OPENS_NOUN = frozenset("the a an my your our his her its their this that these those what which whom how".split())
_PARTICIPLES = frozenset(
    "made built written done taken given held born known shown sung won lost sold bought paid kept put set cut led met"
    " found chosen spoken stolen broken hidden frozen grown worn driven drawn thrown left sent spent told taught caught"
    " called used due open closed off on".split()
)


UNDER_TOPIC = re.compile(r"As for [^,]+, ")
"""What a question says of its topic before it begins."""
_MONTH = re.compile(
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?",
    re.IGNORECASE,
)
_DAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:to|yester)day|tomorrow|week(?:end|day)s?", re.IGNORECASE)
_MONEY = re.compile(r"[$€£]\s?\d|\d\s?(?:[$€£]|euros?\b|dollars?\b|pounds?\b|cents?\b)", re.IGNORECASE)
_PERIOD = re.compile(
    r"(?:spring|summer|autumn|winter|year|month|week|night|day|morning|afternoon|evening|quarter|century|decade|hour"
    r"|minute|second|time|end|beginning|moment|past|future|while)s?",
    re.IGNORECASE,
)
TIMES = ("day", "month", "date", "year", "period")


def written_type(text: str) -> str:
    """What a phrase is by how it is written: money, day, month, date, year, period, number, or nothing of these."""
    words = text.split()
    if _MONEY.search(text):
        return "money"
    if any(_DAY.fullmatch(word) for word in words) and len(words) <= 4:
        return "day"
    if any(_MONTH.fullmatch(word) and (word[0].isupper() or len(words) == 1) for word in words) and len(words) <= 4:
        return "date" if any(character.isdigit() for character in text) else "month"
    if re.fullmatch(r"(?:the )?(?:1[0-9]|20)\d\ds?", text):
        return "year"
    if _PERIOD.fullmatch(words[-1]):
        return "period"
    return "number" if re.fullmatch(r"[\d.,%]+\w{0,2}", words[0]) else ""


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    start: int
    end: int
    kind: str
    """what, aux, det, pron, prep, and, sub, adv, number, mark, word"""

    @property
    def low(self) -> str:
        return self.text.casefold().replace("’", "'")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase, `question[start:end]`; `role` is asked, subject, object, or other. `preposition` stands before it,
    at the character `begin`."""

    text: str
    start: int
    end: int
    role: str
    preposition: str = ""
    begin: int = -1
    pronoun: bool = False

    @property
    def whole(self) -> int:
        """Where it begins, with its preposition."""
        return self.begin if self.preposition else self.start

    @property
    def words(self) -> tuple[str, ...]:
        """Its stems."""
        return tuple(content_words(self.text))

    @property
    def first(self) -> str:
        return self.text.split()[0].casefold()

    @property
    def noun(self) -> str:
        """The last word before what says which one: 'number' of 'the number of columns'."""
        head = re.split(r"\s(?:of|in|for|from|at|on|with|to|per)\s", self.text)[0]
        return head.split()[-1].strip("'’").casefold()

    @property
    def named(self) -> bool:
        """Has a capital, or is written as code."""
        return any(word[0].isupper() or re.search(r"[()/=_]|\w[A-Z]", word) for word in self.text.split())

    @property
    def definite(self) -> bool:
        return self.first in ("the", "this", "that", "these", "those")

    @property
    def plural(self) -> bool:
        noun = self.noun
        if " and " in self.text and " of " not in self.text:
            return True
        return len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is", "'s", "’s", "ics"))


@dataclass(frozen=True, slots=True)
class Parts:
    """Of a question. `lead` is where it begins behind 'and', 'no, I meant'; `asked` are the places of its question words
    ('how many guests'), `aux` those of the helping verb, `verb` where the verb begins and ends; `clause` is where an 'if' or
    'because' begins (-1: nowhere)."""

    text: str
    tokens: tuple[Token, ...]
    lead: int
    asked: tuple[int, int] | None
    aux: tuple[int, int] | None
    verb: tuple[int, int] | None
    phrases: tuple[Phrase, ...]
    clause: int
    end: int

    @property
    def subject(self) -> Phrase | None:
        return next((one for one in self.phrases if one.role == "subject"), None)

    @property
    def wanted(self) -> Phrase | None:
        """'guests' of 'how many guests'."""
        return next((one for one in self.phrases if one.role == "asked"), None)

    @property
    def body(self) -> str:
        return self.text[self.lead : self.end]

    @property
    def fragment(self) -> bool:
        """Nothing is said of anything: 'in September', 'which papers'."""
        return self.aux is None and self.verb is None


def tokens(text: str) -> tuple[Token, ...]:
    found = list(_TOKEN.finditer(text))
    made: list[Token] = []
    for place, match in enumerate(found):
        following = found[place + 1].group() if place + 1 < len(found) else ""
        after_number = bool(made) and (made[-1].kind == "number" or made[-1].low in ("in", "of", "since", "until", "by", "from"))
        kind = _kind(match.group(), following, after_number)
        made.append(Token(match.group(), match.start(), match.end(), kind))
    return tuple(made)


def _kind(text: str, following: str, after_number: bool) -> str:
    low, then = text.casefold().replace("’", "'"), following.casefold()
    if not re.match(r"['’]?\w", text):
        return "mark"
    if low in _LISTS["asking"]:
        return "what"
    if low == "won" or (low == "may" and text[0].isupper() and after_number):
        return "word"
    if low in _LISTS["be_and_do"] or low.startswith("'") or low.endswith("n't") or low == "cannot":
        return "aux"
    is_word = bool(then) and _is_word(then)
    if low in _LISTS["determiners"] and (is_word or low in ("the", "a", "an", "no", "every")):
        return "det"
    if low in _LISTS["pronouns"] and text != "US" and not (low in ("one", "ones") and is_word):
        return "pron"
    if low in ("and", "or", "but"):
        return "and"
    if low in _CLAUSE_TOO and then in _SUBJECTS:
        return "sub"
    if low in _LISTS["prepositions"] or (low in _LISTS["more_prepositions"] and (is_word or then in _OPENS_NOUN)):
        return "prep"
    if low in _LISTS["subordinators"]:
        return "sub"
    if low in _LISTS["adverbs"]:
        return "adv"
    return "number" if text[0].isdigit() else "word"


def _is_word(low: str) -> bool:
    known = ("asking", "be_and_do", "prepositions", "subordinators", "adverbs", "pronouns", "determiners")
    return re.match(r"\w", low) is not None and not any(low in _LISTS[name] for name in known) and low not in ("and", "or")


@cache
def _verbs() -> frozenset[str]:
    return frozenset(stem for word in _LISTS["verbs"] for stem in content_words(word)) | {"do", "have", "be"}


def is_verb(word: str) -> bool:
    """In the list, in any of its regular forms, or a common participle."""
    low = word.casefold()
    return low in _PARTICIPLES or low in _LISTS["verbs"] or low in _LISTS["past"] or bool(_verbs().intersection(content_words(low)))


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
        last = len(self.tokens)
        while last and self.tokens[last - 1].kind == "mark" and self.tokens[last - 1].text in ".?!…":
            last -= 1
        self.last = last

    def read(self) -> Parts:
        while self.at < self.last and self.tokens[self.at].start < self.opened:
            self.at += 1
        while self.at < self.last and (self.low in _LISTS["leads"] or self.kind == "mark"):
            self.at += 1
        lead = self.tokens[self.at].start if self.at < self.last else len(self.text)
        asked = self._asked()
        aux = verb = None
        wh_verb = asked is not None and self.kind == "word" and (is_verb(self.low) or self._asks_who(asked))
        if self.kind == "aux":
            aux, verb = self._helped(asked)
        elif wh_verb:
            verb = self._span(self.at, self.at + 1)
            self.at += 1
        elif asked is None and self.kind == "word" and (self.low in _LISTS["requests"] or self._imperative()):
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

    def _asks_who(self, asked: tuple[int, int]) -> bool:
        """Behind 'who' stands a verb, whatever it is."""
        return self.text[slice(*asked)].casefold() in ("who", "what")

    def _imperative(self) -> bool:
        return self.at + 1 < self.last and self.low in _LISTS["verbs"] and self._look(1) in ("det", "prep", "pron")

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
        while self.kind == "adv" and word == "how":
            self.at += 1
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
                saved = self.at
                self.at += 1
                if not self._noun_phrase("other", saved):
                    self.at = saved
                    break
        return self.tokens[preposition if preposition >= 0 else opened].start, self.tokens[self.at - 1].end

    def _run_before_verb(self, word: str) -> None:
        """'printer' of 'which printer did', 'guests' of 'how many guests came', 'old' of 'how old is'."""
        start = self.at
        while self.kind in ("word", "number"):
            if self.at > start and is_verb(self.low) and self._look(1) not in ("aux",):
                break
            self.at += 1
        if word == "what" and self.at > start and self.kind == "end":  # 'what happened'
            self.at = start

    def _helped(self, asked: tuple[int, int] | None) -> tuple[tuple[int, int], tuple[int, int] | None]:
        """The helping verb, the subject and the verb: 'did the Tides exhibition open'."""
        aux, low = self._span(self.at, self.at + 1), self.low
        self.at += 1
        if self.low == "not":
            self.at += 1
        if self.kind in ("end", "prep", "adv", "aux"):
            return aux, None
        if self.kind == "pron" or self._stands_for_something(low):
            self._pronoun("subject")
        elif not self._subject(low, asked):
            return aux, None
        while self.kind in ("adv", "aux"):
            self.at += 1
        if self.kind == "word" and (low.removesuffix("n't") in _DO or low in ("won't", "can't", "cannot") or is_verb(self.low)):
            verb = self._span(self.at, self.at + 1)
            self.at += 1
            return aux, verb
        return aux, None

    def _stands_for_something(self, aux: str) -> bool:
        """'does that need ...': no 'that need'."""
        pointing = self.low in ("this", "that", "these", "those") and self.at + 1 < self.last
        return pointing and aux.removesuffix("n't") in _DO and is_verb(self.tokens[self.at + 1].low)

    def _subject(self, aux: str, asked: tuple[int, int] | None) -> bool:
        plain = aux.removesuffix("n't")
        complement = plain in _BE and asked is not None and self._is_complement(asked)
        first = self.at
        said = self._look(1) == "prep" and self.tokens[first + 1].low in ("with", "about")
        if plain in _BE and asked is not None and (said or self._participle(self.tokens[first])):
            return False
        end = self._subject_end(first, verb_follows=plain not in _BE, complement=complement)
        if end == first:
            return False
        self.at = end
        self._of(verb_follows=plain not in _BE)
        self.phrases.append(self._phrase(first, self.at, "subject"))
        return True

    def _participle(self, token: Token) -> bool:
        low = token.low
        if token.text[0].isupper() or token.kind != "word" or low in _NO_VERBS:
            return False
        return low in _PARTICIPLES or (low.endswith("ed") and len(low) > 4) or (low.endswith("ing") and is_verb(low))

    def _is_complement(self, asked: tuple[int, int]) -> bool:
        """'What is the default', 'how old is the flat': nothing but a noun phrase follows."""
        words = self.text[slice(*asked)].casefold().split()
        return words[-1] in ("what", "who", "which", "whose", "where", "when") or (words[0] == "how" and len(words) > 1)

    def _subject_end(self, first: int, *, verb_follows: bool, complement: bool) -> int:
        at = first + (self.tokens[first].kind == "det")
        start = at
        while at < self.last and self.tokens[at].kind in ("word", "number"):
            token, before = self.tokens[at], self.tokens[at - 1]
            capital = token.text[0].isupper()
            if at > start and not capital and not before.low.endswith(("'s", "s'")):
                if self._participle(token) or (verb_follows and is_verb(token.low)):
                    break
                if before.text[0].isupper() and at - 1 >= start and not complement and self.tokens[first].kind != "det":
                    break
            at += 1
        if at < self.last and self.low_at(at) in ("one", "ones") and at > first:
            at += 1
        while at + 1 < self.last and at > start and self._joins_name(at, start):
            at += 2
        following = self.tokens[at].kind if at < self.last else "end"
        if at - start >= 2 and following not in ("word", "number", "and", "aux") and not complement:
            last = self.tokens[at - 1]  # it is what is said of the rest: nothing before was taken for a verb
            several = not verb_follows and last.low.endswith("s")
            several = several or self.tokens[at - 2].low.endswith(("'s", "s'"))
            at -= not last.text[0].isupper() and last.kind == "word" and last.low not in ("one", "ones") and not several
        return at

    def low_at(self, at: int) -> str:
        return self.tokens[at].low

    def _of(self, *, verb_follows: bool) -> None:
        """'the maximum number of columns': goes on with 'of', and with what joins a name."""
        while self.kind == "prep" and self.low in _LINKS and self._look(1) in ("det", "word", "number"):
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
                if self.low_at(begin) == "to" and self.kind == "word" and is_verb(self.low):
                    self.said = self._span(self.at, self.at + 1)
                    self.at += 1
                    continue
                if self.kind == "pron":
                    self._pronoun("other", begin)
                elif self.kind in ("det", "word", "number"):
                    self._noun_phrase("other", begin)
            elif kind == "pron":
                self._pronoun("object")
            elif kind == "word" and (self._participle(self.tokens[self.at]) or self._predicate()):
                self.said = self.said or self._span(self.at, self.at + 1)
                self.at += 1
            elif kind in ("det", "word", "number"):
                self._noun_phrase("object", -1)
            else:
                self.at += 1
        return clause

    def _predicate(self) -> bool:
        """'slow' of 'is it so slow': said of the subject, and no thing."""
        token, before = self.tokens[self.at], self.tokens[self.at - 1] if self.at else None
        ends = self._look(1) in ("end", "prep", "sub", "adv")
        after_be = any(t.kind == "aux" and t.low.removesuffix("n't") in _BE for t in self.tokens[: self.at])
        return ends and after_be and before is not None and before.kind != "and" and not token.text[0].isupper() and (
            not token.low.endswith("s") and "(" not in token.text
        )

    def _noun_phrase(self, role: str, preposition: int) -> bool:
        first = self.at
        at = first + (self.tokens[first].kind == "det")
        start = at
        while at < self.last and self.tokens[at].kind in ("word", "number"):
            token = self.tokens[at]
            if at > start and not token.text[0].isupper() and (token.low in _PARTICIPLES or token.low.endswith("ed")):
                break
            at += 1
        if at < self.last and self.low_at(at) in ("one", "ones") and at > first:
            at += 1
        while at + 1 < self.last and at > start and self._joins_name(at, start):
            at += 2 if self.tokens[at + 1].kind != "det" else 3
            while at < self.last and self.tokens[at].kind in ("word", "number") and self.tokens[at].text[0].isupper():
                at += 1
        if at == start or at == first:
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

    def _joins_name(self, at: int, start: int) -> bool:
        """'HEY for Domains', 'Bank of the West'."""
        before, link, after = self.tokens[at - 1], self.tokens[at], self.tokens[at + 1]
        if at <= start or not before.text[0].isupper() or link.low not in _NAME_LINKS - {"and", "in"}:
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


def replaced(text: str, pieces: Sequence[tuple[int, int, str]]) -> str:
    """With other words in these places, which are apart."""
    for start, end, new in sorted(pieces, reverse=True):
        text = text[:start] + new + text[end:]
    return re.sub(r"\s+([?.!,])", r"\1", " ".join(text.split()))
