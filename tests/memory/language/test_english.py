"""Reading English: shallowly without a pipeline, by the parse of one that is given here, of a few sentences."""

from typing import Any

import pytest

from clew.memory.language.readers import English, detected, reader_of
from tests.memory.language.test_esperanto import roles

spacy = pytest.importorskip("spacy", reason="spaCy is not installed (pip install 'clew[spacy]')")

TAUGHT = [
    ("Kubrick directed the film .", "PROPN VERB DET NOUN PUNCT", [1, 1, 3, 1, 1], "nsubj ROOT det dobj punct"),
    ("Lang lived in Berlin .", "PROPN VERB ADP PROPN PUNCT", [1, 1, 1, 2, 1], "nsubj ROOT prep pobj punct"),
    ("Lang is a director .", "PROPN AUX DET NOUN PUNCT", [1, 1, 3, 1, 1], "nsubj ROOT det attr punct"),
    ("Who directed the book ?", "PRON VERB DET NOUN PUNCT", [1, 1, 3, 1, 1], "nsubj ROOT det dobj punct"),
    (
        "The director of the film lived .",
        "DET NOUN ADP DET NOUN VERB PUNCT",
        [1, 5, 1, 4, 2, 5, 5],
        "det nsubj prep det pobj ROOT punct",
    ),
]
"""In spaCy's own labels, heads counted from 0."""


class Pipeline:
    """Gives these five sentences their parses, as a pipeline that has learned them does."""

    def __init__(self) -> None:
        blank = spacy.blank("en")
        self.vocab, self.make_doc = blank.vocab, blank.make_doc

    def __call__(self, doc: Any) -> Any:
        from spacy.tokens import Doc

        words = [token.text for token in doc]
        _, tags, heads, deps = next(one for one in TAUGHT if one[0].split() == words)
        return Doc(self.vocab, words=words, pos=tags.split(), heads=heads, deps=deps.split())


def test_a_pipelines_parse_comes_in_the_names_of_universal_dependencies() -> None:
    reader = English(Pipeline())
    assert roles("Kubrick directed the film.", reader)["film"] == ("obj", "directed")
    lived = roles("Lang lived in Berlin.", reader)
    assert (lived["Berlin"], lived["in"]) == (("obl", "lived"), ("case", "Berlin"))
    assert roles("The director of the film lived.", reader)["film"] == ("nmod", "director")
    said = roles("Lang is a director.", reader)
    assert (said["director"], said["is"], said["Lang"]) == (("root", ""), ("cop", "director"), ("nsubj", "director"))
    assert reader.read("Who directed the book?").asks == "who"
    assert reader.keywords(reader.read("Kubrick directed the film.")) == ["kubrick", "directed", "film"]


def test_without_a_parser_in_it_a_pipeline_is_not_asked() -> None:
    assert English(spacy.blank("en")).read("The dog barked.").words == English().read("The dog barked.").words


def test_the_shallow_reader_sees_names_content_words_and_question_words() -> None:
    reader = English()
    tree = reader.read("Who directed the films of Stanley Kubrick?")
    assert (tree.mood, tree.asks) == ("question", "who")
    assert reader.keywords(tree) == ["stanley kubrick", "directed", "film"]
    assert roles("The old dog chased Ham in Florida.", reader)["dog"][0] == "nsubj"


def test_the_language_is_detected() -> None:
    assert (detected("Kiu estas la patro de mia amiko?"), detected("Who is the father of my friend?")) == ("eo", "en")
    assert reader_of("eo").language == "eo"
