"""The words of a page of a PDF, by PDFium, and which of them are seen: those that leave something on the page that is
not there without any words. Nobody sees words that are clear, off the page, clipped or masked away, on a layer that is
off, painted over, in the colour of what is below them, in the invisible mode, or of no size.
"""

import re
from contextlib import closing
from ctypes import byref, c_double, c_uint, create_string_buffer
from math import hypot
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from clew.memory.text import clean

Area = tuple[float, float, float, float]  # left, bottom, right and top, in points of the PDF

SCALE, LARGEST = 2.0, 2_000.0  # pixels of a point as a page is painted, and of its longer side at most
FAINT = 12  # of 255, what colours that look the same differ by at most
TINY = 0.5  # points of a word that nobody reads
FILLED, INVISIBLE = 0, (3, 7)  # modes of writing
HYPHEN = "\x02"  # what PDFium has for a hyphen at the end of a line

_WORD = re.compile(rf"[^\s{HYPHEN}]+{HYPHEN}?|{HYPHEN}")
_BOLD = re.compile(rb"bold|black|heavy|demi|bx\d", re.IGNORECASE)
TEX = str.maketrans("\x10\x11\x12\x13\x14\x15\x16\x1b\x1c\x1d\x1e\x1f", "“”„«»–—ﬀﬁﬂﬃﬄ")  # of T1 fonts of LaTeX
SAID = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00ad": "-", HYPHEN: "-"}
)


class PageWord(NamedTuple):
    """Its box stands on the line that it is written on, and is as high as the font. `begins`: a line begins with it, as
    it was written. `is_bold`: by the name of its font."""

    text: str
    box: Area
    seen: bool
    begins: bool
    is_bold: bool = False


def words_of(page: Any) -> list[PageWord]:
    """The words of a page of pypdfium2, in the order in which they were written. Afterwards the page is without
    them."""
    words, lost, end = list[PageWord](), list[PageWord](), 0
    with closing(page.get_textpage()) as read:
        painted = _Painted(page, read)
        text = "".join(chr(pdfium.FPDFText_GetUnicode(read, number)) for number in range(read.count_chars()))
        text = text.translate(TEX)
        for found in _WORD.finditer(text):
            numbers, box = range(*found.span()), _box(read, found.start(), found.end() - 1)
            seen = min(box[2] - box[0], box[3] - box[1]) >= TINY and any(map(painted.shows, numbers))
            begins = text[end - 1 : end] == HYPHEN or "\n" in text[end : found.start()]
            if words and begins:  # but for an exponent, or a word that stands behind the one before it
                line = words[-1].box
                height = max(line[3] - line[1], box[3] - box[1])
                begins = box[0] < line[2] - 1 or abs(box[1] - line[1]) >= height / 2
            begins = begins or not words
            words.append(PageWord(clean(found[0].translate(SAID)), box, seen, begins, _is_bold(read, found.start())))
            lost += words[-1:] if seen and all(map(painted.is_like_its_ground, numbers)) else []
            end = found.end()
    below = [one for one in lost if any(one is not other and overlap(one.box, other.box) for other in words)]
    return [one._replace(seen=False) if one in below else one for one in words]


def _is_bold(read: Any, number: int) -> bool:
    name = create_string_buffer(100)
    pdfium.FPDFText_GetFontInfo(read, number, name, len(name), None)
    return bool(_BOLD.search(name.value))


def _box(read: Any, first: int, last: int) -> Area:
    """The box around the letters from the first to the last."""
    (x, y), matrix, (one, other) = (c_double(), c_double()), pdfium.FS_MATRIX(), (pdfium.FS_RECTF(), pdfium.FS_RECTF())
    pdfium.FPDFText_GetCharOrigin(read, first, byref(x), byref(y))
    pdfium.FPDFText_GetMatrix(read, first, byref(matrix))
    pdfium.FPDFText_GetLooseCharBox(read, first, byref(one))
    pdfium.FPDFText_GetLooseCharBox(read, last, byref(other))
    size = abs(pdfium.FPDFText_GetFontSize(read, first) * hypot(matrix.c, matrix.d))
    return min(one.left, other.left), y.value, max(one.right, other.right), y.value + size


def overlap(one: Area, other: Area) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


class _Painted:
    """A page as it is painted with its words, and without."""

    def __init__(self, page: Any, read: Any) -> None:
        from PIL import ImageChops

        scale = min(SCALE, LARGEST / max(page.get_size()))
        bitmap = page.render(scale=scale, may_draw_forms=False, draw_annots=False)
        whole = bitmap.to_pil().convert("RGB")
        for written in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT]):
            pdfium.FPDFPageObj_SetIsActive(written, False)
        self._read, self._place = read, bitmap.get_posconv(page)
        self._ground = page.render(scale=scale, may_draw_forms=False, draw_annots=False).to_pil().convert("RGB")
        red, green, blue = ImageChops.difference(whole, self._ground).split()
        changed = ImageChops.lighter(ImageChops.lighter(red, green), blue)
        self._changed = changed.point(lambda value: 255 * (value > FAINT))

    def shows(self, number: int) -> bool:
        """A letter, by its number: there is something in its place that comes of words."""
        mode = pdfium.FPDFTextObj_GetTextRenderMode(pdfium.FPDFText_GetTextObject(self._read, number))
        return mode not in INVISIBLE and self._changed.crop(self._box(number)).getbbox() is not None

    def is_like_its_ground(self, number: int) -> bool:
        """Of a letter that has a colour, or is clear: what is seen in its place is others' that stand there too."""
        ink, (left, top, right, bottom) = [c_uint() for _ in range(4)], self._box(number)
        x, y = (left + right) // 2, (top + bottom) // 2
        mode = pdfium.FPDFTextObj_GetTextRenderMode(pdfium.FPDFText_GetTextObject(self._read, number))
        inside = 0 <= x < self._ground.width and 0 <= y < self._ground.height
        if mode != FILLED or not inside or not pdfium.FPDFText_GetFillColor(self._read, number, *map(byref, ink)):
            return False
        parts = zip(ink[:3], self._ground.getpixel((x, y)), strict=True)
        return ink[3].value <= FAINT or all(abs(part.value - below) <= FAINT for part, below in parts)

    def _box(self, number: int) -> tuple[int, int, int, int]:
        left, bottom, right, top = self._read.get_charbox(number)
        (x, y), (to_x, to_y) = self._place.to_bitmap(left, top), self._place.to_bitmap(right, bottom)
        return min(x, to_x) - 1, min(y, to_y) - 1, max(x, to_x) + 1, max(y, to_y) + 1
