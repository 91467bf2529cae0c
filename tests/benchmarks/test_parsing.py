"""The reader of Esperanto is quick enough for a library."""

from pathlib import Path

from tests.benchmarks.parsing import words_a_second
from tests.memory import language


def test_the_reader_takes_twenty_thousand_words_a_second() -> None:
    table = Path(language.__file__).with_name("ekzercaro.conllu").read_text("utf-8")
    text = "\n\n".join(line.removeprefix("# text = ") for line in table.splitlines() if line.startswith("# text = "))
    words_a_second([text])  # the roots are read
    measured = words_a_second([text] * 5)
    assert measured["words"] > 2000 and measured["words_a_second"] > 20_000
