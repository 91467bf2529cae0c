"""Instructions to a language model that a document hides: left out of every prompt that quotes it.

What a document says is data. A sentence of it that speaks to the model ("ignore the instructions above") goes, and so
do the marks of chat templates, characters that nobody sees, and what would close the fence around a passage.
"""

import base64
import codecs
import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import compress
from pathlib import Path

from clew.memory.ports import Encoder
from clew.memory.text import Span, content_words, read_patterns, split, which_hold_most

LEFT_OUT = "[left out: a sentence that speaks to the model]"

RELATED = 0.2
"""The cosine of a question and a sentence from which one has to do with the other. Of sentences that answer questions
of `data/qa/spans` 2 in 100 have less and no word of it, of those that answer another one 94 (of `spans_multilingual`
0.4 and 57)."""

_WORDS, _APART = (
    read_patterns(Path(__file__).with_name(f"{name}.txt")) for name in ("instructions", "instructions_apart")
)
_ONE_OF = re.compile(_WORDS["one_of"])
"""A quick test: three in four sentences contain none of these words, so no alternative of the pattern."""

_TELLING = ("act", "search", "placed", "remember", "speak_that", "you", "your")
_TELLS = re.compile(rf"\b(?:{'|'.join(_WORDS[name] for name in _TELLING)})\b")
_TELLS_APART = re.compile(f"{_APART['acts']}|{_APART['you']}")
_OTHER = re.compile("[\u0590-\u1fff\u3040-\ud7ff]")

_HOSTS = _WORDS["host_end"]
"""Names of hosts without a path, but no words and no file names."""

ADDRESS = re.compile(
    r"(?<![\w:/])(?:[a-z][a-z\d+.-]{1,20}:)?//(?=[\w-]+[.:/])[^\s<>\"'）」]+"
    r"|\b(?:https?|ftp|javascript|vbscript|data|file|blob|tel|sms|magnet):[^\s<>\"'）」]+"
    r"|\bwww\.[^\s<>\"']+|(?:\bmailto:)?(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w@./-])(?:(?:[\w-]+\.)+[^\W\d_]{2,24}|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5}(?!\d)/?|/)[^\s<>\"'）」]*"
    rf"|(?<![\w@./-])(?:[\w-]+\.)+(?-i:{_HOSTS}|{_HOSTS.upper()})\b",
    re.IGNORECASE,
)
"""An address in a text: of a page, a file, a mailbox, a telephone or a machine."""

