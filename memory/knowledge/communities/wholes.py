"""Whether a question is about the library as a whole: 'What is this collection about?', 'Summarise everything.'"""

from functools import cache

from clew.memory.words import content_words, words

HOLDERS = """
collection library document documents text texts corpus file files archive material materials content contents data
book books paper papers article articles report reports everything all whole overall entire dataset page pages notes
"""
"""What can hold the whole; a question has to name one of these, or what it asks of it."""

ASKED = """
theme themes topic topics subject subjects summary summarize summarise summarizing summarising overview gist outline
"""

AROUND = """
main key major central important big broad general common different idea ideas issue issues point points question
questions area areas kind kinds sort sorts type types cover covers covered contain contains contained include includes
included deal deals discuss discusses discussed say says talk talks treat treats present information give list show
find found read knowledge know short brief briefly quick quickly here there about mainly mostly overall generally
together across indexed uploaded loaded
"""


IN_HERE = frozenset("so what is are all do does you we i have has got there in here then now".split())
"""All that a question may be made of that asks what is 'in here'."""


def asks_for_the_whole(question: str) -> bool:
    """A question with any word of its own, such as a name, is about that and not about the whole."""
    asked, said = set(content_words(question)), set(words(question))
    if "what" in said and said <= IN_HERE:
        return {"in", "here"} <= said
    core = asked & (_stems(HOLDERS) | _stems(ASKED)) or said & {"all", "everything"}
    return bool(core) and asked <= _stems(HOLDERS) | _stems(ASKED) | _stems(AROUND)


@cache
def _stems(vocabulary: str) -> frozenset[str]:
    return frozenset(content_words(vocabulary))
