import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from clew.agent.assistant import Assistant
from clew.agent.settings import Settings, read_settings
from clew.agent.state import Answer, Turn
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.run import index

Asking = Callable[[str], Answer]
Opened = Callable[[Mapping[str, str | bytes]], Asking]

CORPUS = [
    (
        "Metropolis (1927 film)",
        "Metropolis is a German silent film that Fritz Lang directed from Thea von Harbou's novel.",
    ),
    ("Fritz Lang", "Fritz Lang was a director of films. He was born in Vienna in 1890 and died in Beverly Hills."),
    ("Georges Méliès", "Georges Méliès, a magician, made A Trip to the Moon in 1902. He is buried at Père Lachaise."),
    (
        "Moon distance",
        "On average the Moon is 384,400 kilometres away from the Earth; light takes 1.3 seconds for that.",
    ),
    ("Félicette", "Félicette was a cat from Paris who flew into space on a French rocket in October 1963."),
    ("Baikonur", "Baikonur is a spaceport in the steppe of Kazakhstan. Yuri Gagarin was launched from there."),
    ("Long film list", " ".join(f"Film number {n} was shown in a cinema of the city of Vienna." for n in range(200))),
]

QUERIES: list[dict[str, Any]] = [
    {"_id": "q 1", "text": "Who directed Metropolis?", "context": ["Metropolis (1927 film)", "Baikonur"]},
    {
        "_id": "c<::>2",
        "text": "and where was he born?",
        "turns": [
            {"speaker": "user", "text": "Who is Fritz Lang?"},
            {"speaker": "agent", "text": "Fritz Lang was a director of films."},
            {"speaker": "user", "text": "and where was he born?"},
        ],
        "context": ["Baikonur", "Moon distance"],
    },
    {"_id": "q3", "text": "How far away is the Moon?", "context": ["Moon distance"]},
    {"_id": "not judged", "text": "Who painted the ceiling?"},
]

QRELS = [("q 1", "Metropolis (1927 film)"), ("q 1", "Fritz Lang"), ("c<::>2", "Fritz Lang"), ("q3", "Moon distance")]


def write_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def turn_of(assistant: Assistant, thread: str, question: str, **options: Any) -> Turn:
    """What a question ends in."""
    *_, turn = assistant.ask(thread, question, **options)
    assert isinstance(turn, Turn)
    return turn


@pytest.fixture(scope="session")
def beir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small data set: seven documents, one of many chunks, and three questions with qrels."""
    folder = tmp_path_factory.mktemp("sets") / "small"
    folder.mkdir()
    write_lines(folder / "corpus.jsonl", [{"_id": name, "title": name, "text": text} for name, text in CORPUS])
    write_lines(folder / "queries.jsonl", QUERIES)
    rows = "".join(f"{query}\t{document}\t1\n" for query, document in QRELS)
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{rows}", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory, cache: Path, encoder: CachedEncoder, beir: Path) -> Settings:
    """Settings whose library holds the small data set."""
    home = tmp_path_factory.mktemp("small")
    for _ in index([beir], home / "library", encoder):
        pass
    return read_settings(library=home / "library", home=home / "user", cache=cache)


@contextmanager
def over(files: Mapping[str, str | bytes], folder: Path, cache: Path, encoder: CachedEncoder) -> Iterator[Assistant]:
    """An assistant over a library of these files, by their names; all of it lies in the folder."""
    for name, text in files.items():
        (folder / "notes" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "notes" / name).write_bytes(text.encode() if isinstance(text, str) else text)
    list(index([folder / "notes"], folder / "library", encoder))
    with Assistant.open(read_settings(library=folder / "library", home=folder / "home", cache=cache)) as assistant:
        yield assistant


@pytest.fixture
def opened(tmp_path: Path, cache: Path, encoder: CachedEncoder) -> Iterator[Opened]:
    """Of files by name, a function that answers a question in a thread of its own."""
    with ExitStack() as stack:

        def made(files: Mapping[str, str | bytes]) -> Asking:
            assistant = stack.enter_context(over(files, tmp_path, cache, encoder))
            return lambda question: turn_of(assistant, assistant.threads.new_id(), question).answer

        yield made


@pytest.fixture
def assistant(examples_path: Path, cache: Path, tmp_path: Path) -> Iterator[Assistant]:
    """Over the examples."""
    with Assistant.open(read_settings(library=examples_path, home=tmp_path / "data", cache=cache)) as opened:
        yield opened
