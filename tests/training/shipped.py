"""Is what is shipped what its trainer makes of the data? Fits anew, and writes nothing that is shipped.

    python -m tests.training.shipped DATA LIBRARIES [--only NAME]... [--keep FOLDER]

A line for each file: yes or no, the share of its choices that the one made today makes too, and what those of both are
worth. Yes is 95% of the choices, worth the same to .01. Exit code 1 where one is no. LIBRARIES is that of the trainers:
made where there is none, but for that of `judge`, which `walk` makes.

Two fits of a flat loss may have other numbers and do the same, so what is compared are choices: the first candidate,
the verdict, the wordings, the first document. Held-out questions are asked where a data set has some; a judge, a policy
and a scorer are asked those that they are fitted on.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import click
import numpy as np
from numpy.typing import NDArray
from safetensors.torch import save

from clew.agent.answer import reader as span_models
from clew.agent.answer.judge import SHIPPED as JUDGE
from clew.agent.answer.judge import Judge, shipped_judge
from clew.agent.answer.judge import judge as judged
from clew.agent.answer.reader import PAIRS, shipped_reader
from clew.agent.answer.reader import SHIPPED as READER
from clew.agent.evaluation.answer_metrics import UNANSWERABLE, UNDERSPECIFIED
from clew.agent.models import encoder_for
from clew.agent.search import ordering, query_weights, router
from clew.agent.settings import read_settings
from clew.memory.dialogue import signals
from clew.memory.dialogue.rewriting import rewrite
from clew.memory.knowledge.walking import features
from clew.memory.knowledge.walking.features import NodeScorer
from tests.training import judge, pairs, reader, roots, search, spans, talk, walk
from tests.training.forms import FormExample, ndcg
from tests.training.reader import ReadExample
from tests.training.rewriter import Conversations, Rewriter
from tests.training.trainer import NEW_FOLDER, Maker, TrainingCommand, as_json

WANTED = 0.95
"""The share of a file's choices that have to be alike."""

WORTH = 0.01
"""How far what the choices are worth may be apart, on average."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Of each question what is chosen, and what that is worth, from 0 to 1."""

    choices: Sequence[str]
    worth: Sequence[float]


class Remade(NamedTuple):
    """A file as its trainer makes it today, and what the shipped one and that do."""

    path: Path
    content: str | bytes
    shipped: Behaviour
    made: Behaviour


def of_text(trainer: Maker, data: Path, libraries: Path) -> Iterator[Remade]:
    """For a file of words, also of JSON: a choice is whether a word that either file has is there."""
    for path, content in trainer(data, libraries).items():
        assert isinstance(content, str)
        known, now = set(path.read_text("utf-8").split()), set(content.split())
        both = sorted(known | now)
        yield Remade(path, content, *(Behaviour([str(one in its) for one in both], [1.0]) for its in (known, now)))


def of_reader(data: Path, _: Path) -> Iterator[Remade]:
    """Which candidate is the first."""
    encoder, own = encoder_for(read_settings()), list(reader.of_own(reader.LEARNED))
    known, held_out = (list(reader.of_spans(data, of, encoder)) for of in ("train", "dev"))
    made = reader.fit([*known, *own])
    asked = [one for one in (*held_out, *own) if one.right.any()]
    shipped, now = ([by.scores(one.found) for one in asked] for by in (shipped_reader(), made))
    yield Remade(READER, reader.to_json(made), first_candidates(asked, shipped), first_candidates(asked, now))


def of_pairs(data: Path, _: Path) -> Iterator[Remade]:
    """Which candidate is the first where the likeliest are read together with the question; a day without a GPU."""
    encoder = encoder_for(read_settings())
    read = pairs.read_examples(data, encoder)
    asked = [one for one in pairs.asked_of(data, encoder, read) if one.right.any()]
    made = pairs.fitted(read)
    both = (pairs.as_shipped(), made)
    shipped, now = ([pairs.together(one, shipped_reader(), by) for one in asked] for by in both)
    content = save(made.shipped())
    yield Remade(PAIRS, content, first_candidates(asked, shipped), first_candidates(asked, now))


def first_candidates(asked: Sequence[ReadExample], scores: Sequence[NDArray[np.float64]]) -> Behaviour:
    first = [int(np.argmax(own)) for own in scores]
    return Behaviour([*map(str, first)], [float(one.right[n]) for one, n in zip(asked, first, strict=True)])


def of_spans(data: Path, libraries: Path) -> Iterator[Remade]:
    """What is bold."""
    [(path, text)] = spans.made(data, libraries).items()
    asked = list(spans.examples(data, "dev", spans.DEV))

    def does(by: Mapping[str, Any]) -> Behaviour:
        with patch.object(span_models, "shipped_spans", lambda: (np.array(by["weights"]), by["bias"])):
            found = [span_models.likeliest(one.question, [one.title], [one.text]) for one in asked]
        bold = [one.text[slice(*at[1])] if at else "" for one, at in zip(asked, found, strict=True)]
        return Behaviour(bold, [one.worth(at[1]) if at else 0.0 for one, at in zip(asked, found, strict=True)])

    yield Remade(path, text, does(json.loads(path.read_text("utf-8"))), does(json.loads(text)))


def of_judge(data: Path, libraries: Path) -> Iterator[Remade]:
    """What is refused and what is asked back."""
    asked = list(judge.read_examples(data, libraries))
    made = judge.fit(asked)
    wanted = {UNANSWERABLE: "refuse", judge.FOREIGN: "refuse", UNDERSPECIFIED: "ask back"}

    def does(by: Judge) -> Behaviour:
        taken = [judged(one.signals, by) for one in asked]
        right = (wanted.get(one.label, "answer") == verdict for one, verdict in zip(asked, taken, strict=True))
        return Behaviour(taken, [*map(float, right)])

    yield Remade(JUDGE, as_json(made), does(shipped_judge()), does(made))


