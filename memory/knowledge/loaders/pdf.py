"""PDF, by PDFium: the pages' text with wrapped lines joined, and where each page begins.

What a page says and does not show is kept apart (`pdf_words`). A page that shows no words but has pictures is a scan,
whose invisible text is what was read of it: that stays.
"""

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby, pairwise
from statistics import median
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError

from clew.memory.datatypes import Document, Table
from clew.memory.errors import Unreadable, install_command
from clew.memory.knowledge.loaders.layout import CELLS, TextLayout, has_heads
from clew.memory.knowledge.loaders.ocr import DPI, READ_BY_OCR, is_there, words_on
from clew.memory.knowledge.loaders.pdf_headings import LARGER, Heading, with_headings
from clew.memory.knowledge.loaders.pdf_tables import Placed, in_columns, tables_of, with_tables
from clew.memory.knowledge.loaders.pdf_words import PageWord, words_of
from clew.memory.knowledge.loaders.plain_text import like_a_title
from clew.memory.knowledge.loaders.source import LoadFailure, Source, shown
from clew.memory.text import blocks, clean, number_of

NO_TITLE = re.compile(
    r"untitled|\(anonymous\)|microsoft \w+.*|document ?\d*|slide ?\d*|[\W\d_]*|about:\w+|\w+://.*|www\..*"
    r"|.*\.(docx?|pdf|tex|dvi|pptx?|xlsx?|indd|qxd|rtf|odt|html?|txt|md|csv|png|jpe?g|tiff?)",
    re.IGNORECASE,
)
BROKEN_WORD = re.compile(r"(?<!\w)(\w*[a-zß-ÿ])-\n([a-zß-ÿ]\w*)")
SENTENCE_END = ".!?:;…”\"')"

RUNNING = 3  # pages, and half of them all, that share a line but for its numbers, for it to be a running head or foot
APART = 1.3  # times what lines are usually apart, what paragraphs are
SCAN_SECONDS = 500  # of CPU time for the scanned pages of a file in one run: what was read is kept, the next goes on


class _Page(NamedTuple):
    """What is read of one: what is seen on it, or was read of it by OCR, and what is not seen."""

    label: str
    placed: Sequence[Placed] = ()
    text: str = ""
    hidden: str = ""
    is_scan: bool = False
    is_broken: bool = False


def read_pdf(source: Source) -> Iterator[Document | LoadFailure]:
    """Broken pages are named, scanned ones that are not read are counted. Raises `Unreadable` where no text is seen."""
    with closing(_opened(source.path.read_bytes())) as file:
        title, author, tags = _told(file)
        pages = list(_pages(file))
    broken = [page for page in pages if page.is_broken]
    for page in broken:
        yield LoadFailure(f"{shown(source.path)}, page {page.label}", "this page is broken, the others are read")
    layout = _laid_out(pages)
    scans = [page for page in pages if page.is_scan]
    left = number_of(len(scans), "scanned page")
    left += " left for the next run" if is_there() else f": {install_command('ocr')}"
    if not layout.text and (broken or not scans):
        why = "no text that is seen" if any(layout.hidden) else "nothing is written on its pages"
        raise Unreadable("broken PDF" if broken else why)
    if not layout.text:
        raise Unreadable(f"no text: {left}")
    if scans:
        yield LoadFailure(shown(source.path), left)
    yield layout.document(source, title, author=author, tags=tags)


def _opened(data: bytes) -> PdfDocument:
    try:
        return PdfDocument(data)
    except PdfiumError as error:
        is_locked = error.err_code == pdfium.FPDF_ERR_PASSWORD
        why = "encrypted: save it without its password" if is_locked else "broken PDF: it cannot be opened"
        raise Unreadable(why) from error


def _told(file: PdfDocument) -> list[str]:
    """What the file gives for title, author and keywords."""
    said = [" ".join(clean(file.get_metadata_value(name)).split()) for name in ("Title", "Author", "Keywords")]
    said[0] = "" if NO_TITLE.fullmatch(said[0]) or len(said[0]) > 200 else said[0]
    return [one if one.isprintable() else "" for one in said]


def _pages(file: PdfDocument) -> Iterator[_Page]:
    """The labels are as printed on the pages (`iv`, `12`) where the file says."""
    until = time.process_time() + SCAN_SECONDS
    for number in range(len(file)):
        label = clean(file.get_page_label(number)) or str(number + 1)
        try:
            page = _page(file[number], label)
        except PdfiumError:
            page = _Page(label, is_broken=True)
        if page.is_scan and is_there() and time.process_time() < until:
            text = words_on(file[number].render(scale=DPI / 72).to_pil())
            page = _Page(f"{label}, {READ_BY_OCR}" if text else label, text=text)
        yield page


def _page(page: Any, label: str) -> _Page:
    has_pictures = any(page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE]))
    words = list(words_of(page))
    if has_pictures and not any(word.seen for word in words):
        words = [word._replace(seen=True) for word in words]  # the text layer of a scan
    seen = [word for word in words if word.seen]
    hidden = "".join(_written(word) for word in words if not word.seen).strip()
    placed = in_columns(with_tables(seen, tables_of(page, seen)))
    return _Page(label, placed, "", hidden, has_pictures and not words)


