"""PDF, by pypdf: the pages' text with wrapped lines joined, and where each page begins.

What a page says and does not show is kept apart (`pdf_hidden_text`). A page that shows no other text on a picture is a
scan, whose invisible text is what was read of it: that stays.
"""

import io
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from itertools import dropwhile, groupby, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from clew.memory.datatypes import Document, Mark, Table
from clew.memory.errors import Unreadable, install_command
from clew.memory.knowledge.loaders.layout import CELLS, TextLayout
from clew.memory.knowledge.loaders.ocr import DPI, READ_BY_OCR, allowance, is_there, words_on
from clew.memory.knowledge.loaders.pdf_hidden_text import Watched, entry, text_without
from clew.memory.knowledge.loaders.pdf_tables import in_columns, parted, tables_of
from clew.memory.knowledge.loaders.plain_text import like_a_title, title_of_file, title_of_text
from clew.memory.knowledge.loaders.source import Loader, LoadFailure, Source, in_a_line, shown
from clew.memory.text import blocks, clean

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00ad": "-", "\t": " "}
)
NO_TITLE = re.compile(
    r"untitled|microsoft \w+.*|document ?\d*|slide ?\d*|.*\.(docx?|pdf|tex|dvi|pptx?|xlsx?|indd|qxd|rtf|odt)|[\W\d_]*",
    re.IGNORECASE,
)
BROKEN_WORD = re.compile(r"(?<!\w)(\w*[a-zß-ÿ])-\n([a-zß-ÿ]\w*)")
SENTENCE_END = ".!?:;…”\"')"

RUNNING = 3
"""Pages, and half of them all, that begin or end with the same line but for its numbers, for it to be a running one."""

ENCRYPTED = "encrypted: save it without its password"
_Part = TypeVar("_Part")


def read_pdf(source: Source) -> Iterator[Document | LoadFailure]:
    data = source.path.read_bytes()
    (title, *told), large, labels, pages = _extracted(data)
    scans = [number for number, page in enumerate(pages) if page and page.pictures and not (page.seen or page.hidden)]
    for number, text in _scanned(data, scans).items():
        pages[number], labels[number] = _Page(text, ""), f"{labels[number]}, {READ_BY_OCR}" if text else labels[number]
        scans.remove(number)
    for label, page in zip(labels, pages, strict=True):
        if page is None:
            yield LoadFailure(f"{shown(source.path)}, page {label}", "this page is broken, the others are read")
    read = [page or _Page("", "") for page in pages]
    texts = [page.seen for page in read]
    text, marks = _joined(labels, [*(_apart(first, title or large) for first in texts[:1]), *texts[1:]])
    hidden = "\n".join(page.hidden for page in read if page.hidden)
    if not text:
        nothing = "no text that is seen" if hidden else "nothing is written on its pages"
        nothing = f"no text: {_of_scans(len(scans))}" if scans else nothing
        raise Unreadable("broken PDF" if None in pages else nothing)
    if scans:
        yield LoadFailure(shown(source.path), _of_scans(len(scans)))
    places = zip(labels, read, strict=True)
    tables = [table._replace(place=f"page {label}") for label, page in places for table in page.tables]
    large = large if text.startswith(f"{large}\n") else ""
    title = title or large or title_of_text(text) or title_of_file(source.path)
    author, tags = map(in_a_line, told)
    found = Document(source.name, title, text, shown(source.path), marks, tables=tuple(tables))
    yield replace(found, author=author, tags=tags, hidden_text=hidden)


class _Page(NamedTuple):
    """What is read of one: what is seen, what is not, its tables."""

    seen: str
    hidden: str
    tables: Sequence[Table] = ()
    pictures: int = 0


def _of_scans(pages: int) -> str:
    named = f"{pages} scanned page{'s' if pages > 1 else ''}"
    return f"{named} left for the next run" if is_there() else f"{named}: {install_command('ocr')}"


SCAN_SECONDS = 500
"""CPU time for the scanned pages of a file in one run; what was read is kept, and the next run goes on."""


def _scanned(data: bytes, scans: Sequence[int]) -> dict[int, str]:
    """What is written on pages that have no text, by their numbers; nothing without the extra."""
    if not scans or not is_there():
        return {}
    import pypdfium2

    found, until = dict[int, str](), time.process_time() + SCAN_SECONDS
    with suppress(pypdfium2.PdfiumError), closing(pypdfium2.PdfDocument(data)) as file:
        for number in scans:
            if time.process_time() < until:
                found[number] = words_on(file[number].render(scale=DPI / 72).to_pil())
    return found


