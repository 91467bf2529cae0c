"""What is written on pictures and on scanned pages, read by RapidOCR (the extra `clew[ocr]`). It is kept in the user's
cache, by the picture, so that none is read twice."""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

from clew.memory.datatypes import Document, Mark
from clew.memory.errors import Unreadable, install_command
from clew.memory.files import private_folder, write_durably
from clew.memory.knowledge.loaders.plain_text import title_of_file
from clew.memory.knowledge.loaders.source import Source, shown
from clew.memory.text import clean

ENDINGS = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif")
READ_BY_OCR = "read by OCR"
LARGEST = 2_000  # pixels of the longer side of a picture as it is read
DPI = 200  # how finely a page is drawn for it


def is_there() -> bool:
    return bool(find_spec("rapidocr") and find_spec("onnxruntime"))


def allowance() -> tuple[int, int]:
    """It takes seconds a page, and the memory of its models."""
    return (600, 3 << 29) if is_there() else (0, 0)


def read_picture(source: Source) -> Iterator[Document]:
    """One document. Raises `Unreadable` where it cannot be opened, where nothing is written on it, and without the
    extra."""
    from PIL import Image

    if not is_there():
        raise Unreadable(f"a picture: {install_command('ocr')} reads what is written on it")
    try:
        with Image.open(source.path) as picture:
            text = words_on(picture)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise Unreadable(f"not a whole picture: {error}") from error
    if not text:
        raise Unreadable("nothing is written on it")
    title, marks = title_of_file(source.path), (Mark(0, f"picture, {READ_BY_OCR}"),)
    yield Document(source.name, title, text, shown(source.path), marks)


def words_on(picture: Any) -> str:
    """The lines that are written on a picture of Pillow, from the top."""
    from platformdirs import user_cache_path

    whole = picture.convert("RGB")
    whole.thumbnail((LARGEST, LARGEST))
    kept = private_folder(user_cache_path("clew") / "read-by-ocr")
    name = hashlib.sha256(f"{whole.size}".encode() + whole.tobytes()).hexdigest()
    if not (kept / name).is_file():
        import numpy

        found = _reader()(numpy.asarray(whole)[:, :, ::-1])  # it takes blue, green, red
        write_durably(kept / name, clean("\n".join(found.txts or ())).encode())
    return (kept / name).read_text("utf-8")


@cache
def _reader() -> Any:
    from rapidocr import RapidOCR

    engine = {f"EngineConfig.onnxruntime.{name}_op_num_threads": 1 for name in ("intra", "inter")}
    return RapidOCR(params={"Global.log_level": "critical", **engine})
