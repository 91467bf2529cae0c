"""Questions that are about documents, and not about what stands in one place of them: an overview of the library, the
summary of a document, which documents mention something. By rules, of English."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from clew.agent.search.phrases import phrases_of

WholeKind = Literal["overview", "summary", "mentions", "count"]

_OF_A_SUBJECT = ("about ", " on ", "regarding ", "concerning ", " of ", "with ", "discuss ", "discusses ", "covered ")
_ASKS = re.compile(r"(?:how|why|what|when|where|who|whose|which|whether) \S+ \S")
"""What is asked about is a question of its own: 'anything about how they dealt with floods'."""

_ARTICLE = re.compile(r"^(?:(?:an?|the|any|some|my|our|your) )+")


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    """Those of one list of `library_questions.txt`."""
    words: dict[str, str] = {}
    lists: dict[str, list[re.Pattern[str]]] = {}
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
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
    """`of` names the document of a summary, or says what is mentioned; `phrases` are to be found as they are; `besides`
    is what the documents must not mention. `plainly`: a summary is asked for in this word or one like it. `points`:
    `of` is a pronoun, or a document that was spoken of; `about`: what is near to it in meaning counts as well."""

    kind: WholeKind
    of: str = ""
    phrases: tuple[str, ...] = ()
    besides: str = ""
    plainly: bool = True
    points: bool = False
    about: bool = False


def library_question(text: str) -> WholeQuestion | None:
    """None for a question about what stands in documents, as most are."""
    written = _patterns("tail")[0].sub("", " ".join(text.replace("\u2019", "'").split()).strip().rstrip("?!. ").strip())
    lowered = written.casefold()
    if len(lowered) != len(written):
        return None
    start = _patterns("courtesy")[0].match(lowered).end()  # type: ignore[union-attr]
    lowered, written = lowered[start:], written[start:]
    if not lowered:
        return None
    if any(pattern.fullmatch(lowered) for pattern in _patterns("overview")):
        return WholeQuestion("overview")
    if any(pattern.fullmatch(lowered) for pattern in _patterns("count")):
        return WholeQuestion("count")
    for found in _matched(_patterns("counted") + _patterns("mentions"), lowered, written):
        before = lowered[: written.rindex(found)]
        made = _mentions(found, is_count=lowered.startswith("how many"))
        return made and replace(made, about=before.endswith(_OF_A_SUBJECT))
    for plainly, patterns in ((True, _patterns("summarised")), (False, _patterns("about"))):
        for found in _matched(patterns, lowered, written):
            return WholeQuestion(
                "summary", found, plainly=plainly, points=bool(_patterns("pronoun")[0].fullmatch(found.casefold()))
            )
    return None


def _matched(patterns: tuple[re.Pattern[str], ...], lowered: str, written: str) -> Iterator[str]:
    for pattern in patterns:
        if match := pattern.fullmatch(lowered):
            yield written[match.start("of") : match.end("of")].strip()


def _mentions(found: str, *, is_count: bool) -> WholeQuestion | None:
    kept = found
    while (plain := _patterns("within")[0].sub("", kept)) != kept:
        kept = plain
    wanted, _, besides = _split_at(kept)
    wanted = _ARTICLE.sub("", wanted.strip(" ,"))
    if not wanted or _ASKS.match(wanted.casefold()):
        return None
    points = bool(_patterns("pronoun")[0].fullmatch(wanted.casefold()))
    kind: WholeKind = "count" if is_count else "mentions"
    return WholeQuestion(kind, wanted, phrases_of(wanted), _ARTICLE.sub("", besides.strip(" ,")), points=points)


def _split_at(text: str) -> tuple[str, str, str]:
    match = next((m for m in _patterns("except")[0].finditer(text) if not _inside_quotes(text, m.start())), None)
    return (text[: match.start()], match.group(), text[match.end() :]) if match else (text, "", "")


def _inside_quotes(text: str, place: int) -> bool:
    before = sum(text[:place].count(mark) for mark in '"\u201c\u201d\u201e\u00ab\u00bb')
    return before % 2 == 1
