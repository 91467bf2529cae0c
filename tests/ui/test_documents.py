"""The documents of the page: added, removed, listed, and opened at what an answer quotes; and `/open` of the chat."""

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from clew.agent.settings import read_settings
from clew.agent.state import Answer, Claim, Turn
from clew.memory.datatypes import Document, Passage, Progress
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput
from clew.memory.knowledge.disk import held
from clew.memory.knowledge.library import open_library
from clew.ui.web.guard import FILES, OWNER
from clew.ui.web.markup import Markup
from clew.ui.web.reader import CHANGED, GONE, NOT_READ, Spot, WhereTo, _blocks, opened_document, opened_source
from clew.ui.web.routes import NOT_YOURS, application
from clew.ui.web.shelf import Shelf, ShelfRow, Work, make_empty
from clew.ui.web.views import Conversations
from tests.conftest import EXAMPLES
from tests.ui.browsing import CHROMIUM, ask, free_port, opened, serving
from tests.ui.conftest import Run

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

PDF = EXAMPLES / "documents" / "space" / "robots-on-the-moon.pdf"


@pytest.fixture
def shelf(home: Path, tmp_path: Path, encoder: CachedEncoder) -> Iterator[Shelf]:
    """Over a library that is made empty, as `clew ui` does where there is none."""
    settings = read_settings(library=tmp_path / "library")
    make_empty(settings, encoder)
    with closing(Shelf(settings, lambda: encoder)) as made:
        yield made


def settled(shelf: Shelf) -> dict[str, ShelfRow]:
    """The rows by name, once all that was asked for is done."""
    end = time.monotonic() + 60
    while shelf.current or shelf._waiting:
        assert time.monotonic() < end
        time.sleep(0.05)
    return {row.name: row for row in shelf.rows()}


def folder_of(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "far").mkdir(parents=True)
    (folder / "moon.md").write_text("# The Moon\n\nThe Moon is 384,400 km away.")
    (folder / "far" / "mars.txt").write_text("Mars is red.")
    (folder / "broken.pdf").write_text("no PDF")
    return folder


def test_a_folder_is_added_by_its_path_and_a_file_of_it_removed(shelf: Shelf, tmp_path: Path) -> None:
    assert shelf.listing().state and not shelf.rows()
    folder = folder_of(tmp_path)
    for nowhere, said in ((str(tmp_path / "nowhere"), "there is no file or folder"), (" ", "no path was given")):
        with pytest.raises(BadInput, match=said):
            shelf.add(nowhere)
    shelf.add(str(folder))
    rows = settled(shelf)
    assert {name: (row.state, row.folder) for name, row in rows.items()} == {
        "moon.md": ("read", "notes"),
        "mars.txt": ("read", "notes/far"),
        "broken.pdf": ("not read", "notes"),
    }
    assert rows["broken.pdf"].why and rows["moon.md"].size
    assert shelf.listing().changed.endswith(": 2 added, 1 not read")
    for text, said in (("Mars is red and dusty.", "1 read again"), ("Mars is red and dusty.", "nothing new to read")):
        (folder / "far" / "mars.txt").write_text(text)
        shelf.again(rows["mars.txt"].path)
        assert settled(shelf) and shelf.listing().changed.endswith(said)
    shelf.remove(rows["moon.md"].path)
    assert "moon.md" not in settled(shelf) and (folder / "moon.md").exists()
    (folder / "venus.txt").write_text("Venus is bright.")
    shelf.again(rows["mars.txt"].path)
    rows = settled(shelf)
    assert "moon.md" not in rows and "venus.txt" in rows, "what was removed stays out, what is new comes"
    shelf.add(str(folder / "moon.md"))
    assert settled(shelf)["moon.md"].state == "read"
    shelf.remove(str(folder))
    assert settled(shelf) == {} and (folder / "moon.md").exists()


def test_what_comes_through_the_browser_is_kept_in_a_private_folder(shelf: Shelf) -> None:
    for name in ("../../etc/.hid/Tide\x00s (1).txt", "a/../b.txt", "a/../b.txt"):
        with shelf.receiving(name) as file:
            file.write(f"The tides rise twice a day, says {len(shelf.rows())}.".encode())
    with pytest.raises(BadInput, match=r"\.mp4 files are not read"), shelf.receiving("film.mp4"):
        pass
    rows = settled(shelf)
    assert sorted(rows) == ["Tides (1).txt", "b (2).txt", "b.txt", "film.mp4"]
    assert rows["film.mp4"].why == ".mp4 files are not read" and shelf.listing().changed.endswith(": 3 added")
    kept = Path(rows["Tides (1).txt"].path)
    assert kept.relative_to(shelf.uploads).parts == ("etc", "hid", "Tides (1).txt")
    assert {path.stat().st_mode & 0o077 for path in shelf.uploads.parent.rglob("*")} == {0}
    shelf.remove("film.mp4")
    shelf.remove(str(shelf.uploads / ".." / ".." / ".."))
    shelf.remove(str(kept))
    assert sorted(settled(shelf)) == ["b (2).txt", "b.txt"] and not kept.exists()


