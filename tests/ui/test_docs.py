"""The documents hold: links, paths, modules, commands and flags are there, and the code of the pages runs."""

import importlib.util
import re
import shlex
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import click
import pytest

from clew.agent.parameters import parameters
from clew.agent.settings import NAMES
from clew.memory.datatypes import Query
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import Library
from clew.tools import registry
from clew.tools.base import encode_query
from clew.ui.cli import loaded, main
from tests import command_line_docs
from tests.conftest import ROOT
from tests.tools import test_conformance as conformance

DOCS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")), ROOT / "examples" / "README.md"]
PAGES = [path for path in DOCS if path.name != "CHANGELOG.md"]
FOLDERS = "agent|memory|tools|ui|prompts|tests|docs|examples"


def blocks(path: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def anchors(path: Path) -> set[str]:
    """Of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", path.read_text("utf-8")):
        name, _, anchor = target.partition("#")
        file = (path.parent / name) if name else path
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_paths_and_modules_are_there(path: Path) -> None:
    text = path.read_text("utf-8")
    named = {name.rstrip("/.,") for name in re.findall(rf"`((?:{FOLDERS})/[\w./-]*)`", text)}
    assert not {name for name in named if not (ROOT / name).exists()} - {"tools/meaning.py"}
    modules = set(re.findall(r"python -m (tests[\w.]+)", text)) | set(re.findall(r"`(tests\.[\w.]+\w)`", text))
    assert not {name for name in modules if importlib.util.find_spec(name) is None}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_commands_and_flags_are_there(path: Path) -> None:
    text = path.read_text("utf-8")
    blocks = re.findall(r"^ {4}(?:\$ |[A-Z_]+=\S+ )*(clew [^#\n]*)", text, re.MULTILINE)
    for line in (*blocks, *re.findall(r"`(?:[A-Z_]+=\S+ )*(clew [^`\n]+)`", text)):
        words = shlex.split(line.split(" | ")[0].replace("...", ""))[1:]
        command: click.Command = main
        while words and isinstance(command, click.Group) and re.fullmatch(r"[a-z]+", words[0]):
            name = words.pop(0)
            assert name in command.commands, line
            command = loaded(name) if command is main else command.commands[name]
        known = {name for option in command.params for name in option.opts} | {"--help", "--version"}
        flags = {re.split("=", word)[0] for word in words if re.match(r"--?[a-z]", word)}
        assert flags <= known, line


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_settings_are_there(path: Path) -> None:
    others = "TEST_AXE TEST_LLAMA_MODEL TEST_LLAMA_SERVER TEST_OLLAMA TEST_OPENAI TEST_SPACY DATA PASSWORD MCP_TOKEN"
    named = {*re.findall(r"\bCLEW_([A-Z_]+)\b", path.read_text("utf-8"))} - {*others.split()}
    plain = {name.lower() for name in named if "__" not in name}
    assert plain <= {*NAMES}
    assert {name.lower().replace("__", ".") for name in named if "__" in name} <= set(parameters())


def test_the_command_line_is_as_documented() -> None:
    written = command_line_docs.FILE.read_text("utf-8")
    assert written == command_line_docs.page(), "python -m tests.command_line_docs writes it anew"


def test_the_python_page_runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks in one namespace; the comments below `print` are what is printed."""
    Path("examples").symlink_to(ROOT / "examples")
    space: dict[str, object] = {}
    for block in blocks(ROOT / "docs" / "python.md"):
        expected = re.findall(r"^ *# (.*)$", block, re.MULTILINE)
        with redirect_stdout(StringIO()) as out:
            exec(compile(block, "docs/python.md", "exec"), space)
        assert out.getvalue().splitlines() == expected


def test_the_tool_of_the_page_conforms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examples: Library, encoder: CachedEncoder
) -> None:
    """That of docs/write-a-tool.md, registered."""
    (block,) = blocks(ROOT / "docs" / "write-a-tool.md")
    assert block.count("\n") <= 60
    file = tmp_path / "meaning_tool.py"
    file.write_text(block, "utf-8")
    spec = importlib.util.spec_from_file_location("meaning_tool", file)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "meaning_tool", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(registry, "TOOLS", {**registry.TOOLS, "meaning": module.make})
    tool = registry.make("meaning", examples.store)
    query: Query = encode_query(conformance.QUESTION, [], encoder)
    conformance.test_it_finds_and_says_where_and_why(tool, query, examples)
    conformance.test_k_is_the_most(tool, query)
    conformance.test_the_scope_holds(tool, query)
    conformance.test_it_can_be_stopped(tool, query)
    conformance.test_words_that_mean_nothing_are_no_error(tool, encoder)
    conformance.test_several_forms_and_threads(tool, encoder)