def of_rewriter(data: Path, libraries: Path) -> Iterator[Remade]:
    """The wordings, weighed as they were chosen with; and, of the same wordings, which document they put first."""
    conversations = Conversations.open(data, libraries, encoder_for(read_settings()))
    fitted, examples = conversations.fitted(), conversations.examples

    def worded(by: Rewriter) -> Behaviour:
        made = (
            rewrite(one.question.text, one.recalled, conversations.encoder, by.parameters).wordings for one in examples
        )
        found = conversations.found(by.words).values()
        texts = ["|".join(one.text for one in each) for each in made]
        return Behaviour(texts, [ndcg(one, query_weights.shipped()) for one in found])

    yield Remade(signals.SHIPPED, as_json(fitted.words), worded(Rewriter()), worded(fitted))
    found = [*conversations.found(fitted.words).values()]

    def does(by: query_weights.WeightModel) -> Behaviour:
        return Behaviour([first_document(one, by) for one in found], [ndcg(one, by) for one in found])

    made = as_json(fitted.forms)
    yield Remade(query_weights.SHIPPED, made, does(query_weights.shipped()), does(fitted.forms))


def first_document(example: FormExample, by: query_weights.WeightModel) -> str:
    """By its place; none where nothing was found."""
    weights = np.array(query_weights.shares(example.kinds, example.signals, by))
    return str(int(np.argmax(weights @ example.scores))) if example.scores.size else ""


def of_walk(data: Path, libraries: Path) -> Iterator[Remade]:
    """The first document of `walk`, and of `graph` where questions have several hops."""
    examples = list(walk.read_all(data, libraries, encoder_for(read_settings())))
    made = walk.trained(examples)
    yield Remade(features.SHIPPED, walk.to_json(made), ranked(examples, features.load_scorer()), ranked(examples, made))


def ranked(examples: Sequence[walk.WalkExample], by: NodeScorer) -> Behaviour:
    choices, worth = [], []
    for example in examples:
        for way, its in walk.ranked(example, by):
            if way == "around" or (way == "paths" and example.dataset in walk.HOPS):
                choices.append(f"{way} {its.documents[0] if its.documents else ''}")
                worth.append(walk.measured(example.golds, its)[walk.MEASURED.index("ndcg@5")])
    return Behaviour(choices, worth)


def of_search(data: Path, libraries: Path) -> Iterator[Remade]:
    """Which tools are run, and which document of all that they find comes first."""
    bench = search.Bench.open(data, libraries, encoder_for(read_settings()))
    gathered = search.by_halves(bench, bench.asked, Rewriter())
    made = search.fit(gathered)
    shipped = search.Policy(router.shipped(), ordering.shipped())

    def routers(by: search.Policy) -> Behaviour:
        tools = [by.tools(one) for one in gathered]
        found = [one.ranked(its, shipped.order) for one, its in zip(gathered, tools, strict=True)]
        return Behaviour([*map(" ".join, tools)], worth_of(found))

    def orders(by: search.Policy) -> Behaviour:
        found = [one.ranked(("hybrid", *search.TOOLS), by.order) for one in gathered]
        return Behaviour([its[0] if its else "" for its in found], worth_of(found))

    def worth_of(found: Sequence[list[str]]) -> list[float]:
        return [search.figures_of(one, its)["ndcg@5"] for one, its in zip(gathered, found, strict=True)]

    yield Remade(router.SHIPPED, search.to_json(made.router), routers(shipped), routers(made))
    yield Remade(ordering.SHIPPED, search.to_json(made.order), orders(shipped), orders(made))


TRAINERS: Mapping[str, Callable[[Path, Path], Iterator[Remade]]] = {
    "roots": partial(of_text, roots.made),
    "talk": partial(of_text, talk.made),
    "reader": of_reader,
    "pairs": of_pairs,
    "spans": of_spans,
    "judge": of_judge,
    "rewriter": of_rewriter,
    "walk": of_walk,
    "search": of_search,
}
"""What each makes."""


def behaves(shipped: Behaviour, made: Behaviour) -> tuple[bool, str]:
    """Whether both do the same, and how much of it."""
    same = float(np.mean([one == other for one, other in zip(shipped.choices, made.choices, strict=True)]))
    worth, now = float(np.mean(shipped.worth)), float(np.mean(made.worth))
    said = f"{same:.3f} of {len(shipped.choices)} chosen alike, worth {worth:.3f} shipped, {now:.3f} made"
    return same >= WANTED and abs(worth - now) <= WORTH, said


@click.command(cls=TrainingCommand, help=__doc__)
@click.option("--only", type=click.Choice(list(TRAINERS)), multiple=True, help="Only what this one makes.")
@click.option("--keep", type=NEW_FOLDER, help="Write there what was made.")
def main(data: Path, libraries: Path, only: tuple[str, ...], keep: Path | None) -> None:
    others = 0
    for name in only or TRAINERS:
        begun = time.monotonic()
        for remade in TRAINERS[name](data, libraries):
            alike, said = behaves(remade.shipped, remade.made)
            others += not alike
            if keep:
                keep.mkdir(parents=True, exist_ok=True)
                content = remade.content.encode() if isinstance(remade.content, str) else remade.content
                (keep / remade.path.name).write_bytes(content)
            minutes = (time.monotonic() - begun) / 60
            click.echo(f"{remade.path.name:14} {'yes' if alike else 'no ':4} {said}   {minutes:.1f} min")
    sys.exit(1 if others else 0)


if __name__ == "__main__":
    main()
