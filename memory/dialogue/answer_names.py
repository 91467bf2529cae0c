"""What an answer speaks of: its names, its subject, the things that it tells of, what it lists."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, takewhile

from clew.memory.dialogue.phrases import Phrase, Referent
from clew.memory.dialogue.question_parser import parts
from clew.memory.dialogue.word_classes import FIRST_NAMES, LISTS, is_participle, is_verb, singular, tokens
from clew.memory.dialogue.written_types import written_type
from clew.memory.text import unaccented


def done_by(name: str, verb: str, text: str) -> bool:
    """Whether a text says of what is done that it is by somebody: 'directed by Raoul Walsh'."""
    by = re.search(rf"\b(\w+) by (?:[a-z-]+ ){{0,3}}{re.escape(name)}\b", text)
    return bool(by and verb and by[1].casefold().startswith(verb.casefold()[:STEM]))


def does_it(name: str, verb: str, text: str) -> bool:
    """Whether a text says of somebody that he does it, in that form of the verb, or that it is done by him: Piotr of
    'Hanna chaired it until May; Piotr chairs it now' for 'chairs'."""
    does = verb and re.search(rf"\b{re.escape(name)} (?:\w+ly )?{re.escape(verb)}\b", text)
    return bool(does) or done_by(name, verb, text)


STEM = 5
"""Letters of a verb that its forms share."""

FIRM = r"(?:Bank|Inn|Hotel|Café|Cafe|School|College|Hospital|Church|Club|Shop|Farm|Hall)"
"""What has somebody's name and is none of his: 'Tellson's Bank'."""

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'-]*"
_LINK = r"(?:of|the|of the|in the|to the|on the|de|von|van|der|la|le|du|da|di|do|dos|al|bin)"
_NAME = re.compile(
    rf"\b(?:[A-Z]\.\s?)+{_CAPITAL}(?:\s{_CAPITAL})*"
    rf"|\b(?:Dr|Mr|Mrs|Ms|St|Prof)\.?\s{_CAPITAL}(?:\s{_CAPITAL})*"
    rf"|\b{_CAPITAL}['’]s\s{FIRM}\b"
    rf"|\b{_CAPITAL}(?:(?:\s{_LINK}|\s&)?\s{_CAPITAL})*"
)
_OF_A_PERSON = frozenset({"de", "von", "van", "der", "la", "le", "du", "da", "di", "al", "bin"})
TITLED = re.compile(r"(?:[Dd]r|[Mm]r|[Mm]rs|Ms|[Pp]rof|Sir|Lady|Miss|Professor|Doctor)\b\.?")
SHE_TITLED = re.compile(r"(?:[Mm]rs|Ms|Lady|Miss|Queen|Madam)\b")
HE_TITLED = re.compile(r"(?:[Mm]r|Sir|Lord|King|Father)\b")
_OPENS = re.compile(r"[.?!:]['\"”’)]?\s+$")
_I = re.compile(r"I(?:['’]\w+)?$")
WHO = re.compile(r"(?:\w+,? )?who(?:['’]s| is| was) ", re.IGNORECASE)
_PLACED = re.compile(r"\b(in|at|near|from|to|on|outside|into)\s+(?!\d{4}\s)(?:[a-z\d]+\s+){0,3}$", re.IGNORECASE)
"""Not of a name behind a year: 'in 1738 the widow Crake began to ...'"""
_WORD = r"(?:[\w()/'’.$-]|\[[^\s\]]*\]+)+"
_ITEM = rf"(?:{_WORD} ){{0,3}}{_WORD}"
_ENUMERATION = re.compile(rf"({_ITEM})((?:, {_ITEM})+),? (?:and|or) ({_ITEM})")


_TITLE = (
    r"(?:the )?(?:(?:Mr|Mrs|Ms|Dr|St|Prof)\. )?[A-ZÀ-Þ][\w'’+-]*"
    r"(?:(?: (?:of|the|in|to|on|a|an|for|with|from|at|de|von|van|der|la|le))* [A-ZÀ-Þ\d][\w'’+-]*)*"
)
_TITLES = re.compile(rf"{_TITLE}(?:, {_TITLE})+,? (?:and|or) {_TITLE}(?=[.;]|$)")

_PREPOSED = re.compile(r", (?:of|in|at|on|to|from|with|by|for|as|not|but|which|who|that|when|where) ", re.IGNORECASE)


def gender_of(name: str) -> str:
    """`she` or `he` by a title or a first name; empty where neither tells."""
    if SHE_TITLED.match(name) or HE_TITLED.match(name):
        return "she" if SHE_TITLED.match(name) else "he"
    first = re.split(r"[\s’']", name)[0]
    return FIRST_NAMES.get(first) or FIRST_NAMES.get(unaccented(first), "")


def gender_of_noun(noun: str) -> str:
    """`she` for 'sister', `he` for 'uncle'; empty for 'teacher'."""
    return "she" if noun in LISTS["women"] else "he" if noun in LISTS["men"] else ""


def looks_like_a_person(name: str, placed: str) -> bool:
    words = name.split()
    return (
        2 <= len(words) <= 4
        and words[0] != "The"
        and not placed
        and re.fullmatch(FIRM, words[-1]) is None
        and not (words[-1].casefold() in LISTS["no_person"] and words[0] not in FIRST_NAMES)
        and all(w[0].isupper() or w in _OF_A_PERSON for w in words)
        and not any(character.isdigit() for character in name)
    )


def as_written(mention: Referent, told: str) -> Referent:
    """The thing as a text writes it: 'SQLite' for 'sqlite', 'Ada Kern' for 'ada kern'."""
    bare = mention.text.removeprefix("the ")
    if not bare.islower() or len(bare.split()) > MOST_OF_NAME:
        return mention
    first_name = mention.text == bare and bare.capitalize() in FIRST_NAMES
    several, inside = " " in bare or first_name, r"(?<=[\w,] )"  # a lone word may have its capital from the sentence
    words = r" (?:[A-ZÀ-Þ][\w.]* )?".join(f"(?i:{re.escape(word)})" for word in bare.split())
    written = re.search(rf"{'' if several else inside}\b{words}\b", told)
    if not written or not all(word[0].isupper() for word in written.group().split()):
        return mention
    found = replace(mention, text=mention.text[: -len(bare)] + written.group(), named=True, rank=mention.rank - NAMED)
    person = first_name or (several and looks_like_a_person(found.text, ""))
    sure = found.person or first_name
    return replace(found, person=sure, maybe_person=True, gender=gender_of(found.text)) if person else found


MOST_OF_NAME = 3
"""Words of one that is looked for in another spelling."""

NAMED = 1.2
"""How much likelier a name is to be spoken of again, in places of the order."""

_CITED = re.compile(r"\([A-ZÀ-Þ][^()]{2,80}\d{4}[a-z]?\)")
"""'(Nelder and Wedderburn 1972)', of whom nothing is told."""


@lru_cache(512)
def names(text: str) -> tuple[Referent, ...]:
    """Names of an answer in their order; two joined by `and` are one as well, behind both."""
    text = _CITED.sub("", text)
    works = [Referent(work, 0, True) for work in _TITLE_OF_WORK.findall(text)]
    return (*_names(_TITLE_OF_WORK.sub("", text)), *works)


_TITLE_OF_WORK = re.compile(r"[\"\u201c]((?:The|An?) [A-Z][^\"\u201d.,!?]{0,50})[\"\u201d]")
"""'"The Hare and Many Friends"', which names no friends."""


def _names(text: str) -> Iterator[Referent]:
    pairs: list[tuple[Referent, int, int]] = []
    for match in _NAME.finditer(text):
        name = re.sub(r"[’']s?$", "", match.group())
        start, article = match.start(), text[: match.start()].endswith(" the ")
        begins = start == 0 or _OPENS.search(text[max(0, start - 4) : start]) is not None
        while _only_opens(name, begins=begins) and (start == 0 or begins or " " not in name):
            first, _, name = name.partition(" ")
            start, article = start + len(first) + 1, first == "The"
        paired = re.match(r"\sand\s[A-Z]", text[match.end() : match.end() + 6])
        opens = (
            begins
            and start == match.start()
            and " " not in name
            and not paired
            and not _repeated(name, text)
            and not (":" in text[max(0, start - 2) : start] and re.match(r"[.;,]?$|[.;]", text[match.end() :]))
        )  # a lone word may have its capital from the sentence
        first = name.split(" ")[0]  # 'Thinks I, Queequeg is ...', 'then When I'
        i_say = name.endswith(" I") and (first in LISTS["openers"] or is_verb(first.casefold()))
        heading = name.isupper() and len(name.split()) > 2
        if name and not (opens or i_say or heading or _is_time(name) or _I.fullmatch(name)):
            owns = not match.group().endswith(name)  # 'on Signe's desk'
            owns = owns and re.match(r"\s+\w", text[match.end() :]) is not None  # but 'at Mario's.'
            placed = None if owns else _PLACED.search(text[max(0, start - 60) : start])
            full = f"the {name}" if article else name
            about = WHO.fullmatch(text[:start]) is not None
            preposition = placed.group(1).casefold() if placed else ""
            person = about or looks_like_a_person(full, preposition) or bool(TITLED.match(name))
            person = person or (name in FIRST_NAMES and preposition in ("", "to", "from"))
            gender = gender_of(name)
            maybe = person or (not article and preposition not in ("in", "at", "near") and all_capitals(full))
            pairs.append(
                (Referent(full, len(pairs), True, person, maybe, False, preposition, gender), start, match.end())
            )
    yield from (mention for mention, _, _ in pairs)
    for (one, begin, end), (other, start, _) in pairwise(pairs):
        if text[end:start] == " and " and text[max(0, begin - 2) : begin] != ", ":  # no two of three
            yield Referent(f"{one.text} and {other.text}", len(pairs), True, plural=True)


def _only_opens(name: str, *, begins: bool) -> bool:
    """Whether the first word has its capital from the sentence that it opens: 'Usually' of 'Usually Olga'."""
    first = name.split(" ")[0]
    adverb = first.casefold() in LISTS["adverbs"] or (
        first.endswith("ly") and len(first) > 5 and first not in FIRST_NAMES
    )
    deed = " the " in name and (is_verb(first) or first.endswith("ed")) and first not in FIRST_NAMES  # 'Marked the Fox'
    return first in LISTS["openers"] or (begins and " " in name and (adverb or deed))


SUBJECT = 5
"""Words of a sentence's subject."""


