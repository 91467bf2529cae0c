"""A turn drawn as it happens: its steps, what it waits for, the words of its answer; and Ctrl-C, which stops it."""

import re
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from rich.cells import cell_len
from rich.console import Console
from rich.markdown import Markdown
from rich.status import Status
from rich.text import Text

from clew.agent.answer.citations import LIST_MARK, MARKUP
from clew.agent.state import Answer, Doing, Piece, Step, Turn, TurnEvent
from clew.ui.plain import one_line, plain
from clew.ui.rendering import BOLD, CITATION, DIM, MARKS, badge, printed, source_lines, step_line

_CITATION = r"\[\d+(?:, ?\d+)*\]"


class WordPrinter:
    """Prints a text that comes in pieces, whole words at a time, wrapped to the console; a table or code when it is
    whole. `text` is all that came.

    In scripts that put no spaces between words, whose letters are wide, a line may end behind any letter.
    """

    def __init__(self, console: Console) -> None:
        self.text = ""
        self._console = console
        self._held = ""
        self._column = 0
        self._apart = False
        self._lines = 0
        self._bold = False
        self._block = ""  # the lines of a table or of code that is not whole
        self._begins = True  # a line

    def add(self, piece: str) -> None:
        self.text += piece
        for character in piece:
            if self._begins and self._block and not self._goes_on(character):
                self._put_block()
            if self._block or (self._begins and character in "|`" and not self._held):
                self._block += character
            else:
                self._put(character)
            self._begins = character == "\n"

    def _put(self, character: str) -> None:
        wide = character.isalpha() and cell_len(character) > 1
        if not (wide or character.isspace()):
            self._held += character  # the word may go on
            return
        self._put_word()
        if wide:
            self._held = character
        elif character != "\n":
            self._apart = True
        elif self._column or self._lines == 1:  # no more than one empty line
            self._end_line()

    def end(self) -> None:
        """Print the last word, or the block, and end its line."""
        self._put_block()
        self._put_word()
        if self._column:
            self._end_line()

    def _goes_on(self, character: str) -> bool:
        """Whether a line that begins so belongs to the block: of code all lines up to the fence at its end."""
        fences = len(re.findall(r"^```", self._block, re.MULTILINE))
        return fences == 1 or (character == "|" and not fences)

    def _put_block(self) -> None:
        block, self._block = self._block, ""
        if block.startswith(("|", "```")):
            if self._column:
                self._end_line()
            self._console.print(Markdown(plain(block), code_theme="bw"))
        else:  # words, the first of which is code
            for character in block:
                self._put(character)

    def _put_word(self) -> None:
        word, self._held = plain(self._held), ""
        marks = word.count("**")
        word = "" if not self._column and re.fullmatch("#+", word) else MARKUP.sub("", word)
        if word:
            apart = self._apart and self._column > 0
            if self._column and self._column + apart + cell_len(word) > self._console.width:
                self._end_line()
                apart = False
            shown = Text(" " * apart + word, BOLD if self._bold or marks else "")
            shown.highlight_regex(_CITATION, CITATION)
            self._console.print(shown, end="", soft_wrap=True)
            self._column += apart + cell_len(word)
            self._apart, self._lines = False, 0
        self._bold ^= bool(marks % 2)

    def _end_line(self) -> None:
        self._console.print()
        self._column, self._apart = 0, False
        self._lines += 1


def became(draft: str, answer: Answer) -> bool:
    """Whether the checked answer says what the model wrote (`draft`): the same words, and every citation of the draft,
    wherever in its sentence it stands. (Checking adds a citation to a sentence that has none.) An answer that was
    stopped may lack words at its end."""
    words, cited = _words_and_citations(draft)
    known, cites = _words_and_citations("".join(claim.lead + (claim.markup or claim.text) for claim in answer.claims))
    cites += [str(number) for claim in answer.claims for number in claim.cites]
    if answer.outcome == "stopped":
        return words[: len(known)] == known
    return words == known and Counter(cited) <= Counter(cites)


def _words_and_citations(text: str) -> tuple[list[str], list[str]]:
    """The words of a text and the numbers that it cites, without Markdown's markup and the marks of lists."""
    text = "\n".join(LIST_MARK.sub("", line) for line in MARKUP.sub("", text).splitlines())
    cited = [number for found in re.findall(_CITATION, text) for number in re.findall(r"\d+", found)]
    return re.findall(r"\w+", re.sub(_CITATION, " ", text)), cited


