"""An answer at a terminal as a language model writes it: word by word, wrapped, and compared with what it became."""

import re
from collections import Counter
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from clew.agent.answer.citations import LIST_MARK, MARKUP
from clew.ui.plain import one_line, plain
from clew.ui.rendering import CITATION, MARKS

if TYPE_CHECKING:
    from rich.console import Console

    from clew.agent.state import Answer

_WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\U00020000-\U0003fffd"
"""Scripts that put no spaces between words: a line may end behind any character."""

_TOKEN = re.compile(rf"\n|[^\S\n]+|[{_WIDE}]|[^\s{_WIDE}]+")
_CITATION = r"\[\d+(?:, ?\d+)*\]"


class Writing:
    """Pieces of text come in, whole words go out; `text` is all that came."""

    def __init__(self, console: "Console") -> None:
        self.text = ""
        self._console = console
        self._held = ""
        self._column = 0
        self._apart = False
        self._lines = 0

    def add(self, piece: str) -> None:
        self.text += piece
        tokens = _TOKEN.findall(self._held + piece)
        self._held = tokens.pop() if tokens else ""  # a word may go on
        for part in tokens:
            self._put(part)

    def end(self) -> None:
        """The last word, and the end of its line."""
        self._put(self._held)
        self._held = ""
        if self._column:
            self._end_line()

    def _put(self, part: str) -> None:
        if part == "\n":
            if self._column or self._lines == 1:  # no more than one empty line
                self._end_line()
        elif part.isspace():
            self._apart = True
        elif word := plain(part):
            apart = self._apart and self._column > 0
            if self._column and self._column + apart + cell_len(word) > self._console.width:
                self._end_line()
                apart = False
            shown = Text(" " * apart + word)
            shown.highlight_regex(_CITATION, CITATION)
            self._console.print(shown, end="", soft_wrap=True)
            self._column += apart + cell_len(word)
            self._apart, self._lines = False, 0

    def _end_line(self) -> None:
        self._console.print()
        self._column, self._apart = 0, False
        self._lines += 1


def became(written: str, answer: "Answer") -> bool:
    """Whether the answer is what was written: the same words, and no citation less, wherever in its sentence it stands.
    (A sentence that cites nothing gets the number of the passage that says it.) One that was stopped may lack words at
    its end."""
    words, cited = _words_and_citations(written)
    known, cites = _words_and_citations("".join(claim.lead + claim.text for claim in answer.claims))
    cites += [str(number) for claim in answer.claims for number in claim.cites]
    if answer.outcome == "stopped":
        return words[: len(known)] == known
    return words == known and Counter(cited) <= Counter(cites)


def marks(answer: "Answer") -> list[Text]:
    """A line for each sentence that its source does not carry, for an answer that was shown without marks."""
    return [
        Text.assemble(MARKS[claim.verdict], " ", one_line(claim.text))
        for claim in answer.claims
        if claim.verdict in MARKS
    ]


def _words_and_citations(text: str) -> tuple[list[str], list[str]]:
    """Without the markup and the marks of lists that claims lack: the number of an item is no word."""
    text = "\n".join(LIST_MARK.sub("", line) for line in MARKUP.sub("", text).splitlines())
    cited = [number for found in re.findall(_CITATION, text) for number in re.findall(r"\d+", found)]
    return re.findall(r"\w+", re.sub(_CITATION, " ", text)), cited
