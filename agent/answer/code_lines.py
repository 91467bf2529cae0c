"""Which lines of a plain text are code, or a command that is to be typed."""

import re
from collections.abc import Sequence
from textwrap import dedent

from clew.memory.knowledge.loaders.html import INDENT
from clew.memory.text import ITEM, Span

_CODE_LINE = re.compile(
    r">>>|\.\.\.(?: |$)|async (?:with|for|def)\b|[$%#] ?\w+[^.?!]*$|(?:import|from|def|class"
    r"|with|for|if|return|print|await|async|SELECT|INSERT|CREATE|PRAGMA)\b"
    r"[^.?!]*[(){}=;:\[\]][^.?!]*$|[\w.\"'\[\]]+ ?(?:=|<-|:=) ?\S|[\w.]+\([^)]*\)?[;,]?$"
    r"|[)}\]]+[;,]?$|<[\w/!?][^>]*>|[{\[]\s*$"
    r"|\S+\s*[({]\s*$"
    r"|(?:from [\w.]+ )?import [\w.*]+(?:, [\w.]+)*(?: as \w+)?;?$|#include [<\"]"
)
ANNOUNCES_CODE = re.compile(r"(?::|\b(?:command|commands|run|running|execute|type|enter|syntax|using))$")
_COMMAND = re.compile(r"(?!.*[.!?]$)(?=[^A-Z]|.*[-=/_<>(]).{2,120}$")
"""One line behind what announces it: `dpkg --list`."""

LONGEST = 90
"""Words of what may be weighed and told as one: a sentence, an item, a row, a block of code."""

WRAPPED = 8
"""Words of a line that is no code for its place alone: a paragraph may be indented as a whole."""

_OF_CODE = re.compile(r"[{}\[\];=<>\\|]|(?<!\S)--?\w|\w\(|(?<!\S)/\w")


def _may_be_code(line: str) -> bool:
    return len(line.split()) < WRAPPED or bool(_OF_CODE.search(line))


def is_code(text: str, lines: Sequence[Span]) -> bool:
    """Most of its lines look so, or are indented beneath one that does; items, sentences and long lines do not."""
    found = [bool(_CODE_LINE.match(text[start:end])) and not ITEM.match(text, start, end) for start, end in lines]
    comment = [text[start] == "#" for start, _ in lines]
    inner = [start > 0 and text[start - 2 : start] == "  " and _may_be_code(text[start:end]) for start, end in lines]
    held = sum(one or two or three for one, two, three in zip(found, comment, inner, strict=True))
    return any(found) and held * 3 >= len(lines) * 2


def is_command(text: str, lines: Sequence[Span]) -> bool:
    """Behind what announces it: one line, or one that goes on in others that are indented, or behind a backslash."""
    (start, end), *rest = lines
    behind = zip((end for _, end in lines), rest, strict=False)
    goes_on = all(text[one - 2 : one] == "  " or text[before - 1] == "\\" for before, (one, _) in behind)
    return bool(_COMMAND.match(text, start, end)) and goes_on and all(_OF_CODE.search(text, *span) for span in rest)


def with_code(text: str, stanzas: Sequence[Span]) -> tuple[list[Span], frozenset[Span]]:
    """The stanzas of a document that was laid out, those of one block of code as one, up to `LONGEST` words; and which
    of them are code, as they are indented."""
    made, code = list[Span](), set[Span]()
    for start, end in stanzas:
        indented = text[max(0, start - len(INDENT)) : start] == INDENT
        before = made[-1] if made and made[-1] in code else None
        if indented and before and len(text[before[0] : end].split()) <= LONGEST:
            code.remove(made.pop())
            start = before[0]
        made.append((start, end))
        if indented:
            code.add((start, end))
    return made, frozenset(code)


def dedented(text: str, start: int, end: int) -> str:
    """Code as it is shown: without what all its lines are indented by."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return dedent(f"{before}{text[start:end]}") if before.isspace() else text[start:end]
