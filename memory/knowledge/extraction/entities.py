"""The entities of a text by rules, without a model (seed 001, section 2: the step that there is spaCy's).

Names with titles, initials and particles; works in quotes or italics; dates; the document's title; terms of several
words. Rules of English: in a script without capitals only the title is found.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from clew.memory.knowledge.extraction import lexicon
from clew.memory.knowledge.extraction.lexicon import EntityKind, Mention, Token, tokens
from clew.memory.text import Span, read_patterns, split

LONGEST_ENTITY = 120
"""Characters of an entity."""

_DISAMBIGUATED = re.compile(r"\s*\([^()]*\)\s*$")
_HE, _BORN, _IS_A, _PLACED = (
    re.compile(pattern) for pattern in read_patterns(Path(__file__).with_suffix(".txt")).values()
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def entities(text: str, title: str = "") -> list[Mention]:
    """In order, none inside another, each `text[start:end]`. No pronoun, number or determiner is one.

    `text` may be a whole document or one chunk: what recurs, and what a lone capital means, is judged within it.
    """
    sentences = split(text)
    words = [tokens(text, sentence) for sentence in sentences]
    fixed = [*works(text), *dates(text)]
    taken = [(mention.start, mention.end) for mention in fixed]
    names = list(Names(text, words, taken, title))
    person = _is_about_a_person(text, title, sentences)
    titles = list(_titles(text, title, "person" if person else "name"))
    candidates = [  # of two with the same place the first is taken: the one that says more of its kind
        *(titles if person else ()),
        *fixed,
        *names,
        *titles,
        *years(text),
        *_recurring(text, words),
    ]
    return _with_one_kind(list(apart(filter(is_entity, candidates), len(text))))


def title_name(title: str) -> str:
    """What a document's title names, without its disambiguation: `Metropolis` for `Metropolis (film)`."""
    return _DISAMBIGUATED.sub("", title).strip() or title.strip()


def is_entity(mention: Mention) -> bool:
    """Whether it is more than pronouns, numbers, determiners and the like, and of a sane length."""
    words = [word.casefold() for word in _WORD.findall(mention.text)]
    if not words or len(mention.text) > LONGEST_ENTITY or not any(map(str.isalnum, mention.text)):
        return False
    if mention.kind == "date":
        return True
    return not all(word in lexicon.UNNAMED or (word[0].isdigit() and word.isnumeric()) for word in words)


def _is_about_a_person(text: str, title: str, sentences: Sequence[Span]) -> bool:
    """Whether the text begins with its title, of several words, and goes on: he or she."""
    name = title_name(title)
    if len(sentences) < 2 or not 2 <= len(name.split()) <= 4 or not text.startswith(name):
        return False
    return _HE.match(text, sentences[1][0]) is not None


def _titles(text: str, title: str, kind: EntityKind) -> Iterator[Mention]:
    """Where the text has the document's title, whole or up to its colon."""
    name = title_name(title)
    for part in dict.fromkeys((name, name.split(":")[0].strip())):
        if 2 < len(part) <= LONGEST_ENTITY:
            for match in re.finditer(rf"(?<!\w){re.escape(part)}(?!\w)", text, re.IGNORECASE):
                if match.group()[0].isupper() or " " in part:
                    yield Mention(match.group(), match.start(), match.end(), kind)


