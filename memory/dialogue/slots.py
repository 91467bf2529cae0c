"""Follow-ups that say only what is other than in the question before: 'and in September?', 'which papers?', 'why?',
'no, I meant the van'. What they name takes the place of what it corresponds to (`counterparts.py`)."""

import re
from collections.abc import Sequence

from clew.memory.dialogue.counterparts import OWN_WORDS, PLACED, counterpart, how_much, of_the_same, types_of
from clew.memory.dialogue.ellipsis import also_of, said_of_whom
from clew.memory.dialogue.fragments import by_itself, numbered, of_another
from clew.memory.dialogue.phrases import Parts, Phrase
from clew.memory.dialogue.question_parser import parts
from clew.memory.dialogue.reference import agreeing, owning
from clew.memory.dialogue.referents import Said
from clew.memory.dialogue.sluicing import of_that, sluiced, stranded, tail, why_not, without_then
from clew.memory.dialogue.word_classes import LISTS, PAST_VERBS, is_verb, replaced, singular, tokens
from clew.memory.dialogue.written_types import AGO, MONTH, TIMES, with_capitals, written_type
from clew.memory.ports import Vocabulary

LONGEST, SHORT = 12, 5
"""Words of a follow-up that is no question of its own; where no 'and' leads to it."""

_POINTING = ("this", "that", "these", "those")

_TIME = ("in", "on", "at", "during", "for", "from", "until", "since", "before", "after", "by")
_CORRECTS = re.compile(
    r"(?:(?:no|nope|sorry|oops|wait|oh|well|actually|rather|hm+)\b[,.:;! ]*)*"
    r"(?:i (?:actually |really )?(?:meant?|(?:was|am) (?:asking|talking) about)|i['’]m (?:asking|talking) about"
    r"|(?P<no>(?:no|not|sorry|oops|rather))\b)[,:]?\s*(?:to (?:say|ask)[,:]?\s*)?",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"not (?:the |a |about )?[\w' ’-]+?, (?:but )?(?P<this>(?:the|my|our|in|on|at|for)\b[^,;:.?]+)", re.I
)
"""'not the car, the van'"""
_NOT_THAT = re.compile(r"not (?P<that>[\w'’-]+), (?P<this>[\w'’-]+)\W*")
"""'not leave, arrive'"""
_THIS_NOT = re.compile(r"(?P<this>[\w'’-]+(?: [\w'’-]+){0,2}), not (?P<that>[\w'’-]+(?: [\w'’-]+){0,2})\W*")
"""'June, not May'"""
_REMARK = re.compile(r"[, ]+(?:(?P<meant>i meant?)|sorry|of course|i should say)[ .!?]*$", re.IGNORECASE)
"""'I meant June, sorry', 'per year I mean'"""
_DENIED = re.compile(r"not (?:the |a |about )?[\w' ’-]+?[:,;.]\s*(?:but\s+)?", re.IGNORECASE)
_NAMED_BEFORE = re.compile(
    r"(?P<topic>[^,:;?]{2,60})[,:;]\s*(?=(?:and |so )?(?:what|who|when|where|why|how|which|is|are|do|does|did|can|was"
    r"|were|will)\b)",
    re.IGNORECASE,
)
_SWITCHES = re.compile(
    r"(?:(?:ok|okay|so|and|now|well|but|right)\b[, ]*)*"
    r"(?:(?:let['’]?s |let us )?(?:going|go|coming|come|get|getting)?\s*back to|(?:turning|coming) to|as for|regarding"
    r"|concerning|about|speaking of|on)\s+(?P<topic>[^:,?]{2,60}?)\s*(?:[:,]|\s[-\u2013\u2014]\s)\s*(?=\S)",
    re.IGNORECASE,
)
_MOST = re.compile(r"\b(?:\w{2,}est|most|least|best|worst)\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:(?:and|but|so|ok|okay)\b[, ]*)*(?:(?:what|how) about\s+|what (?=if\b)|(?:what|how) (?=(?:in|on|at|with)\b))",
    re.IGNORECASE,
)
_SAME = re.compile(
    r"(?:(?:(?:is|are|was|were|does|do|would|will|can|should) (?:it|that|this|they|those)|does|is)(?: also| too)?"
    r"(?: be)? )?(?:(?:also |exactly )?the same|(?:also )?(?:true|apply|hold|count|go)|likewise|same(?: thing)?)"
    r"(?: as well| also| too)? (?P<by>for|to|with|in|at|on|of) (?P<new>.+?)(?:,? (?:too|as well|also))?[?.! ]*",
    re.IGNORECASE,
)
"""'is it the same for scooters?', 'does that apply to HEY?'"""
_WHY_SO = re.compile(
    r"why (?P<so>so (?!is\b|was\b|do|did\b|few\b|many\b)\w+"
    r"|(?:that|this) (?:much|late|early|long|often|far|little|soon|slow|fast|high|low|big|small|dear|cheap))",
    re.IGNORECASE,
)
"""'why so late?'"""
_WHY_THAT = re.compile(r"why (?:that|this|those|these)(?: ones?)?", re.IGNORECASE)
_OF_WHICH = re.compile(r"(?:which|who) (?:one )?of (?:the (?:two|three)|these|those|them|both) [a-z]", re.IGNORECASE)
_WHO_IT_WAS = re.compile(r"(?:and |but )?who (?:is|was|will) it (?:be )?(?P<new>\w.*?)\W*", re.IGNORECASE)
"""'who was it last time?'"""

