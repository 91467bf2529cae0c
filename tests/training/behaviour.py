"""What each learned file does with the questions that its trainer reads, as it is shipped and as it is made today.

Two fits of a flat loss may have other numbers and do the same, so what is compared are choices: the first candidate,
the verdict, the wordings, the first document. Held-out questions are asked where a data set has some; a judge, a policy
and a scorer are asked those that they are fitted on."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from safetensors.torch import save

from clew.agent.answer import bold_spans as span_models
from clew.agent.answer.judge import SHIPPED as JUDGE
from clew.agent.answer.judge import Judge, shipped_judge
from clew.agent.answer.reader import PAIRS, Reader, shipped_reader
from clew.agent.answer.reader import SHIPPED as READER
from clew.agent.evaluation.answer_metrics import UNANSWERABLE, UNDERSPECIFIED
from clew.agent.models import encoder_for
from clew.agent.search import ordering, query_weights, router
from clew.agent.settings import read_settings
from clew.memory.dialogue import signals
from clew.memory.dialogue.rewriting import RewriteParameters, rewrite
from clew.memory.knowledge.walking import features
from clew.memory.knowledge.walking.features import NodeScorer
from tests.training import judge, pairs, reader, rewriter, roots, search, spans, talk, walk
from tests.training.forms import FormExample, ndcg
from tests.training.rewriting import Rewriter


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Of each question what is chosen, and what that is worth, from 0 to 1."""

    choices: Sequence[str]
    worth: Sequence[float]


class Made(NamedTuple):
    """A file as its trainer makes it today, and what the shipped one and that do."""

    path: Path
    content: str | bytes
    shipped: Behaviour
    made: Behaviour


def of_text(trainer: Callable[[Path, Path], Mapping[Path, str]]) -> Callable[[Path, Path], Iterator[Made]]:
    """For a file of words, also of JSON: a choice is whether a word that either file has is there."""

    def made(data: Path, libraries: Path) -> Iterator[Made]:
        for path, text in trainer(data, libraries).items():
            known, now = set(path.read_text("utf-8").split()), set(text.split())
            both = sorted(known | now)
            yield Made(path, text, *(Behaviour([str(one in its) for one in both], [1.0]) for its in (known, now)))

    return made


def of_reader(data: Path, _: Path) -> Iterator[Made]:
    """Which candidate is the first."""
    encoder, own = encoder_for(read_settings()), list(reader.of_own(reader.LEARNED))
    known, held_out = (list(reader.of_spans(data / "qa" / "spans.jsonl.gz", of, encoder)) for of in ("train", "dev"))
    made = reader.fit([*known, *own])
    asked = [one for one in (*held_out, *own) if one.right.any()]

    def does(by: Reader) -> Behaviour:
        first = [int(np.argsort(-by.scores(one.found), kind="stable")[0]) for one in asked]
        return Behaviour([*map(str, first)], [float(one.right[n]) for one, n in zip(asked, first, strict=True)])

    yield Made(READER, made.to_json(), does(shipped_reader()), does(made))


def of_pairs(data: Path, _: Path) -> Iterator[Made]:
    """Which candidate is the first where the likeliest are read together with the question; a day without a GPU."""
    encoder = encoder_for(read_settings())
    read = pairs.read_examples(data, encoder)
    asked = [one for one in pairs.asked_of(data, encoder, read) if one.right.any()]

    def does(by: pairs.Layers) -> Behaviour:
        first = pairs.first_cores(asked, by)
        return Behaviour([*map(str, first)], [float(one.right[n]) for one, n in zip(asked, first, strict=True)])

    made = pairs.fitted(read)
    yield Made(PAIRS, save(made.shipped()), does(pairs.as_shipped()), does(made))


def of_spans(data: Path, libraries: Path) -> Iterator[Made]:
    """What is bold."""
    [(path, text)] = spans.made(data).items()
    asked = list(spans.examples(data, "dev", spans.DEV))

    def does(by: Mapping[str, Any]) -> Behaviour:
        with patch.object(span_models, "_shipped", lambda: (np.array(by["weights"]), by["bias"])):
            found = [span_models.likeliest(one.question, [one.title], [one.text]) for one in asked]
        bold = [one.text[slice(*at[1])] if at else "" for one, at in zip(asked, found, strict=True)]
        return Behaviour(bold, [one.worth(at[1]) if at else 0.0 for one, at in zip(asked, found, strict=True)])

    yield Made(path, text, does(json.loads(path.read_text("utf-8"))), does(json.loads(text)))


