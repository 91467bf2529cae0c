"""Follow-ups of a question word: 'why?', 'in which year?', 'how many visitors?', 'when was that?'. The question before
asks for this instead; where what it asked for leaves a gap, what the answer said of it stands there, or a word for it
(sluicing: Ross 1969)."""

import re
from collections.abc import Sequence

from clew.memory.dialogue.ellipsis import who_else
from clew.memory.dialogue.phrases import Parts, Phrase
from clew.memory.dialogue.question_parser import parts
from clew.memory.dialogue.word_classes import LISTS, PARTICIPLES, base, replaced, singular
from clew.memory.dialogue.written_types import TIMES, written_type

_QUANTITY = ("number", "amount", "count")
_OF_THAT = re.compile(
    r"(?P<asked>when|where|why|how|in (?:which|what) \w+|(?:on|in|at) (?:which|what) \w+"
    r"|(?:what|which) (?:day of the week|weekday|year|month|day|date|time))"
    r" (?:(?:was|is) (?:that|this)|did (?:that|this|it) happen|(?:was|is) (?:that|this|it) so|so)[?. ]*",
    re.IGNORECASE,
)
_DAY_OF_IT = re.compile(
    r"(?P<asked>(?:what|which) (?:day of the week|weekday|day|date|month|year)) was it[?. ]*", re.IGNORECASE
)
_STRANDED = re.compile(
    r"(?P<asked>what|who|whom|where) (?P<with>for|with|to|from|about|by|of|at|in|on)\b", re.IGNORECASE
)


def of_that(question: str, before: Parts) -> str:
    """The question, or 'when?' for 'when was that?' where the question before is about something that is done."""
    asked = _OF_THAT.fullmatch(question) or _DAY_OF_IT.fullmatch(question)
    done = before.verb is not None and (before.subject is not None or before.asked is not None)
    return asked["asked"] if asked and done else question


def stranded(question: str) -> str:
    """'what for' is 'for what'."""
    ends = _STRANDED.fullmatch(question.rstrip(" ?.!"))
    return f"{ends['with']} {ends['asked']}" if ends else question


_THEN = re.compile(
    r"(?!what,? then)(?P<asks>(?:\w+ )?(?:which|what|who|when|where|how|why)\b.*?),? then", re.IGNORECASE
)


def without_then(question: str) -> str:
    """'which formats' for 'which formats then'; 'what then' asks what follows, and stays, as a question with a verb."""
    found = _THEN.fullmatch(question)
    return found["asks"] if found and parts(found["asks"]).fragment else question


def _counting(fragment: Parts, before: Parts) -> Parts:
    """'how many folders' for 'how many' after 'did they buy the folders?', else the fragment."""
    things = [one for one in before.phrases if one.plural and not (one.pronoun or one.named or one.preposition)]
    if fragment.body.rstrip(" ?.!").casefold() != "how many" or before.wanted or not things:
        return fragment
    bare = re.sub(r"^(?:the|any|some|our|my|your|his|her|their|these|those) ", "", things[-1].text)
    return parts(f"how many {bare}")


def sluiced(fragment: Parts, before: Parts, answered: str = "") -> tuple[str, str]:
    """The question before with the question words of the fragment, and why; empty where that makes no question.
    `answered` is who or what the answer to it named."""
    fragment = _counting(fragment, before)
    assert fragment.asked
    asked = fragment.asks
    wanted = fragment.wanted
    if asked.casefold() in ("how many", "how much", "which", "whose") and before.wanted:
        asked = f"{asked} {before.wanted.text}"
    rest = fragment.text[fragment.asked[1] : fragment.end].strip(" ,?")
    extra = [one for one in fragment.phrases if one.role != "asked" and one.start >= fragment.asked[1]]
    low = asked.casefold()
    if (rest and not extra) or any(one.pronoun or one.first == "no" for one in extra) or _of_itself(low, before):
        return "", ""
    if low in ("which one", "which ones") and not before.wanted:
        return "", ""
    if wanted and low.startswith(("how many", "how much")) and (counted := _counted(wanted, extra, before)):
        return counted, f"'{low}' is asked as in the question before"
    same = low.split()[:1] == before.asks.casefold().split()[:1]
    if wanted and before.wanted and before.asked and same:
        text = _capital(replaced(before.text, [(*before.asked, asked), *_added(extra, before)]))
        return text, f"'{before.asks}' becomes '{asked}'"
    if before.asks.casefold() == low and rest:
        text = _capital(replaced(before.text, [(tail(before), tail(before), f" {rest}")]))
        return text, f"'{rest}' is added to the question before"
    there = before.subject is not None and before.subject.text.casefold() == "there"
    if wanted and there and not any(one.noun == wanted.noun for one in before.phrases):
        return "", ""
    if not rest and (text := who_else(asked, before)):
        pass
    elif low == "how much" and rest and before.subject and before.verb and before.does.casefold() not in _PRICED:
        does = "do" if before.subject.plural else "does"
        text = f"How much {does} {before.subject.text} cost {rest}?"
    elif before.asked and before.subject is None and before.verb:
        text = _of_the_subject(asked, before, answered, [*_asked_for(wanted, before), *_added(extra, before)])
    elif not before.aux or not (before.subject or before.wanted):
        return "", ""
    elif _is_said_of(before):
        start = before.asked[0] if before.asked else before.lead
        piece = before.aux[1], before.aux[1], f" {answered or 'someone'}"
        text = _capital(replaced(before.text, [(start, before.aux[0], f"{asked} "), piece, *_added(extra, before)]))
    else:
        text = _instead(asked, wanted, rest, extra, before)
    if low == "why" and before.asks.casefold() == "where" and not extra:
        text = f"{text.rstrip(' ?')} there?"
    return text, f"'{asked}' is asked of the question before"