def apart(candidates: Iterable[Mention], length: int) -> Iterator[Mention]:
    """The candidates that do not overlap, in the order of the text: of those that do, the longest stays, of equally
    long ones the first in the list."""
    free = bytearray(length)
    kept: list[Mention] = []
    for mention in sorted(candidates, key=lambda one: one.start - one.end):
        if not any(free[mention.start : mention.end]):
            free[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            kept.append(mention)
    yield from sorted(kept, key=lambda one: one.start)


def _with_one_kind(mentions: list[Mention]) -> list[Mention]:
    """What is a person in one place is a person in all, under the surname alone too."""
    kinds: dict[str, EntityKind] = {}
    for mention in mentions:
        if mention.kind not in ("name", "term"):
            kinds.setdefault(mention.text.casefold(), mention.kind)
            if mention.kind == "person":
                kinds.setdefault(mention.text.split()[-1].casefold(), "person")
    return [m._replace(kind=kinds.get(m.text.casefold(), "name")) if m.kind == "name" else m for m in mentions]


_QUOTED = re.compile(read_patterns(Path(__file__).with_name("quoted.txt"))["alternatives"])
"""A work's name has 100 characters at most."""


def works(text: str) -> Iterator[Mention]:
    """What stands in quotes or italics with the capitals of a name: one word may be any name; more are a work."""
    for match in _QUOTED.finditer(text):
        start, end = match.span(match.lastindex or 0)
        part = text[start:end].rstrip(",;")
        words = _WORD.findall(part)
        if _is_work_name(part, words):
            yield Mention(part, start, start + len(part), "work" if len(words) > 1 else "name")


def _is_work_name(part: str, words: list[str]) -> bool:
    """Capitals on half of the words that carry content, and no whole sentence."""
    content = [word for word in words if word.casefold() not in lexicon.EMPTY]
    if not content or len(words) > 12 or not (part[0].isupper() or part[0].isdigit()):
        return False
    named = sum(word[0].isupper() for word in content)
    return named > 0 and 2 * named >= len(content) and not (part.endswith(".") and len(words) > 4)


_DATES = read_patterns(Path(__file__).with_name("dates.txt"))["alternatives"]
_DATE = re.compile(rf"(?<![\w.])(?:{_DATES})(?!\w)")
_LONE_YEAR = re.compile(r"(?<![\w.,:$£€#–-])(?:1[1-9]\d{2}|20\d{2})(?![\w%–-]|[.,:]\d)")
_COUNTED = re.compile(rf"\s(?:{lexicon.COUNTED})\b")


def dates(text: str) -> Iterator[Mention]:
    """Days, months with a year, decades, centuries and spans of years."""
    for match in _DATE.finditer(text):
        yield Mention(match.group(), match.start(), match.end(), "date")


def years(text: str) -> Iterator[Mention]:
    """Numbers that stand alone, look like a year, and count nothing."""
    for match in _LONE_YEAR.finditer(text):
        if not _COUNTED.match(text, match.end()):
            yield Mention(match.group(), match.start(), match.end(), "date")


def _recurring(text: str, sentences: Sequence[Sequence[Token]]) -> Iterator[Mention]:
    """Terms of two nouns, or of an adjective and a noun, that are used more than once."""
    found: dict[tuple[str, str], list[Span]] = defaultdict(list)
    for one, other in (pair for words in sentences for pair in pairwise(words)):
        joined = not one.possessive and one.low != other.low and text[one.end : other.start].isspace()
        if joined and _could_be_noun(one) and _could_be_noun(other):
            found[one.low, other.low].append((one.start, other.end))
    for spans in found.values():
        if len(spans) > 1:
            yield from (Mention(text[start:end], start, end, "term") for start, end in spans)


def _could_be_noun(token: Token) -> bool:
    """Whether it is a small word that may be a noun or an adjective."""
    low = token.low
    other = low in lexicon.OPENERS or (low.endswith("ly") and low != "family") or lexicon.looks_like_a_verb(low)
    return not (token.capital or len(low) < 3 or other) and token.text[0].isalpha()


# Proper names: runs of capitals with their titles, initials and particles, and their kinds ---------------------------

LONGEST = 7
"""Words of a name without small ones: what is longer is a row of a table or a heading."""

ARTICLES = lexicon.EMPTY - lexicon.NUMBERS

OPENING = tuple(':“„«"‘—–')


class Names:
    """Finds the names of one text. `taken` are the starts and ends of what is something else (dates, works)."""

    def __init__(self, text: str, sentences: Sequence[Sequence[Token]], taken: Sequence[Span], title: str) -> None:
        self._text, self._sentences = text, sentences
        self._taken = {place for start, end in taken for place in range(start, end)}
        self._lower = {token.low for words in sentences for token in words if not token.capital}
        self._known = {word.strip("().,:;\"'").casefold() for word in title.split() if word[0].isupper()}
        for words in sentences:
            if not _shouts(words):
                self._known.update(token.low for token in words[1:] if token.capital)

    def __iter__(self) -> Iterator[Mention]:
        for words in self._sentences:
            shouting = _shouts(words)
            for run, place in self._runs(words):
                # Capitals are a name where it has them elsewhere too, or a title before it.
                known = run[0].low in lexicon.HONORIFICS or all(token.low in self._known for token in run)
                if shouting and not known:
                    continue
                after = place + len(run)
                named = self._without_opener(run, first=self._opens(words, place), following=words[after : after + 2])
                if named:
                    start, end = named[0].start, named[-1].end
                    yield Mention(self._text[start:end], start, end, kind_of(self._text, named))

    def _runs(self, words: Sequence[Token]) -> Iterator[tuple[list[Token], int]]:
        """Each longest run of words that make one name, and the place of its first word in the sentence."""
        place = 0
        while place < len(words):
            if not self._begins(words, place):
                place += 1
                continue
            after = place + 1
            while after < min(len(words), place + 3 * LONGEST) and (step := self._step(words, place, after)):
                after += step
            run = list(words[place:after])
            if len(run) <= LONGEST or (len(run) <= 2 * LONGEST and any(not token.capital for token in run)):
                yield run, place
            place = after

    def _opens(self, words: Sequence[Token], place: int) -> bool:
        """Whether a sentence, a quotation or what follows a colon begins here."""
        return place == 0 or self._text[words[place - 1].end : words[place].start].rstrip()[-1:] in OPENING

    def _begins(self, words: Sequence[Token], place: int) -> bool:
        token = words[place]
        if token.start in self._taken:
            return False
        if token.text[0].isdigit():  # and a capital follows at once: 20th Century Fox
            following = (after for after in words[place + 1 : place + 2] if after.capital)
            return token.low.endswith(lexicon.ORDINALS) and any(self._touch(token, after) for after in following)
        return token.capital

    def _step(self, words: Sequence[Token], first: int, place: int) -> int:
        """How many words from `place` on belong to the name that began at `first`; 0 where it ends."""
        before, token = words[place - 1], words[place]
        if token.start in self._taken or not self._touch(before, token):
            return 0
        if before.possessive:
            return int(token.capital and token.low in lexicon.OWNED)  # King's College
        if token.capital:
            return int(token.low not in lexicon.EMPTY or token.text.isupper() or token.low in lexicon.IN_THE_MIDDLE)
        if token.text[0].isdigit():
            return int(len(token.text) < 4 and token.text.isdigit())
        return self._over_particles(words, first, place)

    def _over_particles(self, words: Sequence[Token], first: int, place: int) -> int:
        """Small words inside a name (`van der`, `of the`, `for`), with the capital that follows them."""
        after = place
        while after < min(len(words), place + 3) and self._is_small(words, after):
            after += 1
        small = [token.low for token in words[place:after]]
        if not small or after == len(words) or not words[after].capital or words[after].low in lexicon.EMPTY:
            return 0
        if any(not self._touch(*pair) for pair in pairwise(words[place - 1 : after + 1])):
            return 0
        if words[after].start in self._taken or not self._joins(small, words, first, place, after):
            return 0
        return after - place + 1

    def _joins(self, small: Sequence[str], words: Sequence[Token], first: int, place: int, after: int) -> bool:
        if small[0] in lexicon.PARTICLES:
            return True
        if small == ["of"] or small == ["of", "the"]:
            opened = first + (words[first].low in lexicon.EMPTY)
            return place == opened + 1 or words[place - 1].low in lexicon.OF_HEADS
        if small == ["the"]:
            return after + 1 == len(words) or not words[after + 1].capital
        heads = {token.low for token in words[first:place]}
        if small == ["at"]:
            return bool(heads & lexicon.JOINED_BY_AT)
        if small[0] == "and":
            return len(small) == 1 and bool(heads & lexicon.JOINED_BY_AND)
        return bool(heads & lexicon.PLURAL_JOINERS)

    def _is_small(self, words: Sequence[Token], place: int) -> bool:
        low = words[place].low
        return not words[place].capital and low in lexicon.PARTICLES | lexicon.JOINERS | lexicon.IN_THE_MIDDLE

    def _touch(self, one: Token, other: Token) -> bool:
        """Whether nothing parts the two words that would end a name."""
        gap = self._text[one.end : other.start]
        if gap == " ":
            return True
        if one.possessive:
            gap = gap[2:]
        if gap.isspace():
            return not other.text[0].isdigit() and gap.count("\n") < 2
        if gap.strip() == ".":
            return one.low in lexicon.ABBREVIATED or (len(one.low) == 1 and one.capital)
        return gap in (" & ", "+", "/") or (gap == ", " and other.low in lexicon.SUFFIXES and other.capital)

    def _without_opener(self, run: list[Token], *, first: bool, following: Sequence[Token]) -> list[Token]:
        """The run without words whose capital comes from the sentence; empty where no name is left."""
        while run and run[0].low in (lexicon.OPENERS if first else ARTICLES if len(run) > 1 else lexicon.EMPTY):
            if run[0].low in lexicon.IN_NAMES and len(run) > 1 and run[1].capital:
                break
            run = run[1:]
            while run and not run[0].capital:
                run = run[1:]
        if first and len(run) > 1 and run[1].capital and self._is_common(run[0]):
            run = run[1:]
        while len(run) > 1 and run[-1].low in lexicon.EMPTY and len(run[-1].text) > 1:
            run = run[:-1]
        return run if self._is_name(run, first, following) else []

    def _is_common(self, word: Token) -> bool:
        """Whether the text has the word in small letters too, and it does not belong to a name."""
        named = word.initial or word.low in lexicon.IN_NAMES or word.low in lexicon.HONORIFICS
        return word.low in self._lower and not named

    def _is_name(self, run: list[Token], first: bool, following: Sequence[Token]) -> bool:
        if not run or all(token.low in lexicon.UNNAMED or token.text[0].isdigit() for token in run):
            return False
        if len(run) > 1:
            return True
        [token] = run
        opens = token.low in lexicon.OPENERS and not token.text.isupper()
        if len(token.low) < 2 or token.low in lexicon.HONORIFICS or opens:
            return False
        if not first or any(letter.isupper() for letter in token.text[1:]):
            return True
        if token.low in self._known:
            return True
        return token.low not in self._lower and is_defined(self._text, token, following)


def _shouts(words: Sequence[Token]) -> bool:
    """Whether capitals say nothing, for all letters of the sentence are."""
    lettered = [token for token in words if token.text[0].isalpha()]
    return len(lettered) > 2 and all(token.text.isupper() for token in lettered)


_LIFE = re.compile(r"\s?\([^()\n]{0,40}\b1\d{3}\s?[–-]\s?[^()\n]{0,24}\b(?:1\d|20)\d{2}\)")
_LAST_WORD = re.compile(r"([^\W\d_]+) $")


def kind_of(text: str, run: Sequence[Token]) -> EntityKind:
    """The kind that the evidence is for; `name` without evidence."""
    last = next((token.low for token in reversed(run) if token.capital), "")
    before_of = (one.low for one, after in pairwise(run) if after.low in lexicon.BEHIND_HEADS and not after.capital)
    head = next(before_of, "") or last  # a University of Texas
    if head in lexicon.ORGANISATIONS and len(run) > 1:
        return "organisation"
    if head in lexicon.PLACES and len(run) > 1:
        return "place"
    if _is_person(text, run):
        return "person"
    return "place" if _PLACED.search(text, max(0, run[0].start - 40), run[0].start) else "name"


def _is_person(text: str, run: Sequence[Token]) -> bool:
    if any(token.low in lexicon.IN_NO_PERSON and not token.capital for token in run):
        return False
    end = run[-1].end
    if run[0].low in lexicon.HONORIFICS and len(run) > 1 and (run[0].low not in lexicon.NO_TITLES or len(run) > 2):
        return True
    if len(run) > 1 and any(token.initial and len(token.low) < 3 for token in run[:-1]):
        return True
    if _BORN.match(text, end) or (len(run) > 1 and (_LIFE.match(text, end) or _has_role(text, end))):
        return True
    before = _LAST_WORD.search(text, max(0, run[0].start - 20), run[0].start)
    return before is not None and before.group(1) in lexicon.ROLES


def _has_role(text: str, end: int) -> bool:
    """Whether it goes on: `was an American film director`."""
    match = _IS_A.match(text, end)
    for word in match.group(1).split() if match else ():
        if word in lexicon.ENDS_OF_NOUNS:
            return False
        if word in lexicon.ROLES - lexicon.THINGS_TOO:  # a car is a model
            return True
    return False


def is_defined(text: str, word: Token, following: Sequence[Token]) -> bool:
    """Whether the sentence goes on `is a`, `was born` or `directed Metropolis`."""
    if len(following) < 2 or text[word.end : following[0].start] != " ":
        return False
    verb, after = following[:2]
    if verb.low in lexicon.DEFINING:
        return after.low in lexicon.DEFINED or lexicon.is_participle(after.low)
    return not verb.capital and after.capital and lexicon.looks_like_a_verb(verb.low)