def test_a_run_waits_for_another_and_is_cancelled(shelf: Shelf, tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    with held(tmp_path / "library"):
        shelf.add(str(folder))
        while not (shelf.current and shelf.current.said):
            time.sleep(0.02)
        assert "another clew index" in shelf.current.stage and [(row.state, row.size) for row in shelf.rows()] == [
            ("reading", 0)
        ]
        shelf.add(str(PDF))
        assert {row.name: row.state for row in shelf.rows()}[PDF.name] == "waiting"
        shelf.cancel(str(PDF))
        shelf.cancel(str(folder))
        stopped = settled(shelf)
        assert {name: (row.state, row.why) for name, row in stopped.items()} == {
            "notes": ("not read", "cancelled"),
            PDF.name: ("not read", "cancelled"),
        }
        assert shelf.listing().changed.endswith(": cancelled")
        for row in stopped.values():
            shelf.remove(row.path)
        assert settled(shelf) == {} and folder.exists()
        with shelf.receiving("sun.txt") as file:
            file.write(b"The Sun is hot.")
        while not (shelf.current and shelf.current.said):
            time.sleep(0.02)
        shelf.cancel(str(shelf.uploads))
        sun = settled(shelf)["sun.txt"]
        assert (sun.state, sun.why) == ("not read", "cancelled")
        shelf.remove(sun.path)
        assert settled(shelf) == {} and not Path(sun.path).exists()
    with shelf.receiving("tides.txt") as file:
        file.write(b"The tides rise twice a day.")
    kept = settled(shelf)["tides.txt"]
    with held(tmp_path / "library"):
        shelf.remove(kept.path)
        while not (shelf.current and shelf.current.said):
            time.sleep(0.02)
        shelf.cancel(kept.path)
        assert settled(shelf)["tides.txt"].state == "read", "the library stays as it was"
    shelf.remove(kept.path)
    assert settled(shelf) == {} and not Path(kept.path).exists()


def test_the_time_left_is_told_once_it_is_known() -> None:
    work = Work("x", began=time.monotonic() - 40)
    for done, left in ((0, ""), (19, ""), (50, "about 40 s of it left"), (20, "about 3 min of it left"), (95, "")):
        work.progress = Progress("reading", done, 100)
        assert work.left == left
    work.before = 0.6  # of what is in the library already
    for done, left in ((65, ""), (80, "about 40 s of it left")):
        work.progress = Progress("embedding", done, 100)
        assert work.left == left


def test_a_user_with_a_password_looks_and_changes_nothing(shelf: Shelf, tmp_path: Path) -> None:
    class Nobodys:
        assistant = None

        def turn(self, thread: str, turn: int, owner: str) -> Turn:
            raise BadInput(f"{thread} is not {owner}'s")

    (folder_of(tmp_path) / "empty.md").touch()
    shelf.add(str(tmp_path / "notes"))
    row = settled(shelf)["moon.md"]
    app = application(shelf, Markup(1, []), cast(Conversations, Nobodys()))

    def by(owner: str) -> ASGIApp:
        async def served(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, OWNER: owner} if scope["type"] == "http" else scope, receive, send)

        return served

    with TestClient(by("ann")) as ann:
        listed = ann.get("/documents?html=1").json()["html"]
        assert "moon.md" in listed and 'data-do="' not in listed and row.path not in listed
        for do in ("add", "again", "remove", "cancel"):
            assert ann.post("/documents", params={"do": do, "path": row.path}).json()["said"].startswith(NOT_YOURS)
        assert ann.post(FILES, params={"name": "a.txt"}, content=b"x").json()["said"].startswith(NOT_YOURS)
        assert "384,400" in ann.get("/document", params={"id": row.first}).json()["html"]
        assert ann.get("/document?thread=t&turn=1&source=1").json()["said"] == "t is not ann's"
        assert "not in the library" in ann.get("/document?id=/etc/passwd").json()["said"]
    with TestClient(by("")) as own:
        rows = own.get("/documents?html=1&by=state").json()["html"].split("<li")
        (empty,) = (one for one in rows if "empty.md" in one)
        assert 'aria-label="Read empty.md again"' in empty and "not there any more" not in empty
        assert ">read</span>" in next(one for one in rows if "moon.md" in one)
        for do, path in (("xx", row.path), ("add", "~nobody-here/x"), ("again", "\0")):
            assert own.post("/documents", params={"do": do, "path": path}).json()["said"], (do, path)
        for name, said in (("a.md", ""), ("a.md/x.md", "it cannot be kept")):
            answer = own.post(FILES, params={"name": name}, content=b"# A").json()
            assert said in answer.get("said", ""), answer
    assert settled(shelf).pop("a.md").added
    shelf.remove(str(shelf.uploads / "a.md"))
    assert settled(shelf).keys() == {"moon.md", "mars.txt", "broken.pdf", "empty.md", "x.md"}


