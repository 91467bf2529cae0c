"""Refusals: which words of a question the documents say nothing about, and what is near."""

import re
from collections.abc import Iterable, Sequence

from clew.agent.answer.evidence import NAMED
from clew.agent.search.rounds import missing as missing_words
from clew.agent.search.rounds import said_by
from clew.agent.state import Answer, Claim
from clew.memory.datatypes import Passage
from clew.memory.dialogue.question_parser import parts
from clew.memory.dialogue.word_classes import is_participle, is_verb, tokens
from clew.memory.knowledge.catalogue import pointed_at
from clew.memory.language.telling import language_of
from clew.memory.text import content_words, held_word_sets, written_words

NEAR = 0.22
"""The cosine of a passage that is worth looking at: three in four questions that have nothing to do with a library find
none, nineteen in twenty of the others do."""

MOST_MISSING = 2
"""Words that a refusal names."""

_NO_NOUN = re.compile(
    r"sel(?:f|ves)$|ly$|^knows$|^soon|^long|^(?:better|worse|best|worst)$|^(?:some|any|every|no)(?:one|body|thing)$"
    r"|^(?:stuff|heck|hell|altogether|anyway|anyhow|lots?|bit)$"
)
_TIME = re.compile(r"(?:second|minute|hour|day|week|month|year|decade|time)s?")
"""Of 'how much per year' the documents are not said to tell nothing about year."""

_ARTICLES = {
    "fr": r"(?:l['’]|(?:le|la|les|un|une|des|du|au|aux)\s)",
    "es": r"(?:el|la|los|las|un|una|unos|unas|del|al)\s",
    "it": r"(?:(?:l|un|dell|all|nell|dall)['’]|(?:il|lo|la|i|gli|le|un|uno|una|del|dello|della|dei|degli|delle|al)\s)",
}
_NOUNS = {
    language: re.compile(rf"\b{articles}(?P<noun>[^\W\d_][\w-]{{2,}})", re.IGNORECASE)
    for language, articles in _ARTICLES.items()
} | {"eo": re.compile(r"\b(?P<noun>[^\W\d_]{2,}oj?n?)\b"), "de": re.compile(r"\b(?P<noun>[A-ZÄÖÜ]\w{2,})\b")}
"""What is a noun in other languages than English, by its place, its ending or its capital."""

_ASKED_OF = re.compile(
    r"\b(?:est|sont|era|es|son|sono|ist|war|estas|è|c'è)\s(?:l['’]|\w{1,3}\s)(?P<kind>[\w-]+)\s(?:de|du|des|d['’]|del|dell\w*"
    r"|di|von|der|vom)\b",
    re.IGNORECASE,
)
"""`prix` of 'Quel est le prix du pain ?', of which not the price is missing."""


def nothing_indexed() -> Answer:
    return Answer("nothing-indexed", (Claim("There are no documents in this library yet, so I cannot answer."),))


def nothing(question: str, passages: Sequence[Passage]) -> Answer:
    """A refusal: what of the question no passage holds, and the nearest titles."""
    held = frozenset().union(*held_word_sets([said_by(passage) for passage in passages]))
    names = [name for name in NAMED.finditer(question) if content_words(name.group())]
    unknown = joined([name for name in names if not set(content_words(name.group())) <= held], question)
    return refused(passages, shown(unknown or missing_words(question, passages), question))


def worth_naming(missing: Iterable[str], question: str, most: int = MOST_MISSING) -> tuple[str, ...]:
    """Names and numbers first, then what may be a noun: nobody is told that documents say nothing about "couldn't",
    "soon" or "recommended"."""
    found = {token.text: token for token in tokens(question)}
    no_nouns = parts(question).no_nouns
    named, nouns = list[str](), list[str]()
    documents = pointed_at(question)
    for word in dict.fromkeys(missing):
        if word.startswith("I'") or word in documents:
            continue
        token = found.get(word)
        if not word[:1].islower():
            named.append(re.sub(r"['’]s$", "", word))
        elif (
            token
            and token.kind == "word"
            and not (word in no_nouns or _NO_NOUN.search(word) or is_verb(word) or is_participle(token))
        ):
            nouns.append(word)
    return tuple([*named, *nouns][:most])


def shown(missing: Iterable[str], question: str) -> tuple[str, ...]:
    """Those that a refusal names: no times, superlatives, nor what kind of thing is asked for, where there are others;
    in another language than English only names, numbers and nouns."""
    language = language_of(question)
    if pattern := _NOUNS.get(language):
        nouns = {found["noun"] for found in pattern.finditer(question)}
        first = next(iter(written_words(question)), "")  # 'Quel'
        known = (word for word in dict.fromkeys(missing) if word in nouns or not (word[:1].islower() or word == first))
        of = _ASKED_OF.search(question)
        return tuple(word for word in known if not (of and word == of["kind"]))[:MOST_MISSING]
    asks = parts(question).asked
    kind = set(content_words(question[slice(*asks)])) if asks else set()
    worth = [word for word in worth_naming(missing, question, len(question)) if not _TIME.fullmatch(word)]
    worth = [word for word in worth if not re.search(rf"\b{re.escape(word)} {_TIME.pattern}\b", question)]  # two weeks
    worth = [word for word in worth if not re.search(rf"\bthe (?=\w{{3,}}est\b){re.escape(word)} [a-z]", question)]
    others = [word for word in worth if not set(content_words(word)) <= kind]
    return tuple((others or worth)[:MOST_MISSING])


def refused(passages: Sequence[Passage], missing: tuple[str, ...], headed: Sequence[re.Match[str]] = ()) -> Answer:
    """`headed` are names that only running heads have."""
    near = [passage.title for passage in passages if passage.scores.get("cosine", 1.0) >= NEAR]
    nearest = tuple(dict.fromkeys(filter(None, near)))[:3]
    text = "I found nothing in the documents that answers this."
    if headed:
        text += f" Only the heads of their pages carry the name {' '.join(name[0] for name in headed)}."
    if missing:
        text = f"The documents that I found say nothing about {listed(missing)}."
    if nearest:
        text += f" The nearest are: {'; '.join(nearest)}."
    return Answer("nothing-found", (Claim(text),), missing=missing, nearest=nearest)


def joined(names: Sequence[re.Match[str]], question: str) -> list[str]:
    """As the question has them: 'Mona' and 'Lisa' side by side are one."""
    spans: list[tuple[int, int]] = []
    for name in names:
        if spans and question[spans[-1][1] : name.start()] == " ":
            spans[-1] = (spans[-1][0], name.end())
        else:
            spans.append(name.span())
    return [question[start:end] for start, end in spans]


def listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
