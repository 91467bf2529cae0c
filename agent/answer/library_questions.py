"""Questions that are about documents, and not about what stands in one place of them: an overview of the library, the
summary of a document, which documents mention something, are of a time, lack something. By rules, a file of patterns
for each language."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from clew.agent.search.phrases import phrases_of
from clew.memory.language.esperanto_words import nominative
from clew.memory.language.telling import language_of
from clew.memory.text import LANGUAGES

_WORD = re.compile(r"\b[^\W\dA-Z_]{3,}\b")

WholeKind = Literal["overview", "summary", "mentions", "count"]


@cache
def _patterns(language: str, name: str) -> tuple[re.Pattern[str], ...]:
    """Those of one list of `library_questions.LANGUAGE.txt`."""
    words: dict[str, str] = {}
    lists: dict[str, list[re.Pattern[str]]] = {}
    for line in Path(__file__).with_suffix(f".{language}.txt").read_text("utf-8").splitlines():
        if line.startswith("[") and line.endswith("]") and line[1:-1].isalpha():
            found = lists.setdefault(line[1:-1], [])
        elif line.strip() and not line.startswith("# "):
            filled = re.sub(r"\{([a-z]+)\}", lambda match: words[match[1]], line)
            if lists:
                found.append(re.compile(filled))
            else:
                key, _, value = filled.partition(" = ")
                words[key] = value
    return tuple(lists[name])


@dataclass(frozen=True, slots=True)
class WholeQuestion:
    """`of` names the document of a summary, or says what is mentioned, or of what time (`dated`); `phrases` are to be
    found as they are; `besides` is what the documents must not mention. `among`: a word for documents of a kind (empty:
    of any); `lacking`: those are asked for that do not. `plainly`: a summary is asked for in this word or one like it.
    `points`: `of` is a pronoun, or a document that was spoken of; `about`: what is near to it in meaning counts too."""

    kind: WholeKind
    of: str = ""
    phrases: tuple[str, ...] = ()
    besides: str = ""
    among: str = ""
    dated: bool = False
    lacking: bool = False
    plainly: bool = True
    points: bool = False
    about: bool = False
    language: str = "en"


_IN_SHORT = re.compile(
    r"(?:^|[ ,])(?:in (?:short|brief|a nutshell|(?:a )?(?:few|one|two|three) (?:words?|sentences?|lines?))|briefly"
    r"|shortly|kurz|in (?:kurzen|wenigen) Worten|en bref|bri\u00e8vement|en (?:resumen|breve)|brevemente|in breve"
    r"|mallonge)(?:,|(?=[ ?!.]|$))",
    re.IGNORECASE,
)
"""How long the answer is to be, which is no part of what is asked for."""


def library_question(text: str) -> WholeQuestion | None:
    """None for a question about what stands in documents, as most are."""
    spoken = language_of(text)
    for language in sorted(LANGUAGES, key=lambda one: one != spoken):
        if found := _Heard.of(text, language).question():
            return replace(found, language=language)
    return None


_WHATS = re.compile(r"^(what|who|that|where)(s)\b", re.IGNORECASE)
"""'whats in these notes'"""


@dataclass(frozen=True, slots=True)
class _Heard:
    """A question in one language, as it is `written`, and `plain`: in lower case and without accents, as long."""

    written: str
    plain: str
    language: str

    @staticmethod
    def of(text: str, language: str) -> "_Heard":
        written = _IN_SHORT.sub(" ", _WHATS.sub(r"\1'\2", text.replace("\u2019", "'")))
        written = " ".join(written.split()).strip("\u00bf\u00a1 ").rstrip("?!. ")
        plain = _plain(written)
        end = (_patterns(language, "tail")[0].search(plain) or re.compile("$").search(plain)).start()  # type: ignore[union-attr]
        start = _patterns(language, "courtesy")[0].match(plain).end()  # type: ignore[union-attr]
        return _Heard(written[start:end], plain[start:end], language)

    def question(self) -> WholeQuestion | None:
        if any(pattern.fullmatch(self.plain) for pattern in self._patterns("overview")):
            return WholeQuestion("overview")
        for match in self._matched("count"):
            return WholeQuestion("count", among=self._among(match))
        for match in self._matched("dated"):
            when, lacking = self._written(match, "when"), bool(match["not"])
            return WholeQuestion("mentions", when, among=self._among(match), dated=True, lacking=lacking)
        for name in ("lacking", "counted", "mentions"):
            for match in self._matched(name):
                made = self._mentions(match)
                kind: WholeKind = "count" if name == "counted" else "mentions"
                return made and replace(made, kind=kind, lacking=name == "lacking")
        for name in ("summarised", "about"):
            for match in self._matched(name):
                of = self._written(match, "of")
                points = self._is_pronoun(of)
                of = of if points or self.language == LANGUAGES[0] else self._named(of)  # English articles are no names
                return WholeQuestion("summary", of, plainly=name == "summarised", points=points)
        return None

    def _patterns(self, name: str) -> tuple[re.Pattern[str], ...]:
        return _patterns(self.language, name)

    def _matched(self, name: str) -> Iterator[re.Match[str]]:
        return (match for pattern in self._patterns(name) if (match := pattern.fullmatch(self.plain)))

    def _written(self, match: re.Match[str], group: str) -> str:
        return self.written[slice(*match.span(group))].strip()

    def _is_pronoun(self, text: str) -> bool:
        return bool(self._patterns("pronoun")[0].fullmatch(_plain(text)))

    def _named(self, text: str) -> str:
        """Without articles before it, nor endings of the accusative."""
        text = text.strip(" ,")
        match = self._patterns("article")[0].match(_plain(text))
        text = text[match.end() :] if match else text
        return _WORD.sub(lambda word: nominative(word[0]), text) if self.language == "eo" else text

    def _mentions(self, match: re.Match[str]) -> WholeQuestion | None:
        of = self._written(match, "of")
        while inside := self._patterns("within")[0].search(_plain(of)):
            of = of[: inside.start()]
        out = next((m for m in self._patterns("except")[0].finditer(_plain(of)) if not _quoted(of, m.start())), None)
        wanted, besides = (of[: out.start()], of[out.end() :]) if out else (of, "")
        wanted = self._named(wanted)
        if not wanted or self._patterns("asks")[0].match(_plain(wanted)):
            return None
        about = bool(self._patterns("subject")[0].search(self.plain[: match.start("of")]))
        points = self._is_pronoun(wanted)
        return WholeQuestion(
            "mentions", wanted, phrases_of(wanted), self._named(besides), self._among(match), points=points, about=about
        )

    def _among(self, match: re.Match[str]) -> str:
        among = match.groupdict().get("among") or ""
        return "" if self._patterns("any")[0].fullmatch(among) else among


def _plain(text: str) -> str:
    """Letter by letter in lower case and without accents."""
    return "".join(unicodedata.normalize("NFD", letter)[0].lower()[0] for letter in text.replace("\u00df", "s"))


def _quoted(text: str, place: int) -> bool:
    before = sum(text[:place].count(mark) for mark in '"\u201c\u201d\u201e\u00ab\u00bb')
    return before % 2 == 1
