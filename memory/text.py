"""Text, its sentences and words, and the commonest words of languages.

Sentences are character spans. `sentencex` splits the running text. What it cannot know is where a line break ends a
heading, a list item or a row, and where it only wraps a paragraph. `blocks` says that, by the rule that a wrapped line
was broken because the next word did not fit on it.

Content words, stemmed, are what questions, sentences and passages are compared by.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, get_args

from sentencex import get_sentence_boundaries
from Stemmer import Stemmer

Span = tuple[int, int]  # character offsets (start, end) in a text


def word_lists(path: Path) -> dict[str, list[str]]:
    """The lists of a text file by name: `[name]` stands above the words of a list, `#` begins a line of comment."""
    lists: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif line and not line.startswith("#"):
            lists.setdefault(name, []).extend(line.split())
    return lists


LISTS, _DATES = (word_lists(Path(__file__).with_name(name)) for name in ("text.txt", "dates.txt"))
_MONTHS = frozenset(_DATES["en months"] + _DATES["de months"] + _DATES["short months"])
_OPEN, _GOES_ON = frozenset(LISTS["ends of open lines"]), frozenset(LISTS["beginnings of lines that go on"])
ABBREVIATIONS, _NEGATIONS = frozenset(LISTS["abbreviations"]), frozenset(LISTS["negations"])

LINE = re.compile(r"\S[^\r\n\f\u2028\u2029]*")
_APART = re.compile(r"[\f\u2029]|\n[^\n]*\n|\r[^\r]*\r")  # between two lines, what ends a paragraph

ITEM = re.compile(r"(?:[-*+•‣◦▪·●–]|\d{1,3}[.)]|\(?[a-z]\)|#{1,6}|>)(?:\s|$)")
DATED = re.compile(
    r"(?:\d{4}-\d\d-\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{1,2}(?:st|nd|rd|th)? [A-Z][a-z]{2,8}\.?(?: \d{4})?"
    r"|[A-Z][a-z]{2,8}\.? \d{1,2}(?:, \d{4})?)\s?(?:[:|\t\u2013\u2014]|-\s)"
)
"""The beginning of an entry of a log: `12/03/2026: 138 over 88`."""

LABEL = re.compile(r"[A-ZÀ-Þ][\w'’&/.-]*(?: [\w'’&/().-]+){0,4}: \S")
SMALL_LABEL = re.compile(r"[\w'’&/.-]+(?: [\w'’&/().-]+){0,2}: \S")  # how a line of notes begins (`Grout colour: grey`)

MARKER = re.compile(r"(?:[-*+•‣◦▪·●–]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])$")
_IN_MAY = re.compile(r"\bMay\.(?= [A-Z])")  # the end of a sentence, where `sentencex` sees an abbreviation
_OF_DAY = re.compile(r"(?<!\d)\d{1,2}\.$")  # of `5. May 2024` and `5. Mai 2024`, before the name of the month

DASHED = re.compile(r"(?<=[.!?])(?=(?:--|—)\s*\w)")
"""Old books part sentences by a dash without a space (Zamenhof 1903: `Patro kaj frato.--Leono estas besto.`)."""

QUOTE = re.compile(r"[\"“”„«»()\[\]]|(?<!\w)['‘’]|['‘’](?!\w)")
OPENING = re.compile(r"(?<=\s)[\"“„«'‘(\[]+\s*\Z")
CLOSING = re.compile(r"(?<=[^\s\w])[\"”»'’)\]]+(?=\s)")

ENDS = ".!?:;,…”\"’')]"

BELOW = " > "  # between a heading and the one below it, where the path of headings stands in a line


def is_named(place: str) -> bool:
    """Whether the label of a place says what it is, like "sheet 2025" and "slide 3", but not the number of a page; true
    for no label."""
    first, space, _ = place.partition(" ")
    return not place or (bool(space) and first.rstrip(",").isalpha() and len(first) > 4)


LONGEST_QUOTED = 300  # characters of a sentence with quotes or brackets in it, before they are left out of account
LONGEST_WRAPPED = 200  # characters: nobody wraps lines that are longer, so the end of one is the end of a paragraph
AT_ONCE = 10_000  # characters of a paragraph

ROOM = 0.75
"""A line was not wrapped if, with the next word, it would fill less than this share of its neighbours' width."""

LEAST_LINES, FREE = 4, 1 / 3
"""If there are so many lines between two empty ones, and more than this share had room for the next word, none was
wrapped."""


@lru_cache(maxsize=8)  # one text after the other is split by several that read it
def split(text: str) -> Sequence[Span]:
    """Spans (start, end) of the sentences: in order, apart, stripped, none empty; nothing but white space is outside.

    A heading, a list item or a row of a table without a full stop is a sentence.
    """
    return tuple(span for block in blocks(text) for span in _sentences(text, *block))


