"""A page of a PDF as a picture, with a box for each character.

The picture is made by a process of its own, with limits: pdfium is a program of many years, and the file may be made to
harm it.
"""

import base64
import io
import json
import resource
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from clew.memory.errors import Unreadable

SCALE = 2.0  # pixels of a picture for each point of the page
WIDEST = 2_400  # pixels of a picture at most, in width and in height
SECONDS, MEMORY = 20, 2 << 30  # CPU time and address space that drawing a page may take
_DRAWING = threading.Semaphore(2)  # pages that are drawn at once

_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    "from clew.ui.web.pdf_picture import draw; draw(*sys.argv[2:])"
)

PixelBox = tuple[int, int, int, int]  # left, top, right and bottom, in pixels of the picture


class DrawnPage(NamedTuple):
    """`png` in base 64; `size` of the picture in pixels; a box for each character of `text`. `number` counts from 0, of
    `labels`, which are all pages as the file calls them."""

    png: str
    size: tuple[int, int]
    text: str
    boxes: list[PixelBox]
    number: int
    labels: list[str]


def drawn(path: Path, page: str) -> DrawnPage:
    """The page of this label, else the first. Raises `Unreadable` where the file cannot be drawn."""
    command = [sys.executable, "-P", "-c", _START, json.dumps(sys.path), str(path), page]
    try:
        with _DRAWING:
            done = subprocess.run(command, capture_output=True, timeout=2 * SECONDS, check=True)  # noqa: S603
        png, size, text, boxes, number, labels = json.loads(done.stdout)
    except (subprocess.SubprocessError, ValueError, OSError) as error:
        raise Unreadable("its pages cannot be drawn") from error
    return DrawnPage(png, tuple(size), text, [tuple(box) for box in boxes], number, labels)


def draw(path: str, page: str) -> None:
    """The process: a `DrawnPage` as JSON on standard output."""
    for kind, most in ((resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_AS, MEMORY)):
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, most))
    import pypdfium2

    file = pypdfium2.PdfDocument(path)
    labels = [file.get_page_label(number) or str(number + 1) for number in range(len(file))]
    wanted = page.partition(",")[0]  # behind it stands that it was read from a picture
    number = labels.index(wanted) if wanted in labels else 0
    shown = file[number]
    bitmap = shown.render(scale=min(SCALE, WIDEST / max(shown.get_size())))
    bitmap.to_pil().save(picture := io.BytesIO(), "png")
    read, place = shown.get_textpage(), bitmap.get_posconv(shown)
    text, boxes = "", []
    for at in range(read.count_chars()):
        left, bottom, right, top = read.get_charbox(at)
        (x, y), (to_x, to_y) = place.to_bitmap(left, top), place.to_bitmap(right, bottom)
        text += chr(pypdfium2.raw.FPDFText_GetUnicode(read, at))
        boxes.append((min(x, to_x), min(y, to_y), max(x, to_x), max(y, to_y)))
    png = base64.b64encode(picture.getvalue()).decode()
    sys.stdout.write(json.dumps([png, [bitmap.width, bitmap.height], text, boxes, number, labels]))
