"""How given models word a question, as in a turn of the agent, and these models fitted without some conversations."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clew.agent.evaluation.dataset import Question
from clew.agent.evaluation.ranking import remembered
from clew.agent.search import query_weights
from clew.agent.search.query_weights import WeightModel
from clew.agent.state import Turn
from clew.memory.datatypes import Query
from clew.memory.dialogue import signals
from clew.memory.dialogue.rewriting import RewriteParameters, rewrite
from clew.memory.dialogue.signals import RewriteModel
from clew.memory.dialogue.utterances import extract
from clew.memory.encoding import CachedEncoder
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from tests.training import rewriter
from tests.training.rewriter import RewriteExample


@dataclass(frozen=True, slots=True)
class Rewriter:
    """The models that propose wordings and that weigh them by what they found; by default those that are shipped."""

    words: RewriteModel = field(default_factory=signals.shipped)
    forms: WeightModel = field(default_factory=query_weights.shipped)

    @property
    def parameters(self) -> RewriteParameters:
        return RewriteParameters(learned=self.words)

    def worded(self, question: Question, encoder: CachedEncoder) -> Turn:
        """A turn with the wordings of its question, before anything is found."""
        recalled = remembered(question.text, extract(question.history), encoder)
        made = rewrite(question.text, recalled, encoder, self.parameters)
        return Turn("", 1, question.text, made.text, recalled=recalled, wordings=made.wordings)


def query_of(turn: Turn, encoder: CachedEncoder) -> Query:
    """Its wordings with their weights and vectors."""
    return encode_query(turn.question, turn.wordings, encoder, context=turn.recalled.selected)


@dataclass(frozen=True, eq=False)
class Conversations:
    """All that a rewriter is fitted on."""

    examples: Sequence[RewriteExample]
    tools: Mapping[str, Hybrid]
    encoder: CachedEncoder
    _known: dict[frozenset[str], Rewriter] = field(default_factory=dict)

    @classmethod
    def open(cls, data: Path, libraries: Path, encoder: CachedEncoder) -> "Conversations":
        return cls(*rewriter.opened(data, libraries, encoder), encoder)

    def fitted(self, without: Callable[[RewriteExample], bool]) -> Rewriter:
        """On all but these."""
        known = [one for one in self.examples if not without(one)]
        key = frozenset(f"{one.set} {one.question.id}" for one in known)
        if key not in self._known:
            self._known[key] = Rewriter(*rewriter.fit(known, self.tools, self.encoder))
        return self._known[key]
