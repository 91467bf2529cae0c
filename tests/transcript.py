"""The transcripts of README.md and docs/tour.md, made by running the commands that they show.

    python -m tests.transcript    runs the commands anew and writes what they print into both files

A transcript is an indented block between `<!-- transcript -->` and `<!-- end of transcript -->`. Its lines that begin
with `$ clew` are run in their order, on a terminal of 80 columns, over a library of examples/documents; the lines that
follow each are replaced by what it prints. Times differ from run to run: they become `N ms`.
"""

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.ui.screen import Screen

ROOT = Path(__file__).resolve().parent.parent
FILES = (ROOT / "README.md", ROOT / "docs" / "tour.md")

_BLOCK = re.compile(r"(<!-- transcript -->\n)(.*?)(<!-- end of transcript -->)", re.DOTALL)
_COMMAND = re.compile(r"^    \$ (clew .*)$", re.MULTILINE)
_CUT = re.compile(r"(?<=:) [^:\n…]*…")
"""A line is cut where its time begins, whose digits differ."""

_TIME = re.compile(r"(<1|\d+(\.\d)?) m?s\b")
_WAY_BACK = re.compile(r"--library \S+\s+--thread\s+(\S+)\s+QUESTION")
"""With the default library, `.clew`, the library is not named and the line is not broken."""

INDENT = "    "


def environment(library: Path, home: Path) -> dict[str, str]:
    """Of a person who has just made this library. A dumb terminal has 80 columns, no colours and no spinner."""
    return {
        "CLEW_LIBRARY": str(library),
        "CLEW_HOME": str(home),
        "CLEW_LLM": "none",
        "HF_HUB_OFFLINE": "1",
        "TERM": "dumb",
    }


def commands(text: str) -> list[str]:
    """All `clew ...` lines of the transcripts of a file."""
    return [command for _, block, _ in _BLOCK.findall(text) for command in _COMMAND.findall(block)]


def printed(command: str) -> str:
    """What a command of the transcript prints, times masked. Raises `AssertionError` where it fails."""
    with Screen(["-mclew.ui.cli", *shlex.split(command)[1:]], cwd=ROOT) as screen:
        code = screen.end()
    assert code == 0, f"{command}: exit code {code}\n{screen.text}"
    shown = _WAY_BACK.sub(r"--thread \1 QUESTION", screen.text)
    return _CUT.sub("…", _TIME.sub("N ms", shown)).rstrip()


def renewed(text: str) -> str:
    """The file with its transcripts made anew."""

    def block(found: re.Match[str]) -> str:
        parts = [f"$ {command}\n{printed(command)}" for command in _COMMAND.findall(found[2])]
        lines = "\n\n".join(parts).splitlines()
        body = "".join(f"{INDENT}{line}".rstrip() + "\n" for line in lines)
        return f"{found[1]}\n{body}\n{found[3]}"

    return _BLOCK.sub(block, text)


def main() -> None:
    with TemporaryDirectory() as folder:
        settings: Mapping[str, str] = environment(Path(folder) / "library", Path(folder) / "home")
        os.environ.update(settings)
        printed(f"clew index -q {ROOT / 'examples' / 'documents'}")
        for file in FILES:
            file.write_text(renewed(file.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
