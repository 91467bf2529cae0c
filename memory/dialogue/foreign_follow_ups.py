"""Follow-ups in other languages of an English question, as English ones."""

import re

from clew.memory.language.telling import language_of

_MEANT = re.compile(
    r"(?:(?:non|no|nein|ne|pardon|perd[oó]n|scusa|entschuldigung|pardonu|mais|pero|ma|sed|aber|doch)\b[,.:;! ]*)*"
    r"(?:ich (?:meinte|meine|sprach von|rede von)|je (?:voulais|veux) dire|je (?:pensais [aà]|parlais d[eu])"
    r"|(?:me refer[ií]a|quer[ií]a decir|quise decir|hablaba de)(?: al?\b)?|(?:intendevo|volevo dire|parlavo d[ei]l?)"
    r"|mi (?:celis|volis diri|parolis pri|pensis pri))[,:]? "
    r"(?P<the>(?:l['’]|(?:der|die|das|den|dem|le|la|les|el|los|las|il|lo|i|gli) ))?(?P<new>[^,;:?]{1,60}?)[.! ]*",
    re.IGNORECASE,
)
"""'Je voulais dire le bail', in the languages other than English that people speak here."""


_AND_FOR = re.compile(
    r"(?:und|et|y|e|kaj)(?P<for> (?:für|pour|para|per|por))? (?P<the>(?:l['’]|(?:der|die|das|den|dem|le|la|les|el|los"
    r"|las|il|lo|i|gli) ))?(?P<new>(?-i:[A-ZÀ-Þ\d][\w.+-]*(?: [A-ZÀ-Þ\d][\w.+-]*)*)) ?\W*",
    re.IGNORECASE,
)
"""'Und für den Mac?', where what is named is called so in every language."""


def corrected(question: str, before: str) -> str:
    """A correction in another language of an English question `before`, or what takes the place of something in it, as
    one in English."""
    english = language_of(before) in ("", "en")
    meant, other = (one.fullmatch(question) if english else None for one in (_MEANT, _AND_FOR))
    if meant:
        return f"I meant {'the ' if meant['the'] else ''}{meant['new']}"
    if other:
        return f"and {'for ' if other['for'] else ''}{'the ' if other['the'] else ''}{other['new']}?"
    return question
