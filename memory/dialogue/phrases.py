"""The parts of a question as values: its phrases, its question words and verbs; and what a turn speaks of."""

import re
from dataclasses import dataclass
from itertools import pairwise

from clew.memory.dialogue.word_classes import QuestionToken
from clew.memory.language.telling import language_of
from clew.memory.text import content_words

UNDER_TOPIC = re.compile(r"As for [^,]+, ")
"""What a question says of its topic before it begins."""

_DIFFERS = re.compile(r"\b(?:is|are|does|do|was|were) (.+?) (?:different|differ|similar) (?:from|to|than) (.+)$", re.I)
_COMPARED = re.compile(
    r"(?:how|in what|what) (?:do|does|did|are|is|were|was) ([^,]+?) and ([^,]+?) "
    r"(?:differ\w*|compare\w*|(?:un)?alike|similar|relate\w*|(?:have )?in common)\b"
    r"|which of ([^,]+?) and ([^,]+?) (?:is|was|has)\b"
    r"|(?:please )?compare ([^,]+?) (?:and|with|to|against) ([^,]+)$|([^,]+?) (?:vs\.?|versus) ([^,]+)$",
    re.IGNORECASE,
)
"""'How do A and B differ?', 'compare A with B', 'A vs. B'."""


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
        """The stems of its content words."""
        return tuple(content_words(self.text))

    @property
    def first(self) -> str:
        return self.text.split()[0].casefold()

    @property
    def noun(self) -> str:
        """Its head, in small letters: 'number' of 'the number of columns'."""
        head = re.split(r"\s(?:of|in|for|from|at|on|with|to|per|that)\s", self.text)[0]
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
        several = " and " in self.text and " of " not in self.text and not re.search(r"['’]s? ", self.text)
        if re.fullmatch(r"[A-ZÀ-Þ][a-zß-ÿ]+|\S+[/=_]\S+", self.text):
            return False  # 'Jonas', 'Athens', 'debian/rules'
        if re.fullmatch(r"[\w.]+(?:-[\w.]+){2,}", self.text):
            return False  # 'stable-proposed-updates'
        if " " in self.text and not several and all(word[0].isupper() for word in self.text.split()):
            return False  # 'Georges Méliès'
        several = several or noun.endswith(("children", "people", "men", "mice", "feet", "teeth"))
        return several or (
            len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is", "'s", "’s", "ics"))
        )


@dataclass(frozen=True, slots=True)
class Parts:
    """Of a question. `lead` is where it begins behind 'and' or its topic, `asked` where its question words begin and
    end ('how many guests'), so `aux`, the helping verb, and `verb`; `clause` is where an 'if' or 'because' begins (-1:
    nowhere), `end` where its last word ends."""

    text: str
    tokens: tuple[QuestionToken, ...]
    lead: int
    asked: tuple[int, int] | None
    aux: tuple[int, int] | None
    verb: tuple[int, int] | None
    phrases: tuple[Phrase, ...]
    clause: int
    end: int

    @property
    def asks(self) -> str:
        """The question words as they are written; empty where there are none. So `does`, the verb."""
        return self.text[slice(*self.asked)] if self.asked else ""

    @property
    def does(self) -> str:
        return self.text[slice(*self.verb)] if self.verb else ""

    @property
    def helper(self) -> str:
        """The helping verb in small letters; empty where there is none."""
        return self.text[slice(*self.aux)].casefold() if self.aux else ""

    @property
    def no_nouns(self) -> frozenset[str]:
        """Words that are none by their place: 'wide' of 'how wide is it?', and what is done; that is the last word
        behind 'do' where no verb is known: 'what do the notices on the door forbid?'"""
        found = {word.text for how, word in pairwise(self.tokens) if how.low == "how"}
        words = [token.text for token in self.tokens if token.kind == "word"]
        if self.verb:
            return frozenset({*found, self.does})
        return frozenset(found.union(words[-1:]) if self.helper in ("do", "does", "did") else found)

    @property
    def subject(self) -> Phrase | None:
        return next((one for one in self.phrases if one.role == "subject"), None)

    @property
    def wanted(self) -> Phrase | None:
        """What is asked for by a noun: 'guests' of 'how many guests'."""
        return next((one for one in self.phrases if one.role == "asked"), None)

    @property
    def body(self) -> str:
        return self.text[self.lead : self.end]

    @property
    def fragment(self) -> bool:
        """Whether it has no verb: 'in September', 'which papers'."""
        return self.aux is None and self.verb is None

    @property
    def foreign(self) -> bool:
        """Whether it is in another language than English: by its words, or as none is one of English grammar."""
        if len(self.tokens) > 3 and all(token.kind in ("word", "mark", "number") for token in self.tokens):
            return True
        english = self.asked is not None or self.helper not in ("", "was", "will", "do", "am")  # 'Was kostete das?'
        return not english and language_of(self.text) not in ("", "en")

    @property
    def compared(self) -> tuple[str, ...]:
        """The two that it compares: A and B of 'the difference between A and B' or 'A or B'."""
        body = self.body.rstrip("?. ")
        match = re.search(r"\bbetween (.+?) and (.+)$", body) or re.search(r"[,:] (.+?) or (.+)$", body)
        if not match:
            match = re.search(r"\b([\w()]+|[A-Z]\w*(?: [A-Z]\w*)*) or ([\w()]+|[A-Z]\w*(?: [A-Z]\w*)*)$", body)
        match = match or _DIFFERS.search(body) or _COMPARED.match(body)
        if not match:
            return ()
        one, other = (side for side in match.groups() if side)
        if one.split()[-1] in ("with", "without"):
            common = one.rsplit(" ", 1)[0]
            return one + " " + " ".join(other.split()[1:]), common + " " + other
        return one, other


_RELATIVE = ("who", "that", "which", "whose")


A_PLACE = "place"
