from itertools import pairwise
from pathlib import Path

import pytest

from clew.memory.errors import NotSetUp
from clew.memory.knowledge.extraction import extractors

TEXT = "Metropolis was directed by Fritz Lang in 1927."


def test_a_pipeline_that_is_not_there_is_named_with_its_command() -> None:
    pytest.importorskip("spacy")
    with pytest.raises(NotSetUp, match="spacy download no_such_pipeline"):
        extractors.load_pipeline("no_such_pipeline")


def test_a_folder_of_the_working_folder_is_no_pipeline_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("spacy").blank("en").to_disk(tmp_path / "en_core_web_none")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotSetUp):
        extractors.load_pipeline("en_core_web_none")
    assert extractors.load_pipeline("./en_core_web_none").lang == "en"


def test_the_pipelines_entities_are_taken_with_their_types() -> None:
    pipeline = pytest.importorskip("spacy").blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns(
        [{"label": "WORK_OF_ART", "pattern": "Metropolis"}, {"label": "PERSON", "pattern": "Fritz Lang"}]
    )
    ruler.add_patterns([{"label": "CARDINAL", "pattern": "1927"}])
    mentions, found = extractors.by_pipeline(pipeline, TEXT)
    assert [(one.text, one.kind) for one in mentions] == [("Metropolis", "work"), ("Fritz Lang", "person")]
    assert [(one.subject.text, one.relation, one.object.text) for one in found] == [
        ("Fritz Lang", "directed", "Metropolis")
    ]


@pytest.mark.parametrize(
    "words, heads, deps, expected",
    [
        ("Fritz Lang directed Metropolis", [1, 2, 2, 2], "compound nsubj ROOT dobj", "Fritz Lang|directed|Metropolis"),
        ("Faust was written by Goethe", [2, 2, 2, 2, 3], "nsubjpass auxpass ROOT agent pobj", "Goethe|wrote|Faust"),
        ("Paris is capital of France", [1, 1, 1, 2, 3], "nsubj ROOT attr prep pobj", "Paris|capital of|France"),
    ],
)
def test_the_pipelines_parse_is_read(words: str, heads: list[int], deps: str, expected: str) -> None:
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    capital = [word[0].isupper() for word in words.split()]
    ents = [("I" if before else "B") + "-PERSON" if here else "O" for before, here in pairwise([False, *capital])]
    doc = spacy.tokens.Doc(pipeline.vocab, words=words.split(), heads=heads, deps=deps.split(), ents=ents)
    _, found = extractors.by_pipeline(lambda text: doc, words)
    assert [(one.subject.text, one.relation, one.object.text) for one in found] == [tuple(expected.split("|"))]
