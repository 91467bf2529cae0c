"""Follow-ups that leave out what is done, as the question before says it: 'who did?', 'why did he?', 'and Sven?', 'who
else?' (verb phrase ellipsis: Hankamer and Sag 1976)."""

import re
from dataclasses import dataclass

from clew.memory.dialogue.phrases import Parts, Phrase
from clew.memory.dialogue.word_classes import BE, FIRST_NAMES, LISTS, PARTICIPLES, base, past, present
from clew.memory.dialogue.written_types import TIMES, written_type

_DO, _HAVE = ("do", "does", "did"), ("has", "have", "had")
_MODAL = ("can", "could", "will", "would", "shall", "should", "may", "might", "must")
_SHORT = re.compile(
    r"(?:(?:and|but|so)\b,? )*(?:(?P<asks>who(?: else)?|why|since when|until when|when|where|how) )?"
    rf"(?P<helper>{'|'.join((*_DO, *_HAVE, *_MODAL, 'is', 'are', 'was', 'were'))})(?P<denied>n['’]t)?"
    r"(?: (?P<by>[\w'’-]+(?: [\w'’-]+){0,2}?))?(?:,? (?:too|as well|also|then))?\W*",
    re.IGNORECASE,
)
"""'who did?', 'and who didn't?', 'did Tom?', 'why did he?'"""

_THEMSELVES, _OTHERS = ("i", "you", "we"), ("he", "she", "it", "they")
_OPEN = ("", "who", "who else", "when", "where", "why", "how")
"""What a question may ask for, so that all that is done stands behind its subject."""


@dataclass(frozen=True, slots=True)
class _Done:
    """What is done: its `verb` in the base form, empty where 'be' says it all; the `rest` of the question; what helps
    the verb; by whom, empty where it asks for that."""

    verb: str
    rest: str
    helper: str
    by: str

    @property
    def text(self) -> str:
        return f"{self.verb} {self.rest}".strip()


def _done(before: Parts, *, timeless: bool = False) -> _Done | None:
    """'pay the bill', helped by 'did', of 'did Ida pay the bill?' and of 'who paid the bill?'; None where the question
    leaves open what is done. `timeless`: without its time."""
    if before.asks.casefold() not in _OPEN or before.clause >= 0:
        return None
    subject, verb = before.subject, before.verb
    times = [one for one in before.phrases if one.preposition and written_type(one.text) in TIMES]
    text = before.text[: times[0].whole if timeless and times else before.end]
    if before.asks.casefold().startswith("who"):
        if verb and not before.aux:
            made, helper = base(before.does)
            return _Done(made, text[verb[1] :].strip(), "did" if helper == "did" else "does", "")
        return _Done("", text[before.aux[1] :].strip(), before.helper, "") if before.aux and not subject else None
    if not (before.aux and subject) or (subject.pronoun and subject.text.casefold() == "there"):
        return None
    rest, behind = text[subject.end :].strip(), verb is not None and verb[0] == subject.end + 1
    if behind and verb and before.helper in (*_DO, *_MODAL):
        return _Done(before.does.casefold(), text[verb[1] :].strip(), before.helper, subject.text)
    return _Done("", rest, before.helper, subject.text) if rest else None


def _kind(helper: str) -> str:
    """'do', 'be', 'have' or 'can': helping verbs of one kind go with the same form of a verb."""
    plain = helper.casefold().removesuffix("n't")
    return "do" if plain in _DO else "be" if plain in BE else "have" if plain in _HAVE else "can"


_SAID = "what is done is said in the question before"


def said_in_full(question: str, before: Parts, answered: str) -> tuple[str, str] | None:
    """'Who paid the bill?' for 'who did?' after 'did Ida pay the bill?', 'why did Tom like the film?' for 'why did
    he?', 'did Tom pay the bill?' for 'did Tom?', and why; None for other follow-ups. `answered` is who answered the
    question before."""
    short = _SHORT.fullmatch(question)
    asks = (short["asks"] or "").casefold() if short else ""
    what = _done(before, timeless=asks.endswith("when")) if short else None
    if not short or not what:
        return None
    helper, denied = short["helper"].casefold(), "n't" if short["denied"] else ""
    text, who = _after(helper, what, asks), asks.startswith("who")
    by = _meant(short["by"] or "", what, answered, alone=not asks)
    if not text or who == bool(short["by"]) or (not who and not by):
        return None
    if who:
        again = not what.by and _kind(helper) == _kind(what.helper) and not denied
        return None if again else (_by_whom(asks, helper, denied, what, text), _SAID)
    opening = f"{asks} {helper}{denied}".strip()
    return f"{opening[0].upper()}{opening[1:]} {by} {text}?", _SAID


