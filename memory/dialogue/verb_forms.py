"""Forms of a verb or a noun by the rules of English spelling, and by lists where those do not hold."""

import re
from functools import cache

from clew.memory.dialogue.word_classes import LISTS

_SIBILANT = ("ches", "shes", "sses", "xes", "zzes", "oes")


def past(verb: str) -> str:
    """The past form of a base form."""
    known = _irregular()
    if verb in known:
        return known[verb]
    return verb + "d" if verb.endswith("e") else verb[:-1] + "ied" if re.search(r"[^aeiou]y$", verb) else verb + "ed"


def base(verb: str) -> tuple[str, str]:
    """The base form, and what helps it in a question: 'write' and 'did' of 'wrote', 'land' and 'does' of 'lands'."""
    low = verb.casefold()
    if low in ("has", "have"):
        return "have", "does" if low == "has" else "do"
    for form, of in _irregular().items():
        if low == of and low != form:
            return form, "did"
    if low in LISTS["verbs"]:
        return low, "did" if _irregular().get(low) == low else "do"
    helper = "did" if low.endswith("ed") else "does"
    ends = (low[:-3] + "y", low[:-1], low[:-2], low[:-3]) if helper == "did" else (low[:-3] + "y", low[:-1], low[:-2])
    stems = [one for one in ends[low[-3] != "i" :] if one in LISTS["verbs"]]
    plain = low[:-2] if helper == "did" else low.removesuffix("s")
    return (stems[0] if stems else plain), helper


def ing(verb: str) -> str:
    """'shrinking', 'setting', 'making'."""
    low = verb.casefold()
    if low.endswith("ie"):
        return low[:-2] + "ying"
    if low.endswith("e") and not low.endswith(("ee", "oe", "ye")) and low != "be":
        return low[:-1] + "ing"
    if re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", low):
        return low + low[-1] + "ing"
    return low + "ing"


def singular(noun: str) -> str:
    """'proxy' of 'proxies', 'dish' of 'dishes'; the last word of a phrase counts."""
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    return noun[:-2] if noun.endswith(_SIBILANT) else noun if noun.endswith("ss") else noun.removesuffix("s")


def several(noun: str) -> str:
    """'proxies' of 'proxy', 'dishes' of 'dish'."""
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")


@cache
def _irregular() -> dict[str, str]:
    return dict(pair.split("=") for pair in LISTS["past_of"])
