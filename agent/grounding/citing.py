"""The citations of an answer while it streams: the program owns the numbers.

A model writes [3], [1, 2], [1-3], [passage id="4"], [2, p. 7], (passage 2) or numbers that there are not. What is shown
is numbered anew in the order of first mention, and unknown numbers are dropped.
"""

import re
from collections.abc import Iterable, Iterator

_LONGEST = 80
"""Characters between the brackets; more waits for nothing."""

_BLANK = r"[^\S\n]*"
_LABEL = rf"(?:(?:passages?|sources?|documents?|ids?)\b{_BLANK}[=:#]?{_BLANK}){{0,2}}[=:#]?{_BLANK}"
_BESIDE = (
    rf"{_BLANK},?{_BLANK}(?<![a-z])(?:pp?|pages?|seiten?|s)\b\.?{_BLANK}\d{{1,4}}(?:{_BLANK}[-–—]{_BLANK}\d{{1,4}})?"
    r"|[^\S\n]+title=[\"“][^\"”]{0,60}[\"”]|†[^\]】,;]{0,20}"
)
"""What may follow a number: a page, the title of the passage, marks of browsing."""

_TO = r"(?:[-‑–—−]|(?:to|bis)\b)"
_ONE = rf"{_LABEL}[\"“']?\d{{1,3}}[\"”']?(?:{_BESIDE})?"
_NUMBERS = rf"{_BLANK}{_ONE}(?:{_BLANK}(?:{_TO}|[,;]?{_BLANK}(?:and|und|et|y)\b|[,;&]){_BLANK}{_ONE})*{_BLANK}"
_CITATION = re.compile(
    rf"(?<!\s)\s*(?:[\[【](?=[^\]】\n]{{0,{_LONGEST}}}[\]】]){_NUMBERS}[\]】]"
    rf"|\((?={_BLANK}(?:passages?|sources?)\b[^)\n]{{0,{_LONGEST}}}\)){_NUMBERS}\))",
    re.IGNORECASE,
)
_OPEN = re.compile(
    rf"(?<!\s)\s*(?:[\[【][^\]】\n]{{0,{_LONGEST}}}|\({_BLANK}(?:[a-z]{{0,8}}|(?:passages?|sources?)\b[^)\n]{{0,{_LONGEST}}}))$"
    r"|(?<!\s)\s+$",
    re.IGNORECASE,
)
"""What may become a citation when more of it has come, and the blank space before it."""

_RANGE = re.compile(rf"(\d+)[\"”']?(?:{_BLANK}{_TO}{_BLANK}{_LABEL}[\"“']?(\d+))?", re.IGNORECASE)


class Citations:
    """Of one answer, from `count` passages. `order` are the passages' own numbers in the order of first mention."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.order: list[int] = []
        self.dropped: list[int] = []

    def streamed(self, pieces: Iterable[str]) -> Iterator[str]:
        """The text with citations as ` [1]`, nothing of one before it is whole."""
        held = ""
        for piece in pieces:
            held += piece
            waiting = _OPEN.search(held)
            ready = held[: waiting.start()] if waiting else held
            held = held[len(ready) :]
            if said := self._renumbered(ready):
                yield said
        if rest := self._renumbered(held).rstrip():
            yield rest

    def _renumbered(self, text: str) -> str:
        return _CITATION.sub(self._shown, text)

    def _shown(self, match: re.Match[str]) -> str:
        numbers: list[int] = []
        for number in self._named(re.sub(_BESIDE, "", match[0], flags=re.IGNORECASE)):
            if not 1 <= number <= self._count:
                self.dropped.append(number)
                continue
            if number not in self.order:
                self.order.append(number)
            numbers.append(self.order.index(number) + 1)
        return "".join(f" [{number}]" for number in dict.fromkeys(numbers))

    def _named(self, inside: str) -> Iterator[int]:
        """Of a range every passage that there is, and an end that there is not."""
        for first, last in _RANGE.findall(inside):
            start, end = int(first), int(last or first)
            yield start
            yield from range(start + 1, min(end, self._count + 1))
            if last and start != end:
                yield end
