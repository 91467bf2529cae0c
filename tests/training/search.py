"""The agent's policy: the router and the order of the evidence, learned from questions whose documents are known.

    python -m tests.training.search DATA LIBRARIES   writes agent/search/router.json, ordering.json, fitted on all sets

DATA holds the data sets of `SETS`, LIBRARIES a library of each (made where there is none); `spans` is made from
`qa/spans.jsonl.gz`. What is below the policy (the scorer of `graph` and `walk`) is fitted on one half of the questions
for the features of the other, so that the policy learns what it is worth on questions that it has not seen. All sets
count alike. What the policy is worth is measured by `tests.training.crossval`.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from clew.agent.evaluation.dataset import Question, read_dataset
from clew.agent.evaluation.ranking import measure, remembered
from clew.agent.models import encoder_for
from clew.agent.search import ordering, query_weights, rounds, router
from clew.agent.search.ordering import Ordering
from clew.agent.search.router import Duel, Router
from clew.agent.settings import read_settings
from clew.agent.state import Call, Turn
from clew.memory.datatypes import Floats, Passage, Query
from clew.memory.dialogue.rewriting import rewrite
from clew.memory.dialogue.signals import Linear
from clew.memory.dialogue.utterances import extract
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library, open_library
from clew.memory.knowledge.question import LibraryQuestion
from clew.memory.knowledge.walking.features import NodeScorer
from clew.memory.knowledge.walking.walker import Walker
from clew.tools.base import encode_query, told_by
from clew.tools.graph import GraphSearch
from clew.tools.hybrid import Hybrid
from clew.tools.walk import findings
from tests.training import walk
from tests.training.made_sets import write_spans
from tests.training.records import lines_of, part_of
from tests.training.rewriter import Rewriter
from tests.training.trainer import library_of, trainer, unscaled

SPANS = "spans"
SETS = ("hotpotqa", "musique", "mtrag", "mtrag-un", "wordnet", SPANS)
TOOLS = ("graph", "walk")
CHOICES: tuple[tuple[str, ...], ...] = ((), ("graph",), ("walk",), TOOLS)
"""Sets of tools that run beside `hybrid`."""

EVIDENCE = 10
"""Passages of each tool, as in a turn."""

HALVES = 2


class Key(NamedTuple):
    """A question of a set, by its place there."""

    set: str
    number: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what is known of it. `domain` is that of a conversation, else the set."""

    key: Key
    question: Question
    golds: Mapping[str, int]
    domain: str

    @property
    def set(self) -> str:
        return self.key.set

    @property
    def conversation(self) -> str:
        """A question without one is its own."""
        return self.question.id.split("<::>")[0]


@dataclass(frozen=True, eq=False)
class Bench:
    """The sets with their libraries, and the examples of the trainer below: of musique by its given triples too."""

    encoder: CachedEncoder
    libraries: Mapping[str, Library]
    asked: Sequence[Asked]
    walks: Mapping[Key, walk.WalkExample]

    @classmethod
    def open(cls, data: Path, libraries: Path, encoder: CachedEncoder) -> "Bench":
        folders = {name: data / name for name in SETS}
        folders[SPANS] = libraries / "data" / SPANS
        if not folders[SPANS].is_dir():
            write_spans(data / "qa" / "spans.jsonl.gz", folders[SPANS])
        numbers: Counter[str] = Counter()
        walks: dict[Key, walk.WalkExample] = {}
        for example in walk.read_all(data, libraries, encoder):  # makes the libraries
            walks[Key(example.dataset, numbers[example.dataset])] = example
            numbers[example.dataset] += 1
        library_of(folders[SPANS], libraries / SPANS, encoder)
        asked = [one for folder in folders.values() for one in _asked(folder)]
        opened = {name: open_library(libraries / name, encoder) for name in SETS}
        return cls(encoder, opened, asked, walks)

    def scorer(self, asked: Sequence[Asked]) -> NodeScorer:
        """Fitted on these questions alone."""
        keys = {one.key for one in asked}
        known = {*keys, *(Key(walk.GIVEN, number) for name, number in keys if name == "musique")}
        return walk.trained([self.walks[key] for key in sorted(known & self.walks.keys())])


