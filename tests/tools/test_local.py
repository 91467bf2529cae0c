"""The tool `local`: equation 4 of seed 001 against a plain reading of it, what it falls back to, history and scope."""

import re
from dataclasses import replace

import numpy as np
import pytest

from clew.memory.datatypes import Query, Sentence, Wording
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library
from clew.tools.base import encode_query
from clew.tools.local import Local, LocalParameters

QUESTIONS = ("Who directed Metropolis?", "Which animals went to space?", "When was Yuri Gagarin born?")


def reference(library: Library, query: Query, parameters: LocalParameters) -> dict[str, tuple[float, str]]:
    """Chunk -> its score and the entity, over every pair of chunk and entity."""
    store, layers = library.store, library.store.part().layers
    q = query.forms[0].vector
    if query.history is not None:
        q = q + parameters.history * query.history
        q = q / np.linalg.norm(q)
    of_entity: dict[int, list[int]] = {}
    named_by: dict[int, set[int]] = {}
    for sentence, entity in layers.mentions.T:
        named_by.setdefault(int(sentence), set()).add(int(entity))
    for sentence, chunk in enumerate(layers.sentence_chunks):
        named = named_by.get(sentence, set())
        title = int(layers.titles[layers.chunk_documents[chunk]])
        for entity in named | ({title} if title >= 0 else set()):
            of_entity.setdefault(entity, []).append(sentence)
    chunks = store.vectors(layers.chunk_ids)
    found: dict[str, tuple[float, str]] = {}
    for entity, sentences in of_entity.items():
        v = store.part().sentence_vectors.take(np.array(sentences), axis=0).mean(axis=0)
        v = v / np.linalg.norm(v)
        if float(v @ q) > parameters.tau_e:
            for id_, g in zip(layers.chunk_ids, chunks, strict=True):
                score = (float(v @ q) + float(g @ v)) / 2
                if float(g @ v) > parameters.tau_d and score > found.get(id_, (-1.0, ""))[0]:
                    found[id_] = score, layers.entities[entity].name
    return found


@pytest.mark.parametrize("question", QUESTIONS)
def test_equation_4(question: str, examples: Library, encoder: CachedEncoder) -> None:
    said = [Sentence("Fritz Lang made films about the future.", "user", 1)]
    for context in ([], said):
        query = encode_query(question, [], encoder, context=context)
        for parameters in (LocalParameters(), LocalParameters(tau_e=0.5, tau_d=0.6)):
            expected = reference(examples, query, parameters)
            found = Local(examples.store, parameters).search(query, 1000)
            assert expected and not found.notes
            assert {p.id: pytest.approx(p.score, abs=1e-4) for p in found.passages} == {
                id_: score for id_, (score, _) in expected.items()
            }
            best = found.passages[0]
            assert best.why.startswith(f"entity {' '.join(expected[best.id][1].split())} (")
            assert best.scores["entity"] > parameters.tau_e and best.scores["chunk"] > parameters.tau_d


def test_where_nothing_is_above_the_threshold_it_says_so(examples: Library, encoder: CachedEncoder) -> None:
    query = encode_query("How do I bake sourdough bread?", [], encoder)
    found = Local(examples.store).search(query, 3)
    assert len(found.passages) == 3
    (note,) = found.notes
    assert re.fullmatch(r"no entity above the threshold 0\.40: took the nearest \(.+, 0\.\d\d\)", note)
    strict = Local(examples.store, LocalParameters(tau_d=0.999)).search(encode_query(QUESTIONS[0], [], encoder), 3)
    assert len(strict.passages) == 3 and "threshold" in strict.notes[0]


def test_the_history_counts_for_the_entities(examples: Library, encoder: CachedEncoder) -> None:
    said = [Sentence("Laika was the first dog in orbit.", "user", 1)]
    query = encode_query("And how long did it take?", [], encoder, context=said)
    assert query.history is not None and np.isclose(np.linalg.norm(query.history), 1, atol=1e-5)
    with_it = Local(examples.store, LocalParameters(history=1.0)).search(query, 3).passages
    assert "Laika" in with_it[0].title + with_it[0].why
    without = Local(examples.store, LocalParameters(history=0.0)).search(query, 3)
    assert without == Local(examples.store).search(replace(query, history=None), 3)


def test_in_scope_only_what_is_named_there_counts(examples: Library, encoder: CachedEncoder) -> None:
    scope = frozenset({"films/metropolis.md"})
    query = replace(encode_query(QUESTIONS[1], [], encoder), scope=scope)
    (document,) = examples.store.documents(sorted(scope))
    said = " ".join(f"{document.title} {document.text}".split()).casefold()
    for passage in Local(examples.store).search(query, 100).passages:
        name = passage.why.removeprefix("entity ").split(" (")[0]
        assert passage.document in scope and name.casefold() in said and passage.score <= 1


def test_what_was_rewritten_has_the_history_in_its_words(examples: Library, encoder: CachedEncoder) -> None:
    said = [Sentence("Laika was the first dog in orbit.", "user", 1)]
    forms = [Wording("question", "And how long did it take?", 0.5), Wording("standing", "How long was Laika up?", 0.5)]
    query = encode_query(forms[0].text, forms, encoder, context=said)
    assert Local(examples.store).search(query, 5) == Local(examples.store).search(replace(query, history=None), 5)
