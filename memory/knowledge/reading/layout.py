"""Writing the text of a document that has markup: white space as a reader sees it, blocks apart, headings marked."""

from clew.memory.datatypes import Mark

BREAKS = ("", " ", "\n", "\n\n")


class Layout:
    """Text written piece by piece. The break before a piece is the strongest one that was asked for since the last."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._break = 0
        self._marker = ""
        self._heading = 0
        self.headings: list[Mark] = []

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def line(self) -> None:
        self._ask("\n")

    def paragraph(self) -> None:
        self._ask("\n\n")

    def words(self, text: str) -> None:
        """Running text: runs of white space become one space."""
        if text[:1].isspace():
            self._ask(" ")
        if words := text.replace("\u00ad", "").split():
            self._write(" ".join(words))
        if text[-1:].isspace():
            self._ask(" ")

    def verbatim(self, text: str) -> None:
        """Text whose lines stay as they are: code, rows of a table."""
        self.paragraph()
        if text := text.strip("\n").rstrip():
            self._write(text)
        self.paragraph()

    def cell(self) -> None:
        """Part the cells of a row; before its first there is a line's break."""
        if self._break < BREAKS.index("\n"):
            self.words(" | ")

    def open_heading(self) -> None:
        self.paragraph()
        self._heading = len(self._pieces)

    def close_heading(self) -> None:
        """Mark what was written since `open_heading`."""
        if written := "".join(self._pieces[self._heading :]).lstrip():
            self.headings.append(Mark(self._length - len(written), " ".join(written.split())))
        self.paragraph()

    def open_item(self, marker: str) -> None:
        """An item of a list: the marker is written before its first words."""
        self.line()
        self._marker = marker

    def close_item(self) -> None:
        self._marker = ""
        self.line()

    def _ask(self, kind: str) -> None:
        self._break = max(self._break, BREAKS.index(kind))

    def _write(self, piece: str) -> None:
        between = BREAKS[self._break] if self._length else ""
        for part in (between, self._marker, piece):
            self._pieces.append(part)
            self._length += len(part)
        self._break, self._marker = 0, ""
