"""Wikipedia dumps: which pages are documents, which links are edges, and what that takes of memory."""

import bz2
import gzip
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from clew.memory.datatypes import Document, Edge
from clew.memory.knowledge.loaders.registry import BY_NAME, discover, read
from clew.memory.knowledge.loaders.source import LoadFailure, Pages, Source, source_digest
from clew.memory.knowledge.loaders.wikipedia import CATEGORY, NAMESPACES, Namespaces, first_paragraph, linked, title_of
from tests.memory.knowledge.loaders.dump import END, HEAD, PAGES, dump, page

ARTICLES = ["Moon", "Natural satellite", "Earth", "Tide (sea)", "Château d'If", "Île d'If", "Blank"]
LINKS = [
    ("Moon", "Earth"),
    ("Moon", "Château d'If"),
    ("Moon", "Natural satellite"),
    ("Moon", "Tide (sea)"),
    ("Earth", "Moon"),
    ("Tide (sea)", "Moon"),
    ("Château d'If", "Île d'If"),
    ("Île d'If", "Château d'If"),
]


def source_of(path: Path, data: bytes, pages: Pages | None = None) -> Source:
    path.write_bytes(data)
    [source] = discover([path]).sources
    assert source.loader.name == "mediawiki"
    return replace(source, pages=pages) if pages else source


def documents(source: Source) -> list[Document]:
    return [item for item in read(source) if isinstance(item, Document)]


def ids(source: Source) -> list[str]:
    return [document.id for document in documents(source)]


@pytest.mark.parametrize(
    ("name", "packed"), [("wiki.xml", bytes), ("wiki.xml.bz2", bz2.compress), ("wiki.XML.gz", gzip.compress)]
)
def test_articles_are_documents_and_links_edges(tmp_path: Path, name: str, packed: type[bytes]) -> None:
    source = source_of(tmp_path / name, packed(dump().encode()))
    items = [item for item in read(source) if isinstance(item, Document)]
    assert items[0] == Document(
        "Moon", "Moon", "The Moon is the only natural satellite of the Earth.", str(tmp_path / name), tags="Moons"
    )
    assert [item.id for item in items] == ARTICLES
    texts = {item.id: item.text for item in items}
    assert (texts["Blank"], texts["Tide (sea)"]) == ("Blank", "Tides rise twice a day & follow the Moon.")
    assert list(read(source))[len(items) :] == [Edge(*ends, "links to") for ends in LINKS]


@pytest.mark.parametrize(
    ("pages", "kept"),
    [
        (Pages(categories=("moons",)), ["Moon", "Natural satellite"]),
        (Pages(categories=("Category:Planets_of the Solar System",)), ["Earth"]),
        (Pages(keywords=("SEA",)), ["Tide (sea)", "Château d'If"]),
        (Pages(keywords=("fortress", "a planet")), ["Natural satellite", "Earth", "Château d'If"]),
        (Pages(keywords=("plane", "se", "tid")), []),
        (Pages(("moons",), ("earth",)), ["Moon", "Natural satellite", "Earth"]),
    ],
)
def test_pages_are_chosen_by_category_or_keyword(tmp_path: Path, pages: Pages, kept: list[str]) -> None:
    source = source_of(tmp_path / "x.xml", dump().encode(), pages)
    assert ids(source) == kept
    wanted = [Edge(*ends, "links to") for ends in LINKS if set(ends) <= set(kept)]
    assert [item for item in read(source) if isinstance(item, Edge)] == wanted
    assert source_digest(source) != source_digest(replace(source, pages=Pages()))
    if not kept:
        [failure] = read(source)
        assert isinstance(failure, LoadFailure)
        assert failure.reason == "no article for --keyword plane --keyword se --keyword tid"


def test_of_several_revisions_the_last_counts(tmp_path: Path) -> None:
    revisions = "".join(f"<revision><text>{text}</text></revision>" for text in ("Old words.", "New words."))
    source = source_of(tmp_path / "x.xml", f"{HEAD}<page><title>A</title><ns>0</ns>{revisions}</page>{END}".encode())
    assert [document.text for document in documents(source)] == ["New words."]


