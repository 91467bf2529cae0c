"""The summary of a document: what is told of it, in which order, and that it is quoted."""

from collections.abc import Sequence

import numpy as np

from clew.memory.datatypes import Document, Mark, Vectors
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.summary import MOST_WORDS, summary_of
from clew.memory.text import Span, split
from clew.memory.vectors import unit

MINUTES = """Minutes of 12 June

Present: Marguerite (chair), Osman, Per.

Extractor
Delivered on 26 May, three weeks late. The lid had a dent; the maker takes 75 off the price.

Summer fair
Moved to Sunday 13 July. Reason: the school has its sports day on the 6th.

Course
11 people came, 2 gave up. Money left over after books and candles: 187.
"""


def sentences(document: Document, encoder: CachedEncoder) -> tuple[Sequence[Span], Vectors]:
    spans = split(document.text)
    return spans, encoder.encode([document.text[start:end] for start, end in spans], "passage")


def test_each_entry_of_minutes_is_told_under_its_heading_and_labels_before_the_rest(encoder: CachedEncoder) -> None:
    heads = [line for line in MINUTES.splitlines() if line in ("Extractor", "Summer fair", "Course")]
    marks = tuple(Mark(MINUTES.index(f"\n{head}\n") + 1, head) for head in heads)
    document = Document("m", "Minutes of 12 June", MINUTES, headings=marks)
    lines = summary_of(document, *sentences(document, encoder), most_words=30)
    assert [(line.label, document.text[line.start : line.end]) for line in lines if line.label] == [
        ("Extractor", "Delivered on 26 May, three weeks late."),
        ("Summer fair", "Moved to Sunday 13 July."),
        ("Summer fair", "Reason: the school has its sports day on the 6th."),
        ("Course", "11 people came, 2 gave up."),
    ]
    assert [line.start for line in lines] == sorted(line.start for line in lines)


def test_a_long_document_is_told_over_the_whole_of_it(encoder: CachedEncoder) -> None:
    topics = ("bees", "clocks", "rivers", "bread", "glass", "trains")
    parts = [
        f"The {topic} of the valley are old. " + " ".join(f"Person {n} wrote a book on {topic}." for n in range(20))
        for topic in topics
    ]
    document = Document(
        "d", "The valley", "\n\n".join(parts) + "\n\nReferences\n\nSmith on bees, a book of the valley.\n"
    )
    lines = summary_of(document, *sentences(document, encoder))
    words = sum(len(document.text[line.start : line.end].split()) for line in lines)
    assert len(lines) >= 4 and words <= MOST_WORDS
    places = [line.start / len(document.text) for line in lines]
    assert places[0] < 0.2 and places[-1] > 0.8 and max(np.diff(places)) < 0.4
    assert all("Smith" not in document.text[line.start : line.end] for line in lines)
    assert len({document.text[line.start : line.end] for line in lines}) == len(lines)


def test_where_nothing_reads_as_a_sentence_there_is_none() -> None:
    document = Document("c", "codes", "https://a.example\n\n= == {}\n")
    spans = split(document.text)
    assert summary_of(document, spans, unit(np.ones((len(spans), 4), np.float32))) == []


def test_a_heading_is_no_sentence_of_what_stands_under_it(encoder: CachedEncoder) -> None:
    text = "Prices\n\nWhich course do you want to take?\n\nOpen: 10 to 18"
    document = Document("d", "Studio FAQ", text, headings=(Mark(0, "Prices"),))
    told = [text[line.start : line.end] for line in summary_of(document, *sentences(document, encoder))]
    assert "Prices" not in told