@lru_cache(512)
def subject_of(text: str) -> Referent | None:
    """What a sentence begins with where something is said of it: 'the default timeout' of 'The default timeout is 5
    seconds', 'Curiosity' of 'Curiosity landed'. Whether a lone first word is a name, its capital does not tell: `named`
    says that it is one by another sign."""
    found = tokens(text[:LOOKED_AT])
    first = 1 if found and found[0].kind == "det" and found[0].low not in LISTS["personal"] else 0
    end = first
    while end < len(found) and found[end].kind in ("word", "number") and end < first + SUBJECT:
        if end > first and (found[end].text[0].islower() and (is_verb(found[end].low) or is_participle(found[end]))):
            break
        end += 1
    if end == first or end == len(found) or found[first].kind == "number" or is_participle(found[first]):
        return None
    said = found[end].kind == "aux" or is_verb(found[end].low) or found[end].low.endswith("ed")
    name = text[found[0].start : found[end - 1].end]
    if not said or _is_time(name) or (name.split()[0] in LISTS["openers"] and not first):
        return None
    inner = [token.text for token in found[1:end]]
    named = any(word[0].isupper() for word in inner) if inner else name in FIRST_NAMES or _repeated(name, text)
    named = named or re.search(r"[()=_\d]|\w[A-Z]", name) is not None
    if first or (inner and not named):
        name = name[0].lower() + name[1:]
    if name.startswith(("a ", "an ")):
        name = "the " + name.split(" ", 1)[1]
    role = found[end - 1].low in LISTS["people"]
    person = looks_like_a_person(name, "") or name in FIRST_NAMES
    maybe = person or role or (named and not first and all_capitals(name))
    plural = found[end - 1].low.endswith("s") and found[end].low in ("are", "were", "have", "do")
    gender = gender_of_noun(found[end - 1].low) if role else gender_of(name)
    return Referent(name, 0.0, named, person, maybe, plural, gender=gender)


