"""Forms of a verb or a noun."""

import re

from clew.memory.dialogue.word_classes import LISTS


def past(verb: str) -> str:
    """The past form of a base form."""
    irregular = dict(pair.split("=") for pair in LISTS["past_of"])
    if verb in irregular:
        return irregular[verb]
    return verb + "d" if verb.endswith("e") else verb[:-1] + "ied" if re.search(r"[^aeiou]y$", verb) else verb + "ed"


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
