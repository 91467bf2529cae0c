"""What a library calls things, over the small library of `conftest.py` beside this file and over one of notes."""

from collections.abc import Iterator

import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.ports import Vocabulary
from tests.memory.knowledge.walking.made import library_of

NOTES = [
    (
        "Allotment rules",
        "The committee of the allotment meets in the greenhouse. The environment matters to all of us.",
    ),
    (
        "Greenhouse",
        "Mrs Adeyemi mended the greenhouse and the hose in Leeds. The package with the glass came on Tuesday.",
    ),
    ("Compost", "Packages of compost are stored behind the greenhouse, which Mrs Adeyemi has the key for."),
]


@pytest.fixture(scope="module")
def vocabulary(encoder: CachedEncoder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vocabulary]:
    with library_of(tmp_path_factory.mktemp("notes"), dict(NOTES), encoder) as library:
        yield library.store.vocabulary


def test_words_count_whatever_their_ending(vocabulary: Vocabulary) -> None:
    assert vocabulary.counts(["greenhouses", "Packages", "lemonade", "the"]) == [3, 2, 0, 3]
    assert vocabulary.counts([]) == []


def test_phrases_are_titles_or_entities(vocabulary: Vocabulary) -> None:
    assert vocabulary.kinds(["allotment rules", "Mrs Adeyemi", "behind the"]) == ["title", "person", ""]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("pacakge", "package"), ("comittee", "committee"), ("grenhuose", "greenhouse"), ("wich", "which")],
)
def test_a_word_that_is_lacking_is_near_to_one_that_is_there(vocabulary: Vocabulary, typed: str, meant: str) -> None:
    (near,) = vocabulary.near([typed])
    assert near[0] == meant


def test_what_is_there_or_far_off_or_short_or_no_word_is_near_to_nothing(vocabulary: Vocabulary) -> None:
    assert vocabulary.near(["packages", "zyzzyva", "gls", "20l5", "the"]) == [(), (), (), (), ()]
    assert vocabulary.near(["house"]) == [()], "a part of greenhouse, and no slip of hose"
