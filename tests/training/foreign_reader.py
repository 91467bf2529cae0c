"""The reader of other languages than English, over the vectors of `clew[multilingual]`.

    python -m tests.training.foreign_reader DATA              writes agent/answer/foreign_reader.json
    python -m tests.training.foreign_reader DATA --crossval   each language by what was fitted on the others

It learns of `tests.training.foreign_turns`, by a softmax over the candidates of a question. Above 0 are the scores that
all answers have without a word of the question: those of documents in another language.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from clew.agent.answer.evidence import encoded_request, request_of
from clew.agent.answer.reader import FOREIGN, FOREIGN_FEATURES, OF_WORDS, Reader, features, foreign_features
from clew.memory.datatypes import Floats
from tests.training.foreign_turns import foreign_turns
from tests.training.reader import to_json
from tests.training.trainer import padded, trainer

PASSES, RATE, DECAY = 600, 0.02, 0.05
WORDS = [any(name.endswith(one) for one in OF_WORDS) for name in FOREIGN_FEATURES]


class ReadForeign(NamedTuple):
    """`found` are the features of the candidates, `right` says which answer."""

    language: str
    found: Floats
    right: Floats


def examples() -> list[ReadForeign]:
    made = []
    for one in foreign_turns():
        if any(one.right):
            asked = encoded_request(request_of(one.turn), one.evidence)
            found = foreign_features(asked, one.evidence, features(asked, one.evidence))
            made.append(ReadForeign(one.language, found, np.array(one.right, float)))
    return made


def fit(found: Sequence[ReadForeign]) -> Reader:
    import torch

    every = np.concatenate([one.found for one in found])
    mean, deviation = every.mean(axis=0), every.std(axis=0)
    deviation[deviation < 1e-3] = np.inf
    weights = torch.zeros(len(FOREIGN_FEATURES), requires_grad=True)
    optimiser = torch.optim.AdamW([weights], RATE, weight_decay=DECAY)
    features = padded([(one.found - mean) / deviation for one in found])
    right, there = (padded([made(one) for one in found]) > 0 for made in (lambda one: one.right, _there))
    for _ in range(PASSES):
        odds = (features @ weights).masked_fill(~there, -torch.inf)
        loss = (odds.logsumexp(1) - odds.masked_fill(~right, -torch.inf).logsumexp(1)).mean()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    made = weights.detach().double().numpy() / deviation
    wordless = [float((np.where(WORDS, 0, one.found) @ made).max()) for one in found]
    return Reader(FOREIGN_FEATURES, [(made[None], np.array([-min(wordless)]))])


def _there(one: ReadForeign) -> Floats:
    return np.ones(len(one.right))


def made(_: Path, __: Path) -> dict[Path, str]:
    return {FOREIGN: to_json(fit(examples()))}


def report(_: Path, __: Path) -> Iterator[str]:
    """How often the first is right, and one of the first two."""
    found = examples()
    for language in sorted({one.language for one in found}):
        reader = fit([one for one in found if one.language != language])
        own = [one for one in found if one.language == language]
        best = np.array([one.right[np.argsort(-reader.scores(one.found))[:2]] for one in own])
        yield f"{language} {len(own):4}   first {best[:, 0].mean():.3f}   in 2 {best.max(axis=1).mean():.3f}"


main = trainer(__doc__, made, report)

if __name__ == "__main__":
    main()