def _meant(by: str, what: _Done, answered: str, *, alone: bool) -> str:
    """Who does it by the short question, with a name for 'he'; empty where that is no more than a question of its own.
    `alone`: behind no question word, where it is another."""
    low = by.casefold()
    if alone:
        named = re.fullmatch(r"[A-ZÀ-Þ][\w'’-]+|(?:the|my|our|your|his|her) (?!other\b|one\b)[\w-]+", by) is not None
        return by if named or low in LISTS["people"] else ""
    if low in _THEMSELVES or (by and by == what.by):
        return by
    known = what.by or answered
    return (known if known.casefold() not in _THEMSELVES else by) if low in _OTHERS else ""


def _after(helper: str, what: _Done, asks: str) -> str:
    """What is done as it stands behind another helping verb; empty where it does not go with that, or the question
    could be one of its own: 'how is it?', 'when is it?'"""
    kinds = _kind(what.helper), _kind(helper)
    text = what.text.removeprefix("been ") if kinds == ("have", "be") else what.text
    if kinds[0] != kinds[1] and set(kinds) != {"do", "can"} and text == what.text:
        return ""
    first = text.split(" ")[0]
    happened = helper in ("was", "were") and (first.endswith("ed") or first in PARTICIPLES)
    return "" if kinds[1] == "be" and (asks == "how" or (asks in ("when", "where") and not happened)) else text


def _by_whom(asks: str, helper: str, denied: str, what: _Done, text: str) -> str:
    """'Who paid the bill?', 'who else can vote?'"""
    one = {"are": "is", "were": "was", "have": "has", "do": "does"}.get(helper, helper)
    said = f"{one}{denied} {text}"
    if what.verb and not denied and one in _DO:
        said = f"{past(what.verb) if one == 'did' else present(what.verb)} {what.rest}"
    return f"{asks.capitalize()} {said.strip()}?"


def who_else(asked: str, before: Parts) -> str:
    """'Who else reviews patches?' for 'who else?' after 'does Deniz review patches?'; empty where the question before
    asks something else than whether it is so, or nobody does it."""
    subject = before.subject
    if before.asked or not before.aux or subject is None or asked.casefold() not in ("who", "who else"):
        return ""
    if asked.casefold() == "who" and not _is_somebody(subject):
        return ""  # of 'was the roof repaired?' it asks by whom
    what = _done(before)
    return _by_whom(asked, before.helper, "", what, what.text) if what else ""


def _is_somebody(one: Phrase) -> bool:
    return one.text.split()[0] in FIRST_NAMES or one.noun in LISTS["people"] or one.text.casefold() in ("he", "she")


def also_of(fragment: Parts, before: Parts) -> str:
    """'Did Sven pass the exam?' for 'and Sven?' after 'who passed the exam?', 'is French complete?' for 'and French?'
    after 'which translations are complete?'. Empty where the question before names another such thing, or asks for
    something else than of whom that is so."""
    new = fragment.phrases[0]
    which, wanted = before.asks.casefold().startswith("which "), before.wanted
    if len(fragment.phrases) > 1 or new.preposition or fragment.body.rstrip(" ?.!") != new.text:
        return ""
    people = _is_somebody(new) or (new.plural and not before.phrases)  # 'and juniors?' after 'who can vote?'
    alike = people if not which else new.named and wanted is not None and wanted.noun not in LISTS["people"]
    if not alike or any(one.role != "asked" and (one.named or _is_somebody(one)) for one in before.phrases):
        return ""
    state = said_of_whom(before)
    if state:
        return f"{_of_number(before.helper, new)} {new.text} {before.text[state.start : before.end]}?"
    if which or before.asks.casefold() != "who" or not (what := _done(before)):
        return ""
    return f"{_of_number(what.helper, new)} {new.text} {what.text}?"


def _of_number(helper: str, one: Phrase) -> str:
    """The helping verb, with a capital, in the number of its subject."""
    several = {"does": "do", "was": "were", "is": "are", "has": "have"}
    pairs = several if one.plural and not one.named else {many: one for one, many in several.items()}
    return pairs.get(helper, helper).capitalize()


def said_of_whom(before: Parts) -> Phrase | None:
    """What is said of whoever is asked for, and is no thing: 'present' of 'who was present?'"""
    subject = before.subject
    asked = before.asks.casefold()
    if not (asked == "who" or asked.startswith("which ")) or before.helper not in BE or subject is None or before.verb:
        return None
    bare = " " not in subject.text and subject.text.islower() and not subject.plural and not subject.pronoun
    return subject if bare and subject.noun not in LISTS["people"] else None
