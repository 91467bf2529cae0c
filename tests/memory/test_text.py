import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.memory.text import blocks, split

WORDS = st.sampled_from(
    ["Moon", "orbit.", "Dr.", "U.S.", '"Go!"', "Ĉu", "- ", "1.", "# ", "3.14", "🌕", "(a)", "it's", "?", "--"]
)
TEXTS = st.one_of(
    st.text(), st.lists(st.one_of(WORDS, st.sampled_from([" ", "\n", "\n\n", "\r\n", "\t"]))).map("".join)
)


def sentences(text: str) -> list[str]:
    return [" ".join(text[start:end].split()) for start, end in split(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. B. R. Ambedkar read a paper at Columbia.",
        "He read it to Prof. A. A. Goldenweizer, e.g. in the U.S. and the U.K. for years.",
        "He left at 5 p.m. on 9 Jan. 1916 with J. R. R. Tolkien.",
        "Ŝi loĝas en la domo de S-ro Zamenhof 🎉 ĉe la ĝardeno.",
        "Mr. and Mrs. Smith vs. St. Louis, No. 5.",
    ],
)
def test_abbreviations_initials_and_decimals_do_not_end_a_sentence(text: str) -> None:
    assert sentences(f"{text} Then came more.") == [text, "Then came more."]


WRAPPED = (
    "Many of us, I dare say, have witnessed local, national or international\nexpositions of material objects.| But "
    "few can entertain the idea of there being such a thing\nas an exposition of human institutions.\n"
)
LINES = (
    "The first probes|\nLuna 1 was the first spacecraft to fly past the Moon, and it was launched in\nJanuary 1959.| "
    "Korolev led the work.|\nRangers|\nThe American answer was a series of probes that were called Ranger, and each of "
    "them\nfell.|\n\n- one thing|\n- another|\n1. First|\n2.\nSecond|\n\nname : mass"
)


@pytest.mark.parametrize(
    "text",
    [
        "Ĉu vi?| 🎉🎉 Jes!| 那是一只猫。|它很大！| Fin.",
        WRAPPED,
        LINES,
        '"Really? I am here."| She left.',
        "Open the .gnucash.OLD file or .OFX first.| See /etc/Clock.Conf.D and click.Group.| The end.| The next.",
    ],
)
def test_sentences_end_at_each_bar(text: str) -> None:
    assert sentences(text.replace("|", "")) == [" ".join(one.split()) for one in text.split("|")]


def test_rows_are_sentences_of_their_own() -> None:
    assert sentences("name | mass\nEarth | 5.97\nMoon | 0.07") == ["name | mass", "Earth | 5.97", "Moon | 0.07"]


def test_a_long_passage_in_quotes_is_split_within() -> None:
    inner = "A Roth IRA is simply a tax-sheltered account. You could open one with a broker. It's not hard. " * 4
    found = sentences(f'"{inner}The employers\' ""sale"" came. "Then I left," he said. "Good." End of it."')
    assert len(found) == 16
    assert found[0] == '"A Roth IRA is simply a tax-sheltered account.'
    assert found[-3:] == ['"Then I left," he said.', '"Good."', 'End of it."']


def test_an_unclosed_bracket_does_not_swallow_the_rest() -> None:
    assert len(split("1) Most retail traders lose money. There are many reasons for this. " * 8)) >= 15


@given(TEXTS)
@example("A.\x1cB.")
@example('"' + "One. Two. " * 40)
def test_spans_are_stripped_apart_in_order_and_leave_nothing_out(text: str) -> None:
    for spans in (split(text), blocks(text)):
        covered = [False] * len(text)
        before = 0
        for start, end in spans:
            assert before <= start < end <= len(text)
            assert text[start:end] == text[start:end].strip()
            covered[start:end] = [True] * (end - start)
            before = end
        assert all(inside or character.isspace() for inside, character in zip(covered, text, strict=True))


@pytest.mark.soak
def test_a_wrapped_book_is_read_by_sentences(data: Path) -> None:
    text = (data / "ambedkar" / "castes_in_india_1917.txt").read_text("utf-8")
    found = sentences(text)
    assert "From : Indian Antiquary, May 1917, Vol. XLI" in " ".join(found[:6])
    assert "Ethnically all people are heterogeneous." in found
    # Nearly all begin with a capital, a digit or a quotation mark, so they are not cut at the ends of lines.
    odd = [sentence for sentence in found if sentence[0].islower()]
    assert len(odd) < 0.03 * len(found)


def test_a_paragraph_without_end_is_split_in_linear_time() -> None:
    started = time.process_time()
    for text in ("\u201c" * 200_000, "\u201ca\u201d " * 40_000, "(" * 200_000):
        assert split(text)
    assert time.process_time() - started < 12, "about 2 s; more than a minute where it is read at once"


def test_a_long_paragraph_is_split_as_a_short_one() -> None:
    sentences = [f"Lamp {number} of the harbour, by J. Smith, is lit at 5.30 p.m. by hand." for number in range(400)]
    text = " ".join(sentences)
    assert [text[start:end] for start, end in split(text)] == sentences


def test_what_was_written_in_lines_is_not_wrapped() -> None:
    def parts(text: str) -> list[str]:
        return [text[slice(*span)] for span in split(text)]

    small = "boss: Karl Huber\nsalary 2,450 gross\nholidays: 25 days, must be taken by March\nlunch 12 to 12:30"
    assert parts(small) == small.split("\n")
    assert parts("Grout colour: light grey\nWarranty: 5 years") == ["Grout colour: light grey", "Warranty: 5 years"]
    wrapped = (
        "The quick brown fox jumps over the lazy dog and then it goes on to\njump over the other dogs that lie in "
    )
    wrapped += "the sun beside the\nriver, which nobody had expected of a fox that is as old as\nthis one."
    assert parts(wrapped) == [wrapped]
    item = "- Present: Anna, Ben\n- We buy the new pump because the old one is broken\n  beyond repair\n- Next: 3 May"
    assert [one.split()[1] for one in parts(item)] == ["Present:", "We", "Next:"]
