"""What a PDF draws and does not show is no part of its document, and is kept apart."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject, NumberObject

from clew.memory.datatypes import Document
from tests.memory.knowledge.loaders.reading import document
from tests.memory.knowledge.loaders.test_hidden_text import SECRET
from tests.memory.knowledge.loaders.test_pdf import as_bytes, as_pdf, draw, written

INKS = {"/C0": [0, 0, 0, 0], "/C1": [0, 0, 0, 1], "/Domain": [0, 1], "/FunctionType": 2, "/N": 1}
GREYS = {"/C0": [0], "/C1": [0.5], "/Domain": [0, 1], "/FunctionType": 2, "/N": 1}
SHADES = {"/ShadingType": 2, "/ColorSpace": "/DeviceGray", "/Coords": [0, 0, 700, 0], "/Function": GREYS}
LINE = "BT /F1 12 Tf {} {} Td ({}) Tj ET"
WORDS = LINE.format(72, 600, SECRET)


def pdf(
    path: Path, before: str, after: str = WORDS, form: str = "", matrix: Sequence[float] = (1, 0, 0, 1, 0, 0)
) -> Document:
    """A page with a line that is seen, and `before` and what is behind it."""
    writer = written(["x"])
    resources = writer.pages[0]["/Resources"]
    assert isinstance(resources, DictionaryObject)
    profile = DecodedStreamObject()
    profile[NameObject("/N")] = NumberObject(4)
    drawn = DecodedStreamObject()
    drawn.set_data(form.encode())
    box, own = [-5000, -5000, 5000, 5000], {"/Type": "/XObject", "/Subtype": "/Form", "/Matrix": list(matrix)}
    drawn.update(cast(DictionaryObject, as_pdf({**own, "/BBox": box, "/Resources": DictionaryObject(resources)})))
    spaces = {
        "/Ink": ["/Separation", "/Black", "/DeviceCMYK", INKS],
        "/Inks": ["/DeviceN", ["/Black"], "/DeviceCMYK", INKS],
        "/Four": ["/ICCBased", writer._add_object(profile)],
        "/Lab": ["/Lab", {"/WhitePoint": [1, 1, 1]}],
    }
    states = {"/Clear": {"/ca": 0}, "/Half": {"/ca": 0.5}, "/Times": {"/BM": "/Multiply"}, "/None": {"/SMask": "/None"}}
    for name, kind, paint in MASKS:
        group = DecodedStreamObject()
        group.set_data(paint.encode())
        group.update(cast(DictionaryObject, as_pdf({"/Subtype": "/Form", "/BBox": box})))
        states[name] = {"/SMask": {"/S": kind, "/G": writer._add_object(group)}}
    on, off = (writer._add_object(as_pdf({"/Type": "/OCG"})) for _ in range(2))
    drawn[NameObject("/OC")] = on
    hidden = writer._add_object(drawn.clone(writer))
    cast(DictionaryObject, hidden.get_object())[NameObject("/OC")] = off
    layers = {
        "/On": on,
        "/Off": off,
        "/Either": as_pdf({"/Type": "/OCMD", "/OCGs": [on, off]}),
        "/Both": as_pdf({"/Type": "/OCMD", "/OCGs": [on, off], "/P": "/AllOn"}),
    }
    writer._root_object[NameObject("/OCProperties")] = as_pdf({"/OCGs": [on, off], "/D": {"/OFF": [off]}})
    forms = {"/Form": writer._add_object(drawn), "/Hidden": hidden}
    more = {"/ColorSpace": spaces, "/ExtGState": states, "/XObject": forms, "/Properties": layers}
    more |= {"/Shading": {"/P": SHADES}, "/Pattern": {"/P": {"/PatternType": 2, "/Shading": SHADES}}}
    resources.update(cast(DictionaryObject, as_pdf(more)))
    draw(writer, writer.pages[0], f"{LINE.format(72, 720, 'The Moon is grey.')} q {before} {after} Q")
    return document(path, as_bytes(writer))


MASKS = [
    ("/Dark", "/Luminosity", "0 g 0 0 700 700 re f"),
    ("/Light", "/Luminosity", "0 g 0 0 9 9 re f 1 g 0 0 700 700 re f"),
    ("/Nothing", "/Luminosity", ""),
    ("/Hollow", "/Alpha", "0 0 700 700 re n"),
    ("/Solid", "/Alpha", "0 0 700 700 re f"),
]
FORM = "q {} cm /Form Do Q"


def listed(name: str) -> list[list[str]]:
    """The rows below `[name]` in `hidden_text_pdf.txt`: what comes before, and what then."""
    rows = Path(__file__).with_name("hidden_text_pdf.txt").read_text("utf-8").partition(f"[{name}]\n")[2]
    return [row.replace("{words}", WORDS).split(" | ") for row in rows.partition("\n\n")[0].splitlines()]


@pytest.mark.parametrize("before, after", listed("unseen"))
def test_a_pdf_loses_what_it_does_not_show(tmp_path: Path, before: str, after: str) -> None:
    found = pdf(tmp_path / "x.pdf", before, after, form=WORDS)
    assert found.text == "The Moon is grey."
    assert found.hidden_text == SECRET


@pytest.mark.parametrize("before, after", listed("seen"))
def test_a_pdf_keeps_what_it_shows(tmp_path: Path, before: str, after: str) -> None:
    found = pdf(tmp_path / "x.pdf", before, after, form=WORDS)
    assert SECRET in found.text.replace("\n", " ") and found.hidden_text == ""


@pytest.mark.parametrize("before", ["1 g", "3 Tr", "/Clear gs"])
def test_words_that_are_not_seen_may_stand_below_others(tmp_path: Path, before: str) -> None:
    found = pdf(tmp_path / "x.pdf", f"q {before} {WORDS} Q", LINE.format(73, 601, "Snow is white and cold."))
    assert " ".join(found.text.split()) == "The Moon is grey. Snow is white and cold."
    assert found.hidden_text == SECRET


@pytest.mark.parametrize(
    "moved, at, matrix",
    [
        ("1 0 0 1 300 400", (-50, -50), (1, 0, 0, 1, 0, 0)),
        ("1 0 0 1 1000 1000", (-700, -700), (1, 0, 0, 1, 0, 0)),
        (".5 0 0 .5 0 0", (800, 1400), (1, 0, 0, 1, 0, 0)),
        ("1 0 0 1 0 0", (1072, 1600), (1, 0, 0, 1, -1000, -1000)),
    ],
)
def test_a_form_of_a_pdf_stands_where_it_is_drawn(
    tmp_path: Path, moved: str, at: tuple[int, int], matrix: tuple[float, ...]
) -> None:
    found = pdf(tmp_path / "x.pdf", "", FORM.format(moved), LINE.format(*at, SECRET), matrix)
    assert SECRET in found.text.replace("\n", " ") and found.hidden_text == ""
