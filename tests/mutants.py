"""python -m tests.mutants [PATH...] [--sample N] [--seed S] [--workers W]

Changes one thing at a time in the modules that hold a formula of a seed, and runs the module's own tests: each change
that they do not notice is printed, `survived PATH:LINE NAME: REASON`. The last line is `{mutants, killed, share,
minutes}`; exit code 1 where fewer than 90% are killed, or one that survives has no reason in `tests/mutants.md`.
Nothing is changed on disk: each run is forked from a process that has imported what is not the product's, and imports
the product with the changed module in the place of its own.
"""

import argparse
import ast
import copy
import json
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent

KNOWLEDGE = "tests/memory/knowledge"
TESTS: Mapping[str, tuple[str, ...]] = {
    "memory/dialogue/recall.py": ("tests/memory/dialogue/test_recall.py", "tests/memory/dialogue/test_mmr.py"),
    "memory/knowledge/chunking.py": (f"{KNOWLEDGE}/test_chunking.py",),
    "memory/knowledge/communities/entity_graph.py": (f"{KNOWLEDGE}/communities/test_entity_graph.py",),
    "memory/knowledge/communities/reports.py": (f"{KNOWLEDGE}/communities/test_reports.py",),
    "memory/knowledge/partitioning/methods.py": (f"{KNOWLEDGE}/partitioning/test_methods.py",),
    "memory/knowledge/aligners/training.py": (f"{KNOWLEDGE}/aligners/test_training.py",),
    "memory/knowledge/clues/triple_search.py": (f"{KNOWLEDGE}/clues/test_triple_search.py",),
    "memory/knowledge/walking/walker.py": (f"{KNOWLEDGE}/walking/test_walker.py",),
    "tools/local.py": ("tests/tools/test_local.py",),
    "tools/communities.py": ("tests/tools/test_communities.py",),
}
"""Each with its own unit tests; `mutants.md` says what is left out."""

PRELOADED = (
    *("numpy", "scipy.sparse", "scipy.sparse.csgraph", "torch", "sklearn.cluster", "igraph", "hypothesis"),
    *("pytest", "pydantic", "bm25s", "Stemmer", "safetensors.torch", "tokenizers"),
)

WANTED = 0.9

SLOWEST, LEAST = 5.0, 20.0
"""A run that takes this many times as long as that of the unchanged module, and so many seconds, has been noticed: it
hangs."""

