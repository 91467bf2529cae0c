"""The citations of an answer while it streams: the program owns the numbers.

A model writes [3], [1, 2], [passage 4] or numbers that there are not. What is shown is numbered anew in the order of
first mention, and unknown numbers are dropped.
"""

import re
from collections.abc import Iterable, Iterator

_CITATION = re.compile(
    r"\s*[\[【]\s*(?:(?:passages?|sources?|documents?|ids?)\b)?\s*[=:#]?\s*"
    r"(\d{1,3}(?:\s*(?:,|;|&|and|und|et|y)\s*\d{1,3})*)(?:†[^\]】]{0,20})?\s*[\]】]",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\s*[\[【][^\]】\n]{0,40}$|\s+$")
"""What may become a citation when more of it has come, and the blank space before it."""


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
        for number in map(int, re.findall(r"\d+", match[1])):
            if not 1 <= number <= self._count:
                self.dropped.append(number)
                continue
            if number not in self.order:
                self.order.append(number)
            numbers.append(self.order.index(number) + 1)
        return "".join(f" [{number}]" for number in dict.fromkeys(numbers))
