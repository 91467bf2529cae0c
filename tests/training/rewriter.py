"""The rewriter's models, learned from conversations that people had.

    python -m tests.training.rewriter DATA LIBRARIES  writes dialogue/learned.json and search/query_weights.json

DATA holds `mtrag`, `mtrag-un` and `qa`, of which `made_sets.py` makes the passages and questions of doc2dial; LIBRARIES
a library of each set by its name (made where there is none). Words are learned from the stand-alone questions of
`mtrag`, what wordings are worth from the judged documents of all. What that is worth in turn is measured by
`tests.training.rewriter_crossval`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from clew.agent.evaluation.dataset import Question, read_dataset
from clew.agent.evaluation.ranking import remembered
from clew.agent.models import encoder_for
from clew.agent.search import query_weights
from clew.agent.search.query_weights import SHIPPED as WEIGHTS
from clew.agent.search.query_weights import WeightModel, form_signals, kind_of
from clew.agent.settings import read_settings
from clew.memory.datatypes import Floats, Recalled, Wording
from clew.memory.dialogue import signals
from clew.memory.dialogue.rewriting import RewriteParameters, clarified, rewrite
from clew.memory.dialogue.signals import SHIPPED as WORDS
from clew.memory.dialogue.signals import Linear, RewriteModel, Word, recent, turn_signals, words_said
from clew.memory.dialogue.utterances import extract
from clew.memory.encoding import CachedEncoder
from clew.memory.text import content_words
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from tests.training.forms import FormExample, best_sum, fit_forms
from tests.training.made_sets import write_doc2dial
from tests.training.records import Record, lines_of
from tests.training.trainer import as_json, library_of, logistic, trainer

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


@dataclass(frozen=True, slots=True)
class RewriteExample:
    """A question with its conversation. `needed` are the stems that the stand-alone question has beside it; None where
    nobody wrote one."""

    set: str
    domain: str
    question: Question
    golds: Mapping[str, int]
    recalled: Recalled
    turn: Mapping[str, float]
    candidates: Sequence[Word]
    needed: frozenset[str] | None

    @property
    def key(self) -> str:
        return f"{self.set} {self.question.id}"

    @property
    def conversation(self) -> str:
        return self.question.id.split("<::>")[0]


@dataclass(frozen=True, slots=True)
class Rewriter:
    """The models that propose wordings and that weigh them by what they found; by default those that are shipped."""

    words: RewriteModel = field(default_factory=signals.shipped)
    forms: WeightModel = field(default_factory=query_weights.shipped)

    @property
    def parameters(self) -> RewriteParameters:
        return RewriteParameters(learned=self.words)


@dataclass(frozen=True, eq=False)
class Conversations:
    """All that a rewriter is fitted on: the questions of the sets that there are, and each set's tool. What was found
    and fitted once is kept."""

    examples: Sequence[RewriteExample]
    tools: Mapping[str, Hybrid]
    encoder: CachedEncoder
    _found: dict[str, dict[str, FormExample]] = field(default_factory=dict)
    _fitted: dict[frozenset[str], Rewriter] = field(default_factory=dict)

    @classmethod
    def open(cls, data: Path, libraries: Path, encoder: CachedEncoder) -> "Conversations":
        examples: list[RewriteExample] = []
        tools: dict[str, Hybrid] = {}
        for name, folder in _folders(data, libraries).items():
            # Other trainers use the libraries of the data's own sets; what hybrid finds needs no entities.
            library = library_of(folder, libraries / name, encoder, "none" if name == "doc2dial" else None)
            tools[name] = Hybrid(library.store)
            examples += read_examples(folder, encoder)
        return cls(examples, tools, encoder)

    def found(self, learned: RewriteModel) -> dict[str, FormExample]:
        """By the key of each question what its wordings find that this model makes."""
        known = str(learned.terms)
        if known not in self._found:
            self._found[known] = {one.key: self._form_example(one, learned) for one in self.examples}
        return self._found[known]

    def fitted(
        self, held_out: Callable[[RewriteExample], bool] = lambda _: False, without: frozenset[str] = frozenset()
    ) -> Rewriter:
        """On all questions but these, and without some signals: the model of the words with the best fixed sum of the
        wordings, and the model that weighs these by what they found with the words of the former."""
        known = [one for one in self.examples if not held_out(one)]
        key = without.union(one.key for one in known)
        if key not in self._fitted:
            learned = RewriteModel(fit_terms(known, without), signals.shipped().forms)
            found = self.found(learned)
            rows = [found[one.key] for one in known]
            fixed = best_sum(rows)
            forms = {name: round(fixed.priors[kind_of(Wording(name, "", 0.0))], 2) for name in FORMS}
            self._fitted[key] = Rewriter(replace(learned, forms=forms), fit_forms(rows, without))
        return self._fitted[key]

    def _form_example(self, example: RewriteExample, learned: RewriteModel) -> FormExample:
        text, recalled = example.question.text, example.recalled
        made = rewrite(text, recalled, self.encoder, RewriteParameters(learned=learned)).wordings
        query = encode_query(text, made, self.encoder, context=recalled.selected)
        found = self.tools[example.set].matches(query, CANDIDATES)
        best: dict[str, Floats] = {}
        for place, chunk in enumerate(found.ids):
            document = chunk.rpartition("#")[0]
            best[document] = np.maximum(best.get(document, np.full(len(made), -np.inf)), found.scores[:, place])
        kinds = [kind_of(wording) for wording in made]
        told = form_signals(made, found, example.turn)
        return FormExample.of((example.set, example.domain), kinds, told, best, example.golds)


def _folders(data: Path, libraries: Path) -> dict[str, Path]:
    folders = {name: data / name for name in SETS}
    conversations, folders["doc2dial"] = data / "qa" / "conversations.jsonl.gz", libraries / "data" / "doc2dial"
    if not conversations.exists():
        del folders["doc2dial"]
    elif not folders["doc2dial"].exists():
        write_doc2dial(conversations, folders["doc2dial"], CONVERSATIONS)
    return folders


def read_examples(folder: Path, encoder: CachedEncoder) -> Iterator[RewriteExample]:
    dataset = read_dataset(folder)
    rows = {str(row["_id"]): row for row in lines_of(folder / "queries.jsonl")}
    for question in dataset.questions:
        yield _example(dataset.name, question, dataset.golds[question.id], rows[question.id], encoder)


def _example(
    name: str, question: Question, golds: Mapping[str, int], row: Record, encoder: CachedEncoder
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
        candidates=words_said(standing, said, selected, turn) if said else [],
        needed=frozenset(content_words(rewritten)) - frozenset(content_words(standing)) if rewritten else None,
    )


def fit_terms(examples: Sequence[RewriteExample], without: frozenset[str] = frozenset()) -> Linear:
    """Logistic regression: is the word one that the stand-alone question has?"""
    names = [name for name in WORD_SIGNALS if f"words.{name}" not in without]
    values: list[list[float]] = []
    needed: list[bool] = []
    for example in examples:
        for word in example.candidates if example.needed is not None else ():
            values.append([word.signals[name] for name in names])
            needed.append(not (example.needed or frozenset()).isdisjoint(content_words(word.text)))
    if len(set(needed)) < 2:  # as often as it was, whatever the signals
        odds = (sum(needed) + 0.5) / (len(needed) - sum(needed) + 0.5)
        return Linear(round(float(np.log(odds)), 4), dict.fromkeys(names, 0.0))
    return logistic(names, np.array(values), needed, WORDS_C)


def made(data: Path, libraries: Path) -> dict[Path, str]:
    fitted = Conversations.open(data, libraries, encoder_for(read_settings())).fitted()
    return {WORDS: as_json(fitted.words), WEIGHTS: as_json(fitted.forms)}


main = trainer(__doc__, made)

if __name__ == "__main__":
    main()
