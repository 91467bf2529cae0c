"""The summary of a document: what is told of it, in which order, and that it is quoted."""

import numpy as np

from clew.agent.answer.summary import MOST_WORDS, first_sentence, summary_of
from clew.memory.datatypes import Document, Mark, Vectors
from clew.memory.encoding import CachedEncoder
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


def sentences(document: Document, encoder: CachedEncoder) -> tuple[list[Span], Vectors]:
    spans = split(document.text)
    return spans, encoder.encode([document.text[start:end] for start, end in spans], "passage")


def test_each_entry_of_minutes_is_told_by_its_first_sentence_under_its_heading(encoder: CachedEncoder) -> None:
    heads = [line for line in MINUTES.splitlines() if line in ("Extractor", "Summer fair", "Course")]
    marks = tuple(Mark(MINUTES.index(f"\n{head}\n") + 1, head) for head in heads)
    document = Document("m", "Minutes of 12 June", MINUTES, headings=marks)
    lines = summary_of(document, *sentences(document, encoder), most_words=30)
    told = {line.label: document.text[line.start : line.end] for line in lines if line.label}
    assert told == {
        "Extractor": "Delivered on 26 May, three weeks late.",
        "Summer fair": "Moved to Sunday 13 July.",
        "Course": "11 people came, 2 gave up.",
    }
    assert [line.start for line in lines] == sorted(line.start for line in lines)


def test_what_people_say_tells_no_story(encoder: CachedEncoder) -> None:
    said = "\n\n".join(
        f"\u2018I want a castle, fish,\u2019 said wife {n}. \u2018It is a castle.\u2019" for n in range(9)
    )
    text = f"A fisherman lived by the sea.\n\nA fish came up to him.\n\n{said}\n\nThey live by the sea to this day."
    document = Document("d", "The fish", text)
    lines = summary_of(document, *sentences(document, encoder), most_words=25)
    told = [document.text[line.start : line.end] for line in lines]
    assert told[0].startswith("A fisherman") and told[-1].startswith("They live")


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
    assert first_sentence(document, spans, 16) is None


def test_the_first_sentence_stands_alone() -> None:
    text = "Guide\n\nIt is short.\n\nSee section 4 for details.\n\nThe club keeps eleven hives in the orchard.\n"
    document = Document("g", "Guide", text)
    found = first_sentence(document, split(text), 16)
    assert found is not None and text[slice(*found)] == "The club keeps eleven hives in the orchard."


def test_of_a_numbered_list_each_item_is_told_by_its_beginning(encoder: CachedEncoder) -> None:
    items = [
        "1. Parking. The county offers permits for the first car of a house. Mr Devane writes to the county.",
        "2. Street party. Saturday 30 August, if it rains on Sunday. Every house brings a table.",
        "3. The lime tree. It stays. The county finds it healthy, but cuts a branch in November.",
    ]
    text = "Minutes\n\nPresent: 11 of 18 houses.\n\n" + "\n\n".join(items) + "\n"
    document = Document("m", "Minutes", text)
    told = [text[line.start : line.end] for line in summary_of(document, *sentences(document, encoder))]
    assert [one.split(".")[0] for one in told] == ["1", "2", "3"]
    assert "county offers permits" in told[0] and "30 August" in told[1] and all(one in text for one in told)


def test_short_sentences_are_told_and_no_heading_in_their_place(encoder: CachedEncoder) -> None:
    text = "# Garden diary\n\n## 4 April 2023\n\nSowed the peas.\n\n## 2 July 2023\n\nFirst peas picked.\n"
    marks = tuple(
        Mark(text.index(head), head.strip("# ")) for head in ("# Garden", "## 4 April 2023", "## 2 July 2023")
    )
    document = Document("d", "Garden diary", text, headings=marks)
    found = summary_of(document, *sentences(document, encoder))
    assert [(line.label, text[line.start : line.end]) for line in found] == [
        ("4 April 2023", "Sowed the peas."),
        ("2 July 2023", "First peas picked."),
    ]


def test_short_lists_are_told_whole_and_what_answers_nothing_is_not(encoder: CachedEncoder) -> None:
    text = (
        "# Hut\n\n## Opening hours\n\n- Monday: 9 to 12\n- Friday: closed\n\n"
        "## Can I pay by card?\n\nOnly in cash. The bank is in Ullaby.\n\n"
        "## Keys\n\nThe keys hang in the shop by the church. To fetch one:\n\n"
        "1. Write a mail to the shop.\n2. Sign the book there.\n\n"
        "## Pointers\n\nSee the page on the bogs of Orma below.\n\n$ hut --beds\nbeds: 22\n"
    )
    heads = ("# Hut", "## Opening hours", "## Can I pay by card?", "## Keys", "## Pointers")
    document = Document("d", "Hut", text, headings=tuple(Mark(text.index(one), one.strip("# ")) for one in heads))
    found = summary_of(document, *sentences(document, encoder))
    told: dict[str, list[str]] = {}
    for line in found:
        told.setdefault(line.label, []).append(text[line.start : line.end])
    assert told["Opening hours"] == ["- Monday: 9 to 12", "- Friday: closed"]
    assert told["Can I pay by card?"][0] == "Only in cash."
    assert told["Keys"][-3:] == ["To fetch one:", "1. Write a mail to the shop.", "2. Sign the book there."]
    assert "Pointers" not in told