def _laid_out(pages: Sequence[_Page]) -> TextLayout:
    """One text: a paragraph that runs over the end of a page goes on, other pages are a paragraph apart."""
    layout, last = TextLayout(), ""
    layout.hidden = [page.hidden for page in pages]
    found = with_headings([page.placed for page in pages])
    texts = [page.text or _text(page, its, layout.tables) for page, its in zip(pages, found, strict=True)]
    for page, its, parts in zip(pages, found, _paragraphs(texts), strict=True):
        levels = {_letters(one.text): one.level for one in its if isinstance(one, Heading)}
        for number, part in enumerate(parts):
            if number:
                layout.paragraph()
            else:
                layout.page(page.label, goes_on=part[0].islower() and last[-1:] not in SENTENCE_END)
            if level := levels.get(_letters(part)):
                layout.heading(part, level)
            else:
                (layout.verbatim if CELLS in part else layout.words)(part)
            last = part
    return layout


def _letters(heading: str) -> str:
    """By which it is known again when its hyphens are mended."""
    return re.sub(r"[-\s]", "", heading)


def _text(page: _Page, placed: Sequence[Placed | Heading], tables: list[Table]) -> str:
    """The lines of a page, and rows of its tables; these are put behind `tables`."""
    texts, apart = list[str](), _apart([one for one in page.placed if isinstance(one, PageWord)])
    for one in placed:
        if isinstance(one, PageWord):
            texts.append("\n" * (one in apart) + _written(one))
        elif isinstance(one, Heading):
            texts.append(f"\n\n{one.text}\n\n")
        else:
            layout, above = TextLayout(), "".join(texts).rstrip().rpartition("\n")[2].strip()
            layout.page(f"page {page.label}")
            layout.table(one.rows, above if like_a_title(above) else "", headed=has_heads(one.rows))
            tables += layout.tables
            texts.append(f"\n\n{layout.text}\n\n")
    return "".join(texts).strip()


def _apart(words: Sequence[PageWord]) -> set[PageWord]:
    """Those that begin a line which is further from the one above than usual, or whose letters are larger or smaller;
    but no half of a word."""
    beginnings = [word for word in words if word.begins]
    halves = {word for before, word in pairwise(words) if before.text.endswith("-")}
    pitches = [above.box[1] - below.box[1] for above, below in pairwise(beginnings)]
    usual, found = median([pitch for pitch in pitches if pitch > 0] or [0]), set[PageWord]()
    for (above, below), pitch in zip(pairwise(beginnings), pitches, strict=True):
        one, other = (word.box[3] - word.box[1] for word in (above, below))
        is_below = pitch > min(usual / APART, max(one, other))  # and does not stand raised beside it
        is_other = is_below and max(one, other) > LARGER * min(one, other)
        found |= {below} - halves if is_other or pitch > APART * max(usual, other) else set()
    return found


def _written(word: PageWord) -> str:
    return ("\n" if word.begins else " ") + word.text


def _paragraphs(pages: Sequence[str]) -> Iterator[list[str]]:
    """Each page's headings, paragraphs and tables."""
    lines = [page.split("\n") for page in pages]
    for end in (0, -1, 0, -1):  # a running head or foot may have two lines
        lines = _without_running(lines, end)
    texts = ["\n".join(page).strip() for page in lines]
    whole_words = set(re.findall(r"(?<!\w)\w++-\w+", "\n".join(texts)))

    def mended(broken: re.Match[str]) -> str:
        """The hyphen of a word that a line ended in stays where the document has it elsewhere (`well-known`)."""
        whole = broken[0].replace("\n", "")
        return whole if whole in whole_words else broken[1] + broken[2]

    for text in (BROKEN_WORD.sub(mended, text) for text in texts):
        parts = [text[start:end].replace("\n", " ") for start, end in blocks(text, typeset=True)]
        runs = groupby(parts, key=lambda part: CELLS in part)  # rows of a table stand next to one another
        yield [part for are_rows, run in runs for part in (["\n".join(run)] if are_rows else run)]


def _without_running(pages: list[list[str]], end: int) -> list[list[str]]:
    """Without the first lines (`end` 0) or the last ones (-1) that many pages share but for their numbers; a line that
    ends a sentence is none of them."""
    trimmed = ["\n".join(page).strip().split("\n") for page in pages]
    lines = [page[end] for page in trimmed]
    keys = ["" if line.endswith((".", "!", "?")) else re.sub(r"\d+", "#", line).casefold() for line in lines]
    counts = Counter(key for key in keys if key)
    rest = slice(1, None) if end == 0 else slice(None, -1)
    most = max(RUNNING, len(pages) / 2)
    return [page[rest] if counts[key] >= most else page for page, key in zip(trimmed, keys, strict=True)]