def blocks(text: str, typeset: bool = False) -> list[Span]:
    """Spans, stripped, of the paragraphs, headings, list items and rows of a table; of a page that is `typeset` no line
    was ended by hand."""
    spans = [stripped(text, *match.span()) for match in LINE.finditer(text)]
    lines = [text[start:end] for start, end in spans]
    apart = [n for n in range(1, len(spans)) if _APART.search(text, spans[n - 1][1], spans[n][0])]
    starts = []
    for first, after in pairwise((0, *apart, len(lines))):
        by_hand = set() if typeset else {first + place for place in _begun_by_hand(lines[first:after])}
        starts += [first, *(n for n in range(first + 1, after) if _ends_before(lines, n, n in by_hand))]
    return [(spans[first][0], spans[after - 1][1]) for first, after in pairwise((*starts, len(lines))) if first < after]


def _begun_by_hand(lines: Sequence[str]) -> set[int]:
    """The places, from 1, of those of a paragraph's lines that whoever wrote it began on purpose."""
    labelled = {n for n in range(1, len(lines)) if LABEL.match(lines[n]) and not _is_open(lines[n - 1])}
    return labelled | {n for n, free in enumerate(_free(lines), 1) if free}


def _free(lines: Sequence[str]) -> list[bool]:
    """For each of these lines but the last, whether its end is intended; empty if the lines may be wrapped."""
    if len(lines) < LEAST_LINES:
        return []
    width = ROOM * max(map(len, lines))
    free = [
        len(line) + 1 + len(behind.split(None, 1)[0]) < width and not (_is_open(line) or behind.split()[0] in _GOES_ON)
        for line, behind in pairwise(lines)
    ]
    capitals = any(free) and not any(line[0].islower() for line in lines)
    labels = sum(bool(SMALL_LABEL.match(line)) and not ITEM.match(line) for line in lines) >= FREE * len(lines)
    if capitals or labels:
        return [not _is_open(line) for line in lines[:-1]]
    return free if sum(free) > FREE * len(free) else []


def _is_open(line: str) -> bool:
    """Whether it ends within a sentence."""
    return line.endswith((",", "-")) or line.split()[-1] in _OPEN


def _ends_before(lines: Sequence[str], place: int, by_hand: bool) -> bool:
    """Whether a block ends between a line and the one at `place`, with no empty line between; `by_hand`: whoever wrote
    it began that line on purpose."""
    line, following = lines[place - 1], lines[place]
    if MARKER.match(line):
        return False
    if ITEM.match(following) or DATED.match(following) or line.startswith("#") or ("|" in line and "|" in following):
        return True
    if ITEM.match(line) and line.endswith(":"):
        return False  # what is said of a term, in the line below it
    if by_hand or following[0].islower():
        return by_hand
    return _had_room(lines, place) or (line[-1] in ENDS and _is_heading(lines, place))


def _is_heading(lines: Sequence[str], place: int) -> bool:
    """Whether the line at `place` stands for itself: no sentence ends with it, and it was not wrapped."""
    if place + 1 == len(lines) or lines[place][-1] in ENDS:
        return False
    return not lines[place + 1][0].islower() and _had_room(lines, place + 1)


def _had_room(lines: Sequence[str], place: int) -> bool:
    """Whether the first word of the line at `place` would have fitted on the line before it."""
    lengths = [len(line) for line in lines[max(0, place - 2) : place + 1]]
    word = lines[place].split(None, 1)[0]
    return lengths[-2] > LONGEST_WRAPPED or lengths[-2] + 1 + len(word) < ROOM * max(lengths)


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """The sentences of one block. What ends in a list marker or an abbreviation goes on in the next, and what has no
    letter or digit belongs to the one before."""
    spans, opened = list[Span](), start
    in_may = (match.end() for match in _IN_MAY.finditer(text[start:end]))
    for boundary in sorted({*_boundaries(text[start:end]), *in_may, end - start}):
        span = stripped(text, opened, _beside_quotes(text, start + boundary, end))
        part = text[slice(*span)]
        if not part or (span[1] < end and (_goes_on(part) or _within_date(text, span) or _within_word(text, span[1]))):
            continue
        if spans and not any(map(str.isalnum, part)):
            span = spans.pop()[0], span[1]
        spans.append(span)
        opened = span[1]
    for first, last in spans:
        dashes = (match.start() for match in DASHED.finditer(text, first + 1, last))
        yield from pairwise((first, *dashes, last))


