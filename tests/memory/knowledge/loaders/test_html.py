from pathlib import Path

import pytest

from tests.memory.knowledge.loaders.reading import document, reason

PAGE = """<?xml version="1.0" encoding="utf-8"?>
<html><head><title>The Moon | A Site</title><style>p {}</style></head><body>
<header>Logo</header><nav>Menu <a href="x">Link</a></nav>
<h1>The <em>Moon</em></h1>
<p>One <b>two</b>,<!-- hidden -->
  three.<script>f()</script> Caf&eacute; soft&shy;ly</p>
<ul><li>a</li><li><p>b</p></li></ul><ol start="x"><li>First</li><li>Then<ol start="3"><li>Third</li></ol></li></ol>
<table><caption>Masses</caption><tr><th>name</th><th>mass</th></tr><tr><td>Earth<br>Moon</td><td>1</td></tr></table>
<pre>code
  more</pre>after<br>it
<table><tr><td><h2>A laid out page</h2><p>Left</p></td><td><p>Right</p></td></tr></table>
<article><header>Kept: by whom</header></article>
<div role="navigation">More menu</div><div hidden>Not seen</div><aside>Beside</aside><footer>Foot</footer> the end
</body></html>"""


def test_words_stay_in_blocks_and_the_chrome_goes(tmp_path: Path) -> None:
    assert document(tmp_path / "x.html", PAGE).text == (
        "The Moon\n\n"
        "One two, three. Café softly\n\n"
        "- a\n\n- b\n\n"
        "1. First\n2. Then\n  3. Third\n\n"
        "Masses\nname | mass\nEarth Moon | 1\n\n"
        "    code\n      more\n\n"
        "after\nit\n\n"
        "A laid out page\n\nLeft\n\nRight\n\n"
        "Kept: by whom\n\n"
        "the end"
    )


def test_terms_stand_with_what_they_mean_and_signs_for_links_and_contents_go(tmp_path: Path) -> None:
    page = (
        '<h1>Words<a class="headerlink" href="#w">\u00b6</a></h1><div class="toc"><dl><dt>1. Words</dt></dl></div>'
        "<dl><dt>Signs</dt></dl><p>Ours.</p>"
        "<dl><dt>album</dt><dd>Photos of one person.</dd><dt></dt><dt>vault</dt> <dt>safe</dt>"
        "<dd><p>A shelf with a lock.</p><p>It has a key.</p></dd><dt>list:</dt><dd><ul><li>one</li></ul></dd></dl>"
        '<h2>Notes <a href="#n">#</a></h2><dl><dt>Who made it?</dt><dd>Ann Lee.</dd></dl>'
    )
    assert document(tmp_path / "x.html", page).text == (
        "Words\n\n- Signs\n\nOurs.\n\n"
        "- album: Photos of one person.\n- vault, safe: A shelf with a lock.\n\nIt has a key.\n\n"
        "- list:\n\n- one\n\n"
        "Notes\n\nWho made it?\n\nAnn Lee."
    )


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("At most 2<sup>31</sup>-1 rows of 10<sup>-3</sup> m", "At most 2\u00b3\u00b9-1 rows of 10\u207b\u00b3 m"),
        ("on the 1<sup>st</sup> day", "on the 1st day"),
        ('<div class="navheader"><table><tr><td>Prev</td><td>Next</td></tr></table></div><p>Loans', "Loans"),
        ("<p>One<br>two\x01three, <b>four\x02five</b></p>", "One\ntwo\x01three, four\x02five"),
        ("<nav>Only <b>this</b></nav>", "Only this"),
    ],
    ids=["powers", "no powers", "around a page of a manual", "control characters", "nothing but menus"],
)
def test_what_is_read_of_a_page(tmp_path: Path, page: str, text: str) -> None:
    assert document(tmp_path / "x.html", page).text == text


def test_headings_are_marked_and_the_title_loses_the_site(tmp_path: Path) -> None:
    page = document(tmp_path / "x.html", PAGE)
    assert [mark.text for mark in page.headings] == ["The Moon", "A laid out page"]
    assert all(page.text.startswith(mark.text, mark.start) for mark in page.headings)
    assert page.title == "The Moon"


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title> A  title </title><h1>Another</h1>", "A title"),
        ("<h1>A <i>heading</i></h1>", "A heading"),
        ("<p>Words", "my page"),
    ],
)
def test_the_title_is_the_pages_then_the_heading_then_the_file(tmp_path: Path, page: str, title: str) -> None:
    assert document(tmp_path / "my_page.htm", f"{page}<p>More").title == title


def test_a_page_is_read_in_the_encoding_that_it_declares(tmp_path: Path) -> None:
    page = '<meta charset="{}"><p>Ĝi estas “bona”'
    for declared, encoding in (("utf-8", "utf-8"), ("iso-8859-3", "iso-8859-3"), ("utf-16", "utf-8")):
        text = page.format(declared).replace("“", "'").replace("”", "'")
        assert document(tmp_path / "x.html", text.encode(encoding)).text == "Ĝi estas 'bona'"
    western = '<meta charset="iso-8859-1"><p>café “bon”'
    assert document(tmp_path / "x.html", western.encode("cp1252")).text == "café “bon”"
    assert document(tmp_path / "x.html", western.encode("utf-16")).text == "café “bon”"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (b"<!-- nothing -->", "empty"),
        (b"<html><script>f()</script></html>", "empty"),
        (b"<p>a\0b", "not a text: it holds NUL bytes"),
        (b"<div>" * 5000 + b"deep", "HTML whose tags lie more than 2,000 deep in one another"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_reason(tmp_path: Path, data: bytes, why: str) -> None:
    assert reason(tmp_path / "x.html", data) == why


def test_authors_and_tags_are_those_of_the_head(tmp_path: Path) -> None:
    head = "".join(
        f'<meta {kind}="{name}" content="{content}">'
        for kind, name, content in (
            ("name", "Author", "Ann  Lee"),
            ("property", "article:author", "https://example.org/ann"),
            ("name", "keywords", "roof, rain"),
            ("property", "article:tag", "house"),
            ("name", "description", "nothing"),
        )
    )
    read_ = document(tmp_path / "x.html", f'<html><head>{head}</head><body><meta name="author" content="no">T</body>')
    assert (read_.author, read_.tags) == ("Ann Lee", "roof, rain, house")