_BIDS = re.compile(r"(?:please )?(?:sum|summari[sz]e|tell|give|show|explain|describe|compare)\b", re.IGNORECASE)
_LEAD = re.compile(r"(?:(?:and|but|or|so|also|then|well|ok|okay|yes|no|oh|ah)\b[,:;]?\s+)+", re.IGNORECASE)


def led(question: str) -> tuple[str, str, bool]:
    """The question without what only leads to it, the topic that it names before ('back to Fogg: ...'), and whether it
    corrects the one before."""
    switch = _SWITCHES.match(question)
    if switch and written_type(switch["topic"].strip()) not in TIMES:
        return question[switch.end() :], switch["topic"].strip(), False
    if (remark := _REMARK.search(question)) and len(question.split()) <= LONGEST:
        corrects = _CORRECTS.match(question)
        rest = question[corrects.end() if corrects else 0 : remark.start()]
        if (corrects or remark["meant"]) and parts(rest).fragment and not parts(rest).asked:
            return rest, "", True
    if this := _instead_of_that(question):
        return this, "", True
    if instead := _INSTEAD.match(question):
        return question[instead.start("this") :], "", True
    if (corrects := _CORRECTS.match(question)) and (
        corrects["no"] is None or re.match(r"(?:no|sorry|oops)\b", question, re.IGNORECASE)
    ):
        rest = question[corrects.end() :]
        denied = _DENIED.match("not " + rest if corrects["no"] == "not" else rest)
        if denied:
            return (rest[denied.end() - 4 :] if corrects["no"] == "not" else rest[denied.end() :]), "", True
        topic = _NAMED_BEFORE.match(rest)
        if topic:
            return rest[topic.end() :], topic["topic"].strip(), True
        return rest, "", True
    return question, "", False


def _instead_of_that(question: str) -> str:
    """'Arrive' of 'not leave, arrive', 'June' of 'June, not May': one thing for another of its kind; else empty."""
    corrects = _CORRECTS.match(question)
    found = _NOT_THAT.fullmatch(question) or _THIS_NOT.fullmatch(question, corrects.end() if corrects else 0)
    if not found or not parts(found["this"]).fragment or parts(found["this"]).asked or found["this"] in LISTS["leads"]:
        return ""
    one, other = (found[name].split()[-1] for name in ("this", "that"))
    alike = one[0].isupper() == other[0].isupper() and (one[0].isupper() or is_verb(one) == is_verb(other))
    return found["this"] if alike else ""


