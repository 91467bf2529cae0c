"""Files of word processors and other markup, by what Pandoc makes of them in HTML."""

import math
import re
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from importlib import import_module

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable, install_command
from clew.memory.knowledge.loaders.html import document_of
from clew.memory.knowledge.loaders.plain_text import decode, read_text, title_of_text
from clew.memory.knowledge.loaders.source import LONGEST_REASON, Loader, Source
from clew.memory.knowledge.loaders.word_unseen import without_unseen

FILES = {".docx": "docx", ".odt": "odt"}
MARKS = {".rst": "rst", ".org": "org", ".adoc": "asciidoc", ".tex": "latex", ".typ": "typst"}
"""Endings, and what Pandoc calls them. Markup is read as text where it is not at hand."""

SECONDS, SECONDS_PER_MIB = 4.0, 30.0
"""CPU time that Pandoc may take for a file: it takes a tenth of a second for a page."""

_ROLE = re.compile(r'(<code class="interpreted-text"[^>]*>)[~!.]?([^<]*?)(?:\s*&lt;[^<]*&gt;)?(?=</code>)')
"""``:class:`~flask.Flask` `` and ``:doc:`this </that>` ``, which Pandoc leaves to Sphinx."""


@cache
def pandoc() -> str:
    """The program; empty where neither the system nor the package `pypandoc-binary` has it."""
    with suppress(ImportError, OSError):
        return shutil.which("pandoc") or str(import_module("pypandoc").get_pandoc_path())
    return ""


def read_converted(source: Source) -> Iterator[Document]:
    """One document. Pandoc opens no other file and no address (`--sandbox`), within the limits of the process that
    reads. Raises `Unreadable` where it is not at hand, or stops at the file."""
    ending = source.path.suffix.lower()
    if not pandoc() and ending in MARKS:
        yield from read_text(source)
        return
    if not pandoc():
        raise Unreadable(f"it is read by Pandoc, which is not installed: {install_command('documents')}")
    data = source.path.read_bytes()
    data, unseen, *told = without_unseen(data) if ending in FILES else (decode(data).encode(), "", "", "")
    kind = (FILES | MARKS)[ending]
    command = [pandoc(), "--sandbox", "--standalone", "--wrap=none", "--variable=pagetitle:\u00a0"]
    command += [f"--from={kind}", "--to=html"]
    limit = partial(_limited, math.ceil(SECONDS + SECONDS_PER_MIB * len(data) / 2**20))
    made = subprocess.run(command, input=data, capture_output=True, preexec_fn=limit)  # noqa: S603 no shell, no name of a file
    if made.returncode:
        why = " ".join(made.stderr.decode("utf-8", "replace").split())
        raise Unreadable(f"Pandoc cannot read it: {why[:LONGEST_REASON] or 'it takes too long or too much memory'}")
    document = document_of(source, _ROLE.sub(r"\1\2", made.stdout.decode("utf-8", "replace")))
    title = (title_of_text(document.text) if ending in FILES else "") or document.title
    author, tags = (own or other for own, other in zip(told, (document.author, document.tags), strict=True))
    unseen = "\n".join(filter(None, (unseen, document.unseen)))
    yield replace(document, title=title, author=author, tags=tags, unseen=unseen)


def _limited(seconds: int) -> None:
    """Of CPU time from now on."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


WORD = Loader("word", read_converted, tuple(FILES))
MARKUP = Loader("markup", read_converted, tuple(MARKS))