LOOKED_AT = 300
"""Characters of a sentence of an answer."""


def things_of(text: str) -> Iterator[Referent]:
    """What a sentence of an answer tells of with an article: 'the van' of 'because of the van (clutch)'."""
    for phrase in parts(text[:LOOKED_AT]).phrases:
        own = phrase.first in ("my", "our", "your")
        if phrase.pronoun or not (own or phrase.first in ("the", "a", "an")) or written_type(phrase.text):
            continue
        if re.search(r"\d{3}", phrase.text):  # 'the early 1970s'
            continue
        first, _, rest = phrase.text.partition(" ")
        if rest and not phrase.named and len(phrase.text.split()) <= SUBJECT:
            person, gender = phrase.noun in LISTS["people"], gender_of_noun(phrase.noun)
            name = f"{first.casefold() if own else 'the'} {rest}"
            yield Referent(name, 1.0, person=person, maybe_person=own and person, plural=phrase.plural, gender=gender)


def _is_time(name: str) -> bool:
    """Whether it is a time and no name: 'Wednesday', '14 March'; not 'Olga Winter'."""
    return bool(written_type(name)) and not (" " in name and name.split()[0].isalpha() and name[0].isupper())


def all_capitals(name: str) -> bool:
    words = name.split()
    if (
        words[0] in ("The", "None", "No", "All", "Any")
        or words[-1].casefold() in LISTS["no_person"] | LISTS["determiners"] | LISTS["prepositions"]
    ):
        return False
    return all(word[0].isupper() or word in _OF_A_PERSON for word in name.split())


