"""Reader and pairs from a share of what they are shipped from, within an hour on two cores: `make train-reader`.

    python -m tests.training.hour DATA

It writes `agent/answer/reader.json` and `pairs.safetensors` and says what these and the shipped ones are worth on
questions of `unseen.jsonl`, which nothing is fitted on. What ships is fitted by `make train` on all there is, which
takes most of a day: this is to see soon what a change of features, texts or questions is worth. Both learn from the
same examples, read once, and the pairs have no teachers.
"""

from collections.abc import Sequence
from pathlib import Path

import click
from safetensors.torch import save

from clew.agent.answer.reader import PAIRS, SHIPPED, Reader, shipped_reader
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from tests.training import pairs
from tests.training.asked_turns import FOLDER, QUESTIONS, UNPAIRED, WIDE, cases_of, of_turns
from tests.training.reader import ReadExample, fit, of_spans, read_turn
from tests.training.records import hashed
from tests.training.trainer import trainer

UNSEEN = FOLDER / "unseen.jsonl"

SHARE = 0.2
"""Of the collections of our own conversations."""

MOST = 250
"""Questions of each set of `qa`."""

BY = pairs.FitParameters(passes=2, rate=2e-4, others=4, hard=3)


def made(data: Path, _: Path) -> dict[Path, str | bytes]:
    spans = list(of_spans(data, "train", encoder_for(read_settings()), MOST))
    examples = [*spans, *of_turns(read_turn, (QUESTIONS, *WIDE), left_out())]
    unseen = [one for one in of_turns(read_turn, [UNSEEN]) if one.right.any()]
    click.echo(f"read: {len(examples)} questions to learn from, {len(unseen)} of {UNSEEN.name}")
    reader = fit(examples)
    layers = pairs.fitted_untaught(examples, BY, reader)
    click.echo(f"right candidate first, as shipped: {worth(unseen, shipped_reader(), pairs.as_shipped())}")
    click.echo(f"right candidate first, as made:    {worth(unseen, reader, layers)}")
    return {SHIPPED: reader.to_json(), PAIRS: save(layers.shipped())}


def left_out() -> frozenset[str]:
    """Collections that are not learned from, by a hash of their names."""
    named = {case["collection"] for file in WIDE for case in cases_of(file)}
    return frozenset(UNPAIRED) | {one for one in named if hashed(one) / 2**256 >= SHARE}


def worth(examples: Sequence[ReadExample], reader: Reader, layers: pairs.Layers) -> str:
    alone = pairs.first_right(examples, [reader.scores(one.found) for one in examples])
    both = pairs.first_right(examples, [pairs.together(one, reader, layers) for one in examples])
    return f"{alone:.3f} by the features, {both:.3f} read together with the question"


main = trainer(__doc__, made)

if __name__ == "__main__":
    main()
