"""The loaders, and which files below the given paths each of them reads."""

import os
import stat
from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from mimetypes import MimeTypes
from pathlib import Path

from clew.memory.datatypes import Document, Edge
from clew.memory.errors import BadInput, Unreadable
from clew.memory.knowledge.loaders import archive, html, jsonl, markdown, ocr, office, pdf, records, sheets, wikipedia
from clew.memory.knowledge.loaders.plain_text import CODE_ENDINGS, LOOKED_AT, guessed, read_code
from clew.memory.knowledge.loaders.source import Item, Loader, LoadFailure, Source, Unpacked, file_mode, reason, shown

DEEPEST = 3  # archives in archives that are looked into
NAMED = 20  # links that a note names

LOADERS: tuple[Loader, ...] = (
    Loader("text", records.read_text, (".txt", ".text", ".log"), guesses=guessed),
    Loader("markdown", markdown.read_markdown, markdown.ENDINGS, guesses=guessed),
    Loader("html", html.read_html, html.ENDINGS, guesses=html.guessed_encoding),
    Loader("pdf", pdf.read_pdf, (".pdf",), allowance=ocr.allowance),
    Loader("picture", ocr.read_picture, ocr.ENDINGS, allowance=ocr.allowance),
    Loader("table", records.read_table, (".csv", ".tsv"), guesses=guessed),
    Loader("graph", jsonl.read_graph, in_folder=jsonl.nodes_of, files=lambda nodes: (nodes, jsonl.edges_beside(nodes))),
    Loader("beir", jsonl.read_jsonl, in_folder=jsonl.corpus_of),
    Loader("jsonl", jsonl.read_jsonl, jsonl.SUFFIXES),
    Loader("json", records.read_json, (".json",)),
    Loader("mediawiki", wikipedia.read_dump, wikipedia.ENDINGS, wikipedia.is_dump, by_page=True),
    Loader("office", office.read_office, (*office.PACKAGES, *office.OTHERS, *office.MARKS)),
    Loader("sheets", sheets.read_workbook, (".xlsx", ".xlsm")),
    Loader("slides", office.read_slides, (".pptx", ".pptm", ".ppsx")),
    Loader("mail", archive.read_mail, (".eml",)),
    Loader("mailbox", archive.read_box, (".mbox",)),
    Loader("code", read_code, CODE_ENDINGS, guesses=guessed),
    Loader("notebook", markdown.read_notebook, (".ipynb",)),
    Loader("archive", archive.read_archive, (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")),
)
"""Of two that take the same file or folder, the first reads it. A file that none takes is read as text where it is one,
or is named itself."""

BY_NAME = {loader.name: loader for loader in LOADERS}
KINDS = MimeTypes(filenames=())


def loader_of(path: Path) -> Loader | None:
    """The loader for a file, by the end of its name, and for some kinds by how the file begins."""
    named = [loader for loader in LOADERS if path.name.lower().endswith(loader.suffixes)]
    if not named and _is_text(path):
        return BY_NAME["text"]
    return next((loader for loader in named if loader.recognises(path)), None)


def _is_text(path: Path) -> bool:
    """Whether a file that no loader takes by its name (`README`, `poem.draft`, `films.srt`) begins as text in UTF-8. Of
    one that cannot be looked at the name decides."""
    kind, packed = KINDS.guess_type(path.name.lower())
    if packed or not (kind or "text/").startswith("text/"):
        return False
    try:
        with path.open("rb") as file:
            text = getincrementaldecoder("utf-8")().decode(file.read(LOOKED_AT))
    except OSError:
        return True
    except UnicodeDecodeError:
        return False
    return "\0" not in text


def read(source: Source) -> Iterator[Item]:
    """What is in a source, as it is read. What is wrong with it comes as a `LoadFailure`, never raised."""
    try:
        for item in source.loader.read(source):
            yield from _unpacked(item, source) if isinstance(item, Unpacked) else [item]
        if source.loader.guesses and (name := source.loader.guesses(source.path.read_bytes())):
            yield LoadFailure(shown(source.path), f"read as {name}, as its bytes look: save it as UTF-8 to be sure", 0)
    except Exception as error:  # noqa: BLE001 whatever a loader or a library below it meets is this file's failure
        of_file = isinstance(error, Unreadable | OSError | MemoryError)
        why = reason(error) if of_file else f"the {source.loader.name} loader stopped at {reason(error)}"
        yield LoadFailure(shown(source.path), why)


def _unpacked(held: Unpacked, source: Source) -> Iterator[Item]:
    """What is in a folder that was unpacked, with the ids and places that it has there."""
    if source.depth >= DEEPEST:
        yield LoadFailure(held.place, f"it lies within more than {DEEPEST} archives")
        return
    found, inside = discover([held.folder]), f"{shown(held.folder)}/"
    for item in chain(found.unread, *(read(replace(one, depth=source.depth + 1)) for one in found.sources)):
        if isinstance(item, Edge):
            yield Edge(f"{held.id}/{item.source}", f"{held.id}/{item.target}", item.relation)
            continue
        item = replace(item, source=f"{held.place}: {item.source.removeprefix(inside)}")
        if isinstance(item, Document):
            date, author = item.date or held.date, item.author or held.author
            item = replace(item, id=f"{held.id}/{item.id}", date=date, author=author)
        yield item


@dataclass
class Discovered:
    """The sources, what no loader reads (`unread`), notes on what was left out, and the folders that the system would
    not open. Links below the paths given are `links`, unless they are to be followed (`follow`).

    `seen` are real paths, so that a link that leads back into the tree ends there."""

    library: str
    follow: bool = False
    links: list[Path] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unopened: list[Path] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    unread: list[LoadFailure] = field(default_factory=list)

    def add(self, root: Path) -> None:
        """Raises `BadInput` where it cannot be opened, or is a library or of another kind."""
        try:
            mode = root.stat().st_mode
        except OSError as error:
            raise BadInput(f"cannot open {shown(root)}: {reason(error)}", "check the path") from error
        if stat.S_ISREG(mode):
            self._once(Source(root, loader_of(root) or BY_NAME["text"], root))
        elif not stat.S_ISDIR(mode):
            raise BadInput(f"{shown(root)} is neither a file nor a folder", "save it as a file first")
        elif self._is_library(root):
            raise BadInput(f"{shown(root)} is a library, not documents", "give the folder that it was made from")
        else:
            self._folder(root, root)

    def _folder(self, folder: Path, root: Path) -> None:
        real = os.path.realpath(folder)
        if real in self.seen or self._is_library(folder):
            return
        self.seen.add(real)
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            self.unopened.append(folder)
            self.notes.append(f"could not open the folder {shown(folder)}: {reason(error)}")
            return
        for loader in LOADERS:
            if path := loader.in_folder(folder):
                if not any(map(self._left_out, loader.files(path))):
                    self._once(Source(path, loader, root))
                return
        for entry in entries:
            if not entry.name.startswith(".") and entry.name != "__pycache__" and not self._left_out(entry):
                self._entry(entry, root)

    def _left_out(self, path: Path) -> bool:
        """A link below the paths given may lead anywhere."""
        is_link = path.is_symlink() and not self.follow
        self.links += [path] if is_link else []
        return is_link

    def _entry(self, path: Path, root: Path) -> None:
        mode, ending = file_mode(path), path.suffix.lower()
        if stat.S_ISDIR(mode):
            self._folder(path, root)
        elif mode and not stat.S_ISREG(mode):
            self.unread.append(LoadFailure(shown(path), "it is no file"))
        elif loader := loader_of(path):
            self._once(Source(path, loader, root))
        else:
            kind = f"{ending} files are" if ending else "a file without an ending is"
            self.unread.append(LoadFailure(shown(path), f"{kind} not read"))

    def _is_library(self, folder: Path) -> bool:
        from clew.memory.knowledge.disk import POINTER  # not needed, and slow to import, where files are only read

        return bool(file_mode(folder / POINTER)) or os.path.realpath(folder) == self.library

    def _once(self, source: Source) -> None:
        real = os.path.realpath(source.path)
        if real not in self.seen:
            self.seen.add(real)
            self.sources.append(source)


def discover(paths: Sequence[Path], library: Path | None = None, follow: bool = False) -> Discovered:
    """The sources below `paths`, in their order and then by name, each once. Paths given are followed where they are
    links, and with `follow` also links below them.

    Hidden files and folders and libraries are passed over, also one that is only about to be: `library`. Raises
    `BadInput` for a path that is not there.
    """
    found = Discovered(os.path.realpath(library) if library else "", follow)
    for path in paths:
        found.add(path.absolute())
    if found.links:
        named = ", ".join([*map(shown, found.links[:NAMED]), *(["..."] if len(found.links) > NAMED else [])])
        found.notes.append(f"{len(found.links)} links not followed (--follow-links does): {named}")
    return found
