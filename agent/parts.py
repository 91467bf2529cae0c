"""The parts of a question that asks several things: each is answered, or refused, on its own.

Rules for English; a question that they do not fit is one part.
"""

import re
from itertools import pairwise

from clew.memory.dialogue.context_dependence import depends_on_context
from clew.memory.words import content_words

_ASKING = (
    r"(?:who|whom|whose|what|when|where|why|how|which|is|are|was|were|do|does|did|can|could|has|have|had|will|would)\b"
)
_JOINT = re.compile(rf"(?<=\?)\s+|[,;]?\s+(?:and|but)\s+(?={_ASKING})", re.IGNORECASE)
_TWICE = re.compile(
    r"^(where|when|why|how) and (where|when|why|how)\s+"
    r"((?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should)\b.+)$",
    re.IGNORECASE | re.DOTALL,
)
"""'Where and when was it read?' asks two things of one."""

_COMPARED = tuple(
    re.compile(rf"^(?:please |can you |could you )?{pattern}[\s?.!]*$", re.IGNORECASE)
    for pattern in (
        r"(?:compare|contrast) (.+?) (?:and|with|to|versus|vs\.?) (.+?)",
        r"what(?:'s| is| are| was| were)? the (?:\w+ )?(?:differences?|similarit(?:y|ies)) between (.+?) and (.+?)",
        r"how (?:does|do|did|is|are|was|were) (.+?) (?:compared? (?:to|with)|differ(?:ent)? from) (.+?)",
    )
)


def parts(question: str) -> tuple[str, ...]:
    """'Who was Laika, and what did Kepler think?' is two questions; 'Compare Laika and Ham' asks what each of them is.

    A part that leans on the one before it stays with it: 'Who was Laika, and how did she die?' is one.
    """
    if asked := _TWICE.match(question):
        one, other, rest = asked.groups()
        return (f"{one} {rest}", f"{other.capitalize()} {rest}")
    for pattern in _COMPARED:
        if compared := pattern.match(question):
            return tuple(f"What is {thing}?" for thing in compared.groups())
    cuts = [0, *(match.end() for match in _JOINT.finditer(question)), len(question)]
    found: list[str] = []
    for start, end in pairwise(cuts):
        part = question[start:end]
        if found and (
            depends_on_context(part) or not content_words(part) or not re.match(_ASKING, found[-1], re.IGNORECASE)
        ):
            found[-1] += part
        else:
            found.append(part)
    return tuple(re.sub(r"[,;]?\s+(?:and|but)\s+$", "", part).strip() for part in found)
