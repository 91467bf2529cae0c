"""A line as a person would write a question (seed 003, step 5: post-processing)."""

import re

from clew.memory.sentences import split

_QUESTION_START = re.compile(
    r"(?:(?:and|but|so|then|or|also|well|ok|okay|yes|no|please)\b,?\s+)*"
    r"(?:(?:in|on|at|from|to|for|with|by|of|about|under|since|until)\s+)?"
    r"(?:who|whom|whose|what|which|when|where|why|how|is|are|am|was|were|do|does|did|can|could|will|would|shall|should"
    r"|may|might|must|has|have|had|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't"
    r"|shouldn't|hasn't|haven't|hadn't)(?:['\u2019](?:s|re|d|ll|ve))?(?![\w-])",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f\u061f][\"'\u201d\u2019)\]]*$")
"""A sentence's last mark, also of Chinese and Arabic, perhaps inside a quotation or brackets."""

LAST = 40
"""Characters of a line that its end is told by."""

_INITIALS = re.compile(r"(?:\b\w\.){2,}(?=[?!\u2026\s]*$)")


def tidy(text: str) -> str:
    """One space between words, a capital first, and at the end `?` for a question, else `.` (seed 003, step 5)."""
    line = " ".join(text.split()).rstrip(",;:- ")
    if not line:
        return ""
    if line.split()[0].islower():  # not iPhone
        line = line[0].upper() + line[1:]
    if asks(line):
        return _with_question_mark(line)
    if not _END.search(line[-LAST:]):
        return f"{line}."
    bare = line.rstrip("? ")
    return f"{bare}?" if line.endswith("?") else line


def asks(line: str) -> bool:
    """Whether its last sentence begins as a question does."""
    start, end = split(line)[-1]
    return _QUESTION_START.match(line[start:end].strip()) is not None


def _with_question_mark(line: str) -> str:
    if _END.search(line[-LAST:]) and not line.endswith((".", "?", "!", "\u2026")):  # Who said "to be"?
        return line
    bare = line.rstrip("?!.\u2026 ")
    return bare + ("." if _INITIALS.search(line[-LAST:]) else "") + "?"
