"""What a PDF draws and does not show is no part of its document, and is kept apart."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest
from pypdf.generic import (
    DecodedStreamObject,
    DictionaryObject,
    NameObject,
    NumberObject,
)

from clew.memory.datatypes import Document
from tests.memory.knowledge.loaders.reading import document
from tests.memory.knowledge.loaders.test_hidden_text import SECRET
from tests.memory.knowledge.loaders.test_pdf import as_bytes, as_pdf, written

INKS = {"/C0": [0, 0, 0, 0], "/C1": [0, 0, 0, 1], "/Domain": [0, 1], "/FunctionType": 2, "/N": 1}
LINE = "BT /F1 12 Tf {} {} Td ({}) Tj ET"
WORDS = LINE.format(72, 600, SECRET)


def pdf(
    path: Path, before: str, after: str = WORDS, form: str = "", matrix: Sequence[float] = (1, 0, 0, 1, 0, 0)
) -> Document:
    """A page with a line that is seen, and `before` and what is behind it."""
    writer = written(["x"])
    page = writer.pages[0]
    resources = page["/Resources"]
    assert isinstance(resources, DictionaryObject)
    profile = DecodedStreamObject()
    profile[NameObject("/N")] = NumberObject(4)
    drawn = DecodedStreamObject()
    drawn.set_data(form.encode())
    box, own = [-5000, -5000, 5000, 5000], {"/Type": "/XObject", "/Subtype": "/Form", "/Matrix": list(matrix)}
    drawn.update(cast(DictionaryObject, as_pdf({**own, "/BBox": box, "/Resources": DictionaryObject(resources)})))
    spaces = {
        "/Ink": ["/Separation", "/Black", "/DeviceCMYK", INKS],
        "/Inks": ["/DeviceN", ["/Black", "/Cyan"], "/DeviceCMYK", INKS],
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
        "/Either": as_pdf({"/OCGs": [on, off]}),
        "/Both": as_pdf({"/OCGs": [on, off], "/P": "/AllOn"}),
    }
    writer._root_object[NameObject("/OCProperties")] = as_pdf({"/OCGs": [on, off], "/D": {"/OFF": [off]}})
    forms = {"/Form": writer._add_object(drawn), "/Hidden": hidden}
    more = {"/ColorSpace": spaces, "/ExtGState": states, "/XObject": forms, "/Properties": layers}
    resources.update(cast(DictionaryObject, as_pdf(more)))
    stream = DecodedStreamObject()
    stream.set_data(f"{LINE.format(72, 720, 'The Moon is grey.')} q {before} {after} Q".encode())
    page[NameObject("/Contents")] = writer._add_object(stream)
    return document(path, as_bytes(writer))


MASKS = [
    ("/Dark", "/Luminosity", "0 g 0 0 700 700 re f"),
    ("/Light", "/Luminosity", "0 g 0 0 9 9 re f 1 g 0 0 700 700 re f"),
    ("/Nothing", "/Luminosity", ""),
    ("/Hollow", "/Alpha", "0 0 700 700 re n"),
    ("/Solid", "/Alpha", "0 0 700 700 re f"),
]
FORM = "q {} cm /Form Do Q"
UNSEEN = [
    ("3 Tr", WORDS),
    ("1 1 1 rg", WORDS),
    ("1 g", WORDS),
    ("0 0 0 0 k", WORDS),
    ("1 0 0 1 -900 0 cm", WORDS),
    ("1 0 0 1 0 5000 cm", WORDS),
    (".01 0 0 .01 0 0 cm", WORDS),
    ("/Ink cs 0 scn", WORDS),
    ("/Four cs 0 0 0 0 scn", WORDS),
    ("/Lab cs 100 0 0 scn", WORDS),
    ("/DeviceCMYK cs 0 0 0 0 sc", WORDS),
    ("/Clear gs", WORDS),
    ("0 0 1 rg 0 0 700 700 re f 0 0 1 rg", WORDS),
    ("0 g 0 0 700 700 re f 1 g 0 0 700 700 re f", WORDS),
    ("0 0 1 1 re W n", WORDS),
    ("0 Tz", WORDS),
    ("0 g", f"{WORDS} 1 g 60 590 400 40 re f"),
    ("0 g", f"{WORDS} 0 0 1 rg 60 590 400 40 re f"),
    ("", FORM.format("1 0 0 1 5000 400")),
    ("", FORM.format(".001 0 0 .001 100 100")),
    ("1 g", "/Form Do"),
    ("/Dark gs", WORDS),
    ("/Nothing gs", "/Form Do"),
    ("/Hollow gs 0 g", WORDS),
    ("/OC /Off BDC", f"{WORDS} EMC"),
    ("/OC /Off BDC /OC /On BDC EMC", f"/Span <</MCID 0>> BDC {WORDS} EMC EMC"),
    ("/OC /Both BDC", f"{WORDS} EMC"),
    ("", "/Hidden Do"),
    ("1 Tr 1 G", WORDS),
    ("2 Tr 1 G 1 g", WORDS),
    ("1 Tr 0 0 0 0 K", WORDS),
]
SEEN = [
    ("0 g", WORDS),
    ("0 0 1 rg 0 0 700 700 re f 1 g", WORDS),
    ("1 0 0 rg", WORDS),
    ("2 Tr", WORDS),
    ("/Ink cs 1 scn", WORDS),
    ("/Ink cs 1 scn 0 0 700 700 re f 1 g", WORDS),
    ("/Inks cs 1 1 scn", WORDS),
    ("/Four cs 1 1 1 1 scn", WORDS),
    ("/Lab cs 10 0 0 scn", WORDS),
    ("1 1 1 1 k", WORDS),
    ("1 g /DeviceRGB cs", WORDS),
    ("/Half gs", WORDS),
    ("q /Clear gs Q", WORDS),
    ("3 Tr 0 Tr", WORDS),
    ("0 g 50 550 m 650 550 l 350 700 l f 0 g", WORDS),
    ("0 g 0 0 700 700 re 10 10 680 680 re f* 0 g", WORDS),
    ("/Pattern cs /P scn", WORDS),
    ("/P sh 1 g", WORDS),
    ("0 g", f"{WORDS} 1 g 60 590 20 40 re f"),
    ("0 g", f"{WORDS} /Half gs 1 g 60 590 400 40 re f"),
    ("0 g", f"{WORDS} /Times gs 1 g 60 590 400 40 re f"),
    ("", "/Form Do"),
    ("/Light gs", WORDS),
    ("/Solid gs", WORDS),
    ("/Dark gs /None gs", WORDS),
    ("q /Dark gs 0 0 700 700 re f Q", WORDS),
    ("/Dark gs 0 0 700 700 re f /None gs 1 g 0 0 700 700 re f 0 g", WORDS),
    ("/OC /On BDC", f"{WORDS} EMC"),
    ("/OC /Off BDC EMC", WORDS),
    ("/OC /Either BDC", f"{WORDS} EMC"),
    ("", f"{WORDS} /OC /Off BDC 1 g 60 590 400 40 re f EMC"),
    ("1 Tr 1 g", WORDS),
    ("2 Tr 1 g", WORDS),
]


@pytest.mark.parametrize("before, after", UNSEEN)
def test_a_pdf_loses_what_it_does_not_show(tmp_path: Path, before: str, after: str) -> None:
    found = pdf(tmp_path / "x.pdf", before, after, form=WORDS)
    assert found.text == "The Moon is grey."
    assert found.hidden_text == SECRET


@pytest.mark.parametrize("before, after", SEEN)
def test_a_pdf_keeps_what_it_shows(tmp_path: Path, before: str, after: str) -> None:
    found = pdf(tmp_path / "x.pdf", before, after, form=WORDS)
    assert SECRET in found.text.replace("\n", " ") and found.hidden_text == ""


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
