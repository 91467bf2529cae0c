"""Works that are named in quotation marks, in italics (`*so*`, `_so_`) or in the title marks of other scripts."""

import re
from collections.abc import Iterator

from clew.memory.knowledge.extracting.datatypes import Mention
from clew.memory.knowledge.extracting.lexicon import EMPTY, WORKS

LONGEST = 100
"""Characters of a work's name."""

_QUOTED = re.compile(
    rf"(?<![\w\"])\"[ ]?([^\"\n]{{1,{LONGEST}}}?)[ ]?\"(?!\w)"
    rf"|``[ ]?([^`'\n]{{1,{LONGEST}}}?)[ ]?''"
    rf"|[“„][ ]?([^“”„\n]{{1,{LONGEST}}}?)[ ]?[”“]"
    rf"|(?<!\w)‘([^‘\n]{{1,{LONGEST}}}?)’(?!\w)"
    rf"|(?<![\w'])'(?=[A-Z0-9])([^'\n]{{1,{LONGEST}}}?)'(?!\w)"
    rf"|(?<![\w*])\*(?=[^\s*])([^*\n]{{1,{LONGEST}}}?)(?<!\s)\*(?![\w*])"
    rf"|(?<!\w)_(?=[^\s_])([^_\n]{{1,{LONGEST}}}?)(?<!\s)_(?!\w)"
)
_TITLE = re.compile(
    r"«[ \u00a0\u202f]?(?P<a>[^\s«»][^«»\n]{0,58}[^\s«».,;])[ \u00a0\u202f]?»"
    r"|《(?P<b>[^《》\n]{2,60})》|〈(?P<c>[^〈〉\n]{2,60})〉|『(?P<d>[^『』\n]{2,60})』"
)
"""Guillemets and title marks name a work whatever its letters are; what ends in a full stop is said."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def works(text: str) -> Iterator[Mention]:
    """What stands in title marks, and what in quotes or italics is written as a name.

    In quotes one word may be any name; more are a work.
    """
    for match in _TITLE.finditer(text):
        start, end = match.span(match.lastgroup or 0)
        yield Mention(text[start:end], start, end, "work")
    for match in _QUOTED.finditer(text):
        start, end = match.span(match.lastindex or 0)
        part = text[start:end].rstrip(",;")
        words = _WORD.findall(part)
        if _is_name(part, words) and not _is_nickname(text, *match.span()):
            kind = "work" if len(words) > 1 or _is_called_a_work(text, match.start()) else "name"
            yield Mention(part, start, start + len(part), "work" if kind == "work" else "name")


def _is_name(part: str, words: list[str]) -> bool:
    """Capitals on half of the words that carry content, and no whole sentence."""
    content = [word for word in words if word.casefold() not in EMPTY]
    if not content or len(words) > 12 or not (part[0].isupper() or part[0].isdigit()):
        return False
    named = sum(word[0].isupper() for word in content)
    return named > 0 and 2 * named >= len(content) and not (part.endswith(".") and len(words) > 4)


def _is_nickname(text: str, start: int, end: int) -> bool:
    """Whether it stands inside a name: Edward "Ned" Kelly."""
    return (
        text[max(0, start - 2) : start].strip().isalpha()
        and text[end : end + 1] == " "
        and (
            text[end + 1 : end + 2].isupper()
            and _last_word(text, start)[:1].isupper()
            and text[start + 1 : end - 1].isalpha()
        )
    )


def _is_called_a_work(text: str, start: int) -> bool:
    return _last_word(text, start).casefold() in WORKS


def _last_word(text: str, start: int) -> str:
    words = _WORD.findall(text, max(0, start - 24), start)
    return words[-1] if words else ""
