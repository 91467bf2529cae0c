"""Forms of answers, asked as `clew ask` asks: yes and no, what is worked out, documents that differ, refusals that say
what could not be read."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from clew.agent.assistant import Assistant
from clew.agent.doctor import checks
from clew.agent.settings import read_settings
from clew.agent.state import Answer
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.run import index
from tests.agent.test_assistant import ask

Asking = Callable[[str], Answer]
Opened = Callable[[dict[str, str | bytes]], Asking]


@pytest.fixture
def opened(tmp_path: Path, cache: Path, encoder: CachedEncoder) -> Iterator[Opened]:
    """Of files by name, a function that answers a question in a thread of its own."""
    with ExitStack() as stack:

        def made(files: dict[str, str | bytes]) -> Asking:
            for name, text in files.items():
                (tmp_path / "notes").mkdir(exist_ok=True)
                (tmp_path / "notes" / name).write_bytes(text.encode() if isinstance(text, str) else text)
            list(index([tmp_path / "notes"], tmp_path / "library", encoder))
            settings = read_settings(library=tmp_path / "library", home=tmp_path / "home", cache=cache)
            assistant = stack.enter_context(Assistant.open(settings))
            return lambda question: ask(assistant, assistant.threads.new_id(), question).answer

        yield made


BAKERY = "# Bakery\n\nThe bakery in Mill Lane is run by Rosa Lindqvist. It bakes rye bread on Fridays.\n"


def test_a_refusal_says_how_many_files_could_not_be_read(opened: Opened, tmp_path: Path) -> None:
    asked = opened({"bakery.md": BAKERY, "broken.pdf": b"%PDF-1.4 broken"})
    refused = asked("What is the population of Innsbruck?")
    assert refused.refused and refused.files_left_out == 1
    assert refused.text.endswith("1 file could not be read, see clew doctor.")
    auf_deutsch = asked("Wie viele Einwohner hat Innsbruck und wer ist der Bürgermeister?")
    assert auf_deutsch.refused and "1 Datei konnte nicht gelesen werden" in auf_deutsch.text
    answered = asked("Who runs the bakery in Mill Lane?")
    assert (answered.outcome, answered.files_left_out) == ("answered", 0) and "could not" not in answered.text
    _, check = checks.library(tmp_path / "library")
    assert check.state == "warning" and check.message.endswith(
        "1 file could not be read: " + str(tmp_path / "notes" / "broken.pdf")
    )


def test_nothing_is_said_of_files_where_all_could_be_read(opened: Opened) -> None:
    refused = opened({"bakery.md": BAKERY})("What is the population of Innsbruck?")
    assert refused.refused and refused.files_left_out == 0 and "clew doctor" not in refused.text


def test_a_file_that_fails_later_is_counted_too(opened: Opened) -> None:
    opened({"bakery.md": BAKERY})
    refused = opened({"broken.pdf": b"%PDF-1.4 broken"})("What is the population of Innsbruck?")
    assert refused.files_left_out == 1
