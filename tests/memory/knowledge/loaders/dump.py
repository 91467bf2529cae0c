"""A small Wikipedia dump, written by hand: everything that a page can be."""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="4" case="first-letter">Wikipedia</namespace>
      <namespace key="6" case="first-letter">File</namespace>
      <namespace key="14" case="first-letter">Category</namespace>
    </namespaces>
  </siteinfo>
"""
END = "</mediawiki>\n"

MOON = """{{Infobox planet | name = Moon | parent = [[Earth]]}}
[[File:Full Moon.jpg|thumb|The Moon over [[Château d'If]]]]
{| class="wikitable"
| cell
|}
The '''Moon''' is the only [[natural satellite]] of [[earth|the Earth]].<ref>[[The Guardian]]</ref>

It pulls at the sea: see [[Tide_(sea)#Causes|tides]], [[Lunar]] and [[Mercury]].
== Elsewhere ==
[[fr:Lune]] [[File:Other.jpg]] [[:Category:Moons]] [[Nowhere]] [[Moon]] [[Loop A]]
[[Category:Moons|Moon]]
"""
PAGES: Sequence[tuple[str, int, str, str]] = (
    ("Moon", 0, "", MOON),
    ("Luna", 0, "Moon", "#REDIRECT [[Moon]]"),
    ("Lunar", 0, "Satellite", "#REDIRECT [[Satellite]]"),
    ("Satellite", 0, "Natural satellite#Kinds", "#REDIRECT [[Natural satellite#Kinds]]"),
    ("Loop A", 0, "Loop B", "#REDIRECT [[Loop B]]"),
    ("Loop B", 0, "Loop A", "#redirect [[loop A]]"),
    ("Natural satellite", 0, "", "A '''natural satellite''' orbits a planet.\n[[Category:Moons]]"),
    ("Earth", 0, "", "The '''Earth''' is a planet with one [[luna]].\n[[Category:Planets of the Solar System]]"),
    ("Tide (sea)", 0, "", "'''Tides''' rise twice a day & follow the [[Moon]]."),
    ("Château d'If", 0, "", "The '''Château d'If''' is a fortress on the island of [[Île d'If|If]], near the sea."),
    ("Île d'If", 0, "", "* [[Château d'If]]\n{{stub}}"),
    ("Mercury", 0, "", "'''Mercury''' may be:\n* [[Earth|not Earth]]\n{{disambiguation}}"),
    ("Blank", 0, "", ""),
    ("Talk:Moon", 1, "", "Is the [[Earth]] flat?"),
    ("Category:Moons", 14, "", "What orbits [[Earth]]."),
)


def dump(pages: Sequence[tuple[str, int, str, str]] = PAGES) -> str:
    return HEAD + "".join(page(*one) for one in pages) + END


def page(title: str, namespace: int, target: str, text: str) -> str:
    redirect = f"<redirect title={quoteattr(target)} />" if target else ""
    return (
        f"  <page><title>{escape(title)}</title><ns>{namespace}</ns><id>1</id>{redirect}\n"
        f"    <revision><id>2</id><text bytes='9' xml:space='preserve'>{escape(text)}</text></revision></page>\n"
    )
