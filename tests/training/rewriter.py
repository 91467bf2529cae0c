"""The rewriter's models, learned from conversations that people had.

    python -m tests.training.rewriter DATA LIBRARIES  writes dialogue/learned.json and search/query_weights.json

DATA holds `mtrag`, `mtrag-un` and `qa`, of which `tests.benchmarks.doc2dial` makes the passages and questions of
doc2dial; LIBRARIES a library of each set by its name (made where there is none). Words are learned from the stand-alone
questions of `mtrag`, what wordings are worth from the judged documents of all. What that is worth in turn is measured
by `tests.training.rewriter_crossval`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from clew.agent.evaluation.dataset import Question, read_dataset
from clew.agent.evaluation.ranking import remembered
from clew.agent.models import encoder_for
from clew.agent.search.query_weights import SHIPPED as FORMS_SHIPPED
from clew.agent.search.query_weights import WeightModel, form_signals, kind_of
from clew.agent.settings import read_settings
from clew.memory.datatypes import Recalled, Wording
from clew.memory.dialogue.rewriting import RewriteParameters, clarified, rewrite
from clew.memory.dialogue.signals import SHIPPED, Linear, RewriteModel, Word, recent, shipped, turn_signals, words
from clew.memory.dialogue.utterances import extract
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import ClewError
from clew.memory.json_lines import read_objects
from clew.memory.knowledge.disk import current_generation
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.memory.text import content_words
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from tests.benchmarks.doc2dial import write_dataset
from tests.training.forms import FormExample, best_sum, fit_forms

SETS = ("mtrag", "mtrag-un", "doc2dial")
CONVERSATIONS = 2
"""Every second conversation of doc2dial is used: it has more than all others."""

FORMS = ("question", "standing", "before", "expanded")
CANDIDATES = 60
WORD_SIGNALS = (
    "in_last_question",
    "in_last_answer",
    "opens_last_answer",
    "in_first_question",
    "in_context",
    "turns",
    "words",
    "last_question",
)
WORDS_C = 0.1
"""Inverse of the strength of the words' L2 penalty."""

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RewriteExample:
    """A question with its conversation. `needed` are the stems that the stand-alone question has beside it; None where
    nobody wrote one. `rewrite` is that question."""

    set: str
    domain: str
    question: Question
    golds: Mapping[str, int]
    recalled: Recalled
    turn: Mapping[str, float]
    standing: str
    candidates: Sequence[Word]
    needed: frozenset[str] | None
    rewrite: str

    @property
    def conversation(self) -> str:
        return self.question.id.split("<::>")[0]


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("libraries", type=click.Path(file_okay=False, path_type=Path))
def main(data: Path, libraries: Path) -> None:
    try:
        for path, text in made(data, libraries).items():
            path.write_text(text, "utf-8")
    except ClewError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"fitted: {SHIPPED}, {FORMS_SHIPPED}")


def made(data: Path, libraries: Path) -> dict[Path, str]:
    encoder = encoder_for(read_settings())
    words_model, form_model = fit(*opened(data, libraries, encoder), encoder)
    return {SHIPPED: words_model.to_json(), FORMS_SHIPPED: form_model.to_json()}


def opened(data: Path, libraries: Path, encoder: CachedEncoder) -> tuple[list[RewriteExample], dict[str, Hybrid]]:
    """The questions of all sets that there are, and each set's tool."""
    examples: list[RewriteExample] = []
    tools: dict[str, Hybrid] = {}
    for name, folder in _folders(data, libraries).items():
        _make(folder, libraries / name, encoder)
        tools[name] = Hybrid(open_library(libraries / name, encoder).store)
        examples += read_examples(folder, encoder)
    return examples, tools


def _folders(data: Path, libraries: Path) -> dict[str, Path]:
    folders = {name: data / name for name in SETS}
    conversations = data / "qa" / "conversations.jsonl.gz"
    if not folders["doc2dial"].exists():
        folders["doc2dial"] = libraries / "data" / "doc2dial"
        if not conversations.exists():
            del folders["doc2dial"]
        elif not folders["doc2dial"].exists():
            write_dataset(conversations, folders["doc2dial"], CONVERSATIONS)
    return folders


def read_examples(folder: Path, encoder: CachedEncoder) -> Iterator[RewriteExample]:
    dataset = read_dataset(folder)
    rows = {str(row["_id"]): row for _, row in read_objects(folder / "queries.jsonl")}
    for question in dataset.questions:
        yield _example(dataset.name, question, dataset.golds[question.id], rows[question.id], encoder)