# Opened


def answer_of(shelf: Shelf, document: str, *quotes: str) -> Answer:
    """One that quotes the document's first passages that say so."""
    with open_library(shelf.settings.library, None) as library:
        chunks = [chunk for chunk in library.store.sample(100) if chunk.document == document]
    passages = [next(chunk for chunk in chunks if quote in chunk.text) for quote in quotes]
    sources = tuple(
        Passage(one.id, document, one.title, one.text, 1.0, "hybrid", start=one.start, end=one.end) for one in passages
    )
    return Answer("answered", tuple(Claim(quote, (n,), "supported") for n, quote in enumerate(quotes, 1)), sources)


def test_a_source_is_opened_at_what_is_quoted(shelf: Shelf, tmp_path: Path) -> None:
    copy = tmp_path / "robots.pdf"
    copy.write_bytes(PDF.read_bytes())
    shelf.add(str(copy))
    settled(shelf)
    opened_at = partial(opened_source, shelf.settings)
    luna, rover = "Luna 9 made the first soft landing", "Lunokhod 1 was the first rover"
    answer = answer_of(shelf, "robots.pdf", luna, rover)
    page = opened_at(answer, 2, WhereTo())
    assert page.page and (page.page.number, page.hits, page.hit) == (1, 2, 2)
    assert [opened_at(answer, 2, WhereTo(hit)).hit for hit in (99, -99)] == [2, 0]
    boxes = [box for hit, box in page.marks if hit == 2]
    assert boxes and all(0 < box[0] < box[2] < page.page.size[0] for box in boxes)
    assert "<rect" in (html := Markup(1, []).render("document", reading=page)) and 'data-go="hit=1"' in html
    assert (first := opened_at(answer, 2, WhereTo(page="1")).page) and first.number == 0
    copy.write_bytes(copy.read_bytes() + b" ")
    changed = opened_at(answer, 1, WhereTo())
    assert (changed.page, changed.note) == (None, NOT_READ), "another file than the one that was read"
    text = Markup(1, []).render("document", reading=changed)
    assert f'<mark class="current">{luna}' in text and f"<mark>{rover}" in text
    copy.unlink()
    (tmp_path / "robots.txt").write_text("Nothing of it.")
    moved = replace(answer, sources=tuple(replace(one, document="robots.txt") for one in answer.sources))
    shelf.add(str(tmp_path / "robots.txt"))
    settled(shelf)
    assert opened_at(moved, 1, WhereTo()).note == CHANGED
    shelf.remove(str(tmp_path / "robots.txt"))
    settled(shelf)
    gone = opened_at(moved, 1, WhereTo())
    assert gone.note == GONE and luna in Markup(1, []).render("document", reading=gone)
    with pytest.raises(BadInput, match="not in the library"):
        opened_document(shelf.settings, "/etc/passwd", WhereTo())


def test_a_text_is_shown_without_hard_line_ends_as_lists_and_as_code() -> None:
    wrapped = f"{'We meet on Mondays, ' * 4}as\never.\nAnn"
    text = f"{wrapped}\n\n14 Mill Lane\nLeeds\n\n- bring the map\n  and a lamp\n2. call Bo"

    def blocks(source: str) -> list[tuple[str, list[str]]]:
        shown = _blocks(Document("d", "D", text, source), [Spot(0, 2)])
        return [(one.kind, ["".join(piece.text for piece in line[0]) for line in one.lines]) for one in shown]

    assert blocks("a.md") == [
        ("text", [f"{'We meet on Mondays, ' * 4}as ever.", "Ann"]),
        ("text", ["14 Mill Lane", "Leeds"]),
        ("item", ["• bring the map   and a lamp"]),
        ("item", ["2. call Bo"]),
    ]
    assert blocks("a.py") == [("code", text.split("\n"))]