def _extracted(data: bytes) -> tuple[list[str], str, list[str], list[_Page | None]]:
    """What the file gives for title, author and keywords, what its first page begins with in large letters, and the
    label and what is read of each page, None for a broken one."""
    from pypdf import PdfReader
    from pypdf.errors import FileNotDecryptedError

    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable(ENCRYPTED)
        known, drawn = set[int](), _drawn_pages(data)
        pages = [_unbroken(partial(_page, reader, number, known, drawn), None) for number in range(len(reader.pages))]
        large = _unbroken(lambda: largest(reader.pages[0]), "").translate(LIGATURES) if pages else ""
        return _told(reader), clean(large), _labels(reader), pages
    except FileNotDecryptedError as error:
        raise Unreadable(ENCRYPTED) from error
    except (Unreadable, MemoryError):
        raise
    except Exception as error:  # pypdf raises whatever it meets in a broken file, besides its own errors
        raise Unreadable(f"broken PDF: {' '.join(str(error).split()).rstrip('.')}") from error


def _page(reader: "PdfReader", number: int, known: set[int], drawn: "Iterator[Any]") -> _Page:
    """`known` are the fonts of the pages before; `drawn` are the pages as pdfplumber has them."""
    page, other = reader.pages[number], next(drawn, None)
    _unbroken(partial(give_spaces, page, known), None)
    read = _read(page, other)
    seen, hidden = (clean(text.translate(LIGATURES)) for text in (read.seen, read.hidden))
    return read._replace(seen=seen, hidden=hidden)


SECONDS, SECONDS_PER_MIB = 3.0, 20.0
"""CPU time in which tables and columns are looked for; the pages behind are read as they are drawn."""


def _drawn_pages(data: bytes) -> Iterator[Any]:
    """The pages as pdfplumber has them, as long as there is time; none of a file that it cannot read."""
    import pdfplumber

    until = time.process_time() + SECONDS + SECONDS_PER_MIB * len(data) / 2**20
    with suppress(Exception), pdfplumber.open(io.BytesIO(data)) as file:
        for page in file.pages:
            if time.process_time() > until:
                return
            yield page
            page.close()


