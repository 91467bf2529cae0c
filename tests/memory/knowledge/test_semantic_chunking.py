"""Algorithm 1 with equations 1 and 2: on small cases by hand, on drawn ones by what has to hold, on the seed's own."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory.datatypes import Document, Vectors
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput
from clew.memory.knowledge import chunking
from clew.memory.knowledge.chunking import (
    SemanticParameters,
    borders,
    buffer_merge,
    chunks_of,
    distances,
    overlap_windows,
    parts,
    segments,
    window_vectors,
)
from clew.memory.ports import Role
from clew.memory.text import Span, split
from tests.memory.dialogue.cases import hashed_vectors, unit
from tests.memory.knowledge.semrag import CASES, needs_cases, unit_test
from tests.memory.knowledge.test_chunking import SIZES, TEXTS, WordEncoder, check, document

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


def test_a_segment_begins_wherever_the_distance_comes_to_the_threshold() -> None:
    found = np.array([0.1, 0.5, 0.6, 0.4], np.float32)
    assert borders(found, 0.5, step=1) == [2, 3]
    assert borders(found, 0.0, step=1) == [1, 2, 3, 4]
    assert borders(found, 0.7, step=1) == []


def test_of_windows_further_apart_the_greatest_distance_cuts_in_the_middle() -> None:
    found = np.array([0.1, 0.6, 0.9, 0.6, 0.1, 0.1, 0.7, 0.7], np.float32)
    assert borders(found, 0.5, step=3) == [4, 8]
    assert borders(found, 0.8, step=3) == [4]
    assert borders(found, 0.5, step=5) == [5, 9]
    assert borders(found, 0.5, step=2) == [3, 7]  # as far as 1 away
    assert borders(found, 0.0, step=1) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_text_is_cut_where_its_words_change() -> None:
    doc = document(f"{CATS} {STARS}")
    found = chunks_of(doc, MeaningEncoder(100), SemanticParameters(buffer=1, threshold=0.5))
    assert [part.text for part in found] == [CATS, STARS]
    assert [part.id for part in found] == ["d#0", "d#1"]


def test_a_higher_threshold_makes_larger_parts() -> None:
    sentences = [f"{CATS} {STARS}"[start:end] for start, end in split(f"{CATS} {STARS}")]
    encoder = MeaningEncoder(100)
    low, high = (
        segments(sentences, encoder, SemanticParameters(buffer=0, threshold=value, step=1)) for value in (0.1, 0.95)
    )
    assert (len(low), len(high)) == (8, 2)
    assert high == [range(0, 4), range(4, 8)]


def test_what_has_no_more_sentences_than_a_step_is_not_cut() -> None:
    doc = document(f"{CATS} {STARS}")
    [part] = chunks_of(doc, MeaningEncoder(100), SemanticParameters(threshold=0.0))
    assert part.text == doc.text


@pytest.mark.parametrize("text", ["", " \n\n "])
def test_a_text_without_words_has_no_chunk(text: str) -> None:
    assert chunks_of(document(text, "Title"), MeaningEncoder(10), SemanticParameters()) == []


def test_a_window_longer_than_the_encoders_has_the_mean_of_its_runs() -> None:
    sentences = ["Cats purr.", "Stars burn hydrogen.", "Cows moo."]
    whole = window_vectors(sentences, MeaningEncoder(20), 1)
    assert whole == pytest.approx(hashed_vectors([" ".join(window) for window in buffer_merge(sentences, 1)]), abs=1e-6)
    runs = hashed_vectors(["Cats purr. Stars burn hydrogen.", "Cows moo."])
    in_runs = window_vectors(sentences, MeaningEncoder(8), 1)
    assert in_runs[1] == pytest.approx(unit([runs.sum(axis=0)])[0], abs=1e-6)
    assert in_runs[0] == pytest.approx(whole[0], abs=1e-6)
    assert window_vectors(sentences, MeaningEncoder(7), 1) == pytest.approx(in_runs)  # three and four just fit


def test_sentences_at_the_ends_of_a_part_stay_whole_in_the_next() -> None:
    text = " ".join(f"Cats drink milk number {n}." for n in range(9))
    parameters = SemanticParameters(threshold=2.0, size=22, overlap=8)
    encoder = MeaningEncoder(100)
    [segment] = parts(text, split(text), encoder, parameters)
    assert text[slice(*segment[0])].endswith("number 2. Cats drink milk number")
    assert text[slice(*segment[1])].startswith("milk number 2. Cats drink")
    found = chunks_of(document(text), encoder, parameters)
    assert all(part.text.startswith("Cats") and part.text.endswith(".") for part in found)
    assert len(found) == len(segment)


@pytest.mark.parametrize(
    ("segment", "place", "held"),
    [
        ([(0, 11), (5, 19)], 0, [(0, 4), (5, 9)]),  # the third is whole in the next part
        ([(0, 11), (5, 19)], 1, [(5, 9), (10, 14), (15, 19)]),
        ([(0, 9), (3, 14)], 0, [(0, 4), (5, 9)]),
        ([(0, 11), (10, 14)], 0, [(0, 4), (5, 9)]),
        ([(0, 11), (11, 14)], 0, [(0, 4), (5, 9), (10, 11)]),  # whole in neither: a piece
        ([(0, 11), (11, 12), (10, 19)], 0, [(0, 4), (5, 9), (10, 11)]),  # only the parts beside it count
        ([(0, 14), (12, 13), (13, 19)], 2, [(13, 14), (15, 19)]),
    ],
)
def test_what_the_ends_of_a_part_cut_is_left_to_one_beside_it(
    segment: list[Span], place: int, held: list[Span]
) -> None:
    assert chunking._held([(0, 4), (5, 9), (10, 14), (15, 19)], segment, place) == held


@pytest.mark.parametrize(
    "wrong", [{"size": 128}, {"size": 64}, {"overlap": -1}, {"buffer": -1}, {"threshold": 2.1}, {"step": 0}]
)
def test_what_cannot_be_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(BadInput, match=r"^[^\n]*\. Try: [^\n]*$"):
        SemanticParameters(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "least", [{"size": 1, "overlap": 0}, {"size": 2, "overlap": 1}, {"buffer": 0}, {"threshold": 0}, {"step": 1}]
)
def test_what_can_just_be_is_taken(least: dict[str, int]) -> None:
    SemanticParameters(**least)  # type: ignore[arg-type]


def test_it_is_the_seeds_where_nothing_is_said() -> None:
    assert SemanticParameters() == SemanticParameters(buffer=5, threshold=0.5, step=None, size=1024, overlap=128)


def test_windows_are_compared_that_share_nothing_where_no_step_is_named() -> None:
    sentences = [f"{CATS} {STARS}"[start:end] for start, end in split(f"{CATS} {STARS}")]
    found = segments(sentences, MeaningEncoder(100), SemanticParameters(buffer=1, threshold=0.3))
    assert found == segments(sentences, MeaningEncoder(100), SemanticParameters(buffer=1, threshold=0.3, step=3))
    one = SemanticParameters(buffer=1, threshold=0.0)
    assert [len(segments(sentences[:count], MeaningEncoder(100), one)) for count in (3, 4)] == [1, 2]
    assert len(segments(sentences, MeaningEncoder(100), SemanticParameters(threshold=0.0, step=8))) == 1
    assert len(segments(sentences, MeaningEncoder(100), SemanticParameters(threshold=0.0, step=7))) == 2


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


@given(TEXTS, st.integers(0, 3), st.floats(0, 1.2), st.integers(2, 40), st.data())
@settings(deadline=None)
def test_parts_cover_the_text_and_share_their_overlap(
    text: str, buffer: int, threshold: float, size: int, drawn: st.DataObject
) -> None:
    step, overlap = drawn.draw(st.sampled_from([None, 1, 2])), drawn.draw(st.integers(0, size - 1))
    parameters = SemanticParameters(buffer, threshold, step, size, overlap)
    encoder = MeaningEncoder(30)
    found = parts(text, split(text), encoder, parameters)
    covered = [character.isspace() for character in text]
    for start, end in (part for segment in found for part in segment):
        covered[start:end] = [True] * (end - start)
        assert len(encoder.tokens([text[start:end]])[0]) <= size
    assert all(covered)
    for segment in found:
        for before, after in pairwise(segment):
            assert before[0] < after[0] and before[1] < after[1]
            assert len(encoder.tokens([text[after[0] : before[1]]])[0]) == overlap
    for one, other in pairwise(found):
        assert one[-1][1] <= other[0][0]


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


@pytest.mark.soak
def test_real_text_in_parts_of_the_seeds_size(encoder: CachedEncoder, data: Path) -> None:
    text = (data / "ambedkar" / "castes_in_india_1917.txt").read_text("utf-8")
    parameters = SemanticParameters(buffer=1, threshold=2.0)  # never cut by meaning: the windows alone
    [segment] = parts(text, split(text), encoder, parameters)
    assert len(segment) > 10
    pieces = [place for place, _ in encoder.tokens([text])[0]]
    for before, after in pairwise(segment):
        assert sum(after[0] <= place < before[1] for place in pieces) == 128
        assert sum(before[0] <= place < before[1] for place in pieces) == 1024
    doc = Document("castes", "Castes in India", text)
    check(doc, chunks_of(doc, encoder, parameters), encoder.window, encoder)
