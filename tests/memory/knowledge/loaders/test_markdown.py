from pathlib import Path

from clew.memory.datatypes import Document
from clew.memory.knowledge.loaders.registry import discover, read

PAGE = """---
title: "The front: a title"
tags: [a, b]
---
# The *Moon* and `us`

Some **bold** words with a [link](http://example.org/x "t"), ![a picture](a.png) and <b>HTML</b><br>wrapped
here. See <https://example.org>. AT&amp;T

Size
----

- one
- two
  1. inner
  2. more

| name | mass |
|---|---|
| Earth | **5.97** |

```python
def f():
    return 1
```

> a quotation

<div>a block <i>of HTML</i></div>

<!-- a comment -->

[ref]: http://example.org
"""


def document(path: Path, text: str) -> Document:
    path.write_text(text, "utf-8")
    [source] = discover([path]).sources
    [item] = read(source)
    assert isinstance(item, Document)
    return item


def test_words_stay_and_markup_goes(tmp_path: Path) -> None:
    assert document(tmp_path / "x.md", PAGE).text == (
        "The Moon and us\n\n"
        "Some bold words with a link, and HTML\nwrapped\nhere. See https://example.org. AT&T\n\n"
        "Size\n\n"
        "- one\n- two\n1. inner\n2. more\n\n"
        "name | mass\nEarth | 5.97\n\n"
        "    def f():\n        return 1\n\n"
        "a quotation\n\n"
        "a block of HTML"
    )


def test_headings_are_marked_where_they_stand(tmp_path: Path) -> None:
    read_ = document(tmp_path / "x.md", PAGE)
    assert [mark.text for mark in read_.headings] == ["The Moon and us", "Size"]
    assert all(read_.text.startswith(mark.text, mark.start) for mark in read_.headings)


def test_the_title_is_that_of_the_front_matter_then_of_the_first_heading_then_of_the_file(tmp_path: Path) -> None:
    assert document(tmp_path / "x.md", PAGE).title == "The front: a title"
    assert document(tmp_path / "x.md", "## Small\n\n# Large\n\nText\n\n# Other").title == "Large"
    assert document(tmp_path / "my-notes.md", "## Small\n\nText").title == "my notes"


def test_a_rule_at_the_top_is_no_front_matter(tmp_path: Path) -> None:
    assert document(tmp_path / "x.md", "---\n\nOne.\n\n---\n\nTwo.\n").text == "One.\n\nTwo."


def test_authors_and_tags_are_those_of_the_front_matter(tmp_path: Path) -> None:
    assert document(tmp_path / "x.md", PAGE).tags == "a, b"
    for front, author, tags in (
        ("author: Ann Lee\ntags: roof, rain", "Ann Lee", "roof, rain"),
        ("Authors: [Ann, 'Ben']\nkeywords:\n  - roof\n  - '#rain'\n  - roof", "Ann, Ben", "roof, rain"),
        ("authors:\n- name: Ann\n- Ben\ncategory: house", "Ann, Ben", "house"),
        ("authority: the council\nstages: two", "", ""),
    ):
        read_ = document(tmp_path / "x.md", f"---\n{front}\n---\nText\n")
        assert (read_.author, read_.tags, read_.text) == (author, tags, "Text")
