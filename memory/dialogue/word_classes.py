"""The words of a question by closed lists: question words, helping verbs, prepositions, the rest. Forms of verbs and
nouns by the rules of English spelling, and by lists where those do not hold."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

from clew.memory.dialogue.written_types import TIMES, written_type
from clew.memory.text import content_words, word_lists

FIRST_NAMES = {
    name: gender
    for gender, listed in word_lists(Path(__file__).with_name("first_names.txt")).items()
    for name in listed
}
"""First name -> `she` or `he`."""

LISTS = {name: frozenset(listed) for name, listed in word_lists(Path(__file__).with_name("context_words.txt")).items()}

_TOKEN = re.compile(
    rf"\b(?:{'|'.join(sorted(LISTS['compounds']))})s?\b".replace("_", " ")
    + r"|\b(?:what|who|where|when|how|why|that|there|it|he|she|they|we|you|i)(?=['’](?:s|re|d|ll|ve|m)\b)"
    r"|(?<=\w)['’](?:re|d|ll|ve|m)\b|(?<=what|that|here|when)['’]s\b|(?<=who|how|why|she)['’]s\b"
    r"|(?<=\bit|\bhe)['’]s\b"
    r"|(?-i:\b(?:[A-Z]|Dr|Mr|Mrs|Ms|St|Prof)\.(?=\s?[A-Z]))"
    r"|\w+(?:['’./=:&$+-]\w+)*(?:['’](?!\w))?(?:\[[^\s\]]*\]+|\((?:[^\s()]|\([^\s()]*\))*\))*[+#%]*|[^\w\s]",
    re.IGNORECASE,
)
_CLAUSE_TOO = frozenset("after before since until till as".split())
_SUBJECTS = frozenset("i you we he she it they".split())
BE = frozenset("is are am was were be been being 's 're 'm".split())
_OPENS_NOUN = LISTS["determiners"] | LISTS["asking"]
_NO_VERBS = frozenset(
    "need seed speed feed weed breed indeed hundred exceed proceed succeed kindred sacred naked meeting".split()
)
_NO_ADVERBS = frozenset("family supply reply assembly anomaly monopoly daily weekly monthly early".split())
PARTICIPLES = frozenset(
    "made built written done taken given held born known shown sung won lost sold bought paid kept put set cut led met"
    " found chosen spoken stolen broken hidden frozen grown worn driven drawn thrown left sent spent told taught caught"
    " called used due open closed off on meant felt heard understood brought thought begun eaten fallen flown forgotten"
    " seen shot struck bound dealt fed fought hung lent shut split stuck tied"
    " guaranteed agreed disagreed freed".split()
)


@dataclass(frozen=True, slots=True)
class QuestionToken:
    text: str
    start: int
    end: int
    kind: str
    """what, aux, det, pron, prep, and, sub, adv, number, mark, word"""

    @property
    def low(self) -> str:
        return self.text.casefold().replace("’", "'")


@lru_cache(512)
def tokens(text: str) -> tuple[QuestionToken, ...]:
    found = list(_TOKEN.finditer(text))
    made: list[QuestionToken] = []
    for place, match in enumerate(found):
        following = found[place + 1].group() if place + 1 < len(found) else ""
        after_number = bool(made) and (
            made[-1].kind == "number" or made[-1].low in ("in", "of", "since", "until", "by", "from")
        )
        kind = _kind(match.group(), following, after_number)
        if kind == "adv" and made and made[-1].kind == "det" and _is_word(following.casefold()):
            kind = "word"  # 'the far side'
        if kind == "det" and match.group().casefold() in ("that", "this") and made and made[-1].kind == "aux":
            said_of = following.casefold() in LISTS["said_of"] | (PARTICIPLES - LISTS["verbs"])
            kind = "pron" if said_of else kind  # 'is that different from a list?'
        if kind == "det" and match.group() == "that" and _is_relative(made, following.casefold()):
            kind = "what"
        after_noun = bool(made) and made[-1].kind in ("word", "pron")
        if match.group().casefold() == "enough" and made and made[-1].kind == "word" and kind == "word":
            kind = "adv"  # 'is the room warm enough for two'
        ends = following == "for" and all(re.match(r"\W", one.group()) for one in found[place + 2 :])
        if match.group().casefold() in ("good", "useful") and ends and after_noun:
            kind = "adv"  # 'what is the blue valve good for?'
        if match.group().casefold() in ("first", "last") and after_noun:
            then = QuestionToken(following, match.end() + 1, match.end() + 1 + len(following), "word")
            done = following and (is_participle(then) or is_verb(following))
            kind = "adv" if done else kind  # 'when was the bridge last painted'
        made.append(QuestionToken(match.group(), match.start(), match.end(), kind))
    made = _unshortened(made)
    for place in range(len(made) - 2):
        if made[place].low == made[place + 2].low and made[place + 1].low == "by":  # 'bit by bit'
            made[place : place + 3] = [replace(one, kind="adv") for one in made[place : place + 3]]
    return tuple(made)


def _unshortened(made: Sequence[QuestionToken]) -> list[QuestionToken]:
    """The words with the verb apart that one was shortened with: 'the heating' and 's' of 'the heating's off'."""
    found: list[QuestionToken] = []
    asks = False
    for one, *rest in (made[at : at + 3] for at in range(len(made))):
        asks = asks or one.kind in ("what", "aux")
        if not asks and one.kind == "word" and one.low.endswith("'s") and _is_said_of(rest):
            apart = one.end - 2
            found.append(replace(one, text=one.text[:-2], end=apart))
            one = QuestionToken(one.text[-2:], apart, one.end, "aux")
        found.append(one)
    return found


