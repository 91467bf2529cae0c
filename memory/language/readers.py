"""The readers of languages by name."""

from collections.abc import Iterable

from clew.memory.errors import BadInput
from clew.memory.language.english import English, installed_pipeline
from clew.memory.language.esperanto import Esperanto
from clew.memory.language.trees import SentenceReader
from clew.memory.text import NAMES, language_of

READ = ("eo", "en")


def reader_of(language: str, strict: bool = False, known: Iterable[str] = ()) -> SentenceReader:
    """`known` are roots of Esperanto beside the reader's own. Raises `BadInput` for a language that none reads."""
    if language == "eo":
        return Esperanto(strict, known)
    if language == "en":
        return English(installed_pipeline())
    known = " or ".join(f"{one} ({NAMES[one]})" for one in READ)
    raise BadInput(f"sentences are read in {known}, not in {NAMES.get(language, language)}", "--language eo")


def detected(text: str) -> str:
    """The language of a text. Raises `BadInput` where it cannot be told."""
    found = language_of(text)
    if not found:
        raise BadInput("the language of the text cannot be told", "--language eo, or --language en")
    return found