def _repeated(name: str, text: str) -> bool:
    """Whether the text has the name inside a sentence too, so that its capital is its own."""
    return re.search(rf"[\w,] {re.escape(name)}\b", text) is not None


_SHORT_THING = r"((?:(?:the|an?|my|our|your) )?[\w'’/-]+(?: [\w'’/-]+){0,2})"
_NAMED = r"(?:(?:the|an?|my|our) )?[\w'’/-]+(?: [\w'’/-]+)??"
_ARE = re.compile(rf" (?:are|were) {_SHORT_THING} and {_SHORT_THING}\.?$")
_VALUES = re.compile(r" (\d[\w.]*(?: \w+)?) and (\d[\w.]*(?: \w+)?)\.?$")
_TWO = re.compile(r"(?:[Tt]he )?([A-Z][\w/.+-]*) and ([A-Z][\w/.+-]*)(?: ([a-z]+s))?\b")
_OTHER_TWO = re.compile(r"\b(?:two|both) [a-z-]+s?[,:] ([A-Z][\w/.+-]*) and ([A-Z][\w/.+-]*)")
_OVER = re.compile(
    r"\b(?:chose|choose|chosen|took|take|preferr?(?:ed)?|picked|bought) "
    rf"({_NAMED}) (?:over|instead of|rather than|and not) ({_NAMED})(?=[.,;]| (?:because|as|since|for)\b)"
)
"""'We chose the Brandt over the Lux because of the noise.'"""
_TWO_NAMES = re.compile(rf"({_TITLE}) and ({_TITLE})\.?")
_DETERMINED = r"(?:the|an?|my|our|your) [\w'’/-]+(?: (?!and\b|or\b)[\w'’/-]+){0,4}?"
_WITH_ARTICLES = re.compile(rf"\b({_DETERMINED})(?: for [^,]{{1,20}}?)?,? (?:and|or) ({_DETERMINED})(?=[.,;]|$| for\b)")


def named_pair(text: str, wanted: Phrase | None = None) -> tuple[str, ...]:
    """Two things that a sentence names side by side: 'HTTP proxy' and 'SOCKS proxy' of one that begins with 'HTTP and
    SOCKS proxies'; two values; what is said to be two; two of the kind that was `wanted`, 'the brass lamp' and 'the
    desk lamp' of 'a brass lamp and a desk lamp'. Empty where there are not two."""
    if told := _ARE.search(text):
        return told[1], told[2]
    if other := _OTHER_TWO.search(text) or _TWO_NAMES.fullmatch(text) or _OVER.search(text):
        return other[1], other[2]
    articled = _WITH_ARTICLES.search(text) if wanted else None
    if articled and wanted:
        kind = singular(wanted.noun)
        pair = tuple(re.sub(r"^an? ", "the ", item) for item in articled.groups())
        if all(kind in item.casefold().split() for item in pair):
            return pair
    if values := _VALUES.search(text):
        return values[1], values[2]
    two = _TWO.match(text)
    if not two:
        return ()
    noun = f" {singular(two[3])}" if two[3] and not is_verb(two[3]) else ""
    return f"{two[1]}{noun}", f"{two[2]}{noun}"


