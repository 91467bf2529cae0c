"""The rewriter's models, learned from conversations that people had.

    python -m tests.training.rewriter DATA LIBRARIES  writes memory/dialogue/learned.json, fitted on all of it

DATA holds `mtrag` and `mtrag-un`, LIBRARIES a library of each by the same name (made where there is none). Words are
learned from the stand-alone questions of `mtrag`, wordings from the judged documents of both. What that is worth is
measured by `tests.training.rewriter_crossval`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from clew.agent.evaluation.dataset import Question, read_dataset
from clew.agent.evaluation.query_forms import remembered
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Query, Recalled
from clew.memory.dialogue.rewriting import RewriteParameters, drafted, stand_alone, wordings
from clew.memory.dialogue.signals import SHIPPED, Linear, RewriteModel, Word, recent, turn_signals, words
from clew.memory.dialogue.utterances import extract
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import ClewError
from clew.memory.json_lines import read_objects
from clew.memory.knowledge.disk import current_generation
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.question import MatchParameters, candidates, match
from clew.memory.text import content_words
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid

SETS = ("mtrag", "mtrag-un")
FOLDS = 5
FORMS = ("question", "standing", "expanded")
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
TURN_SIGNALS = ("leans", "pronoun", "clarifies", "capital", "said_before", "last_turn", "context")
WORDS_C = 0.1
"""Inverse of the strength of the words' L2 penalty."""

FORMS_L2 = 0.015

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


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The found documents' best scores by wording, (forms, documents), and which of the documents are relevant."""

    example: RewriteExample
    scores: Vector
    relevant: Sequence[bool]


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("libraries", type=click.Path(file_okay=False, path_type=Path))
def main(data: Path, libraries: Path) -> None:
    try:
        encoder = encoder_for(read_settings())
        examples, tools = opened(data, libraries, encoder)
        SHIPPED.write_text(fit(examples, tools, encoder).to_json(), "utf-8")
    except ClewError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"fitted on {len(examples)} questions: {SHIPPED}")


def opened(data: Path, libraries: Path, encoder: CachedEncoder) -> tuple[list[RewriteExample], dict[str, Hybrid]]:
    """The questions of all sets, and each set's tool."""
    examples: list[RewriteExample] = []
    tools: dict[str, Hybrid] = {}
    for name in SETS:
        _make(data / name, libraries / name, encoder)
        tools[name] = Hybrid(open_library(libraries / name, encoder).store)
        examples += read_examples(data / name, encoder)
    return examples, tools


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
    standing = stand_alone(asked, said, turn).text if said else asked
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
) -> RewriteModel:
    """Both models. The wordings are learned over words that a model of other conversations chose, as in use."""
    from sklearn.model_selection import GroupKFold

    conversations = [example.conversation for example in examples]
    scored: list[Scored] = []
    for known, held_out in GroupKFold(FOLDS).split(conversations, groups=conversations):
        terms = fit_terms([examples[place] for place in known], without)
        later = [examples[place] for place in held_out if examples[place].turn]
        scored += [_scored(example, terms, tools[example.set], encoder) for example in later]
    return RewriteModel(fit_terms(examples, without), fit_forms(scored, without))


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
    values, mean, deviation = _standardised(np.array(signals))
    model = LogisticRegression(C=WORDS_C, max_iter=1000).fit(values, needed)
    return _unstandardised(names, model.coef_[0], float(model.intercept_[0]), mean, deviation)


def _scored(example: RewriteExample, terms: Linear, tool: Hybrid, encoder: CachedEncoder) -> Scored:
    query, parameters = _query(example, RewriteModel(terms, _even()), encoder), MatchParameters()
    found = match(tool.store, query.forms, candidates(tool.store, query, CANDIDATES, parameters), parameters)
    best: dict[str, Vector] = {}
    for place, chunk in enumerate(found.ids):
        document = chunk.rpartition("#")[0]
        best[document] = np.maximum(best.get(document, np.full(len(FORMS), -np.inf)), found.scores[:, place])
    return Scored(example, np.stack(list(best.values()), axis=1), [document in example.golds for document in best])


def _query(example: RewriteExample, learned: RewriteModel, encoder: CachedEncoder) -> Query:
    """With all three wordings, also where they are the same."""
    parameters = RewriteParameters(learned=learned)
    asked = " ".join(example.question.text.split())
    said = recent(example.recalled.extracted, example.recalled.selected, parameters.back)
    draft = drafted(asked, said, example.recalled.selected, encoder, parameters)
    made = wordings(asked, draft, dict.fromkeys(FORMS, 1 / 3), parameters)
    return encode_query(asked, made, encoder, context=example.recalled.selected)


def fit_forms(scored: Sequence[Scored], without: frozenset[str]) -> dict[str, Linear]:
    """Softmax over the wordings by the turn's signals, so that judged documents are likely under a softmax over all
    documents' sums; the temperature of the latter is learned too."""
    import torch

    kept = [one for one in scored if any(one.relevant)]
    names = [name for name in TURN_SIGNALS if name not in without]
    turns = np.array([[one.example.turn[name] for name in names] for one in kept])
    values, mean, deviation = _standardised(turns)
    signals = torch.tensor(values, dtype=torch.float32)
    scores = [torch.tensor(one.scores, dtype=torch.float32) for one in kept]
    relevant = [torch.tensor(one.relevant) for one in kept]
    weights = torch.zeros(len(names), len(FORMS), requires_grad=True)
    intercepts = torch.zeros(len(FORMS), requires_grad=True)
    sharpness = torch.tensor(3.0, requires_grad=True)
    optimiser = torch.optim.LBFGS([weights, intercepts, sharpness], max_iter=300, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        shares = torch.softmax(signals @ weights + intercepts, dim=1)
        of_each = [
            -torch.log_softmax(share @ score * sharpness.exp(), dim=0)[gold].mean()
            for share, score, gold in zip(shares, scores, relevant, strict=True)
        ]
        total = torch.stack(of_each).mean() + FORMS_L2 * (weights**2).sum()
        total.backward()  # type: ignore[no-untyped-call]
        return total

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    return {
        name: _unstandardised(
            names, weights[:, place].detach().numpy(), float(intercepts[place].detach()), mean, deviation
        )
        for place, name in enumerate(FORMS)
    }


def _even() -> dict[str, Linear]:
    return {name: Linear(0.0, {}) for name in FORMS}


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
        for _ in index([folder], library, encoder):
            pass


if __name__ == "__main__":
    main()