def _is_said_of(rest: Sequence[QuestionToken]) -> bool:
    """Whether the words behind 'the heating's' say how it is, and name nothing that it owns."""
    if not rest or rest[0].kind == "prep" or rest[0].low in ("a", "an", "not", "been", "got"):
        return bool(rest)
    if len(rest) > 1 and rest[1].kind in ("det", "pron") and is_participle(rest[0]):
        return True  # 'my landlord's kept the deposit'
    stands = len(rest) < 2 or rest[1].kind not in ("word", "number", "det")
    states = LISTS["graded"] | LISTS["said_of"] | LISTS["states"]
    return stands and (rest[0].kind == "adv" or rest[0].low in states or is_participle(rest[0]))


def _is_relative(before: Sequence[QuestionToken], following: str) -> bool:
    """Whether 'that' behind these words begins a clause that says which: 'the lady that runs the shop'."""
    noun = len(before) > 1 and before[-1].kind == "word" and before[-2].kind in ("det", "word")
    does = following[-1:] in ("s", "d") and len(following) > 3 and base(following)[0] in LISTS["verbs"]
    return (
        noun and not is_verb(before[-1].low) and (following in PAST_VERBS or (does and following not in LISTS["verbs"]))
    )


def _kind(text: str, following: str, after_number: bool) -> str:
    low, then = text.casefold().replace("’", "'"), following.casefold()
    if not re.match(r"['’]?\w", text):
        return "mark"
    if low in LISTS["asking"]:
        return "what"
    alone = text == "May" and not re.match(r"\w", then)  # 'and May?'
    if alone or low == "won" or (low == "may" and after_number and (text[0].isupper() or not re.match(r"\w", then))):
        return "word"
    if low in LISTS["be_and_do"] or low.startswith("'") or low.endswith("n't") or low == "cannot":
        return "aux"
    is_word = bool(then) and _is_word(then)
    if low in LISTS["determiners"] and (is_word or low in ("the", "a", "an", "no", "every")):
        return "det"
    if low in LISTS["pronouns"] and text != "US" and not (low in ("one", "ones") and is_word):
        return "pron"
    if low in ("and", "or", "but"):
        return "and"
    if low in _CLAUSE_TOO and then in _SUBJECTS:
        return "sub"
    if low in LISTS["prepositions"] or (low in LISTS["more_prepositions"] and (is_word or then in _OPENS_NOUN)):
        return "prep"
    if low in LISTS["subordinators"]:
        return "sub"
    if low in LISTS["adverbs"]:
        return "adv"
    return "number" if text[0].isdigit() else "word"


def _is_word(low: str) -> bool:
    known = ("asking", "be_and_do", "prepositions", "subordinators", "adverbs", "pronouns", "determiners")
    return (
        re.match(r"\w", low) is not None and not any(low in LISTS[name] for name in known) and low not in ("and", "or")
    )


@cache
def _verbs() -> frozenset[str]:
    return frozenset(stem for word in LISTS["verbs"] for stem in content_words(word)) | {"do", "have", "be"}


_OF_NOUNS = ("ance", "ence", "ment", "tion", "sion", "ness", "ity")