def _example(
    name: str, question: Question, golds: Mapping[str, int], row: Mapping[str, Any], encoder: CachedEncoder
) -> RewriteExample:
    asked = " ".join(question.text.split())
    recalled = remembered(asked, extract(question.history), encoder)
    selected = recalled.selected
    said = recent(recalled.extracted, selected, RewriteParameters().back)
    turn = turn_signals(asked, said, selected, encoder) if said else {}
    standing = clarified(asked, said, turn).text if said else asked
    rewritten = str(row.get("rewrite") or "")
    return RewriteExample(
        set=name,
        domain=str(row["domain"]),
        question=question,
        golds=golds,
        recalled=recalled,
        turn=turn,
        standing=standing,
        candidates=words(standing, said, selected, turn) if said else [],
        needed=frozenset(content_words(rewritten)) - frozenset(content_words(standing)) if rewritten else None,
        rewrite=rewritten,
    )


def fit(
    examples: Sequence[RewriteExample],
    tools: Mapping[str, Hybrid],
    encoder: CachedEncoder,
    without: frozenset[str] = frozenset(),
) -> tuple[RewriteModel, WeightModel]:
    """The model of the words with the best fixed sum of the wordings, and the model that weighs these by what they
    found with the words of the former."""
    words_model = RewriteModel(fit_terms(examples, without), shipped().forms)
    found = [form_example(example, words_model, tools[example.set], encoder) for example in examples]
    return weighed(words_model, found, without)


def weighed(
    words_model: RewriteModel, found: Sequence[FormExample], without: frozenset[str] = frozenset()
) -> tuple[RewriteModel, WeightModel]:
    """By what the wordings that `words_model` makes have found."""
    return replace(words_model, forms=by_name(best_sum(found))), fit_forms(found, without)


def by_name(model: WeightModel) -> dict[str, float]:
    """The priors of the wordings, in hundredths."""
    return {name: round(model.priors[kind_of(Wording(name, "", 0.0))], 2) for name in FORMS}


def fit_terms(examples: Sequence[RewriteExample], without: frozenset[str]) -> Linear:
    """Logistic regression: is the word one that the stand-alone question has?"""
    from sklearn.linear_model import LogisticRegression

    names = [name for name in WORD_SIGNALS if f"words.{name}" not in without]
    signals: list[list[float]] = []
    needed: list[bool] = []
    for example in examples:
        for word in example.candidates if example.needed is not None else ():
            signals.append([word.signals[name] for name in names])
            needed.append(not (example.needed or frozenset()).isdisjoint(content_words(word.text)))
    if len(set(needed)) < 2:  # as often as it was, whatever the signals
        odds = (sum(needed) + 0.5) / (len(needed) - sum(needed) + 0.5)
        return Linear(round(float(np.log(odds)), 4), dict.fromkeys(names, 0.0))
    values, mean, deviation = _standardised(np.array(signals))
    model = LogisticRegression(C=WORDS_C, max_iter=1000).fit(values, needed)
    return _unstandardised(names, model.coef_[0], float(model.intercept_[0]), mean, deviation)


def form_example(
    example: RewriteExample, words_model: RewriteModel, tool: Hybrid, encoder: CachedEncoder
) -> FormExample:
    """What the wordings of its question find that this model makes."""
    made = rewrite(example.question.text, example.recalled, encoder, RewriteParameters(learned=words_model)).wordings
    query = encode_query(example.question.text, made, encoder, context=example.recalled.selected)
    found = tool.matches(query, CANDIDATES)
    best: dict[str, Vector] = {}
    for place, chunk in enumerate(found.ids):
        document = chunk.rpartition("#")[0]
        best[document] = np.maximum(best.get(document, np.full(len(made), -np.inf)), found.scores[:, place])
    signals = form_signals(made, found, example.turn)
    kinds = [kind_of(wording) for wording in made]
    return FormExample.of((example.set, example.domain), kinds, signals, best, example.golds)


def _standardised(values: Vector) -> tuple[Vector, Vector, Vector]:
    mean, deviation = values.mean(axis=0), values.std(axis=0) + 1e-6
    return (values - mean) / deviation, mean, deviation


def _unstandardised(names: Sequence[str], weights: Vector, intercept: float, mean: Vector, deviation: Vector) -> Linear:
    raw = weights / deviation
    return Linear(
        round(intercept - float(raw @ mean), 4), {n: round(float(w), 4) for n, w in zip(names, raw, strict=True)}
    )


def _make(folder: Path, library: Path, encoder: CachedEncoder) -> None:
    if not current_generation(library):
        click.echo(f"indexing {folder}", err=True)
        # Other trainers use the libraries of the data's own sets; what hybrid finds needs no entities.
        parameters = Parameters(triples="none" if folder.name == "doc2dial" else None)
        for _ in index([folder], library, encoder, parameters=parameters):
            pass


if __name__ == "__main__":
    main()
