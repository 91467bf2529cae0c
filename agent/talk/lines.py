"""What the assistant says in its own name, in each language that it speaks; the texts are in `lines.txt`."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from string import Template

from clew.agent.answer.answer_type import answer_type
from clew.agent.state import Answer, Claim, Turn
from clew.memory.dialogue.variants import ASKING, COGNATES
from clew.memory.language.esperanto_words import is_verb_form, nominative
from clew.memory.language.telling import language_of
from clew.memory.text import LANGUAGES, common_words, unaccented, written_words

_DEFAULT = LANGUAGES[0]


def line(key: str, language: str, **values: str) -> str:
    """A line of `lines.txt` with its values; English where the language is none of them. Raises `KeyError`."""
    return Template(_lines()[key].get(language) or _lines()[key][_DEFAULT]).substitute(values)


def language_name(language: str, said_in: str) -> str:
    """What a language is called in another one."""
    return line("names of languages", said_in).split("; ")[LANGUAGES.index(language)]


def in_language(answer: Answer, turn: Turn, held: str) -> Answer:
    """A refusal in the language of its question; and said, where no passage is in that, how it was searched."""
    asked = language_of(turn.asked)
    within, small = turn.search.within, _without_small_words(answer, turn.asked, asked)
    if small.refused and not small.missing and asked not in ("", _DEFAULT):
        small = replace(small, missing=_lacked(turn))
    made = _opened(refused_in(small, asked, within), turn, asked)
    if not asked or not held or asked == held or answer.outcome not in _SEARCHED:
        return made
    if asked in [language_of(passage.text) for passage in turn.passages[:READ]]:
        return made
    words = next((wording.text for wording in turn.wordings if wording.name == COGNATES), "")
    names = language_name(asked, asked), language_name(held, asked)
    note = line("other language", asked, asked=names[0], held=names[1], alike=f" ({words})" if words else "")
    return replace(made, claims=(*made.claims, Claim(note, new_line=True)))


def _opened(answer: Answer, turn: Turn, language: str) -> Answer:
    """Beginning with yes or no where a question of that is quoted an answer that says so, else with who says what
    follows; a refusal says that it is not said."""
    if answer.outcome not in _SEARCHED or answer_type(turn.rewritten or turn.asked).form != "yes-no":
        return answer
    if answer.refused and not answer.says:
        answer = replace(answer, form="yes-no", says="not-said")
    if not answer.says and (turn.search.within or not any(claim.quotes for claim in answer.claims)):
        return answer  # who says it is told, or it is written by a model in its own words
    return replace(answer, claims=(Claim(line(answer.says or "documents say", language)), *answer.claims))


def _without_small_words(answer: Answer, question: str, language: str) -> Answer:
    """With what is missing as the question has it, and none of its words that only ask: `Find`, `documents`, the
    function words of its language."""
    if language in ("", _DEFAULT):
        asking = ASKING.match(question)
        small = _OF_DOCUMENTS | {*written_words(asking.group().casefold() if asking else "")}
        named = tuple(one for one in answer.missing if not {*written_words(one.casefold())} <= small)
        if named == answer.missing or not answer.refused:
            return answer
        answer = replace(answer, missing=named)
        return replace(answer, claims=(Claim(refusal(answer, language)), *answer.claims[1:]))
    typed = [word for word in written_words(question) if not _is_small(word, language)]
    missing = tuple(one for one in answer.missing if set(written_words(one)) <= {*typed})
    if language == "eo":
        missing = tuple(" ".join(map(nominative, one.split())) for one in missing if not is_verb_form(one))
    return replace(answer, missing=missing)


_NOUN = re.compile(
    r"(?:(?<!\w)(?:die|der|das|den|dem|eine[nmr]?|les?|la|une?|du|des|el|los|las|una?|uno|il|lo|gli|del|al|nel) |l['’])"
    r"(?P<noun>[^\W\d_][\w-]{3,})(?! (?:d['’]|d[eiu]|des|del\w*|von|vom|der)\b)",
    re.IGNORECASE,
)
"""What stands behind an article, in other languages than English, and is of nothing: 'le loyer', not 'le prix de'."""


def _lacked(turn: Turn) -> tuple[str, ...]:
    """The nouns of a question that no passage holds, by their first letters."""
    held = " ".join(passage.text for passage in turn.passages[:READ]).casefold()
    nouns = (
        match["noun"] for match in _NOUN.finditer(turn.asked) if not _is_small(match["noun"], language_of(turn.asked))
    )
    return tuple(noun for noun in dict.fromkeys(nouns) if noun[:STEM].casefold() not in held)


STEM = 5
"""Letters that all forms of a word begin with."""

_OF_DOCUMENTS = frozenset("document documents file files note notes library collection folder".split())


def _is_small(word: str, language: str) -> bool:
    """Whether it is one of the language's commonest, or made of such: `C'est`."""
    parts = [part for part in re.split("['\u2019-]", word) if len(part) > 1]
    return all(language in common_words().get(unaccented(part), ()) for part in parts)


READ = 8
"""Passages whose language is looked at."""

_SEARCHED = ("answered", "partial", "nothing-found")


def refused_in(answer: Answer, language: str, within: str = "") -> Answer:
    """A refusal in this language, of the document `within` which alone was looked, saying which question may have been
    meant and how many files could not be read; what is no refusal, as it is."""
    if not answer.refused:
        return answer
    made = Claim(refusal(answer, language, within))
    said: tuple[Claim, ...] = (made,)
    if language in ("", _DEFAULT):
        said = tuple(made if claim.text == refusal(answer, language) else claim for claim in answer.claims)
    if answer.offered:
        back = Claim(line("did you mean", language, question=answer.offered))
        said = (*(claim for claim in said if claim != back), back)
    if count := answer.files_left_out:
        note = Claim(line(f"file{'' if count == 1 else 's'} left out", language, count=f"{count:,}"))
        said = (*(claim for claim in said if claim != note), note)
    return replace(answer, claims=said)


def refusal(answer: Answer, language: str, within: str = "") -> str:
    """What a refusal says: what is missing, and what is nearest, or where alone was looked."""
    if answer.outcome == "nothing-indexed":
        return line("nothing indexed", language)
    if within and answer.missing:
        return line("nothing in it about", language, title=within, missing=_listed(answer.missing, language))
    if within:
        return line("nothing in it", language, title=within)
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