def same_for(question: str, before: Parts) -> str:
    """'is it the same for scooters?' is 'and scooters?', with its preposition where the question before has that."""
    if before.asks.casefold() == "who" and (who := _WHO_IT_WAS.fullmatch(question)):
        return f"and {who['new']}?"
    same = _SAME.fullmatch(re.sub(r"^(?:and|but|so)\b,? ", "", question, flags=re.IGNORECASE))
    if not same or not (before.aux or before.verb):
        return question
    keeps = same["by"] in ("in", "at", "on", "with") or any(one.preposition == same["by"] for one in before.phrases)
    return f"and {same['by']} {same['new']}?" if keeps else f"and {same['new']}?"


def filled(
    question: str, before: Parts, turn: Said, vocabulary: Vocabulary | None, *, corrects: bool
) -> tuple[str, str]:
    """The question before with what a fragment says in the place of what it corresponds to, and why; empty where it is
    no fragment, or corresponds to nothing. `turn` is that of the question before, which `before` are the parts of;
    `corrects`: the fragment takes something back. Where nothing answered the question before, a name of another kind is
    asked about by itself."""
    about = _ABOUT.match(question)
    question = re.sub(r",? please\b[.!]?$", "", question, flags=re.IGNORECASE)
    bare = question[about.end() :] if about else _LEAD.sub("", question, count=1) if _LEAD.match(question) else question
    bare = re.sub(r"^why (?:ever|on earth)\b", "why", bare.strip().rstrip("?.! "), flags=re.IGNORECASE)
    if bare.casefold().startswith("why not"):
        if (said := tokens(bare[7:])) and is_verb(said[0].low) and len(said) > 1:
            return "", ""  # 'why not go by train?' says what is done
        return why_not(bare[7:].strip(" ,"), before)
    if about and (her := re.match(r"her (\w+)", bare, re.IGNORECASE)) and her[1].casefold() in PAST_VERBS:
        return "", ""  # 'what about her made him suspicious?'
    if _OF_WHICH.match(bare):
        return "", ""  # 'which of the two carries hay?' chooses from what was spoken of
    bare = "why" if _WHY_THAT.fullmatch(bare) else without_then(bare)
    if (so := _WHY_SO.fullmatch(bare)) and (why := sluiced(parts("why"), before, turn.who)[0]):
        return f"{why.rstrip(' ?.')} {so['so']}?", f"'{bare}' is asked of the question before"
    bare, leads = of_that(bare, before), about or corrects or _LEAD.match(question)
    if not leads and _BIDS.match(before.text):
        return "", ""  # 'my next meeting?' after 'Sum up the film.'
    if not bare or len(bare.split()) > (LONGEST if leads else SHORT) or re.match(r"than(?:k|x)", bare, re.IGNORECASE):
        return "", ""
    if made := by_itself(bare, before, bool(leads)):
        return made
    fragment = parts(stranded(bare))
    if fragment.asked and fragment.fragment:
        return sluiced(fragment, before, turn.who)
    if fragment.asked or fragment.aux or (fragment.verb and not leads and len(fragment.phrases) != 1):
        return "", ""
    if not fragment.phrases or any(_points(one) for one in fragment.phrases):
        return "", ""
    if fragment.verb and fragment.verb[0] == fragment.lead:
        return "", ""
    if (other := numbered(fragment, before))[0]:
        return other
    if (other := of_another(fragment, before))[0]:
        return other
    if of_whom := also_of(fragment, before):
        return of_whom, f"the question before is asked of {fragment.phrases[0].text}"
    types = types_of([*fragment.phrases, *before.phrases], vocabulary)
    if not turn.has_answer and not corrects and fragment.phrases[0].named and not fragment.phrases[0].preposition:
        kind = types[fragment.phrases[0].text]
        if not any(one.named and types[one.text] == kind for one in before.phrases):
            return "", ""
    return _replaced(fragment, before, turn, types, corrects=corrects)