def test_a_table_is_opened_at_its_rows(shelf: Shelf, tmp_path: Path) -> None:
    rows = "\n".join(f"item {n},{n}" for n in range(1, 500))
    (tmp_path / "stock.csv").write_text(f"Item,Stock\n{rows}")
    shelf.add(str(tmp_path / "stock.csv"))
    settled(shelf)
    said = "Stock\nrow 451: item 450 | 450\nitem 451 | 451 (row 452)"
    found = Passage("stock.csv#table0", "stock.csv", "stock", said, 1.0, "table")
    shown = opened_source(shelf.settings, Answer("answered", (), (found,)), 1, WhereTo())
    html = Markup(1, []).render("document", reading=shown)
    assert shown.hits == 2 and '<mark class="current">item 450</mark>' in html and "item 100<" not in html


def test_the_chat_prints_a_passage_where_there_is_no_display(
    clew: Run, examples_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    said = clew("chat", "--library", examples_path, input="When did Luna 9 land on the Moon?\no\n/open 9\n")
    assert said.stdout.count("Luna 9") > 1
    assert "the last answer has no source 9" in said.stderr


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_from_no_library_to_a_page_of_a_document(context: "BrowserContext", cache: Path, tmp_path: Path) -> None:
    port = free_port()
    command = ("-m", "clew.ui.cli", "ui", "--library", tmp_path / "library", "--port", port)
    here = {"CLEW_HOME": str(tmp_path / "home"), "CLEW_CACHE": str(cache)}
    with serving(*command, port=port, environment=here) as address:
        page = opened(context, address)
        page.set_default_timeout(90_000)
        page.on("dialog", lambda asked: asked.accept())
        page.click(".welcome [data-documents]")
        with page.expect_file_chooser() as chooser:
            page.click("[data-choose=files]")
        chooser.value.set_files([PDF])
        page.evaluate(
            """() => { const brought = new DataTransfer()
            brought.items.add(new File(['The tides rise twice a day.'], 'tides.txt'))
            document.dispatchEvent(new DragEvent('drop', {dataTransfer: brought, bubbles: true})) }"""
        )
        for name in ("robots-on-the-moon.pdf", "tides.txt"):
            page.wait_for_selector(f".document:has-text('{name}') .badge >> text=/^read$/")
        page.select_option("#documents [name=by]", "folder")
        page.wait_for_selector("#documents h3:has-text('added here') >> text=Remove all")
        page.fill("#documents [name=find]", "tides")
        page.wait_for_selector(".document:has-text('robots')", state="detached")
        page.click("[aria-label='Remove tides.txt']")
        page.wait_for_selector(".document", state="detached")
        page.keyboard.press("Escape")
        page.wait_for_selector(".examples button >> text=Robots on the Moon")
        assert page.locator("#side .count").inner_text() == "1 document"
        page.click("#question textarea")
        page.keyboard.type("/thr")
        page.wait_for_selector("#names button >> text=/threads")
        page.keyboard.press("Tab")
        page.wait_for_function("() => document.querySelector('#question textarea').value === '/threads '")
        page.fill("#question textarea", "")
        page.keyboard.type("@rob")
        page.click("#names button >> text=@robots-on-the-moon.pdf")
        assert page.input_value("#question textarea") == "@robots-on-the-moon.pdf "
        ask(page, "@robots-on-the-moon.pdf When did Luna 9 make the first soft landing?")
        assert page.locator("#past .question .chip").inner_text() == "@robots-on-the-moon.pdf"
        kept = "() => document.querySelector('#question textarea').value === '@robots-on-the-moon.pdf '"
        page.wait_for_function(kept)
        page.click("#new")
        page.wait_for_selector(".welcome")
        ask(page, "@nowhere When did Luna 9 land?")
        page.wait_for_selector("#past .understood >> text=nothing here is called @nowhere")
        page.click("#threads .thread >> nth=1")
        page.wait_for_function(kept)
        page.click(".source:visible .path a")
        page.wait_for_selector("#document svg rect.mark.current")
        assert "page 2 of 3" in page.inner_text("#document nav")
        page.goto("about:blank")