def _asked(folder: Path) -> Iterator[Asked]:
    dataset = read_dataset(folder)
    domains = {str(row["_id"]): str(row.get("domain") or folder.name) for row in lines_of(folder / "queries.jsonl")}
    for number, question in enumerate(dataset.questions):
        yield Asked(Key(folder.name, number), question, dataset.golds[question.id], domains[question.id])


@dataclass(frozen=True, eq=False)
class Gathered:
    """What all tools find for a question: passages with the scores of each tool by its name, as `act` pools them, and
    the ids that each tool found, best first. `matched` is the score by `hybrid` of every one."""

    asked: Asked
    signals: Mapping[str, float]
    passages: Sequence[Passage]
    found: Mapping[str, Sequence[str]]
    matched: Mapping[str, float]

    def by(self, tools: Collection[str]) -> list[Passage]:
        """Those that these tools found, as if no other had run."""
        kept = dict.fromkeys(id_ for tool in tools for id_ in self.found[tool])
        known, others = {one.id: one for one in self.passages}, set(ordering.RANKED) - set(tools)
        return [
            replace(known[id_], scores={name: score for name, score in known[id_].scores.items() if name not in others})
            for id_ in kept
        ]

    def ranked(self, tools: Collection[str], by: Ordering) -> list[str]:
        """The documents, best first."""
        passages = self.by(tools)
        if len(tools) > 1:
            passages = ordering.ordered(passages, self.matched, self.signals, by)
        return list(dict.fromkeys(passage.document for passage in passages))


def gather(bench: Bench, asked: Sequence[Asked], scorer: NodeScorer, rewriter: Rewriter) -> list[Gathered]:
    """By all tools, those of paths with this scorer, for what this rewriter makes of the questions."""
    made: list[Gathered] = []
    for name in sorted({one.set for one in asked}, key=SETS.index):
        library = _SearchedLibrary(bench, name, scorer, rewriter)
        made.extend(library.gathered(one) for one in asked if one.set == name)
    return made


class _SearchedLibrary:
    """A library with its tools."""

    def __init__(self, bench: Bench, name: str, scorer: NodeScorer, rewriter: Rewriter) -> None:
        store, manifest = bench.libraries[name].store, bench.libraries[name].manifest
        self.encoder, self.rewriter = bench.encoder, rewriter
        self.hybrid, self.graph = Hybrid(store), GraphSearch(store, scorer=scorer)
        self.walker = Walker(store, scorer=scorer)
        self.edges = manifest.edges / max(1, manifest.documents)

    def gathered(self, asked: Asked) -> Gathered:
        """As in a turn that runs all tools."""
        walker, hybrid, rewriter = self.walker, self.hybrid, self.rewriter
        turn = worded(asked.question, rewriter, self.encoder)
        matches = hybrid.matches(query_of(turn, self.encoder), EVIDENCE)
        turn = query_weights.settled(turn, matches, self.encoder, rewriter.forms)
        query = query_of(turn, self.encoder)
        first = hybrid.findings(query, matches, EVIDENCE)
        question, numbers = LibraryQuestion(walker.graph, query), walker.graph.layers.chunk_numbers
        thought = walker.think(question, np.array(sorted(numbers[id_] for id_ in matches.ids), np.int64))
        walked = findings(hybrid.store, walker.walk(thought, walker.stitch(thought)), EVIDENCE, "walk")
        ran = [
            (Call(name, ()), found)
            for name, found in (("hybrid", first), ("graph", self.graph.found(question, EVIDENCE)), ("walk", walked))
        ]
        pool = rounds.pooled((), ran, further=False).passages
        shown = next(place for place, wording in enumerate(turn.wordings) if wording.won)
        apart = query_weights.apart(turn.wordings, matches)
        found = router.signals(turn.rewritten, first.passages, matches.hits[shown], self.edges, apart)
        bare = [replace(passage, text="") for passage in pool]
        kept = {told_by(passage): passage.id for passage in pool}  # of copies one
        by_tool = {
            call.tool: list(dict.fromkeys(kept[told_by(passage)] for passage in its.passages)) for call, its in ran
        }
        return Gathered(asked, found, bare, by_tool, hybrid.scores(query, [passage.id for passage in pool]))