def _boundaries(block: str) -> Iterator[int]:
    """Where sentences end. `sentencex` never ends one inside quotes or brackets, and takes an apostrophe for a quote: a
    passage that stands in quotes as a whole would be one sentence. So what comes out long, or with a bracket that has
    no partner (as after the number of an item), is split without them."""
    start = 0
    for end in _ends(block):
        part = block[start:end]
        if (len(part) > LONGEST_QUOTED or part.count("(") != part.count(")")) and QUOTE.search(part):
            yield from (start + inner for inner in _ends(QUOTE.sub(" ", part)))
        else:
            yield end
        start = end


def _ends(block: str) -> Iterator[int]:
    """Sentence ends by `sentencex`, in parts of limited length: text within quotes takes it the square of its
    length."""
    start = 0
    while len(block) - start > AT_ONCE:
        part = block[start : start + AT_ONCE]
        ends = [start + one["end_index"] for one in get_sentence_boundaries("en", part)][:-1] or [start + AT_ONCE]
        yield from ends
        start = ends[-1]
    yield from (start + one["end_index"] for one in get_sentence_boundaries("en", block[start:]))


def _beside_quotes(text: str, boundary: int, end: int) -> int:
    """The boundary, moved behind closing quotes or before opening ones."""
    if closing := CLOSING.match(text, boundary, end):
        return closing.end()
    opening = OPENING.search(text, max(0, boundary - 8), boundary) if boundary < end else None
    return opening.start() if opening else boundary


def _within_date(text: str, span: Span) -> bool:
    """Whether the place is within a date; months are English or German, in full or short."""
    behind = (word.rstrip(".,;:)") for word in text[span[1] : span[1] + 20].split()[:1])
    return not _MONTHS.isdisjoint(behind) and bool(_OF_DAY.search(text, max(span[0], span[1] - 4), span[1]))


def _goes_on(sentence: str) -> bool:
    last = sentence[-12:].split()[-1].rpartition("(")[2]
    known = last.endswith(("str.", "Str.")) or (last.endswith(".") and last[:-1] in ABBREVIATIONS)
    return known or bool(MARKER.match(sentence))


_GOES_ON_IN_WORD = re.compile(r"[{/\\_.#-]*[A-Za-z0-9]")


def _within_word(text: str, place: int) -> bool:
    """Whether a place is within a word of Latin letters or digits: `click.Group`, `./.gnucash.OLD`, `{X}.{Y}`."""
    return text[place - 1] in ".!?" and bool(_GOES_ON_IN_WORD.match(text, place))