def _replaced(fragment: Parts, before: Parts, turn: Said, types: dict[str, str], *, corrects: bool) -> tuple[str, str]:
    """The question before with each phrase of the fragment in the place of what it corresponds to, or behind the rest,
    and why; empty where one has no place."""
    free = [one for one in before.phrases if not one.pronoun]
    free = [one for one in free if one != said_of_whom(before) or len(free) == 1]  # 'allergic' of 'allergic to nuts'
    pieces: list[tuple[int, int, str]] = []
    why: list[str] = []
    added: list[str] = []
    whole = len(fragment.phrases) > 1 and not fragment.phrases[0].preposition
    for new in fragment.phrases[:1] if whole else fragment.phrases:
        with_rest = whole and (new.noun in ("one", "ones") or not _is_own(fragment, free))
        text = fragment.body[new.start - fragment.lead :].strip() if with_rest else new.text
        best = counterpart(new, free, types, before, newest=turn.put, corrects=corrects)
        most = _MOST.search(text) is not None
        kind = not best or not best.named or _is_of_a_kind(best)
        later = types[new.text] in TIMES and (new.first in ("last", "this", "next") or AGO.fullmatch(new.text))
        if (new.noun in ("one", "ones") and not (kind or most)) or not (best or new.preposition or later):
            return "", ""
        if best is None:
            text = with_capitals(text) if types[new.text] in TIMES else text
            added.append(f"{new.preposition} {text}".strip())
            why.append(f"'{added[-1]}' is added to the question before")
        else:
            free.remove(best)
            if _is_for(new, best, before):
                pieces.append((best.end, best.end, f" for {text}"))
                why.append(f"'for {text}' is added to the question before")
                continue
            if best.role == "asked" and (new.definite or (new.named and not best.named)):
                return f"What about {text}?", f"it asks about {text}"
            made = best.role == "object" and before.asks.casefold() == "who"
            thing = types[best.text] in (*PLACED, "noun") and best.noun not in LISTS["people"]
            thing = thing or any(one.text == best.text and not one.maybe_person for one in turn.asked)
            if is_relative(new) and (made or (thing and best.role != "other")):
                return f"Who is {text}?", f"it asks who {text} is"
            kept = of_the_same(new, best) or _of_another(new, best)
            start, end = (best.whole, best.end) if kept else _extent(best, before, new, placed=whole)
            text = _worded(text, new, best, kept, fragment, answers=turn.answer.asks_back)
            text = with_capitals(_dated(text, best.text)) if types[new.text] in TIMES else text
            ago = AGO.fullmatch(text) is not None
            put = f"{new.preposition or best.preposition} {text}".strip() if best.preposition and not ago else text
            pieces.append((start, end, put))
            pieces += how_much(new, before) if best.role == "asked" else []
            again = [one for one in free if best.named and one.text == best.text]  # of a second question
            pieces += [(one.start, one.end, text) for one in again]
            free = [one for one in free if one not in again]
            shared = before.text[start:end].partition(" of ")[0] + " of " if kept else ""
            was, now = (said.removeprefix(shared) for said in (before.text[start:end], put))
            why.append(f"'{was}' becomes '{now}'")
        for rest in fragment.phrases[1:] if whole else ():
            if rest.preposition and rest.text not in text:
                same = next((one for one in free if one.preposition == rest.preposition), None)
                span = (same.whole, same.end) if same else (tail(before), tail(before))
                pieces.append((*span, f" {rest.preposition} {rest.text}"))
    if added:
        pieces.append((tail(before), tail(before), " " + " ".join(added)))
        if _PAST.search(added[0]) and before.aux and before.helper in _WAS:
            pieces.append((*before.aux, _WAS[before.helper]))
    return owning(agreeing(replaced(before.text, pieces), before), before), "; ".join(why)


def _is_of_a_kind(one: Phrase) -> bool:
    """'the Leeds office', 'the bill of March'"""
    return one.text.split(" of ")[0].split()[-1].islower()


_PAST = re.compile(r"^last |\bago$", re.IGNORECASE)
_WAS = {"is": "was", "are": "were", "do": "did", "does": "did"}


def is_relative(new: Phrase) -> bool:
    """'Fritz Lang's wife', whom nobody directed."""
    return new.noun in LISTS["people"] and re.search(r"['’]s? \w", new.text) is not None


