"""The runner of mutants: what it changes, that a change takes its place, and that it stays small."""

import ast
from pathlib import Path

from tests.mutants import REASONS, ROOT, TESTS, Changed, Mutant, compiled_tree, mutants_of, reasons_of


def test_each_change_is_one() -> None:
    path = "memory/knowledge/aligners/training.py"
    before = ast.unparse(ast.parse((ROOT / path).read_text("utf-8"))).splitlines()
    made = list(mutants_of(path))
    assert len({one.name for one in made}) == len(made) > 8
    for mutant in made:
        after = ast.unparse(compiled_tree(mutant.tree)).splitlines()
        assert sum(one != other for one, other in zip(before, after, strict=True)) == 1, mutant.name
    assert any(one.name.startswith("training.info_nce Sub to Add") for one in made)


def test_a_changed_module_takes_the_place_of_the_products() -> None:
    tree = ast.parse("def twice(x):\n    return x * 2 if not x < 0 else None\n")
    changed = Changed(Mutant("memory/dialogue/recall.py", 1, "name", tree))
    spec = changed.find_spec("clew.memory.dialogue.recall", None)
    assert spec is not None and changed.find_spec("clew.memory.dialogue.threads", None) is None
    space: dict[str, object] = {}
    exec(changed.code, space)
    assert space["twice"](3) == 6  # type: ignore[operator]


def test_the_modules_are_few_enough_and_have_tests() -> None:
    assert sum((ROOT / path).read_text("utf-8").count("\n") for path in TESTS) <= 3500
    assert all((ROOT / test).is_file() for tests in TESTS.values() for test in tests)


def test_reasons_are_of_modules_that_are_changed() -> None:
    assert reasons_of("- `a.b Lt to LtE 1`: because\n") == {"a.b Lt to LtE 1": "because"}
    stems = {Path(path).stem for path in TESTS}
    assert {name.split(".")[0] for name in reasons_of(REASONS.read_text("utf-8"))} <= stems