def stripped(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends."""
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    return start, start + len(part.strip())


NUMBER_WORDS = LISTS["numbers"]  # each at the place that it counts

FUNCTION_WORDS = frozenset(Path(__file__).with_name("function_words.txt").read_text("utf-8").split())

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def written_words(text: str) -> list[str]:
    """All words in the order of the text, as they are written."""
    return _WORD.findall(text)


def words(text: str) -> list[str]:
    """All words in the order of the text, in lower case, without punctuation and possessive endings."""
    return [word.casefold().replace("’", "'").removesuffix("'s") for word in written_words(text)]


def negations(text: str) -> int:
    """How many words of an English text deny something."""
    return sum(word in _NEGATIONS or word.endswith("n't") for word in words(text))


def without_possessive(word: str) -> str:
    """Return the word without `'s` at its end."""
    return word[:-2] if word.endswith(("'s", "’s")) else word


def content_words(text: str, language: str = "") -> list[str]:
    """Stems in the order of the text, without function words but with repetitions. English, unless it is in another
    language of `STEMMERS`."""
    if language not in STEMMERS:
        return _stems([word for word in words(text) if word not in FUNCTION_WORDS])
    own = [word for word in words(text) if len(word) > 1 and language not in common_words().get(unaccented(word), ())]
    return list(map(unaccented, stemmed(own, language)))


def content_word_sets(texts: Sequence[str], language: str = "") -> list[frozenset[str]]:
    """The content words of each text, without repetitions."""
    return [frozenset(content_words(text, language)) for text in texts]


def content_word_pairs(texts: Sequence[str]) -> list[frozenset[tuple[str, str]]]:
    """The pairs of content words of each text that follow each other; English."""
    return [frozenset(pairwise(content_words(text))) for text in texts]


def which_hold_most(stems: Set[str], texts: Sequence[str]) -> list[bool]:
    """Whether each text has more than half of these content words."""
    return [2 * len(stems & held) > len(stems) for held in content_word_sets(texts)]


NAMED = re.compile(r"(?<!^)(?<![.?!] )\b(?!I['’])(?:[A-Z][\w'’-]+|\d[\w.,]*\w|\d)")
"""A name or a number in a question; a word that begins a sentence is no name, nor is `I'm`."""

_JOINED = re.compile(r"\w+(?:-\w+)+")


def held_word_sets(texts: Sequence[str], language: str = "") -> list[frozenset[str]]:
    """The content words of each text, and the parts of hyphenated ones: an e-scooter is a scooter."""
    parts = content_word_sets([" ".join(_JOINED.findall(text)).replace("-", " ") for text in texts], language)
    return [whole | part for whole, part in zip(content_word_sets(texts, language), parts, strict=True)]


def stemmed_words(text: str) -> list[str]:
    """Stems of all words in the order of the text, with function words."""
    return _stems(words(text))


def stems_and_words(text: str) -> list[tuple[str, str]]:
    """Each content word's stem and the word as it is written, in the order of the text."""
    plain = list(map(without_possessive, written_words(text)))
    kept = [word for word in plain if word.casefold() not in FUNCTION_WORDS]
    return list(zip(_stems([word.casefold() for word in kept]), kept, strict=True))


def _stems(words: list[str]) -> list[str]:
    """The stems; `Gdansk` is the same as `Gdańsk`, as not everybody types accents."""
    return stemmed([word if word.isascii() else unaccented(word) for word in words])


def stemmed(words: list[str], language: str = "") -> list[str]:
    """The stems of words in lower case, in one of `STEMMERS`, else in English."""
    stems: list[str] = _stemmer(STEMMERS.get(language, "english")).stemWords(words)
    return stems


_stemmer = cache(Stemmer)


def number_of(count: int, thing: str, several: str = "") -> str:
    """`1 document`, `1,204 documents`; `several` is the plural, if it is not formed with an s."""
    return f"{count:,} {thing if count == 1 else several or thing + 's'}"


_SURROGATE = re.compile("[\ud800-\udfff]")


def in_brackets(share: float) -> str:
    """` (0.34)`; empty for what rounds to 0."""
    return f" ({share:.2f})" if round(share, 2) else ""


def clean(text: str) -> str:
    """Text as every later step expects it: storable, newlines only, letters composed (NFC), no soft hyphens."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\u00ad", "")
    return unicodedata.normalize("NFC", storable(text))


def storable(text: str) -> str:
    """The text without NUL characters (SQLite ends a text there) and unpaired surrogates (it refuses them)."""
    if _SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", " ")


def lines_by_language(path: Path) -> dict[str, str]:
    """The texts of a table with lines `key, language = text`, by `key, language`; `#` begins a line of comment."""
    rows = (line for line in path.read_text("utf-8").splitlines() if not line.startswith("#"))
    return {name: said for name, _, said in (row.partition(" = ") for row in rows)}


def read_patterns(path: Path) -> dict[str, str]:
    """The regular expressions in a file by their names: lines `name = pattern`, in which `{name}` stands for another
    one; lines without a name are what `alternatives` has; `#` begins a line of comment."""
    written: dict[str, str] = {}
    for line in path.read_text("utf-8").splitlines():
        if named := re.fullmatch(r"([a-z][\w ]*) = (.*)", line):
            written[named[1]] = named[2]
        elif line and not line.startswith("#"):
            written["alternatives"] = f"{written['alternatives']}|{line}" if "alternatives" in written else line

    def whole(pattern: str) -> str:
        return re.sub(r"\{([a-z_]+)\}", lambda other: whole(written[other[1]]), pattern)

    return {name: whole(pattern) for name, pattern in written.items()}


def compiled_patterns(path: Path) -> dict[str, re.Pattern[str]]:
    """The patterns of `read_patterns`, compiled to match in any case."""
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in read_patterns(path).items()}


LEANING = compiled_patterns(Path(__file__).with_name("leaning.txt"))["alternatives"]
"""The beginning of a sentence that refers to the one before; not `He who ...`."""

Language = Literal["en", "de", "fr", "es", "it", "eo", "nl", "pt"]
LANGUAGES: tuple[str, ...] = get_args(Language)

NAMES = dict(zip(LANGUAGES, "English German French Spanish Italian Esperanto Dutch Portuguese".split(), strict=True))

STEMMERS = {"de": "german", "fr": "french", "es": "spanish", "it": "italian", "nl": "dutch", "pt": "portuguese"}
"""The Snowball stemmers for other languages than English."""


@cache
def common_words() -> dict[str, tuple[str, ...]]:
    """For each very common word the languages that it belongs to."""
    lists = word_lists(Path(__file__).with_name("languages.txt"))
    every = {word for words in lists.values() for word in words}
    return {word: tuple(one for one in LANGUAGES if word in lists[one]) for word in every}


def unaccented(word: str) -> str:
    """The text in lower case and without accents: `Cu` for `Ĉu`, `strasse` for `Straße`."""
    if word.isascii():
        return word.lower()
    letters = unicodedata.normalize("NFD", word.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
