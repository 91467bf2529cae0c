"""What the coefficients of the tool `graph` are worth on another data set than they were fitted on.

python -m tests.benchmarks.hop_transfer DATA LIBRARIES

DATA and LIBRARIES as for `tests.training.hops`. Rows of the set that was fitted on are left out, also with other
triples: their questions are the same.
"""

from collections.abc import Sequence

import numpy as np

from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from tests.benchmarks.inputs import paths
from tests.training.hops import MEASURED, SETS, HopExample, fit, measured, ranking, read_examples


def main() -> None:
    data, libraries = paths(__doc__ or "", "data", "libraries")
    encoder = encoder_for(read_settings())
    examples = {one: list(read_examples(one, data, libraries, encoder)) for one in SETS}
    for dataset in dict.fromkeys(one.dataset for one in SETS):
        own: Sequence[HopExample] = [e for one, its in examples.items() if one.dataset == dataset for e in its]
        coefficients = fit(own)
        for one, its in examples.items():
            if one.dataset != dataset:
                figures = np.mean([measured(e.golds, ranking(e, coefficients)) for e in its], axis=0)
                shown = "  ".join(f"{name} {mean:.3f}" for name, mean in zip(MEASURED, figures, strict=True))
                print(f"fitted on {dataset:9} -> {one.dataset:9} {one.triples:8} {shown}")


if __name__ == "__main__":
    main()
