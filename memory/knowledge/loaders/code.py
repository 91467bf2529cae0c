"""Programs, as they are written, a heading at each function or class; and notebooks of Jupyter."""

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from clew.memory.datatypes import Document, Mark
from clew.memory.errors import Unreadable
from clew.memory.knowledge.loaders.markdown import laid_out
from clew.memory.knowledge.loaders.plain_text import decode, guessed
from clew.memory.knowledge.loaders.source import Loader, Source, shown

ENDINGS = tuple(
    ".py .pyi .js .mjs .cjs .ts .tsx .jsx .java .kt .kts .scala .groovy .c .h .cc .cpp .cxx .hpp .cs .go .rs .rb .php"
    " .swift .m .mm .lua .pl .pm .r .jl .dart .hs .ml .clj .ex .exs .erl .elm .f90 .sh .bash .zsh .fish .ps1 .bat .cmd"
    " .sql .css .scss .less .vue .svelte .gradle .cmake .mk .tf .proto .graphql .yaml .yml .toml .ini .cfg .conf"
    " .properties .adoc .asciidoc .srt .vtt .ics .vcf .bib".split()
)


def read_code(source: Source) -> Iterator[Document]:
    """One document. A line at the margin that an indented one follows begins a function or a class, or a part that is
    like one."""
    text, marks, place = decode(source.path.read_bytes()), list[Mark](), 0
    for line, following in pairwise([*text.split("\n"), ""]):
        indented = following[:1].isspace() and following.strip()
        if indented and line[:1].strip() and any(map(str.isalpha, line)):
            marks.append(Mark(place, " ".join(line.split()).rstrip(" {:(")))
        place += len(line) + 1
    yield Document(source.name, source.path.name, text, shown(source.path), headings=tuple(marks))


def read_notebook(source: Source) -> Iterator[Document]:
    """One document of what is written, the code, and what it printed. Raises `Unreadable` where it is no notebook."""
    try:
        cells = json.loads(decode(source.path.read_bytes()))["cells"]
        parts = [part for cell in cells for part in _parts(cell)]
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise Unreadable("not a notebook: no cells are in it") from error
    layout, title, hidden = laid_out("\n\n".join(parts))
    yield layout.document(source, title, hidden_text=hidden)


def _parts(cell: dict[str, Any]) -> Iterator[str]:
    """In Markdown."""
    written = _joined(cell["source"])
    yield written if cell["cell_type"] == "markdown" else f"~~~~~\n{written}\n~~~~~"
    for output in cell.get("outputs") or []:
        said = _joined(output.get("text") or (output.get("data") or {}).get("text/plain") or "")
        if said.strip():
            yield f"~~~~~\n{said}\n~~~~~"


def _joined(lines: object) -> str:
    return "".join(lines) if isinstance(lines, list) else str(lines)


CODE = Loader("code", read_code, ENDINGS, guesses=guessed)
NOTEBOOK = Loader("notebook", read_notebook, (".ipynb",))
