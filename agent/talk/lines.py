"""What the assistant says in its own name, in each language that it speaks; the texts are in `lines.txt`."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import Template

from clew.agent.state import Answer, Claim
from clew.memory.languages import LANGUAGES

_DEFAULT = LANGUAGES[0]


def line(key: str, language: str, **values: str) -> str:
    """A line of `lines.txt` with its values; English where the language is none of them. Raises `KeyError`."""
    return Template(_lines()[key].get(language) or _lines()[key][_DEFAULT]).substitute(values)


def language_name(language: str, said_in: str) -> str:
    """What a language is called in another one."""
    return line("names of languages", said_in).split("; ")[LANGUAGES.index(language)]


def refused_in(answer: Answer, language: str) -> Answer:
    """A refusal in another language than English; what is no refusal, as it is."""
    if not answer.refused or language in ("", _DEFAULT):
        return answer
    return replace(answer, claims=(Claim(refusal(answer, language)),))


def refusal(answer: Answer, language: str) -> str:
    """What a refusal says: what is missing, and what is nearest."""
    if answer.outcome == "nothing-indexed":
        return line("nothing indexed", language)
    said = line("nothing found", language)
    if answer.missing:
        said = line("nothing about", language, missing=_listed(answer.missing, language))
    return f"{said} {line('nearest', language, nearest='; '.join(answer.nearest))}" if answer.nearest else said


def _listed(words: Sequence[str], language: str) -> str:
    *most, last = words
    return f"{', '.join(most)} {line('or', language)} {last}" if most else last


@cache
def _lines() -> dict[str, dict[str, str]]:
    """Key -> language -> line."""
    found: dict[str, dict[str, str]] = {}
    for text in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
        if text.startswith("["):
            key = text.strip("[]")
        elif text and not text.startswith("#"):
            language, _, said = text.partition(" | ")
            found.setdefault(key, {})[language] = said
    return found