SWAPS: Mapping[type, type] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult},
    **{ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Pow: ast.Mult},
}
NAMES = {"min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "any": "all", "all": "any"}
NAMES |= {"maximum": "minimum", "minimum": "maximum"}


REASONS = Path(__file__).with_suffix(".md")
NO_REASON = "it has no reason"

SEEN = "ignore:Module already imported"
"""pytest warns of hypothesis, which is imported before it."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """`name` is the same while its function stays as it is: module, function, what changes, and which of those."""

    path: str
    line: int
    name: str
    tree: ast.Module


def mutants_of(path: str) -> Iterator[Mutant]:
    """Each change of a module by itself, in the order of its lines."""
    tree, seen = ast.parse((ROOT / path).read_text("utf-8")), Counter[str]()
    functions = {
        id(inner): node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for inner in ast.walk(node)
    }
    for number, (node, _, what) in enumerate(_changes(tree)):
        copied = copy.deepcopy(tree)
        next(change for place, (_, change, _) in enumerate(_changes(copied)) if place == number)()
        name = f"{Path(path).stem}.{functions.get(id(node), 'module')} {what}"
        seen[name] += 1
        yield Mutant(path, getattr(node, "lineno", 0), f"{name} {seen[name]}", copied)


def _changes(tree: ast.Module) -> Iterator[tuple[ast.AST, Callable[[], None], str]]:
    """What can be changed, with what changes it: not annotations, decorators, texts, imports or docstrings."""
    for node in _code(tree):
        if isinstance(node, ast.Compare):
            for place, operator in enumerate(node.ops):
                if type(operator) in SWAPS:
                    yield node, _setter(node.ops, place, SWAPS[type(operator)]()), _said(operator)
        elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPS:
            yield node, _attribute(node, "op", SWAPS[type(node.op)]()), _said(node.op)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            yield node, _attribute(node, "op", ast.UAdd() if isinstance(node.op, ast.USub) else _Same()), _said(node.op)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
            value: Any = node.value
            other = not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else value * 1.5 + 0.1
            yield node, _attribute(node, "value", other), f"{value} to {other}"
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in NAMES:
                field = "attr" if isinstance(node.func, ast.Attribute) else "id"
                yield node, _attribute(node.func, field, NAMES[name]), f"{name} to {NAMES[name]}"
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            negated = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
            yield node, _attribute(node, "test", negated), "its condition"


class _Same(ast.Not):
    """Taken out when the tree is compiled."""


def _code(node: ast.AST) -> Iterator[ast.AST]:
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "type_params", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.Import | ast.ImportFrom) or not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            yield child
            yield from _code(child)


def _attribute(node: object, name: str, value: object) -> Callable[[], None]:
    return lambda: setattr(node, name, value)


def _setter(values: list[ast.cmpop], place: int, value: ast.cmpop) -> Callable[[], None]:
    return lambda: values.__setitem__(place, value)


def _said(operator: ast.AST) -> str:
    other = SWAPS.get(type(operator))
    return f"{type(operator).__name__} to {other.__name__}" if other else f"without {type(operator).__name__}"


class _WithoutNot(ast.NodeTransformer):
    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return node.operand if isinstance(node.op, _Same) else node


def compiled_tree(tree: ast.Module) -> ast.Module:
    """As it is compiled: what only takes the place of a `not` is gone."""
    made: ast.Module = ast.fix_missing_locations(_WithoutNot().visit(tree))
    return made


class Changed(MetaPathFinder, Loader):
    """Imports a module of the product from a tree."""

    def __init__(self, mutant: Mutant) -> None:
        self.name = "clew." + mutant.path.removesuffix(".py").replace("/", ".")
        tree = compiled_tree(mutant.tree)
        self.file = str(ROOT / mutant.path)
        self.code = compile(tree, self.file, "exec")

    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self, origin=self.file) if fullname == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = self.file
        exec(self.code, module.__dict__)


def start(path: str, mutant: Mutant | None, folder: Path, number: int) -> int:
    """A process with the mutant's tests; its exit code is pytest's."""
    if process := os.fork():
        return process
    os.setsid()
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    code = 70
    try:
        import pytest

        if mutant:
            sys.meta_path.insert(0, Changed(mutant))
        os.environ["PYTEST_XDIST_WORKER"] = "gw0"  # what is made once is made once for all of them (tests/conftest.py)
        where = ["--basetemp", str(folder / f"{number}"), *TESTS[path]]
        quick = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-profile", "first", "-W", SEEN]
        code = int(pytest.main([*quick, *where]))
    finally:
        os._exit(code)


@dataclass(frozen=True, slots=True)
class Running:
    mutant: Mutant
    process: int
    end: float

    def over(self) -> bool | None:
        """Whether its tests noticed; None while they run. One that hangs is stopped, and was noticed."""
        done, status = os.waitpid(self.process, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) != 0
        if time.monotonic() < self.end:
            return None
        os.killpg(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        return True


def survivors(chosen: Sequence[Mutant], folder: Path, workers: int) -> Iterator[Mutant]:
    """Those that the tests do not notice. Raises `SystemExit` where a module's tests fail without a change."""
    limits: dict[str, float] = {}
    for path in dict.fromkeys(mutant.path for mutant in chosen):
        begun = time.monotonic()
        if os.waitstatus_to_exitcode(os.waitpid(start(path, None, folder, 0), 0)[1]):
            raise SystemExit(f"the tests of {path} fail without a change")
        limits[path] = LEAST + SLOWEST * (time.monotonic() - begun)
    running, waiting = list[Running](), list(enumerate(chosen, 1))[::-1]
    while waiting or running:
        while waiting and len(running) < workers:
            number, mutant = waiting.pop()
            process = start(mutant.path, mutant, folder, number)
            running.append(Running(mutant, process, time.monotonic() + limits[mutant.path]))
        over = [(one, noticed) for one in running if (noticed := one.over()) is not None]
        running = [one for one in running if one not in [ended for ended, _ in over]]
        yield from (one.mutant for one, noticed in over if not noticed)
        time.sleep(0.02)


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    os.chdir(ROOT)
    for name in PRELOADED:
        import_module(name)
    begun = time.monotonic()
    chosen = [mutant for path in asked.paths or TESTS for mutant in mutants_of(path)]
    if asked.sample:
        chosen = sorted(random.Random(asked.seed).sample(chosen, asked.sample), key=lambda one: one.path)
    known, reasons, survived = reasons_of(REASONS.read_text("utf-8")), list[str](), 0
    with tempfile.TemporaryDirectory(prefix="clew-mutants-") as folder:
        for mutant in survivors(chosen, Path(folder), asked.workers):
            survived += 1
            if mutant.name not in known:
                reasons.append(mutant.name)
            print(
                f"survived {mutant.path}:{mutant.line} {mutant.name}: {known.get(mutant.name, NO_REASON)}", flush=True
            )
    killed, minutes = len(chosen) - survived, round((time.monotonic() - begun) / 60, 1)
    share = round(killed / len(chosen), 3)
    print(json.dumps({"mutants": len(chosen), "killed": killed, "share": share, "minutes": minutes}))
    return 0 if killed >= WANTED * len(chosen) and not reasons else 1


def reasons_of(text: str) -> dict[str, str]:
    """Of lines `- `NAME`: REASON`, by the name of the mutant."""
    return dict(re.findall(r"^- `([^`]+)`: (.+)$", text, re.MULTILINE))


if __name__ == "__main__":
    sys.exit(main())