def is_verb(word: str) -> bool:
    """In the list, in any of its regular forms, or a common participle."""
    low = word.casefold()
    if low.endswith(_OF_NOUNS) and low not in LISTS["verbs"]:
        return False  # 'insurance'
    return (
        low in PARTICIPLES
        or low in LISTS["verbs"]
        or low in LISTS["past"]
        or low.removesuffix("es") in LISTS["verbs"]
        or bool(_verbs().intersection(content_words(low)))
    )


def is_participle(word: QuestionToken) -> bool:
    """Whether a noun phrase ends before the word: a participle ('covered', 'waiting'), or an adverb ('typically')."""
    low = word.low
    if low.endswith("ly") and not low.endswith("pply") and len(low) > 5 and low not in _NO_ADVERBS:
        return True
    if word.text[0].isupper() or word.kind != "word" or low in _NO_VERBS:
        return False
    past = low.endswith("ed") and len(low) > 4 and not low.endswith("eed")  # 'seaweed'
    return low in PARTICIPLES or past or (low.endswith("ing") and is_verb(low))


_NAME_LINKS = frozenset("of for de von van der la le du da di do dos al bin".split())


def is_title(found: Sequence[QuestionToken], first: int) -> bool:
    """Whether a fragment, from its token `first` on, is the title of a work and nothing else: 'Gone with the Wind'."""
    before, rest = found[:first], found[first:]
    alone = all(one.kind in ("what", "mark") or one.low in LISTS["leads"] or one.low == "about" for one in before)
    ends = rest[0].text[0].isupper() and rest[-1].text[0].isupper() and rest[0].kind == "word"
    inner = alone and ends and any(one.kind == "det" and one.text.islower() for one in rest)
    return inner and all(one.text[0].isupper() or one.kind in ("det", "prep", "and") for one in rest)


def joins_name(found: Sequence[QuestionToken], at: int, start: int) -> bool:
    """Whether a name that begins at `start` goes on over the small word `at`: 'HEY for Domains', 'Bank of the West'."""
    if not start < at < len(found) - 1:
        return False
    before, link, after = found[at - 1 : at + 2]
    if not before.text[0].isupper() or link.low not in _NAME_LINKS:
        return False
    if after.kind == "det":
        return at + 2 < len(found) and found[at + 2].text[0].isupper()
    return after.text[0].isupper() and link.low != "the"


def behind_relative(found: Sequence[QuestionToken], at: int) -> int:
    """Where a question goes on behind 'of the animals that flew before us' of 'which of the animals that flew before us
    died', where its token `at` is that 'of': 0 where nothing follows, or there is no such clause."""
    determined = at + 1 < len(found) and found[at + 1].kind == "det"
    links = (n for n in range(at + 3, min(at + 6, len(found))) if found[n].low in ("that", "who"))
    link = next(links, len(found)) if determined else len(found)
    done = range(link + 3, len(found))
    return max((n for n in done if found[n].kind == "aux" or is_verb(found[n].low)), default=0)


def states(found: Sequence[QuestionToken], at: int) -> bool:
    """Whether a word is the verb of a statement: 'says' of 'the display says E4', 'went' of 'the light went off'."""
    if 0 < at < len(found) - 1 and found[at - 1].kind == "word" and found[at].low in ("'s", *_STATED):
        return True
    if found[at].kind != "word" or not 0 < at < len(found) - 1 or found[at - 1].kind not in ("word", "number"):
        return False
    then, low = found[at + 1], found[at].low
    told = then.kind in ("det", "pron", "number") or then.text[0].isupper()
    return told and low.endswith("s") and low[:-1] in LISTS["verbs"]


PAST_VERBS = LISTS["past"] - frozenset("set cut saw rose felt found left ground shot hit hurt".split())
"""Past forms that are no nouns."""


_STATED = PAST_VERBS - PARTICIPLES
"""Past forms that say nothing of a noun before them, as 'bought' does."""


def is_done(found: Sequence[QuestionToken], at: int) -> bool:
    """Whether a word behind 'which of the levers' is what one of them does: 'fell', 'stops the mill'."""
    low, then = found[at].low, found[at + 1].kind if at + 1 < len(found) else ""
    one = found[at - 1].low.endswith("s") and ends_in_s(low)
    return low in PAST_VERBS or (one and (low[:-1] in LISTS["verbs"] or then in ("det", "pron")))


def denies(found: Sequence[QuestionToken], at: int) -> bool:
    """Whether a helping verb denies that of a statement: 'backticks don't work', 'the pump does not start'."""
    adverb = at + 1 < len(found) and found[at + 1].kind == "adv"
    verb = at + 1 + adverb
    denied = found[at].low.endswith("n't") or (adverb and found[at + 1].low == "not")
    follows = verb < len(found) and found[verb].kind == "word" and is_verb(found[verb].low)
    return denied and found[at].low not in BE and follows


