"""The command line as tests use it: in this process, or as a process of its own, with folders of its own."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from tests.processes import Process
from tests.ui.browsing import CHROMIUM, FLAGS, PATIENCE, Address, Watched, fake_page, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

ROOT = Path(__file__).parent.parent.parent

Run = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's threads are kept; nothing of the user's own is read or written."""
    for name in [name for name in os.environ if name.startswith("CLEW_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CLEW_LLM", "none")  # a server of this machine's user is none of the tests' business
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("CLEW_CACHE", str(cache))
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    monkeypatch.setenv("PROMPT_TOOLKIT_NO_CPR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data" / "clew"


@pytest.fixture
def clew(home: Path) -> Run:
    """`clew("ask", "why?", input="...")` in this process; `.stdout` and `.stderr` apart."""
    from clew.ui.cli import main

    def run(*arguments: object, input: str | bytes | None = None) -> Result:  # noqa: A002 as CliRunner calls it
        return CliRunner().invoke(main, [str(argument) for argument in arguments], input=input, prog_name="clew")

    return run


def process(arguments: Sequence[object], program: Sequence[object] = ("-m", "clew.ui.cli")) -> "subprocess.Popen[str]":
    """The command line as a process of its own, its streams as pipes."""
    pipe = subprocess.PIPE
    return Process([*program, *arguments], stdin=pipe, stdout=pipe, stderr=pipe)


def graph_folder(folder: Path, topics: Sequence[str], each: int, asked: Sequence[int]) -> Path:
    """A data set of a graph: of each topic a line of nodes, and questions that name one node each, by its number."""
    names = [f"{topic} number{n}" for n, topic in enumerate(one for one in topics for _ in range(each))]
    linked = [n for n in range(len(names) - 1) if (n + 1) % each]
    rows: dict[str, list[dict[str, str]]] = {
        "nodes": [{"id": str(n), "title": one, "text": f"{one} has mark{n}."} for n, one in enumerate(names)],
        "edges": [{"source": str(n), "target": str(n + 1), "relation": "next to"} for n in linked],
        "queries": [{"_id": f"q{n}", "text": f"the {names[n]}"} for n in asked],
    }
    folder.mkdir()
    for name, its in rows.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in its), "utf-8")
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(f"q{n}\t{n}\t1\n" for n in asked))
    return folder


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    with fake_page(tmp_path_factory.mktemp("threads")) as made:
        yield made


@pytest.fixture
def context(browser: "Browser") -> "Iterator[BrowserContext]":
    """Of 1280 x 800. Whatever a test does: nothing is asked of another host, and the console stays clean."""
    made = browser.new_context(viewport={"width": 1280, "height": 800})
    made.set_default_timeout(PATIENCE)
    watched = Watched(made)
    yield made
    complaints = [*watched.complaints]  # without those of streams that closing cuts off
    made.close()
    assert watched.hosts <= {"127.0.0.1", None}  # None: data:
    assert complaints == []


@pytest.fixture
def page(context: "BrowserContext", address: Address) -> "Page":
    return opened(context, address)