def of_judge(data: Path, libraries: Path) -> Iterator[Made]:
    """What is refused and what is asked back."""
    asked = list(judge.read_examples(data, libraries))
    made = judge.fit(asked)
    wanted = {UNANSWERABLE: "refuse", judge.FOREIGN: "refuse", UNDERSPECIFIED: "ask back"}

    def does(by: Judge) -> Behaviour:
        taken = [judge.taken(one, by) for one in asked]
        return Behaviour(
            taken,
            [float(wanted.get(one.label, "answer") == verdict) for one, verdict in zip(asked, taken, strict=True)],
        )

    yield Made(JUDGE, made.to_json(), does(shipped_judge()), does(made))


def of_rewriter(data: Path, libraries: Path) -> Iterator[Made]:
    """The wordings, weighed as they were chosen with; and, of the same wordings, which document they put first."""
    encoder = encoder_for(read_settings())
    examples, tools = rewriter.opened(data, libraries, encoder)

    def worded(by: signals.RewriteModel) -> tuple[list[str], list[FormExample]]:
        parameters = RewriteParameters(learned=by)
        wordings = [rewrite(one.question.text, one.recalled, encoder, parameters).wordings for one in examples]
        found = [rewriter.form_example(one, by, tools[one.set], encoder) for one in examples]
        return ["|".join(one.text for one in each) for each in wordings], found

    def weighed(by: query_weights.WeightModel, found: Sequence[FormExample]) -> list[float]:
        return [ndcg(one, by) for one in found]

    words_model = signals.RewriteModel(rewriter.fit_terms(examples, frozenset()), signals.shipped().forms)
    (texts, of_shipped), (made_texts, of_made) = worded(signals.shipped()), worded(words_model)
    words_model, form_model = rewriter.weighed(words_model, of_made)
    yield Made(
        signals.SHIPPED,
        words_model.to_json(),
        Behaviour(texts, weighed(query_weights.shipped(), of_shipped)),
        Behaviour(made_texts, weighed(query_weights.shipped(), of_made)),
    )

    def does(by: query_weights.WeightModel) -> Behaviour:
        return Behaviour([first_document(one, by) for one in of_made], weighed(by, of_made))

    yield Made(query_weights.SHIPPED, form_model.to_json(), does(query_weights.shipped()), does(form_model))


def first_document(example: FormExample, by: query_weights.WeightModel) -> str:
    """By its place; none where nothing was found."""
    weights = np.array(query_weights.shares(example.kinds, example.signals, by))
    return str(int(np.argmax(weights @ example.scores))) if example.scores.size else ""


def of_walk(data: Path, libraries: Path) -> Iterator[Made]:
    """The first document of `walk`, and of `graph` where questions have several hops."""
    examples = list(walk.read_all(data, libraries, encoder_for(read_settings())))
    made = walk.trained(examples)
    yield Made(features.SHIPPED, walk.to_json(made), ranked(examples, features.load_scorer()), ranked(examples, made))


def ranked(examples: Sequence[walk.WalkExample], by: NodeScorer) -> Behaviour:
    choices, worth = [], []
    for example in examples:
        for way, its in walk.ranked(example, by):
            if way == "around" or (way == "paths" and example.dataset in walk.HOPS):
                choices.append(f"{way} {its.documents[0] if its.documents else ''}")
                worth.append(walk.measured(example.golds, its)[walk.MEASURED.index("ndcg@5")])
    return Behaviour(choices, worth)


def of_search(data: Path, libraries: Path) -> Iterator[Made]:
    """Which tools are run, and which document of all that they find comes first."""
    bench = search.Bench.open(data, libraries, encoder_for(read_settings()))
    gathered = search.by_halves(bench, bench.asked, Rewriter())
    made = search.fit(gathered)
    shipped = search.Policy(router.shipped(), ordering.shipped())

    def gates(by: search.Policy) -> Behaviour:
        tools = [by.tools(one) for one in gathered]
        found = [one.ranked(its, shipped.order) for one, its in zip(gathered, tools, strict=True)]
        return Behaviour([*map(" ".join, tools)], worth_of(found))

    def orders(by: search.Policy) -> Behaviour:
        found = [one.ranked(("hybrid", *search.TOOLS), by.order) for one in gathered]
        return Behaviour([its[0] if its else "" for its in found], worth_of(found))

    def worth_of(found: Sequence[list[str]]) -> list[float]:
        return [search.ndcg(one, its, 5) for one, its in zip(gathered, found, strict=True)]

    yield Made(router.SHIPPED, made.gate.to_json(), gates(shipped), gates(made))
    yield Made(ordering.SHIPPED, ordering.to_json(made.order), orders(shipped), orders(made))


TRAINERS: Mapping[str, Callable[[Path, Path], Iterator[Made]]] = {
    "roots": of_text(roots.made),
    "talk": of_text(talk.made),
    "reader": of_reader,
    "pairs": of_pairs,
    "spans": of_spans,
    "judge": of_judge,
    "rewriter": of_rewriter,
    "walk": of_walk,
    "search": of_search,
}
"""What each makes."""
