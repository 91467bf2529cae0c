"""`clew index` on a Wikipedia dump: its pages a graph, chosen by category and keyword as the library remembers."""

import bz2
import json
from pathlib import Path

import pytest

from clew.memory.datatypes import Edge
from clew.memory.knowledge.library import open_library
from tests.memory.knowledge.loaders.dump import PAGES, dump, page
from tests.ui.conftest import Run


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    path = tmp_path / "wiki" / "pages-articles.xml.bz2"
    path.parent.mkdir()
    path.write_bytes(bz2.compress(dump().encode()))
    return path


def titles(library: Path) -> list[str]:
    with open_library(library, None) as opened:
        return opened.store.titles(100)


def test_a_walk_along_its_links(clew: Run, wiki: Path, tmp_path: Path) -> None:
    done = clew("index", wiki.parent, "--library", "lib")
    assert (done.exit_code, done.stdout) == (0, "7 new, 0 changed, 0 removed, 0 unchanged, 0 failed\n")
    assert "note:" not in done.stderr
    with open_library(tmp_path / "lib", None) as opened:
        assert opened.manifest.edges == 8
        step, seen = "Earth", ["Earth"]
        for _ in range(3):  # of the edges that leave a page the one to the first page by name that is new
            edges = opened.store.neighbours([step])[0]
            assert {edge.relation for edge in edges} == {"links to"}
            step = min(edge.target for edge in edges if edge.source == step and edge.target not in seen)
            seen.append(step)
        assert seen == ["Earth", "Moon", "Château d'If", "Île d'If"]
        assert Edge("Earth", "Moon", "links to") in opened.store.neighbours(["Moon"])[0]
        assert opened.store.documents(["Moon"])[0].text == "The Moon is the only natural satellite of the Earth."
    again = clew("index", wiki.parent, "--library", "lib")
    assert again.stdout == "0 new, 0 changed, 0 removed, 7 unchanged, 0 failed\n"


def test_the_choice_of_pages_is_remembered_until_another_is_made(clew: Run, wiki: Path, tmp_path: Path) -> None:
    library = tmp_path / "lib"
    clew("index", wiki, "--library", library, "--category", "moons", "--keyword", "earth")
    assert titles(library) == ["Moon", "Natural satellite", "Earth"]
    again = clew("index", wiki, "--library", library)
    assert (again.stdout, again.stderr) == ("0 new, 0 changed, 0 removed, 3 unchanged, 0 failed\n", "")
    wiki.write_bytes(bz2.compress(dump([*PAGES, ("Titan", 0, "", "Far. [[Category:Moons]]")]).encode()))
    grown = clew("index", wiki, "--library", library)
    assert (grown.stdout, grown.stderr) == ("1 new, 0 changed, 0 removed, 3 unchanged, 0 failed\n", "")
    other = clew("index", wiki, "--library", library, "--keyword", "sea")
    assert other.stdout == "2 new, 0 changed, 4 removed, 0 unchanged, 0 failed\n"
    assert "note: the pages of Wikipedia dumps are chosen by --keyword sea now\n" in other.stderr
    assert titles(library) == ["Tide (sea)", "Château d'If"]
    rebuilt = clew("index", "--rebuild", "--library", library)
    assert rebuilt.stdout == "2 new, 0 changed, 0 removed, 0 unchanged, 0 failed\n"
    whole = clew("index", wiki, "--library", library, "--category", "")
    assert whole.stdout == "6 new, 0 changed, 0 removed, 2 unchanged, 0 failed\n"
    assert "note: the pages of Wikipedia dumps are chosen by all pages now\n" not in whole.stderr
    assert "note: all pages of Wikipedia dumps are read now\n" in whole.stderr


def test_a_choice_that_no_page_meets_leaves_the_library(clew: Run, wiki: Path, tmp_path: Path) -> None:
    clew("index", wiki, "--library", "lib", "--keyword", "sea")
    none = clew("index", wiki, "--library", "lib", "--keyword", "neutrino")
    assert f"failed: {wiki}: no article for --keyword neutrino\n" in none.stderr
    assert titles(tmp_path / "lib") == ["Tide (sea)", "Château d'If"]


def test_a_choice_without_a_dump_is_one_line(clew: Run, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "moon.txt").write_text("The Moon is far away.")
    done = clew("index", "notes", "--library", "lib", "--keyword", "the sea", "--category", "Moons")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        "clew: --category Moons --keyword 'the sea' chooses pages of a Wikipedia dump, and there is none under the"
        " paths given\ntry: give the path of its .xml, .xml.bz2 or .xml.gz file\n"
    )
    assert not list((tmp_path / "lib").glob("0*"))
    assert clew("index", "notes", "--library", "lib").exit_code == 0


def test_a_dump_that_is_cut_off_is_one_line(clew: Run, tmp_path: Path) -> None:
    (tmp_path / "wiki.xml").write_text(dump().removesuffix("</mediawiki>\n") + page("Cut", 0, "", "Words")[:40])
    report = json.loads(clew("index", "wiki.xml", "--library", "lib", "--json").stdout)
    assert report["new"] == 7
    [failed] = report["failed"]
    assert failed["reason"].startswith("broken or cut off after the page 'Blank' (")