class TurnPrinter:
    """Prints the events of a turn. Words that a model writes are shown as they come where `output` is a terminal; else
    only the finished answer is printed. On a screen that also shows the steps an empty line sets the answer off. In a
    `chat` at a terminal the sources are set in; where it is none, an empty line ends the turn."""

    def __init__(self, output: Console, messages: Console, quiet: bool = False, chat: bool = False) -> None:
        self._output, self._messages = output, messages
        self._quiet, self._chat = quiet, chat
        self._spinner: Status | None = None
        self._words: WordPrinter | None = None

    def show(self, events: Iterator[TurnEvent]) -> Turn | None:
        """Print a turn, or two where an earlier one was cut off, and return the last."""
        turn: Turn | None = None
        if self._messages.is_terminal and not self._quiet:
            self._spinner = self._messages.status("")
            self._spinner.start()
        try:
            for event in events:
                self._draw(event)
                turn = event if isinstance(event, Turn) else turn
        finally:
            self._rest()
            if self._words:
                self._words.end()
        return turn

    def _print_text(self, answer: Answer) -> None:
        if answer.claims:  # it may have been stopped before its first word
            self._output.print(printed(answer, self._output))

    def _print_sources(self, answer: Answer) -> None:
        terminal = self._output.is_terminal
        indent = 2 if self._chat and terminal else 0
        lines = source_lines(answer, self._output.width - indent if terminal else None)
        if lines and (terminal or not self._chat):
            self._output.print()
        for line in lines:
            self._output.print(Text(" " * indent).append_text(line))
        if self._chat and not terminal:
            self._output.print()

    def _set_off(self) -> None:
        """Print what stands before an answer and behind its sources."""
        screen = self._output if self._chat else self._messages
        if screen.is_terminal and not self._quiet:
            screen.print()

    def _draw(self, event: TurnEvent) -> None:
        match event:
            case Doing(text):
                self._wait(text)
            case Step() if not self._words:  # what is done once the words are on the screen, /steps has
                width = self._messages.width if self._messages.is_terminal else None
                if not self._quiet:
                    self._messages.print(step_line(event, width))
                self._wait("")
            case Piece(text, restart) if self._output.is_terminal:
                self._write(text, restart)
            case Turn():
                self._finish(event)

    def _wait(self, what: str) -> None:
        if self._spinner and not self._words:
            self._spinner.update(Text(what or " ", DIM))  # rich would keep the last words for an empty text
            self._spinner.start()

    def _rest(self) -> None:
        if self._spinner:
            self._spinner.stop()

    def _write(self, text: str, restart: bool) -> None:
        """Print words of a model; `restart` says that the answer begins anew, also where nothing was shown yet."""
        self._rest()
        if restart and self._words:
            self._words.end()
            self._words = None
            self._output.print(Text("  in its place:", DIM))
        if text and self._words is None:
            self._set_off()
            self._words = WordPrinter(self._output)
        if self._words:
            self._words.add(text)

    def _finish(self, turn: Turn) -> None:
        self._rest()
        checked = turn.answer.checked if self._words else ""
        if self._words:
            self._finish_words(self._words, turn.answer)
        else:
            self._set_off()
            self._print_text(turn.answer)
        self._print_sources(turn.answer)
        for note in () if self._quiet else filter(None, (checked, badge(turn))):
            self._messages.print(Text(f"  {note}", DIM))
        self._set_off()

    def _finish_words(self, words: WordPrinter, answer: Answer) -> None:
        """End the answer that was printed as it came, without marks: its sentences that a source does not support are
        printed with theirs, or all of it where checking has changed it."""
        words.end()
        self._words = None
        if not became(words.text, answer):
            self._output.print(Text("  after it was checked, the answer is:", DIM))
            self._print_text(answer)
            return
        for claim in answer.claims:
            if claim.verdict in MARKS:
                self._output.print(Text.assemble(MARKS[claim.verdict], " ", one_line(claim.text)))


@contextmanager
def stoppable(gently: Callable[[], bool] = lambda: True) -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second one, and the first where there is nothing to be gentle about,
    raises `KeyboardInterrupt` too. The event is set either way: who raises waits for the thread that a model is
    listened to in, and only the event ends that."""
    stopped = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        now = stopped.is_set() or not gently()
        stopped.set()
        if now:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)
