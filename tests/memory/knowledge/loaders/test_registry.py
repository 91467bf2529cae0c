"""The loaders: another one costs a file and a line, and what an extra is needed for names it."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.memory.datatypes import Document, Edge
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.run import IndexReport, index
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.loaders import wikipedia
from clew.memory.knowledge.loaders.registry import LOADERS, discover, loader_of, read
from clew.memory.knowledge.loaders.source import Loader, LoadFailure, Source, shown
from tests.memory.knowledge.loaders.dump import dump


def read_cards(source: Source) -> Iterator[Document]:
    """A document for each line `title: text`."""
    for line in source.path.read_text("utf-8").splitlines():
        title, text = line.split(": ")
        yield Document(title, title, text, shown(source.path))


CARDS = Loader(
    "cards",
    read_cards,
    (".cards",),
    edges=lambda source: (Edge("Moon", one.title, "is beside") for one in read_cards(source)),
)


def test_another_loader_is_a_file_and_a_line(tmp_path: Path, encoder: CachedEncoder) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "sky.cards").write_text("Moon: It orbits the Earth.\nSun: It is a star.\n", "utf-8")
    (documents / "more.txt").write_text("Mars is red.", "utf-8")
    *_, report = index([documents], tmp_path / "library", encoder, loaders=(*LOADERS, CARDS))
    assert isinstance(report, IndexReport)
    assert (report.new, report.failed, report.notes) == (3, (), ())
    with open_library(tmp_path / "library", encoder) as library:
        assert library.store.documents(["Sun"])[0].text == "It is a star."
        assert Edge("Moon", "Sun", "is beside") in library.store.neighbours(["Moon"])[0]


def test_each_loader_has_a_name_and_files_or_folders_of_its_own() -> None:
    assert len({loader.name for loader in LOADERS}) == len(LOADERS)
    suffixes = [suffix for loader in LOADERS for suffix in loader.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert loader_of(Path("a.md")) is not None and loader_of(Path("a.made")) is None


def test_a_dump_without_its_parser_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wiki.xml").write_text(dump(), "utf-8")
    [source] = discover([tmp_path]).sources
    assert importlib.util.find_spec("mwparserfromhell")
    monkeypatch.setattr(wikipedia, "find_spec", lambda name: None)
    [failure] = read(source)
    assert isinstance(failure, LoadFailure) and "pip install 'clew[wikipedia]'" in failure.reason
    assert list(source.loader.edges(source)) == []
