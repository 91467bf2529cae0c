"""'Talk me through getting one', which asks for steps, heard as 'how do I get one?'"""

import re

from clew.memory.dialogue.utterances import last_sentence
from clew.memory.dialogue.word_classes import LISTS, ing

_THROUGH = re.compile(
    r"(?:(?:ok|okay|right|so|then|please|now|and|well|great)\b[,.!]? )*(?:(?:can|could|would|will) you )?(?:please )?"
    r"(?:just )?(?:talk|walk|take|run|guide) (?:me|us) through (?P<what>.+?)"
    r"(?:,? (?:then|please|step by step|again|now))*\W*",
    re.IGNORECASE,
)
_HOW = re.compile(r"how (?:to|(?P<who>i|we|you|one) (?:can |should |would |do )?)\b ?(?P<does>.+)", re.IGNORECASE)
_WAY = re.compile(
    r"(?:(?:the|a|an|your|our|my) )?(?:(?!the\b)[\w-]+ ){0,2}(?:\w+(?:tion|ment|sis)|process|procedure|steps|set-?up"
    r"|routine|recipe|method|check-?(?:in|out)|sign-?up|return|renewal|repair)\b.*",
    re.IGNORECASE,
)


def as_question(text: str) -> str:
    """The text with its last sentence as a question where that asks to be led through something."""
    last = last_sentence(text)
    found = _THROUGH.fullmatch(last)
    return f"{text[: text.rfind(last)]}{_asked(found['what'])}" if found else text


def _asked(what: str) -> str:
    first, _, rest = what.partition(" ")
    if rest and (verb := _base(first)) and not _WAY.fullmatch(what):
        return f"How do I {verb} {rest}?"
    if how := _HOW.fullmatch(what):
        return f"How do {(how['who'] or 'I').replace('i', 'I')} {how['does']}?"
    if first.casefold() in ("it", "this", "that") and not rest:
        return f"How do I do {first.casefold()}?"
    return f"What are the steps of {what}?" if _WAY.fullmatch(what) else f"Explain {what}."


def _base(word: str) -> str:
    """'rent' of 'renting', 'get' of 'getting', 'book' of 'booking' where no such verb is known; empty for what ends
    otherwise."""
    low = word.casefold()
    plain = low.removesuffix("ing")
    if plain == low or len(plain) < 2:
        return ""
    ends = (plain, plain + "e", plain[:-1], plain[:-1] + "ie")
    known = (one for one in ends if one in LISTS["verbs"] and ing(one) == low)
    doubled = plain[-1] == plain[-2] and plain[-1] not in "lsz"
    return next(known, plain[:-1] if doubled else plain + "e" * (plain[-1] in "cuvz"))