def worded(question: Question, rewriter: Rewriter, encoder: CachedEncoder) -> Turn:
    """A turn with the wordings of its question, before anything is found."""
    recalled = remembered(question.text, extract(question.history), encoder)
    made = rewrite(question.text, recalled, encoder, rewriter.parameters)
    return Turn("", 1, question.text, made.text, recalled=recalled, wordings=made.wordings)


def query_of(turn: Turn, encoder: CachedEncoder) -> Query:
    """Its wordings with their weights and vectors."""
    return encode_query(turn.question, turn.wordings, encoder, context=turn.recalled.selected)


# Fitting ----------------------------------------------------------------------------------------------------------


class Policy(NamedTuple):
    router: Router
    order: Ordering

    def tools(self, gathered: Gathered) -> tuple[str, ...]:
        return ("hybrid", *router.chosen(gathered.signals, self.router))

    def ranked(self, gathered: Gathered) -> list[str]:
        return gathered.ranked(self.tools(gathered), self.order)


L2, L2_OF_SIGNALS = 0.002, 0.02
"""On the weight of a tool, and on how it depends on a signal."""

SUBSETS = ((("hybrid", "graph"), 0.4), (("hybrid", "walk"), 0.4), (("hybrid", "graph", "walk"), 0.2))
"""Tools that ran, and how much each counts in the fit of the order."""

MOST = 400
"""Questions of a set that the policy is fitted on: more of one would add nothing, as all sets count alike."""

COST = 0.02
"""What a tool has to gain to be worth running."""

C = 0.02
"""Inverse of the strength of the router's L2 penalty."""

CARRIES, OTHERS = ("rewritten", "agree", "edges"), 0.2
"""Signals that say the same of every library, and the scale of all others, whose weights are penalised the more for it:
what first hits look like differs from library to library (docs/journal.md)."""


def policy(bench: Bench, asked: Sequence[Asked], rewriter: Rewriter) -> Policy:
    """From these questions alone."""
    return fit(by_halves(bench, asked, rewriter))


def by_halves(bench: Bench, asked: Sequence[Asked], rewriter: Rewriter) -> list[Gathered]:
    """Each half's features by what was fitted on the other half."""
    halves = [[one for one in asked if part_of(one.conversation, HALVES, "half") == half] for half in range(HALVES)]
    chosen = {one.key for one in fewer(asked)}
    made: list[Gathered] = []
    for own, other in (halves, reversed(halves)):
        made += gather(bench, [one for one in own if one.key in chosen], bench.scorer(other), rewriter)
    return made


def fewer(asked: Sequence[Asked], most: int = MOST) -> list[Asked]:
    """At most so many of each set, by a hash."""
    ordered = sorted(asked, key=lambda one: part_of(one.question.id, 1 << 32))
    return [one for name in SETS for one in [each for each in ordered if each.set == name][:most]]


def fit(made: Sequence[Gathered]) -> Policy:
    order = fit_order(made)
    return Policy(fit_router(made, order), order)


def weights_of(made: Sequence[Gathered]) -> Floats:
    """All sets count alike."""
    counts = Counter(one.asked.set for one in made)
    return np.array([1 / (len(counts) * counts[one.asked.set]) for one in made])


class Scales(NamedTuple):
    mean: Floats
    deviation: Floats


def scales_of(made: Sequence[Gathered]) -> Scales:
    """Of the signals, all sets alike."""
    values, weights = np.array([list(one.signals.values()) for one in made]), weights_of(made)
    mean = weights @ values
    return Scales(mean, np.sqrt(weights @ (values - mean) ** 2) + 1e-6)