_TEMPLATE = re.compile(
    r"<[|｜][^|｜>\n]{1,40}[|｜]>|\[/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|SYSTEM_PROMPT)\]|<</?SYS>>"
    r"|<(function_calls|invoke|tool_use|tool_calls?|antml:\w+)\b.{0,2000}?</\1>|</?(?:start_of_turn|end_of_turn|system|assistant|think|tool_calls?|tool_response)>",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Characters that Unicode does not display (Default_Ignorable_Code_Point), without `_JOINERS`."""
_JOINERS = re.compile("[\u200c\u200d\ufe0f]")  # unseen too, but some scripts are written with them, and pictures

_INST = re.compile(r"\[INST\][^\[\]]{0,2000}\[/INST\]", re.IGNORECASE)
_FENCE = re.compile(r"<(?=/?\s*(?:passage|document|said|found|path)\b)", re.IGNORECASE)
_CALL = re.compile(
    r'\{\s*"(?:tool|name|function|action|calls|tool_calls)"\s*:[^{}]{0,300}(?:\{[^{}]{0,500}\}[^{}]{0,100})?\}?\s*\]?\s*\}?'
)
_ROLE, _EXCHANGE = (re.compile(_WORDS[name], re.IGNORECASE | re.MULTILINE) for name in ("role_line", "exchange"))

# Ways of writing that hide an order.
_SPACED = re.compile(r"(?<!\w)(?:\w[ ._\-*]{1,3}){7,}\w(?!\w)")
_RUN_TOGETHER = re.compile(_WORDS["run_together"])
_ENCODED = re.compile(r"(?<![\w+/=])[A-Za-z0-9+/]{24,}={0,2}(?![\w+/=])")
_HEXADECIMAL = re.compile(r"(?<!\w)(?:(?:0x|\\x)?[0-9a-fA-F]{2}[ ,]?){16,}(?!\w)")
_DIGITS_WITHIN = re.compile(r"[A-Za-z][0134570@$][A-Za-z]|\b[0134570@$][A-Za-z]{3}")
_DIGITS_AS_LETTERS = str.maketrans("0134570@$", "oieastoas")
_TURNED = re.compile(
    "|".join(f"{codecs.encode(word, 'rot13')}|{word[::-1]}" for word in _WORDS["turned"].split()), re.IGNORECASE
)
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝвкмнтАВЕКМНОРСТУХІЈЅαεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijshdqwbkmhtABEKMHOPCTYXIJSaeiknoptuxABEZHIKMNOPTYX",
)
_LATIN, _LOOKALIKE = re.compile("[A-Za-z]"), re.compile("[\u0370-\u03ff\u0400-\u052f]")


@dataclass(frozen=True, slots=True)
class Neutralised:
    """A text that can be shown to a model, and how many sentences and marks were removed."""

    text: str
    removed: int = 0


class Topic:
    """What a question is about. An unrecognised order rarely has to do with it: so what a model wants to say or search
    is dropped if it does not."""

    def __init__(self, question: str, encoder: Encoder) -> None:
        self.question, self._encoder, self._words = question, encoder, set(content_words(question))

    def shares(self, text: str) -> bool:
        return not self._words.isdisjoint(content_words(text))

    def foreign(self, sentences: Sequence[str]) -> bool:
        """Whether none of these has to do with the topic, and one may tell its reader what to do. More sentences do so
        than speak to a model."""
        lower = [one.lower() for one in sentences]
        tells = any(_TELLS.search(one) or (_OTHER.search(one) and _TELLS_APART.search(one)) for one in lower)
        return tells and not any(map(self.has, sentences))

    def has(self, text: str) -> bool:
        """Whether the text is on topic: it shares a word, or its cosine is high enough."""
        if not self._words or self.shares(text):
            return True
        one, other = self._encoder.encode([self.question, text], "sentence")
        return float(one @ other) >= RELATED


def neutralised(text: str) -> Neutralised:
    """The text without what speaks to a model, and with nothing that could close its fence in the prompt."""
    seen = _UNSEEN.sub("", text)
    seen, between = _INST.subn(" ", seen)
    removed = 2 * between
    for pattern, instead in ((_TEMPLATE, " "), (_CALL, LEFT_OUT), (_ROLE, " ")):
        seen, count = pattern.subn(instead, seen)
        removed += count
    parts: list[str] = []
    end = 0
    for start, stop in told_together(seen):
        if speaks_to_a_model(seen[start:stop]):
            parts += [seen[end:start], LEFT_OUT]
            removed, end = removed + 1, stop
    return Neutralised(_FENCE.sub("‹", "".join([*parts, seen[end:]])), removed)


def orders(text: str, about: Set[str] = frozenset()) -> list[str]:
    """The sentences of a text that speak to a model, each on one line; of those only the ones that have more than half
    of the content words `about`, if there are any."""
    sentences = [" ".join(text[start:end].split()) for start, end in told_together(text)]
    wanted = compress(sentences, which_hold_most(about, sentences)) if about else sentences
    return [sentence for sentence in wanted if sentence and speaks_to_a_model(sentence)]


def told_together(text: str) -> Iterator[Span]:
    """The sentences, with those of an exchange joined: "User: Which is best? Assistant: Zorblax." tells a model what to
    answer."""
    exchanges = [found.span() for found in _EXCHANGE.finditer(text)]
    begun = None
    for start, end in split(text):
        exchanges = [one for one in exchanges if one[1] > start]
        first, begun = start if begun is None else begun, None
        if exchanges and exchanges[0][0] < end < exchanges[0][1]:
            begun = first
        else:
            yield first, end
    if begun is not None:
        yield begun, len(text)


def speaks_to_a_model(sentence: str) -> bool:
    """Whether a sentence does; also if it is written in look-alike letters, with spaces between letters, or in
    base64."""
    plain = " ".join(_JOINERS.sub("", _UNSEEN.sub("", unicodedata.normalize("NFKC", sentence))).split())
    if _LATIN.search(plain) and _LOOKALIKE.search(plain):
        plain = " ".join(_folded(word) for word in plain.split(" "))
    if _orders(plain) or any(_orders(text) for text in _decoded(plain)):
        return True
    return any(_RUN_TOGETHER.search(re.sub(r"\W|_", "", run[0]).casefold()) for run in _SPACED.finditer(plain))


WINDOW, OVERLAP = 1000, 300
"""Characters of a sentence that are looked at together, as the patterns take the square of its length, and that two of
these share: one that no order has."""


def _orders(plain: str) -> bool:
    windows = (plain[start : start + WINDOW] for start in range(0, max(len(plain) - OVERLAP, 1), WINDOW - OVERLAP))
    return any(
        (_ONE_OF.search(one.lower()) and _compiled(_WORDS["alternatives"]).search(one))
        or (_OTHER.search(one) and _compiled(_APART["alternatives"]).search(one))
        for one in windows
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """The pattern for a sentence on one line. Compiling takes 0.14 s, and most processes never need it."""
    return re.compile(pattern, re.IGNORECASE)


def _folded(word: str) -> str:
    return word.translate(_LOOKALIKES) if _LATIN.search(word) and _LOOKALIKE.search(word) else word


def _decoded(plain: str) -> Iterator[str]:
    """Possible decodings of a text: base64, hexadecimal numbers, digits for letters, rot13, reversed letters."""
    for run in _ENCODED.finditer(plain):
        with suppress(ValueError):
            raw = base64.b64decode(run[0] + "=" * (-len(run[0]) % 4), validate=True)
            yield " ".join(raw.decode().split())
    for run in _HEXADECIMAL.finditer(plain):
        with suppress(ValueError):
            yield bytes.fromhex(run[0].replace("\\x", "").replace("0x", "")).decode()
    if len(_DIGITS_WITHIN.findall(plain)) > 1:
        yield plain.translate(_DIGITS_AS_LETTERS)
    if _TURNED.search(plain):
        yield codecs.decode(plain, "rot13")
        yield plain[::-1]