def _unbroken(read: Callable[[], _Part], otherwise: _Part) -> _Part:
    """A part of a file that may be broken. What is encrypted raises pypdf's errors."""
    from pypdf.errors import FileNotDecryptedError

    try:
        return read()
    except (FileNotDecryptedError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 as in `_extracted`
        return otherwise


def _labels(reader: "PdfReader") -> list[str]:
    """As printed on the pages (`iv`, `12`) where the file says, else their numbers."""
    none: list[str] = []
    labels = dict(enumerate(_unbroken(lambda: reader.page_labels, none)))
    return [clean(labels.get(number) or str(number + 1)) for number in range(len(reader.pages))]


def _told(reader: "PdfReader") -> list[str]:
    held = _unbroken(lambda: reader.metadata, None)
    about: Mapping[str, object] = held or {}
    said = [_unbroken(partial(about.get, name), None) for name in ("/Title", "/Author", "/Keywords")]
    title, *others = (" ".join(clean(one).split()) if isinstance(one, str) else "" for one in said)
    named = "" if NO_TITLE.fullmatch(title) or len(title) > 200 else title
    return [one if one.isprintable() else "" for one in (named, *others)]


def _joined(labels: Sequence[str], pages: Sequence[str]) -> tuple[str, tuple[Mark, ...]]:
    """One text: a paragraph that runs over the end of a page goes on, other pages are a paragraph apart."""
    parts: list[str] = []
    marks: list[Mark] = []
    length = 0
    for label, page in zip(labels, _paragraphs(pages), strict=True):
        last = parts[-1] if parts else ""
        runs_on = page[:1].islower() and last[-1:] not in SENTENCE_END
        between = (" " if runs_on else "\n\n") if last and page else ""
        marks.append(Mark(length + len(between), label))
        parts += [between, page] if page else []
        length += len(between) + len(page)
    return "".join(parts), tuple(marks)


def _paragraphs(pages: Sequence[str]) -> Iterator[str]:
    """Each page's text, a paragraph on a line, a blank line between."""
    lines = [[" ".join(line.split()) if line.strip() else "" for line in page.split("\n")] for page in pages]
    for end in (0, -1, 0, -1):  # a running head or foot may have two lines
        lines = _without_running(lines, end)
    texts = ["\n".join(page).strip() for page in lines]
    whole_words = set(re.findall(r"(?<!\w)\w++-\w+", "\n".join(texts)))
    for text in texts:
        mended = BROKEN_WORD.sub(lambda match: _mended(match, whole_words), text)
        parts = [mended[start:end].replace("\n", " ") for start, end in blocks(mended, typeset=True)]
        runs = groupby(parts, key=lambda part: CELLS in part)  # rows of a table stand next to one another
        yield "\n\n".join(("\n" if are_rows else "\n\n").join(run) for are_rows, run in runs)


def _mended(broken: re.Match[str], whole_words: set[str]) -> str:
    """A word broken at the end of a line: its hyphen stays where the document has it elsewhere (`well-known`)."""
    hyphenated = f"{broken[1]}-{broken[2]}"
    return hyphenated if hyphenated in whole_words else broken[1] + broken[2]


def _without_running(pages: list[list[str]], end: int) -> list[list[str]]:
    """Without the first lines (`end` 0) or the last ones (-1) that many pages share but for their numbers; a line that
    ends a sentence is none of them."""
    trimmed = ["\n".join(page).strip().split("\n") for page in pages]
    lines = [page[end] for page in trimmed]
    keys = ["" if line.endswith((".", "!", "?")) else re.sub(r"\d+", "#", line).casefold() for line in lines]
    counts = Counter(key for key in keys if key)
    rest = slice(1, None) if end == 0 else slice(None, -1)
    return [
        page[rest] if counts[key] >= max(RUNNING, len(pages) / 2) else page
        for page, key in zip(trimmed, keys, strict=True)
    ]


_HEADS = "abstract summary zusammenfassung resume résumé resumen riassunto resumo keywords".split()


def _apart(first: str, title: str) -> str:
    """The first page with a blank line behind the title that it begins with, and around the word above an abstract, as
    what stands between is the authors' names."""
    lines = first.split("\n")
    begins = [" ".join("\n".join(lines[:count]).split()) for count in range(1, min(len(lines), TITLE_LINES) + 1)]
    if title and title in begins:
        lines.insert(begins.index(title) + 1, "")
    head = next((place for place, line in enumerate(lines) if line.strip().casefold() in _HEADS), -1)
    if head >= 0:
        lines[head : head + 1] = ["", lines[head], ""]
    return "\n".join(lines)


TITLE_LINES = 6
"""Of the first page, which a title takes at most."""


def _read(page: "PageObject", drawn: Any) -> _Page:
    watched = Watched(page)
    whole = watched.text
    if not watched.hidden:
        if drawn is not None and whole.strip():
            return _laid_out(page, watched.places, whole, drawn)
        return _Page(whole, "", pictures=watched.pictures)
    seen = text_without(page, watched.hidden)
    if watched.pictures and not seen.strip():  # the text layer of a scan
        return _Page(whole, "")
    shown = {line.strip() for line in seen.splitlines()}
    return _Page(seen, "\n".join(line for line in whole.splitlines() if line.strip() not in shown))


def _laid_out(page: "PageObject", places: Sequence[Any], seen: str, drawn: Any) -> _Page:
    """With its tables a row a line, and its columns one after the other."""
    try:
        words = drawn.extract_words()
        tables, columns = tables_of(drawn, words), in_columns(drawn.width, words, places)
    except Exception:  # noqa: BLE001 whatever pdfminer meets in a broken page: it is read without
        return _Page(seen, "")
    if not tables and len(columns) == 1:
        return _Page(seen, "")
    texts, found = list[str](), list[Table]()
    for part in parted(columns, places, tables):
        if isinstance(part, int):
            layout = TextLayout()
            layout.table([[clean(cell.translate(LIGATURES)) for cell in row] for row in tables[part].rows])
            above = "\n".join(texts).rstrip().rpartition("\n")[2].strip()
            found += [table._replace(title=above if like_a_title(above) else "") for table in layout.tables]
            texts.append(f"\n\n{layout.text}\n\n")
        elif part:
            texts.append(text_without(page, set(range(len(places))) - part))
    return _Page("\n".join(texts), "", found)


# The title that a file does not say -----------------------------------------------------------------------------------

LARGER, AS_LARGE = 1.12, 0.95
"""How much larger its letters are than most of the page, and which others are as large."""

LOOKED_AT, FEWEST, MARK = 40, 2, 2
"""Pieces of text that it begins in, its words at least, and letters of a piece that may be a mark of a note."""


def largest(page: "PageObject") -> str:
    """The first run of the largest letters, in a line; empty where all are about as large, or it is like no title.
    Raises what pypdf raises where the page is broken."""
    pieces: list[tuple[float, str]] = []

    def see(text: str, cm: Any, tm: Any, _font: Any, size: Any) -> None:
        if text.strip():
            scale = max(abs(float(tm[0])), abs(float(tm[1]))) * max(abs(float(cm[0])), abs(float(cm[1])))
            pieces.append((abs(float(size)) * scale, text))

    page.extract_text(visitor_text=see)
    letters = Counter[float]()
    for size, text in pieces:
        letters[round(size, 1)] += len(text)
    large = max((size for size, text in pieces[:LOOKED_AT] if len(text.strip()) > MARK), default=0.0)
    if not letters or large < LARGER * letters.most_common(1)[0][0]:
        return ""
    begun = dropwhile(lambda one: one[0] < AS_LARGE * large or len(one[1].strip()) <= MARK, pieces)
    run = takewhile(lambda one: one[0] >= AS_LARGE * large or len(one[1].strip()) < MARK, begun)
    title = " ".join("".join(text for _, text in run).split())
    return title if len(title.split()) >= FEWEST and like_a_title(title.rstrip("?! ")) else ""


# Fonts of a PDF that have no space: what is written in them shows where words end by gaps alone, and pypdf takes a gap
# for a space where it is half as wide as the font's. Such fonts, of TeX for the most part, are measured by a glyph that
# merely has the space's number, and lose the spaces of every narrow line ("thewordsofaline").

SPACE, WIDEST, USUAL = 32, 450, 250
"""The number of the space, and thousandths of the font's size: no letters of different widths have a space of `WIDEST`,
most have one of `USUAL`."""

DEEPEST = 5
"""Forms within forms that are looked into."""

_NO_GLYPH = b"1 beginbfchar\n<FFFF> <0020>\nendbfchar\n"


def give_spaces(page: "PageObject", done: set[int]) -> None:
    """Changes the fonts of a page, as read, that have no space to fonts that have a usual one. `done` has the `id`s of
    those that were looked at before. Raises what pypdf raises where the page is broken."""
    for font in _fonts(entry(page, "/Resources"), 0):
        if id(font) not in done:
            done.add(id(font))
            if entry(font, "/Subtype") == "/Type0":
                _give_number(font)
            else:
                _give_width(font)


def _fonts(resources: Any, depth: int) -> Iterator[Any]:
    yield from _values(resources, "/Font")
    for form in _values(resources, "/XObject") if depth < DEEPEST else ():
        yield from _fonts(entry(form, "/Resources"), depth + 1)


def _values(resources: Any, name: str) -> Iterator[Any]:
    held = entry(resources, name) or {}
    return (value for one in held if isinstance(value := entry(held, one), Mapping))


def _give_width(font: Any) -> None:
    """Of a font with a width for each number."""
    from pypdf.generic import NumberObject

    widths: Any = entry(font, "/Widths") or []
    place = SPACE - int(entry(font, "/FirstChar") or 0)
    if not 0 <= place < len(widths) or float(widths[place]) < WIDEST:
        return
    if len({float(width) for width in widths if width}) > 1:
        widths[place] = NumberObject(USUAL)


def _give_number(font: Any) -> None:
    """Of a font of many glyphs, whose numbers are no letters: where none is a space, one that nothing shows is."""
    from pypdf.generic import DecodedStreamObject, NameObject, StreamObject

    written = entry(font, "/ToUnicode")
    data = written.get_data() if isinstance(written, StreamObject) else b""
    if b"<0020>" in data or b"endcmap" not in data:
        return
    before, end, behind = data.rpartition(b"endcmap")
    made = DecodedStreamObject()
    made.set_data(before + _NO_GLYPH + end + behind)
    font[NameObject("/ToUnicode")] = made


PDF = Loader("pdf", read_pdf, (".pdf",), allowance=allowance)
