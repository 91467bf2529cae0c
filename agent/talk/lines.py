"""What the assistant says in its own words, in all languages that it speaks; the texts are in `lines.txt`."""

from dataclasses import replace
from pathlib import Path
from string import Template

from clew.agent.answer.evidence import READ
from clew.agent.state import Answer, Claim, Turn
from clew.memory.dialogue.rewriting import ASKING, COGNATES
from clew.memory.language.answer_type import answer_type
from clew.memory.language.telling import language_of
from clew.memory.text import LANGUAGES, common_words, lines_by_language, unaccented, written_words

STEM = 5
"""Letters by which forms of one word are recognised."""

_ENGLISH = LANGUAGES[0]
_LINES = lines_by_language(Path(__file__).with_suffix(".txt"))
_SEARCHED = ("answered", "partial", "nothing-found")


def line(key: str, language: str, **values: str) -> str:
    """A line of `lines.txt` with values put in; in English if the language has none. Raises `KeyError`."""
    return Template(_LINES.get(f"{key}, {language}") or _LINES[f"{key}, {_ENGLISH}"]).substitute(values)


def language_name(language: str, said_in: str) -> str:
    """What a language is called in another one."""
    return line("names of languages", said_in).split("; ")[LANGUAGES.index(language)]


def languages() -> dict[str, str]:
    """The values of the setting `language`, with the name of each language in itself."""
    return {"auto": "the language of the question"} | {one: language_name(one, one) for one in LANGUAGES}


def in_language(answer: Answer, turn: Turn, held: str) -> Answer:
    """The answer with Clew's own words in the language of the turn: a refusal, or "The documents say:". If no passage
    is in the question's language and what is cited is in the language `held`, a note says how that was searched."""
    language, spoken = language_of(turn.typed), turn.language
    answer = _opened(refused_in(_with_missing(answer, turn, language), spoken, turn.search.within), turn, spoken)
    if not language or held in ("", language) or answer.outcome not in _SEARCHED:
        return answer
    if language in [language_of(passage.text) for passage in turn.passages[:READ]]:
        return answer
    if held not in [language_of(passage.text) for passage in answer.sources or turn.passages[:READ]]:
        return answer
    alike = next((f" ({wording.text})" for wording in turn.wordings if wording.name == COGNATES), "")
    names = {"asked": language_name(language, spoken), "held": language_name(held, spoken)}
    note = Claim(line("other language", spoken, alike=alike, **names), new_line=True)
    return replace(answer, claims=(*answer.claims, note))


def _opened(answer: Answer, turn: Turn, language: str) -> Answer:
    """The answer to a yes-no question, opened by who says it ("The documents say:"), or in a refusal by that it is not
    said."""
    if answer.outcome not in _SEARCHED or answer_type(turn.rewritten or turn.typed).form != "yes-no":
        return answer
    if answer.refused:
        return replace(answer, form="yes-no", claims=(Claim(line("not-said", language)), *answer.claims))
    if turn.search.within or not any(claim.quotes for claim in answer.claims):
        return answer  # who says it is told, or it is written by a model in its own words
    return replace(answer, claims=(Claim(line("documents say", language)), *answer.claims))


# Refusals ---------------------------------------------------------------------------------------------------------


def refused_in(answer: Answer, language: str, within: str = "") -> Answer:
    """A refusal in this language. `within` is the title of the only document that was searched; the question that may
    have been meant and unreadable files are named too. Other answers are unchanged."""
    if not answer.refused:
        return answer
    said = [refusal(answer, language, within)]
    if answer.offered:
        said.append(line("did you mean", language, question=answer.offered))
    if count := answer.files_left_out:
        more = ", \u2026" if count > len(answer.unread) else ""
        names = f"{', '.join(answer.unread)}{more}"
        said.append(line(f"file{'' if count == 1 else 's'} left out", language, count=f"{count:,}", names=names))
    beside = tuple(claim for claim in answer.claims[1:] if claim.text not in said)
    return replace(answer, claims=(Claim(said[0]), *beside, *map(Claim, said[1:])))


def refusal(answer: Answer, language: str, within: str = "") -> str:
    """The text of a refusal: what is missing, and the nearest titles or the only document that was searched."""
    *most, last = answer.missing or ("",)
    missing = f"{', '.join(most)} {line('or', language)} {last}" if most else last
    if answer.outcome == "nothing-indexed":
        return line("nothing indexed", language)
    if within:
        return line("nothing in it about" if missing else "nothing in it", language, title=within, missing=missing)
    said = line("nothing about" if missing else "nothing found", language, missing=missing)
    return f"{said} {line('nearest', language, nearest='; '.join(answer.nearest))}" if answer.nearest else said


def _with_missing(answer: Answer, turn: Turn, language: str) -> Answer:
    """A refusal whose missing words are written as in the question, without words such as `Find` and `documents`. In
    other languages than English, if none is left, the words that no passage has."""
    if not answer.refused:
        return answer
    asking = ASKING.match(turn.typed)
    said = f"{line('documents', language, count='')} {line('of documents', _ENGLISH)} {asking[0] if asking else ''}"
    small = {*written_words(said.casefold())}
    if language in ("", _ENGLISH):
        kept = [one for one in answer.missing if not small.issuperset(written_words(one.casefold()))]
        return replace(answer, missing=tuple(kept))
    words = [word.replace("\u2019", "'").rpartition("'")[2] for word in written_words(turn.typed)]
    small |= {word.casefold() for word in words if language in common_words().get(unaccented(word), ())}
    own = [word for word in words if word.casefold() not in small]
    kept = [one for one in answer.missing if {*own}.issuperset(written_words(one))]
    if not kept:
        held = " ".join(passage.text for passage in turn.passages[:READ]).casefold()
        nouns = (word for word in own if len(word) >= STEM and (language != "de" or word[0].isupper()))
        kept = [word for word in nouns if word[:STEM].casefold() not in held]
    return replace(answer, missing=tuple(dict.fromkeys(kept)))