_PRICED = LISTS["priced"]


def _instead(asked: str, wanted: Phrase | None, rest: str, extra: Sequence[Phrase], before: Parts) -> str:
    """The question before with other question words, and without the thing that they ask for; `rest` is what follows
    them, `extra` its phrases."""
    if extra and not any(one.preposition == old.preposition for one in extra for old in before.phrases):
        pieces = [(tail(before), tail(before), f" {rest}")]
    else:
        pieces = _added(extra, before)
    if wanted and (measured := _measured(asked, wanted, before)):
        asked, gone = measured
    else:
        gone = _asked_for(wanted, before)
    if asked.casefold() == "when" and not before.asked:  # 'when?' after 'is the shop open on Mondays?'
        gone += [
            (one.whole, one.end, "") for one in before.phrases if one.preposition and written_type(one.text) in TIMES
        ]
    if not gone and (filler := _gap(asked, before)):
        gone = [filler]
    return _opened(asked, before, [*gone, *pieces])


def _asked_for(wanted: Phrase | None, before: Parts) -> list[tuple[int, int, str]]:
    """What goes from the question before as it is asked for now: 'the eggs' where that is 'how many eggs'."""
    again = [one for one in before.phrases if wanted and one.role != "asked" and one.noun == wanted.noun]
    return [(one.whole, one.end, "") for one in again if not one.pronoun]


def _of_itself(asked: str, before: Parts) -> bool:
    """Whether the question words name the subject of the question before, so that they ask nothing of it: 'which
    version of pillow?' after 'does pillow need a compiler?'"""
    return before.subject is not None and asked.endswith(f" of {before.subject.text.casefold()}")


def _is_said_of(before: Parts) -> bool:
    """Whether the question asks who somebody is by what is said of him: 'who is responsible for it', 'who is the mayor
    of Hull'."""
    subject = before.subject
    if not (before.asked and before.aux and subject) or before.verb:
        return False
    who = before.asks.casefold() in ("who", "who else")
    return who and (subject.first in ("the", "a", "an") or subject.text.split()[0].islower())


def _opened(asked: str, before: Parts, pieces: Sequence[tuple[int, int, str]]) -> str:
    """The question before with other question words, and with these pieces."""
    assert before.aux
    start = before.asked[0] if before.asked else before.lead
    capital = start == 0
    opening = f"{asked[0].upper()}{asked[1:]} " if capital else f"{asked} "
    helper = [] if before.asked else [(*before.aux, before.helper)]
    return _capital(replaced(before.text, [(start, before.aux[0], opening), *pieces, *helper]))


def _of_the_subject(asked: str, before: Parts, answered: str, pieces: Sequence[tuple[int, int, str]]) -> str:
    """A question for the subject asked for something else: 'in which year?' after 'who wrote Metropolis?' becomes 'in
    which year did Thea von Harbou write Metropolis?', with 'someone' where no answer names her."""
    assert before.asked and before.verb
    who = before.asks.split()[0].casefold() in ("who", "whom")
    who = who or (before.wanted is not None and before.wanted.noun in LISTS["people"])
    subject = answered or ("someone" if who else f"the {before.wanted.text}" if before.wanted else "that")
    several = before.wanted is not None and before.wanted.plural and not answered
    verb = before.does
    if who and not pieces and (made := _of_what_was_done(asked, before)):
        return made
    if before.aux and before.aux[0] < before.verb[0]:
        helper = before.helper
        if helper in ("has", "have") and asked.casefold().split()[0] == "when":
            helper, verb = "did", base(verb)[0]
        helper = {"is": "are", "was": "were", "has": "have"}.get(helper, helper) if several else helper
    else:
        verb, helper = base(verb)
        helper = "do" if helper in ("do", "does") and several else "does" if helper == "do" else helper
    start = before.asked[0]
    opening = f"{asked} {helper} {subject} {verb}"
    return _capital(replaced(before.text, [(start, before.verb[1], opening), *pieces]))


def _of_what_was_done(asked: str, before: Parts) -> str:
    """'When was Debian started?' for 'when was that?' after 'who started Debian?', whoever did: an answer that tells of
    several names is no help. Empty where the verb has another form for that ('wrote', written)."""
    assert before.verb
    what = next((one for one in before.phrases if one.start == before.verb[1] + 1 and one.role == "object"), None)
    if before.aux or what is None or what.pronoun or asked.casefold() not in ("when", "where"):
        return ""
    if not (before.does.endswith("ed") or before.does in PARTICIPLES):
        return ""
    was = "were" if what.plural else "was"
    return f"{_capital(asked)} {was} {what.text} {before.does}{before.text[what.end :]}"


