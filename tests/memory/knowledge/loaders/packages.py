"""Small files of office programs, made of the XML that is in them."""

import io
import zipfile
from collections.abc import Mapping, Sequence

TYPES = "application/vnd.openxmlformats-officedocument."
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = (
    f'xmlns:r="{RELATIONS}" xmlns:v="urn:schemas-microsoft-com:vml"'
    ' xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    ' xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)
SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ' + NAMES
OPEN = "".join(
    f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name, long in {
        "office": "office",
        "text": "text",
        "table": "table",
        "style": "style",
        "meta": "meta",
        "manifest": "manifest",
    }.items()
) + (
    ' xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, content in parts.items():
            file.writestr(zipfile.ZipInfo(name), content)  # the same bytes in every run
    return made.getvalue()


def office(main: str, kind: str, parts: Mapping[str, str], related: Sequence[tuple[str, str]] = ()) -> bytes:
    """`main` is the first of the parts, `related` what it names: kinds and targets, with the ids r1, r2."""
    folder, _, name = main.rpartition("/")
    types = f'<Override PartName="/{main}" ContentType="{TYPES}{kind}.main+xml"/>'
    defaults = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    defaults += '<Default Extension="xml" ContentType="application/xml"/>'
    of_package = "http://schemas.openxmlformats.org/package/2006"
    made = {
        "[Content_Types].xml": f'<Types xmlns="{of_package}/content-types">{defaults}{types}</Types>',
        "_rels/.rels": links([("officeDocument", main)]),
        f"{folder}/_rels/{name}.rels": links(related),
    }
    return zipped(made | dict(parts))


def links(related: Sequence[tuple[str, str]]) -> str:
    its = "".join(
        f'<Relationship Id="r{number}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(related, 1)
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{its}</Relationships>'


def paragraph(text: str, style: str = "", run: str = "") -> str:
    own = f"<w:pPr>{style}</w:pPr>" if style else ""
    return f'<w:p>{own}<w:r>{run}<w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"


def word(body: str, styles: str = "", **beside: str) -> bytes:
    """`beside`: what else is in the folder `word`, by its name: `comments`, `footer1`."""
    parts = {"document": f"<w:document {NAMES}><w:body>{body}</w:body></w:document>"} | beside
    parts["styles"] = f"<w:styles {NAMES}>{styles}</w:styles>"
    named = {f"word/{name}.xml": content for name, content in parts.items()}
    related = [(name.rstrip("0123456789"), f"{name}.xml") for name in ("styles", *beside)]
    return office("word/document.xml", "wordprocessingml.document", named, related)


def excel(*sheets: str, states: Sequence[str] = (), beside: Mapping[str, str] | None = None) -> bytes:
    """`sheets` are what is in each worksheet; they are called S1, S2. `beside` are other parts."""
    listed = "".join(
        f'<sheet name="S{number}" sheetId="{number}" r:id="r{number}" {state}/>'
        for number, state in enumerate([*states, *[""] * (len(sheets) - len(states))], 1)
    )
    parts = {"xl/workbook.xml": f"<workbook {SHEET}><sheets>{listed}</sheets></workbook>"}
    names = [f"worksheets/sheet{number}.xml" for number in range(1, len(sheets) + 1)]
    parts |= {f"xl/{name}": f"<worksheet {SHEET}>{it}</worksheet>" for name, it in zip(names, sheets, strict=True)}
    of_book = [("worksheet", name) for name in names]
    return office("xl/workbook.xml", "spreadsheetml.sheet", parts | dict(beside or {}), of_book)


def rows(*given: Mapping[str, str | float], hidden: Sequence[int] = ()) -> str:
    """Of a worksheet: cells by the letters of their columns."""
    made = ""
    for number, row in enumerate(given, 1):
        cells = "".join(
            f'<c r="{at}{number}"><v>{said}</v></c>'
            if isinstance(said, int | float)
            else f'<c r="{at}{number}" t="inlineStr"><is><t>{said}</t></is></c>'
            for at, said in row.items()
        )
        made += f'<row r="{number}" hidden="{int(number in hidden)}">{cells}</row>'
    return f"<sheetData>{made}</sheetData>"


def slides(*trees: str, notes: str = "") -> bytes:
    """`trees` are the boxes of each slide; `notes` are those of the first."""
    listed = "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in range(1, len(trees) + 1))
    parts = {
        "ppt/presentation.xml": f"<p:presentation {NAMES}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/slides/_rels/slide1.xml.rels": links([("notesSlide", "../notesSlides/notes1.xml")] if notes else []),
        "ppt/notesSlides/notes1.xml": f"<p:notes {NAMES}>{notes}</p:notes>",
    }
    for number, tree in enumerate(trees, 1):
        shown, _, boxes = tree.rpartition("|")
        parts[f"ppt/slides/slide{number}.xml"] = f"<p:sld {NAMES} {shown}>{boxes}</p:sld>"
    names = [("slide", f"slides/slide{number}.xml") for number in range(1, len(trees) + 1)]
    return office("ppt/presentation.xml", "presentationml.presentation", parts, names)


def box(*lines: str, kind: str = "", place: tuple[int, int] | None = None, more: str = "") -> str:
    said = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
    of_kind = f'<p:ph type="{kind}"/>' if kind else ""
    where = f'<a:xfrm><a:off x="{place[0]}" y="{place[1]}"/></a:xfrm>' if place else ""
    about = f'<p:nvSpPr><p:cNvPr id="1" name="" {more}/><p:nvPr>{of_kind}</p:nvPr></p:nvSpPr><p:spPr>{where}</p:spPr>'
    return f"<p:sp>{about}<p:txBody>{said}</p:txBody></p:sp>"


def open_document(body: str, styles: str = "", kind: str = "text", meta: str = "") -> bytes:
    whole = (
        f"<office:document-content{OPEN}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    about = f"<office:document-meta{OPEN}><office:meta>{meta}</office:meta></office:document-meta>"
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": whole,
            "meta.xml": about,
            "META-INF/manifest.xml": f"<manifest:manifest{OPEN}/>",
        }
    )