def is_predicate(found: Sequence[QuestionToken], at: int) -> bool:
    """Whether a word is said of the subject and is no thing: 'slow' of 'is it so slow'."""
    token, before = found[at], found[at - 1] if at else None
    after_be = any(one.kind == "aux" and one.low.removesuffix("n't") in BE for one in found[:at])
    follows = found[at + 1].kind if at + 1 < len(found) else "end"
    if before is None or before.kind == "and" or not after_be or follows not in ("end", "prep", "sub", "adv"):
        return False
    several = token.low.endswith("s") and not token.low.endswith(("ous", "less"))
    return not token.text[0].isupper() and not several and "(" not in token.text


def ends_in_verb(found: Sequence[QuestionToken]) -> bool:
    """Whether the last word is what the subject does: 'what does a ticket to York cost'."""
    last, before = found[-1], found[-2].kind if len(found) > 1 else ""
    return last.low in LISTS["verbs"] and last.text.islower() and before in ("word", "number")


def has_thing(found: Sequence[QuestionToken], at: int) -> bool:
    """Whether 'have' is what the subject does: 'can it have default values', not 'can it have been lost'."""
    then = found[at + 1] if found[at].low == "have" and at + 1 < len(found) else None
    done = then is None or is_participle(then) or then.low in LISTS["past"]
    return then is not None and not done and then.kind in ("det", "number", "word")


_WHO_DO = ("i", "we", "he", "she", "they")


def has_subject(found: Sequence[QuestionToken], at: int) -> bool:
    """Whether it is a verb with its own subject: 'die' of 'when I die', 'cost' of 'and what does the flat cost',
    'wrote' of 'the woman who wrote Low Water'."""
    relative = at > 2 and found[at - 1].low in ("who", "that", "which") and found[at - 2].kind == "word"
    if found[at - 1].low in _WHO_DO or relative:
        return is_verb(found[at].low)
    helped = next((n for n in range(at - 2, 1, -1) if found[n].low in ("do", "does", "did")), 0)
    second = helped and found[helped - 1].low in LISTS["asking"] and found[helped - 2].kind in ("and", "mark")
    if not second or any(one.kind not in ("det", "word", "number") for one in found[helped + 1 : at]):
        return False
    last = not (at + 1 < len(found) and is_verb(found[at + 1].low))  # 'train' of 'does the train arrive'
    return last and is_verb(found[at].low)


def acts(found: Sequence[QuestionToken], at: int) -> bool:
    """Whether a word is a verb where it stands: in 'last year' nothing lasts."""
    if at >= len(found) or not is_verb(found[at].low):
        return False
    return not (found[at].low == "last" and at + 1 < len(found) and written_type(f"the {found[at + 1].low}") in TIMES)


def ends_in_s(word: str) -> bool:
    """As no verb does behind 'do': 'do expense claims have to be in?'"""
    return word.endswith("s") and not word.endswith(("ss", "us"))


_SIBILANT = ("ches", "shes", "sses", "xes", "zzes", "oes")


def past(verb: str) -> str:
    """The past form of a base form."""
    known = _irregular()
    if verb in known:
        return known[verb]
    if _DOUBLED.fullmatch(verb):
        return verb + verb[-1] + "ed"
    return verb + "d" if verb.endswith("e") else verb[:-1] + "ied" if re.search(r"[^aeiou]y$", verb) else verb + "ed"


_DOUBLED = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")
"""'tag', whose last letter is doubled: 'tagged', 'tagging'."""


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
    plain = low[: -1 if low[-3] in "cuvz" else -2] if helper == "did" else low.removesuffix("s")
    return (stems[0] if stems else plain), helper


def ing(verb: str) -> str:
    """The form in -ing: 'shrinking', 'setting', 'making'."""
    low = verb.casefold()
    if low.endswith("ie"):
        return low[:-2] + "ying"
    if low.endswith("e") and not low.endswith(("ee", "oe", "ye")) and low != "be":
        return low[:-1] + "ing"
    if _DOUBLED.fullmatch(low):
        return low + low[-1] + "ing"
    return low + "ing"


def several(noun: str) -> str:
    """'proxies' of 'proxy', 'dishes' of 'dish'."""
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "z", "ch", "sh")) else "s")


@cache
def _irregular() -> dict[str, str]:
    return dict(pair.split("=") for pair in LISTS["past_of"])