_DOES = re.compile(r"(?: (?:have|has|want|wants|need|needs|going|like|plan|plans|intend|used))?(?: to)? do\b")
"""What stands behind the subject of 'what does she want to do?'"""

_ADVERBS = ("how", "when", "where", "why", "long", "often")


def _gap(asked: str, before: Parts) -> tuple[int, int, str] | None:
    """What fills the gap that the old question word leaves: 'when?' after 'what did he write?' becomes 'when did he
    write that?', 'what does she want to do?' becomes 'when does she want to do that?'"""
    if not (before.asked and before.aux and before.subject):
        return None
    does = _DOES.match(before.text, before.subject.end)
    if does and before.asks.casefold() == "what" and asked.casefold().split()[-1] in _ADVERBS:
        return does.end(), does.end(), " that"
    if not before.verb:
        return None
    words = before.asks.casefold().split()
    counts = words[:2] == ["how", "many"] and before.wanted is not None
    first = asked.casefold().split()
    if first[0] in ("which", "whose", "what") or first[:2] in (["how", "many"], ["how", "much"]):
        return None
    if not (counts or words[0] in ("what", "which", "who", "whom")) or words[-1] in ("year", "day", "time", "month"):
        return None
    if any(one.role == "object" and not 0 <= before.clause <= one.start for one in before.phrases):
        return None
    who = words[0] in ("who", "whom")
    noun = before.wanted
    filler = "someone" if who else f"{'those' if noun.plural else 'that'} {noun.text}" if noun else "that"
    return before.verb[1], before.verb[1], f" {filler}"


def _measured(asked: str, wanted: Phrase, before: Parts) -> tuple[str, list[tuple[int, int, str]]] | None:
    """A measure is asked of the object: 'how many rows?' after 'when did we sow the potatoes?' becomes 'how many rows
    of the potatoes did we sow?'. The question words, and what goes from the question."""
    if wanted.noun not in LISTS["measures"] and singular(wanted.noun) not in LISTS["measures"]:
        return None
    measured = next((one for one in before.phrases if one.role == "object" and not one.pronoun), None)
    if measured is None or measured.noun == wanted.noun:
        return None
    return f"{asked} of {measured.text}", [(measured.whole, measured.end, "")]


def tail(before: Parts) -> int:
    """Where something can be added: before an 'if', else at the end."""
    if before.clause > 0 and before.verb and before.clause > before.verb[0]:
        return len(before.text[: before.clause].rstrip())
    return before.end


def _capital(text: str) -> str:
    return text[0].upper() + text[1:] if text else text


def _added(extra: Sequence[Phrase], before: Parts) -> list[tuple[int, int, str]]:
    """The phrases behind the question word, each in the place of one with its preposition, else at the end."""
    made = []
    for one in extra:
        if not one.preposition:
            continue
        same = next((old for old in before.phrases if old.preposition == one.preposition and not old.pronoun), None)
        span = (same.whole, same.end) if same else (tail(before), tail(before))
        made.append((*span, f" {one.preposition} {one.text}"))
    return made


def _counted(wanted: Phrase, extra: Sequence[Phrase], before: Parts) -> str:
    """Another thing is counted: 'how many tables in a join?' after 'what is the number of columns in a table?' becomes
    'what is the number of tables in a join?'"""
    for one in before.phrases:
        found = re.search(rf"\b(?:{'|'.join(_QUANTITY)}) of (.+)$", one.text)
        if found and one.role != "asked":
            start = one.start + found.start(1)
            following = next(
                (p for p in before.phrases if p.start > one.start and p.preposition and not p.pronoun), None
            )
            put = [(start, one.end, wanted.text)]
            if following and not before.text[one.end : following.whole].strip():
                span = following.whole, following.end
                put += [(*span, f"{new.preposition} {new.text}") for new in extra[:1] if new.preposition]
            text = replaced(before.text, put)
            counted = parts(text).phrases[list(before.phrases).index(one)]
            return f"What is {text[counted.start :].rstrip(' ?')}?" if counted.start > 0 else text
    return ""


def why_not(rest: str, before: Parts) -> tuple[str, str]:
    """'why not the other one?' after 'which printer did we choose?': 'why did we not choose the other printer?'"""
    subject, verb = before.subject, before.verb
    aux = before.helper
    if not (aux and subject) or aux.endswith("n't"):
        return "", ""
    said = before.text[subject.end : before.end].strip()
    phrase, comma, remark = rest.partition(",")
    if phrase and verb:
        noun = before.wanted.text if before.wanted else ""
        phrase = re.sub(r"\bones?$", noun.removesuffix("s") if noun else "one", phrase)
        said = f"{before.does} {phrase}{comma}{remark}"
    return f"Why {aux} {subject.text} not {said}", "the question before is asked with 'why not'"