_TWO_TOLD = re.compile(
    r"\b((?:the|an?|my|our|his|her|its) (?:[\w'’-]+ ){0,2}[\w'’-]+) and (?:(?:on|in|at|for|with|to|of|from|against) )?"
    r"((?:the|an?|my|our|his|her|its) (?:[\w'’-]+ ){0,2}?[\w'’-]+)"
    r"(?=[.,;:!?]|$| (?:in|on|at|for|with|to|of|from|by|was|were|is|are|has|have|had|will|that|which|when|who)\b)",
    re.IGNORECASE,
)


def two_told(text: str) -> tuple[str, ...]:
    """Two things that a sentence tells of side by side, for 'the second one' and 'the latter': 'the uniform' and 'the
    phone ban' of 'we voted on the uniform and on the phone ban'. Empty where there are not two."""
    found = list(_TWO_TOLD.finditer(text))
    if len(found) != 1:
        return ()
    pair = [re.sub(r"^an? ", "the ", _UNDONE.sub("", item), flags=re.IGNORECASE) for item in found[0].groups()]
    if any(written_type(item) or len(item.split()) < 2 for item in pair):
        return ()
    return tuple(item[0].lower() + item[1:] for item in pair)


_UNDONE = re.compile(r" (?:he|she|it|they|we|i|you|\w+ed|won|made|came|went|left|had|said|took)\b.*", re.IGNORECASE)
"""What 'the miller won' says of the miller."""


def enumerated(text: str) -> tuple[str, ...]:
    """The things that a sentence lists: 'connect', 'read', 'write' and 'pool' of 'connect, read, write, and pool
    timeouts', each with the noun that they share; empty where it lists fewer than three."""
    titles = _TITLES.search(text)
    if titles and not re.search(r": [\w-]+, $", text[: titles.start()]):  # 'four formats: mbox, MMDF, MH and Maildir'
        return _of_titles(titles.group())
    match = _ENUMERATION.search(text)
    if not match:
        return ()
    first, middle, last = match.groups()
    if _PREPOSED.search(f"{middle}, {last}"):
        return ()  # 'blue, of that deep and smoky blue'
    if (
        first.split()[-1].islower()
        and first.endswith("s")
        and all(part.strip()[:1].isupper() for part in [*middle.split(",")[1:], last])
    ):
        items = [*(part.strip() for part in middle.split(",") if part.strip()), last.split()[0].rstrip(".")]
        return tuple(items)  # 'two daughters, Irène and Ève'
    between = [part.strip() for part in middle.split(",") if part.strip()]
    if any(part.split()[0] in ("and", "but", "then") for part in between):
        return ()  # 'took off her bonnet, and sat down, and wept'
    tail = last.strip().rstrip(".").split()
    if name := _leading_name(tail):
        most = max(len(item.split()) for item in [*between, name])
        announced = text[: match.start()].endswith((": ", " - "))
        return first if announced else _ending_name(first.split(), most), *between, name
    items = [first.split()[-1], *between, " ".join(tail)]
    if len(tail) > 1 and tail[-1].endswith("s"):  # 'connect, read and pool timeouts'
        items = [*items[:-1], tail[0]]
        return tuple(f"{item} {tail[-1].removesuffix('s')}" for item in items)
    return (*items[:-1], tail[0]) if len(tail) > 2 else tuple(items)


def _of_titles(text: str) -> tuple[str, ...]:
    """The names of 'Metropolis, M and Woman in the Moon'."""
    *between, last = re.split(r", (?!(?:and|or) )", text)
    last_two = re.split(r",? (?:and|or) ", last, maxsplit=1)
    first, *others = [*between, *last_two]
    opener, _, rest = first.partition(" ")
    if rest and opener in LISTS["openers"]:
        first = f"the {rest}" if opener == "The" else rest
    return first, *others


def _leading_name(words: Sequence[str]) -> str:
    """'Pension Vera' of 'Pension Vera are near'; empty where they begin in small letters, or go on after one capital
    with no verb ('SOCKS proxies')."""
    count = next((place for place, word in enumerate(words) if not word[0].isupper()), len(words))
    then = words[count].casefold() if count < len(words) else ""
    goes_on = then and count == 1 and len(words) == 2 and not (is_verb(then) or then in LISTS["be_and_do"])
    return "" if goes_on else " ".join(words[:count])


def _ending_name(words: Sequence[str], most: int) -> str:
    """The words with capitals at the end, at most so many; the last word where it has none."""
    names = takewhile(lambda word: word[0].isupper() and word not in LISTS["openers"], reversed(words))
    return " ".join(words[-max(1, min(most, len([*names]))) :])
