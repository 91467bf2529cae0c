"""Which lines of a plain text are code, or a command that is to be typed."""

import re
from collections.abc import Sequence

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
