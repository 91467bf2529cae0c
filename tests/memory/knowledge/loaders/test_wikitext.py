"""Titles, links and first paragraphs as MediaWiki has them."""

import pytest

from clew.memory.knowledge.loaders.wikipedia import (
    NAMESPACES,
    Wiki,
    categories,
    first_paragraph,
    is_disambiguation,
    links,
    redirect_of,
)

WIKI = Wiki()
GERMAN = Wiki({**NAMESPACES, "kategorie": 14, "datei": 6})

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
See [[earth#Orbit]], [[:Category:Moons]], [[fr:Lune]], [[wikt:moon]], [[Image:x.png]], [[#here]],
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
        ("[[:File:a.png]] is a [[:Category:Files|file]].", ":File:a.png is a file."),
        ("<gallery>\nFile:a.png|Not this\n</gallery>\nBut this.<br />And this.", "But this. And this."),
        ("<div>[[File:a.png|Not this]] {{nor this}}Words</div>", "Words"),
        ("An unclosed <!-- comment", "An unclosed"),
    ],
)
def test_what_is_no_words_is_dropped(text: str, words: str) -> None:
    assert first_paragraph(text, WIKI) == words


def test_links_lead_to_articles_of_this_wiki() -> None:
    assert links(MOON, WIKI) == ["Earth", "Full moon", "Belgium", "Cell link", "Natural satellite", "Café society"]
    assert links("[[Star Trek: Picard]] [[Re:Zero]] [[zh-min-nan:A]] [[Wikipedia:About]]", WIKI) == [
        "Star Trek: Picard",
        "Re:Zero",
    ]
    assert links("[[Datei:a.png]] [[Mond]]", GERMAN) == ["Mond"]


def test_categories_are_those_that_the_page_is_in() -> None:
    assert categories(MOON, WIKI) == ["Moons of Earth", "Light sources"]
    assert categories("[[Kategorie:Monde]] [[Category:Himmel]] [[:Kategorie:Nur genannt]]", GERMAN) == [
        "Monde",
        "Himmel",
    ]


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
    assert WIKI.title(written) == title


def test_a_wiktionary_tells_polish_from_its_capital() -> None:
    assert Wiki(first_letter=False).title("polish") == "polish"


def test_pages_that_are_no_articles_are_known() -> None:
    assert redirect_of("#REDIRECT [[Moon#Phases|x]]") == "Moon#Phases"
    assert redirect_of(" #redirect: [[Moon]]") == "Moon"
    assert redirect_of("Not a #REDIRECT [[Moon]]") == ""
    assert is_disambiguation("Mercury", "'''Mercury''' may be:\n* [[A]]\n{{disambiguation|geo}}")
    assert is_disambiguation("Mercury (disambiguation)", "")
    assert is_disambiguation("Smith", "{{human name disambiguation}}")
    assert not is_disambiguation(
        "Moon", "{{About|the satellite|other uses|Moon (disambiguation)}} {{disambiguation needed}}"
    )


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["<ref name='a' ", "{{a|[[b|", "<div>", "'''''a", "{| x\n|-\n| y\n", "<!-"])
def test_markup_that_nobody_closed_costs_no_more_than_a_moment(piece: str) -> None:
    assert len(first_paragraph(piece * 20_000, WIKI)) <= 4_000