def test_a_dump_that_is_cut_off_keeps_its_good_pages(tmp_path: Path) -> None:
    whole = dump().encode()
    source = source_of(tmp_path / "x.xml", whole[: whole.index(b"Tides")])
    items = list(read(source))
    assert [item.id for item in items if isinstance(item, Document)] == ARTICLES[:3]
    [failure] = [item for item in items if isinstance(item, LoadFailure)]
    assert failure.reason.startswith("broken or cut off after the page 'Earth': ")
    assert "\n" not in failure.reason
    assert Edge("Earth", "Moon", "links to") in items


def test_a_zipped_dump_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    many = "".join(page(f"Page {n}", 0, "", f"Number {n} of {n * 7919 % 9973}.") for n in range(5000))
    for name, whole in (
        ("x.xml.gz", gzip.compress((HEAD + many + END).encode())),
        ("x.xml.bz2", bz2.compress(f"{HEAD}{many}".encode(), 1) + bz2.compress(END.encode())),
    ):
        *good, failure = read(source_of(tmp_path / name, whole[: len(whole) * 3 // 4]))
        assert 1000 < len(good) < 5000
        assert isinstance(failure, LoadFailure)
        assert failure.reason.startswith("broken or cut off after the page 'Page ")
    [failure] = read(source_of(tmp_path / "y.xml.bz2", b"not zipped"))
    assert isinstance(failure, LoadFailure)


def test_a_dump_without_articles_is_named(tmp_path: Path) -> None:
    source = source_of(tmp_path / "x.xml", dump(PAGES[-2:]).encode())
    assert list(read(source)) == [LoadFailure(str(tmp_path / "x.xml"), "no article in it")]


def test_other_xml_is_no_dump(tmp_path: Path) -> None:
    (tmp_path / "feed.xml").write_text("<rss><mediawiki/></rss>")
    (tmp_path / "notes.xml").write_text("<?xml version='1.0'?>\n<notes>About &lt;mediawiki&gt;</notes>")
    (tmp_path / "wiki.xml").write_text("\ufeff<?xml version='1.0'?>\n<!-- made by hand -->\n" + dump(), "utf-8")
    found = discover([tmp_path])
    assert [source.path.name for source in found.sources if source.loader is BY_NAME["mediawiki"]] == ["wiki.xml"]


def test_entities_are_not_resolved_without_end(tmp_path: Path) -> None:
    declared = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    bomb = f"<!DOCTYPE mediawiki [<!ENTITY e0 'ha'>{declared}]>" + HEAD + page("A", 0, "", "Words") + END
    (tmp_path / "x.xml").write_text(bomb.replace("Words", "Words &e9;"))
    assert all(
        len(item.text) < 100
        for item in read(Source(tmp_path / "x.xml", BY_NAME["mediawiki"], tmp_path))
        if isinstance(item, Document)
    )


MEASURE = """
import resource, sys
from pathlib import Path
from clew.memory.knowledge.loaders.registry import BY_NAME, read
from clew.memory.knowledge.loaders.source import Source
path = Path(sys.argv[1])
source = Source(path, BY_NAME["mediawiki"], path)
count = sum(1 for _ in read(source))
print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_one_page_at_a_time_is_in_memory(tmp_path: Path) -> None:
    """Eight times the pages take no more memory, though their text is 22 MB more."""
    peaks = {}
    for pages in (1_000, 8_000):
        path = tmp_path / f"{pages}.xml"
        with path.open("w") as file:
            file.write(HEAD)
            file.writelines(
                page(f"Page {n}", 0, "", f"Words {n}.\n== More ==\n{'filling ' * 400}") for n in range(pages)
            )
            file.write(END)
        done = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True)
        count, peak = map(int, done.stdout.split())
        assert count == pages
        peaks[pages] = peak / 1024
    assert peaks[8_000] < peaks[1_000] + 8, f"MiB: {peaks}"


# Titles, links and first paragraphs as MediaWiki has them.

WIKI = NAMESPACES
GERMAN = {**NAMESPACES, "kategorie": 14, "datei": 6}

MOON = """{{Short description|A natural satellite}}
{{Infobox planet
| name = Moon
| parent = [[Earth]]
}}
[[File:FullMoon.jpg|thumb|The [[full moon]], seen from [[Belgium]]]]
{| class="wikitable"
| a cell || [[Cell link]]
|}
<!-- [[Hidden]] -->
The '''Moon''' ({{IPA|mu:n}}, {{lang|la|Luna}}; ''Luna'') is [[Earth]]'s only [[natural satellite|satellite]].<ref
name="x">{{cite|[[The Guardian]]}}</ref><ref name="y" /> It is far away &ndash; see [[café_society#History|coffee]].
It has [http://example.org no air].

A second paragraph.
== History ==
See [[earth#Orbit]], [[:Category:Moons]], [[Image:x.png]], [[#here]],
<nowiki>[[No]]</nowiki>.
[[Category:Moons of Earth|*]] [[ category : Light sources ]]
"""


def test_the_first_paragraph_is_the_words_alone() -> None:
    assert first_paragraph(MOON, WIKI) == (
        "The Moon (Luna) is Earth's only satellite. It is far away – see coffee. It has no air."
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("{{Infobox}}\n\n__NOTOC__\n\n== Only ==\na heading", ""),
        ("{{Infobox\n| a = {{b|[[c]]}}\n}}\n\n[[File:a.png|x [[y]] z]]\n\nWords, at last.", "Words, at last."),
        ("A [[moon|moon's]] '''''bold''''' ''word'' , here.", "A moon's bold word, here."),
        ("100 km ( ) is [[Größe|groß]]&nbsp;genug.", "100 km is groß genug."),
        ("[[:File:a.png]] is a [[:Category:Files|file]].", "File:a.png is a file."),
        ("<gallery>\nFile:a.png|Not this\n</gallery>\nBut this.<br />And this.", "But this. And this."),
        ("<div>[[File:a.png|Not this]] {{nor this}}Words</div>", "Words"),
        ("An unclosed <!-- comment", "An unclosed"),
    ],
)
def test_what_is_no_words_is_dropped(text: str, words: str) -> None:
    assert first_paragraph(text, WIKI) == words


def test_links_lead_to_articles_of_this_wiki_and_categories_are_those_of_the_page() -> None:
    def titles(text: str, namespaces: Namespaces, wanted: int = 0) -> list[str]:
        return [title for namespace, title in linked(text, namespaces) if title and namespace == wanted]

    articles = ["Earth", "Full moon", "Belgium", "Cell link", "Earth", "Natural satellite", "Café society", "Earth"]
    assert titles(MOON, WIKI) == articles
    assert titles("[[Star Trek: Picard]] [[Re:Zero]] [[Image:About.png]]", WIKI) == ["Star Trek: Picard", "Re:Zero"]
    assert titles("[[Datei:a.png]] [[Mond]]", GERMAN) == ["Mond"]
    assert titles(MOON, WIKI, CATEGORY) == ["Moons of Earth", "Light sources"]
    of_both = "[[Kategorie:Monde]] [[Category:Himmel]] [[:Kategorie:Nur genannt]]"
    assert titles(of_both, GERMAN, CATEGORY) == ["Monde", "Himmel"]


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("natural_satellite ", "Natural satellite"),
        ("élan  vital#Section 2", "Élan vital"),
        ("AT%26T", "AT&T"),
        ("R&amp;D", "R&D"),
        ("100% cotton", "100% cotton"),
        ("ßeta", "ßeta"),
        ("moon\u200e", "Moon"),
        ("cafe\u0301", "Café"),
        ("#History", ""),
    ],
)
def test_a_title_is_written_in_many_ways(written: str, title: str) -> None:
    assert title_of(written) == title
