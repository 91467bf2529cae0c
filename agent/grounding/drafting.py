"""An answer's text, as it was streamed, as claims: sentences with the passages that they cite."""

import re
from collections.abc import Sequence
from dataclasses import replace

from clew.agent.state import Claim
from clew.agent.verifying import verdict
from clew.memory.datatypes import Passage
from clew.memory.sentences import split

_CITED = re.compile(r"\s*\[(\d+)\]")
_ALONE = re.compile(r"(?<!\n)\n\s*(?:[-*•–]\s+)?((?:\[\d+\][^\S\n]*)+\.?)[^\S\n]*$", re.MULTILINE)
"""A line that is only citations."""

LIST_MARK = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+")
"""What a line of a list begins with; claims lack it, and `MARKUP`, which goes first."""

_SECOND_STOP = re.compile(r"(?<=[.!?])((?:\s*\[\d+\])+)\.")
"""`It is far. [1].`"""

MARKUP = re.compile(r"\*\*|__|^#{1,6}\s+|`", re.MULTILINE)


def claims_of(text: str) -> tuple[Claim, ...]:
    """A citation belongs to the sentence that it stands in or behind, be it on the line before; a line of a list begins
    on a line of its own."""
    claims: list[Claim] = []
    for line in _ALONE.sub(r" \1", MARKUP.sub("", text)).splitlines():
        item = bool(LIST_MARK.match(line))
        of_line = _of_line(LIST_MARK.sub("", line).strip())
        claims += [replace(claim, new_line=item and not place) for place, claim in enumerate(of_line)]
    return tuple(claims)


def attributed(claims: Sequence[Claim], passages: Sequence[Passage]) -> tuple[Claim, ...]:
    """With a citation of the first passage that supports it where a claim has none, or one that does not."""
    return tuple(_attributed(claim, passages) for claim in claims)


def numbered(claims: Sequence[Claim], passages: Sequence[Passage]) -> tuple[tuple[Claim, ...], tuple[Passage, ...]]:
    """With sources that count from 1 in the order of first mention, and these sources; `cites` are places in `passages`
    before."""
    order = list(dict.fromkeys(number for claim in claims for number in claim.cites))
    renumbered = tuple(
        replace(claim, cites=tuple(order.index(number) + 1 for number in claim.cites)) for claim in claims
    )
    return renumbered, tuple(passages[number - 1] for number in order)


def whole_sentences(text: str) -> str:
    """Without a last sentence that has no end, where there is one before it."""
    ends = [end for start, end in split(text) if re.search(r"[.!?…。\]][\"”’)]*$", text[start:end])]
    return text[: ends[-1]] if ends else ""


def _of_line(line: str) -> list[Claim]:
    line = _SECOND_STOP.sub(r"\1", line)
    plain, cites, end = "", list[tuple[int, int]](), 0
    for match in _CITED.finditer(line):
        plain += line[end : match.start()]
        cites.append((len(plain.rstrip()), int(match[1])))
        end = match.end()
    plain += line[end:]
    claims = []
    for start, stop in split(plain):
        text = plain[start:stop].strip()
        own = tuple(dict.fromkeys(number for place, number in cites if start < place <= stop))
        if re.search(r"\w", text):
            claims.append(Claim(re.sub(r"\s+([.!?,;:])", r"\1", text), own))
    return claims


def _attributed(claim: Claim, passages: Sequence[Passage]) -> Claim:
    if claim.cites and verdict(claim, passages) != "unsupported":
        return claim
    for number in range(1, len(passages) + 1):
        moved = replace(claim, cites=(number,))
        if verdict(moved, passages) == "supported":
            return moved
    return claim
