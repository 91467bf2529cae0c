"""The masses of chunks against their formula, and what is shipped."""

import numpy as np
import pytest

from clew.memory.knowledge.multihop.paths import DIRECT, PATH
from clew.memory.knowledge.multihop.rounds import load_coefficients, log_masses
from tests.training.hops import coefficients_of


def test_masses_add_up() -> None:
    rng = np.random.default_rng(0)
    direct, paths, ends = rng.normal(size=6), rng.normal(size=20), rng.integers(0, 5, 20)
    wanted = [np.log(np.exp(direct[c]) + np.exp(paths[ends == c]).sum()) for c in range(6)]
    assert log_masses(direct, paths, ends) == pytest.approx(wanted)
    assert log_masses(direct + 800, paths + 800, ends) == pytest.approx(np.array(wanted) + 800)
    assert log_masses(direct, np.zeros(0), np.zeros(0, np.int64)) == pytest.approx(direct)


def test_what_is_shipped_is_complete_and_can_be_written_again() -> None:
    shipped = load_coefficients()
    assert set(shipped.direct) == set(DIRECT) and set(shipped.path) == {"bias", *PATH}
    values = np.array([*shipped.direct.values(), *(shipped.path[name] for name in ("bias", *PATH))])
    assert coefficients_of(values) == shipped
    features = np.eye(len(PATH))
    assert shipped.of_paths(features) == pytest.approx([shipped.path[name] + shipped.path["bias"] for name in PATH])