def _points(one: Phrase) -> bool:
    return one.pronoun or (one.first in _POINTING and written_type(one.text) not in TIMES)  # 'and this year?'


def _worded(text: str, new: Phrase, best: Phrase, kept: str, fragment: Parts, *, answers: bool) -> str:
    """The words that take the place of `best`: `kept` where that keeps a part of it; 'one' is its noun."""
    if new.noun in ("one", "ones") and _is_of_a_kind(best):
        rest = fragment.text[new.end : fragment.end] if len(fragment.phrases) == 1 else ""
        return re.sub(r"\bones?\b", best.noun, text) + rest
    if kept:
        return kept
    return f"{best.text} ({text})" if answers and new.named and not best.named else text


_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_NTH = re.compile(r"(?:the )?(\d{1,2})(?:st|nd|rd|th)")


def _dated(new: str, old: str) -> str:
    """A time with what it leaves to the one in whose place it is put: 'June 2024' after 'May 2024', '5 May' for 'the
    5th' after '3 May'."""
    day, month, year = _NTH.fullmatch(new), MONTH.search(old), _YEAR.search(old)
    if day and month:
        new = f"{day[1]} {month.group()}"
    return f"{new} {year.group()}" if month and year and MONTH.search(new) and not _YEAR.search(new) else new


def _of_another(new: Phrase, old: Phrase) -> str:
    """Another owner with what was owned: 'Helen's book' for 'Helen' or 'Helen's' after 'Olga's book', and for 'Helen's'
    after 'my book'."""
    had = re.fullmatch(r"(.+?)(?:['’]s|(?<=s)['’]) (.+)|(?:my|your|our|his|her|their|its) (.+)", old.text)
    if not had or new.preposition or re.search(r"['’]s? ", new.text):
        return ""
    if re.search(r"['’]s$|s['’]$", new.text):
        return f"{new.text} {had[2] or had[3]}"
    return f"{new.text}'s {had[2]}" if had[2] and new.named and had[1][0].isupper() else ""


def _is_for(new: Phrase, old: Phrase, before: Parts) -> bool:
    """Whether the new phrase says for whom: 'what about juniors?' after 'what is the fee?' asks for the fee for
    juniors, and 'what about kids?' after 'when is the class?' when that is for kids."""
    bare = new.plural and not new.definite and not new.named and new.first not in OWN_WORDS and not new.preposition
    attribute = old.noun in LISTS["attributes"] and new.noun not in LISTS["attributes"]
    held = (
        old.definite and old.noun not in LISTS["people"] and singular(new.noun) in {"kid", "people", *LISTS["people"]}
    )
    place = old.role == "subject" and not old.plural and before.verb is None
    return bare and place and (attribute or held or (old.definite and new.noun == "children"))


def _is_own(fragment: Parts, free: Sequence[Phrase]) -> bool:
    """Whether what follows the first phrase of the fragment takes the place of something else in the question
    before."""
    return any(
        rest.preposition and any(one.preposition == rest.preposition and one.role != "asked" for one in free)
        for rest in fragment.phrases[1:]
    )


def _extent(best: Phrase, before: Parts, new: Phrase, *, placed: bool) -> tuple[int, int]:
    """Where the replaced phrase begins and ends, with its preposition and what says which it is: for 'the farm', 'the
    flat in Piran' goes as a whole."""
    start, end = best.whole, best.end
    if best.noun in ("one", "ones") or (placed and new.noun == "one"):  # 'the one by the sea'
        behind = (one for one in before.phrases if one.preposition and 0 < one.whole - end <= 1)
        return start, next((one.end for one in behind), end)
    if best.role == "subject" and not new.preposition:
        at = list(before.phrases).index(best)
        if at + 1 < len(before.phrases) and not before.verb:
            later = before.phrases[at + 1]
            if (
                later.preposition in ("in", "of", "at", "from")
                and not before.text[end : later.whole].strip()
                and later.named
                and written_type(later.text) not in TIMES
            ):
                per = re.search(r"\s(?:per|a|each)\s", later.text)
                end = later.start + per.start() if per else later.end
    return start, end
