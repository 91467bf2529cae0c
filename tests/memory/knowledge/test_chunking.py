import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.datatypes import Chunk, Document, Mark, Vectors
from clew.memory.encoding import CachedEncoder, embedded_text
from clew.memory.errors import BadInput
from clew.memory.knowledge.chunking import (
    ChunkerParameters,
    SemanticParameters,
    buffer_merge,
    chunks_of,
    distances,
    overlap_windows,
    parts,
)
from clew.memory.ports import Role
from clew.memory.text import Span, split
from tests.memory.dialogue.cases import hashed_vectors, unit
from tests.memory.knowledge.semrag import CASES, needs_cases, unit_test

SIZES = st.integers(4, 40)


class WordEncoder:
    """Its pieces are words and marks; with `greedy`, one more than the parts have wherever a text begins."""

    name, hash, dimension = "words", "0", 1

    def __init__(self, window: int, greedy: bool = False) -> None:
        self.window = window
        self._extra = int(greedy)

    def tokens(self, texts: Sequence[str]) -> list[list[Span]]:
        return [
            [(0, 0)] * self._extra + [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)] for text in texts
        ]

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        raise NotImplementedError

    def token_vectors(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        raise NotImplementedError


def document(text: str, title: str = "", headings: Sequence[str] = (), pages: Sequence[Mark] = ()) -> Document:
    marks = tuple(Mark(text.index(heading), heading) for heading in headings)
    return Document("d", title, text, "d.txt", tuple(pages), marks)


def cut(text: str, size: int, overlap: int = 1, **marks: Sequence[str]) -> list[str]:
    chunks = chunks_of(document(text, **marks), WordEncoder(size), ChunkerParameters(overlap=overlap))  # type: ignore[arg-type]
    return [part.text for part in chunks]


def check(doc: Document, chunks: Sequence[Chunk], window: int, encoder: WordEncoder | CachedEncoder) -> None:
    covered = [character.isspace() for character in doc.text]
    for number, part in enumerate(chunks):
        assert part.id == f"{doc.id}#{number}"
        assert part.text == doc.text[part.start : part.end] == part.text.strip() != ""
        covered[part.start : part.end] = [True] * len(part.text)
    assert all(covered)
    for before, after in pairwise(chunks):
        assert before.start < after.start
        assert before.end < after.end
    lengths = [len(pieces) for pieces in encoder.tokens([embedded_text(part) for part in chunks])]
    assert max(lengths, default=0) <= window


def test_a_short_document_is_one_chunk_with_its_place() -> None:
    doc = document("One. Two.", "Title")
    [part] = chunks_of(doc, WordEncoder(100), ChunkerParameters())
    assert part == Chunk("d#0", "d", "Title", "One. Two.", 0, 9, source="d.txt")
    assert embedded_text(part) == "Title\nOne. Two."


def test_sentences_stay_whole_and_one_is_repeated() -> None:
    text = "Aa bb cc. Dd ee. Ff gg hh ii jj. Kk. Ll mm nn oo pp."
    assert cut(text, 13) == ["Aa bb cc. Dd ee. Ff gg hh ii jj.", "Kk. Ll mm nn oo pp."]
    assert cut(text, 14) == ["Aa bb cc. Dd ee. Ff gg hh ii jj.", "Kk. Ll mm nn oo pp."]
    assert cut(text, 15) == ["Aa bb cc. Dd ee. Ff gg hh ii jj. Kk.", "Kk. Ll mm nn oo pp."]
    assert cut(text, 15, overlap=0) == ["Aa bb cc. Dd ee. Ff gg hh ii jj. Kk.", "Ll mm nn oo pp."]


def test_a_chunk_ends_before_a_heading_and_nothing_is_repeated_over_it() -> None:
    text = "Cats like warm milk. Dogs bark.\n\nHead\n\nCows moo. Sheep eat green grass. Pigs need deep mud."
    found = chunks_of(document(text, headings=["Head"]), WordEncoder(12), ChunkerParameters())
    assert [(part.text, part.heading) for part in found] == [
        ("Cats like warm milk. Dogs bark.", ""),
        ("Head\n\nCows moo. Sheep eat green grass.", "Head"),
        ("Pigs need deep mud.", "Head"),
    ]


def test_a_chunk_does_not_end_with_a_heading() -> None:
    text = "Cats like milk. Dogs bark loudly.\n\nHead\n\nSheep eat green grass on the hill."
    assert cut(text, 10, headings=["Head"]) == [
        "Cats like milk. Dogs bark loudly.",
        "Head\n\nSheep eat green grass on the hill.",
    ]


def test_pages_and_headings_are_those_where_the_chunk_begins() -> None:
    doc = document("Aa bb cc dd. Ee ff gg hh. Ii jj kk ll.", pages=[Mark(0, "i"), Mark(13, "ii"), Mark(30, "iii")])
    found = chunks_of(doc, WordEncoder(5), ChunkerParameters())
    assert [part.page for part in found] == ["i", "ii", "ii"]


def test_a_long_title_is_cut_where_it_is_embedded_and_kept_in_the_chunk() -> None:
    title = "Of the many things that a title can say " * 20
    [part] = chunks_of(document("Text.", title), WordEncoder(100), ChunkerParameters())
    assert part.title == title
    assert embedded_text(part).endswith(" that a title can\nText.")
    assert len(embedded_text(part)) < 210


def test_a_title_that_the_text_begins_with_is_embedded_once() -> None:
    first, *rest = chunks_of(
        document("Moon\n\nIt is far. " + "It is round. " * 9, "Moon"), WordEncoder(20), ChunkerParameters()
    )
    assert embedded_text(first).startswith("Moon\n\nIt")
    assert rest
    assert all(embedded_text(part).startswith("Moon\nIt") for part in rest)


def test_size_is_a_target_below_the_window() -> None:
    doc = document("One two three. " * 30, "T")
    encoder = WordEncoder(100)
    for size, most in ((20, 20), (None, 100), (500, 100)):
        chunks = chunks_of(doc, encoder, ChunkerParameters(size=size))
        assert max(len(pieces) for pieces in encoder.tokens([embedded_text(part) for part in chunks])) <= most
        check(doc, chunks, most, encoder)


WORDS = st.sampled_from(["moon", "Orbit.", "Dr.", '"Go!"', "Ĉu", "3.14", "🌕", "(a)", "it's", "what?", "x" * 30, "a-b"])
SPACES = st.sampled_from([" ", " ", " ", "\n", "\n\n", "\n- "])
TEXTS = st.lists(st.tuples(WORDS, SPACES), max_size=150).map(lambda parts: "".join(map("".join, parts)))


@given(
    st.one_of(TEXTS, st.text(max_size=300)), st.text(max_size=30), SIZES, st.integers(0, 3), st.booleans(), st.data()
)
@settings(deadline=None)
def test_chunks_cover_the_document_and_fit(
    text: str, title: str, size: int, overlap: int, greedy: bool, drawn: st.DataObject
) -> None:
    places = drawn.draw(st.sets(st.integers(0, max(0, len(text) - 1)), max_size=5))
    doc = Document("d", title, text, headings=tuple(Mark(place, "h") for place in sorted(places)))
    encoder = WordEncoder(size + len(title) + 2, greedy)
    check(doc, chunks_of(doc, encoder, ChunkerParameters(overlap=overlap)), encoder.window, encoder)


@given(TEXTS, st.sampled_from(["", "A title", "긴 제목 " * 60, "long " * 100]))
@settings(max_examples=50, deadline=None)
def test_chunks_fit_the_real_encoder(encoder: CachedEncoder, text: str, title: str) -> None:
    doc = Document("d", title, text * 8)
    check(doc, chunks_of(doc, encoder, ChunkerParameters()), encoder.window, encoder)


# Algorithm 1 with equations 1 and 2: on small cases by hand, on drawn ones by what has to hold, on the seed's own.

CATS = "Cats purr softly. Cats drink milk. Cats chase mice. Cats sleep long."
STARS = "Stars burn hydrogen. Stars form galaxies. Stars end cold. Stars shine far."


class MeaningEncoder(WordEncoder):
    """Words are its pieces and a bag of words is its vector: sentences with the same words mean the same."""

    dimension = 64

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        assert role == "sentence"
        return hashed_vectors(texts)


def turning(cosines: Sequence[float]) -> Vectors:
    """Rows (n, 2) whose neighbours have these cosines."""
    angles = np.cumsum([0.0, *np.arccos(cosines)])
    return unit(np.stack([np.cos(angles), np.sin(angles)], axis=1))


def test_windows_are_merged_with_their_neighbours() -> None:
    assert buffer_merge("abcd", 1) == ["ab", "abc", "bcd", "cd"]
    assert buffer_merge("abcd", 0) == ["a", "b", "c", "d"]
    assert buffer_merge("abcd", 9) == ["abcd"] * 4
    assert buffer_merge("", 2) == []


def test_a_distance_is_that_of_windows_a_step_apart() -> None:
    vectors = turning([0.8, 0.5, 1.0])
    assert distances(vectors, 1) == pytest.approx([0.2, 0.5, 0.0], abs=1e-6)
    assert distances(vectors, 3) == pytest.approx([1 - float(vectors[0] @ vectors[3])], abs=1e-6)
    assert distances(vectors, 4).shape == (0,)


def test_a_text_is_cut_where_its_words_change() -> None:
    doc = document(f"{CATS} {STARS}")
    found = chunks_of(doc, MeaningEncoder(100), SemanticParameters(buffer=1, threshold=0.5))
    assert [part.text for part in found] == [CATS, STARS]
    assert [part.id for part in found] == ["d#0", "d#1"]


@pytest.mark.parametrize("wrong", [{"size": 128}, {"size": 64}, {"overlap": -1}])
def test_what_cannot_be_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(BadInput, match=r"^[^\n]*\. Try: [^\n]*$"):
        SemanticParameters(**wrong)  # type: ignore[arg-type]


@given(st.integers(1, 6000), st.integers(1, 1200), st.data())
def test_windows_of_tokens(count: int, size: int, drawn: st.DataObject) -> None:
    overlap = drawn.draw(st.integers(0, size - 1))
    windows = overlap_windows(count, size, overlap)
    assert (windows[0][0], windows[-1][1]) == (0, count)
    assert all(0 < end - start <= size for start, end in windows)
    for before, after in pairwise(windows):
        assert before[1] - before[0] == size
        assert before[1] - after[0] == overlap
        assert before[1] < after[1]


@given(TEXTS, st.text(max_size=30), SIZES, st.integers(0, 3), st.floats(0, 1.2), st.booleans(), st.data())
@settings(deadline=None)
def test_chunks_cover_the_document_fit_and_keep_to_their_parts(
    text: str, title: str, window: int, buffer: int, threshold: float, greedy: bool, drawn: st.DataObject
) -> None:
    size = drawn.draw(st.integers(4, 60))
    parameters = SemanticParameters(buffer, threshold, None, size, drawn.draw(st.integers(0, size // 2)))
    doc, encoder = Document("d", title, text), MeaningEncoder(window + len(title) + 2, greedy)
    chunks = chunks_of(doc, encoder, parameters)
    check(doc, chunks, encoder.window, encoder)
    found = [part for segment in parts(text, split(text), encoder, parameters) for part in segment]
    for part in chunks:
        assert any(start <= part.start and part.end <= end for start, end in found)


@needs_cases
def test_the_seeds_unit_tests(encoder: CachedEncoder) -> None:
    sentences = unit_test("test_sentence_splitting")
    assert len(split(sentences["input"])) == sentences["expect_sentences"]
    merging = unit_test("test_buffer_merging")
    windows = buffer_merge(merging["input"], merging["buffer_size"])
    assert [" ".join(window) for window in windows] == merging["full_expected"]
    # The original counted 8 words; the encoder has a piece for the full stop too.
    assert len(encoder.tokens([unit_test("test_token_counting")["input"]])[0]) == 9
    case = unit_test("test_chunk_document")
    parameters = SemanticParameters(case["buffer_size"], case["cosine_threshold"], size=case["max_tokens"], overlap=10)
    chunks = chunks_of(document(case["input"]), encoder, parameters)
    assert chunks and all(part.id and part.text for part in chunks)


@needs_cases
def test_the_windows_that_are_wanted() -> None:
    for count, windows in CASES["overlap_windows_wanted"].items():
        assert overlap_windows(int(count), 1024, 128) == [tuple(window) for window in windows]