def fit_order(made: Sequence[Gathered]) -> Ordering:
    """A conditional logit: the relevant passages of a question share its weight, all others are the alternatives."""
    from scipy.optimize import minimize

    scales, tools = scales_of(made), ("hybrid", *TOOLS)
    lists: list[tuple[Floats, Floats]] = []
    for one, weight in zip(made, weights_of(made), strict=True):
        z = np.concatenate([[1.0], (np.array(list(one.signals.values())) - scales.mean) / scales.deviation])
        for subset, share in SUBSETS:
            passages = one.by(subset)
            relevant = np.array([passage.document in one.asked.golds for passage in passages], dtype=bool)
            if relevant.any():
                said = ordering.features(passages, one.matched, subset)
                columns = [said.get(tool, np.zeros(len(passages))) for tool in tools]
                table = (np.stack(columns, axis=1)[:, :, None] * z).reshape(len(passages), -1)
                lists.append((table, weight * share * relevant / relevant.sum()))
    penalty = np.tile([L2, *[L2_OF_SIGNALS] * len(scales.mean)], len(tools))

    def loss(values: Floats) -> tuple[float, Floats]:
        total, slope = float(penalty @ values**2), 2 * penalty * values
        for table, wanted in lists:
            masses = table @ values
            shares = np.exp(masses - masses.max())
            shares /= shares.sum()
            total -= float(wanted @ np.log(np.maximum(shares, 1e-300)))
            slope += table.T @ (wanted.sum() * shares - wanted)
        return total, slope

    found = minimize(loss, np.zeros(len(penalty)), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    each = zip(tools, found.reshape(len(tools), -1), strict=True)
    return {tool: unscaled(router.SIGNALS, weights[1:], weights[0], *scales) for tool, weights in each}


def fit_router(made: Sequence[Gathered], order: Ordering) -> Router:
    """A duel for every two sets of tools: which of them is better for a question is learned, and by how much is the
    question's weight. What they are worth are nDCG@5, recall@5 and recall@10, their mean, less the cost of each tool.
    """
    from sklearn.linear_model import LogisticRegression

    scales = scales_of(made)
    counts = np.array([1.0 if name in CARRIES else OTHERS for name in router.SIGNALS])
    signals = (np.array([list(one.signals.values()) for one in made]) - scales.mean) / scales.deviation * counts
    worth = {its: np.array([_worth(one, its, order) for one in made]) for its in CHOICES}
    duels = []
    for others, tools in combinations(CHOICES, 2):
        gains = worth[tools] - worth[others]
        told = gains != 0
        weights = (weights_of(made) * np.abs(gains))[told]
        better = gains[told] > 0
        if better.any() and not better.all():
            model = LogisticRegression(C=C, max_iter=1000).fit(signals[told], better, weights / weights.mean())
            line = unscaled(router.SIGNALS, model.coef_[0] * counts, float(model.intercept_[0]), *scales)
            duels.append(Duel(tools, others, line))
        else:  # one is never better
            duels.append(Duel(tools, others, Linear(float(better.any()) - 0.5, {})))
    return Router(tuple(duels))


def _worth(one: Gathered, tools: Sequence[str], order: Ordering) -> float:
    figures = figures_of(one, one.ranked(("hybrid", *tools), order))
    return (figures["ndcg@5"] + figures["recall@5"] + figures["recall@10"]) / 3 - COST * len(tools)


def figures_of(one: Gathered, documents: Sequence[str]) -> dict[str, float]:
    """The measures of `clew evaluate` of the documents that were found, best first."""
    return measure({"q": one.asked.golds}, {"q": [(document, 0.0) for document in documents]})


def made(data: Path, libraries: Path) -> dict[Path, str]:
    bench = Bench.open(data, libraries, encoder_for(read_settings()))
    fitted = policy(bench, bench.asked, Rewriter())
    return {router.SHIPPED: to_json(fitted.router), ordering.SHIPPED: to_json(fitted.order)}


def to_json(made: Router | Ordering) -> str:
    """As it ships."""
    values = asdict(made) if isinstance(made, Router) else {tool: asdict(model) for tool, model in made.items()}
    return json.dumps(values, indent=1, default=dict) + "\n"


main = trainer(__doc__, made)

if __name__ == "__main__":
    main()
