"""Pictures and scanned pages are read where the extra is installed, and named with its command where it is not."""

import io
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont
from pypdf import PdfReader, PdfWriter

from clew.memory.datatypes import Document, Mark
from clew.memory.knowledge.loaders import ocr
from clew.memory.knowledge.loaders.source import LoadFailure
from tests.memory.knowledge.loaders.reading import document, items, reason
from tests.memory.knowledge.loaders.test_pdf import as_bytes, written

SIGN = "Open from nine to five"


def picture(kind: str) -> bytes:
    made, image = io.BytesIO(), Image.new("RGB", (700, 120), "white")
    ImageDraw.Draw(image).text((30, 30), SIGN, "black", ImageFont.load_default(48))
    image.save(made, kind)
    return made.getvalue()


def scan() -> bytes:
    """A page of text, then one that is a picture."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(as_bytes(written(["The house by the sea"])))))
    writer.append(io.BytesIO(picture("pdf")))
    return as_bytes(writer)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.soak  # its models take seconds to load
def test_a_picture_and_a_scanned_page_are_read_once_and_marked(
    tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign = document(tmp_path / "sign.png", picture("png"))
    assert (sign.text, sign.title, sign.pages) == (SIGN, "sign", (Mark(0, "picture, read by OCR"),))
    paged = document(tmp_path / "x.pdf", scan())
    assert paged.text == f"The house by the sea\n\n{SIGN}"
    assert [mark.text for mark in paged.pages] == ["1", "2, read by OCR"]
    assert len(list((own_cache / "clew" / "read-by-ocr").iterdir())) == 2
    monkeypatch.setattr(ocr, "_reader", lambda: None)  # what is kept needs none
    assert document(tmp_path / "again.png", picture("png")).text == SIGN


def test_without_the_extra_they_are_named_with_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "find_spec", lambda name: None)
    command = "pip install 'clew[ocr]'"
    assert reason(tmp_path / "sign.png", picture("png")).endswith(f"{command} reads what is written on it")
    assert reason(tmp_path / "scan.pdf", picture("pdf")) == f"no text: 1 scanned page: {command}"
    failure, paged = items(tmp_path / "x.pdf", scan())
    assert isinstance(paged, Document) and paged.text == "The house by the sea"
    assert isinstance(failure, LoadFailure) and failure.reason == f"1 scanned page: {command}"


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n\0\0"])
def test_a_broken_picture_is_said(tmp_path: Path, data: bytes) -> None:
    assert reason(tmp_path / "x.png", data).startswith("not a whole picture")
