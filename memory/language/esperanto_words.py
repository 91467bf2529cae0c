"""Words of Esperanto taken apart: ending, case and number, tense and mood, correlatives, numerals, affixes, compounds.

Zamenhof's sixteen rules (Fundamento de Esperanto, 1905). The closed words and the affixes are in `esperanto_words.txt`,
the roots in `roots.txt`: those of Zamenhof's own texts, and by hand what looks derived and is not (`danĝer` is not
`danĝ-er`). A word whose root is in neither is read by its ending.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from clew.memory.language.trees import WordForm
from clew.memory.text import word_lists

TABLE: Mapping[str, frozenset[str]] = {
    name: frozenset(words) for name, words in word_lists(Path(__file__).with_suffix(".txt")).items()
}

NOMINAL = {
    ending + number + case: (ending, f"Case={'Acc' if case else 'Nom'}|Number={'Plur' if number else 'Sing'}")
    for ending in "oa"
    for number in ("", "j")
    for case in ("", "n")
}
FINITE = {
    "as": "Mood=Ind|Tense=Pres|VerbForm=Fin",
    "is": "Mood=Ind|Tense=Past|VerbForm=Fin",
    "os": "Mood=Ind|Tense=Fut|VerbForm=Fin",
    "us": "Mood=Cnd|VerbForm=Fin",
    "u": "Mood=Imp|VerbForm=Fin",
    "i": "VerbForm=Inf",
}
ENDINGS = ("ojn", "ajn", "oj", "on", "aj", "an", "en", "as", "is", "os", "us", "o", "a", "e", "i", "u")
"""The longest first."""

PARTICIPLES = {
    "ant": "Tense=Pres|VerbForm=Part|Voice=Act",
    "int": "Tense=Past|VerbForm=Part|Voice=Act",
    "ont": "Tense=Fut|VerbForm=Part|Voice=Act",
    "at": "Tense=Pres|VerbForm=Part|Voice=Pass",
    "it": "Tense=Past|VerbForm=Part|Voice=Pass",
    "ot": "Tense=Fut|VerbForm=Part|Voice=Pass",
}

BEGINNINGS = {"ki": "Int,Rel", "ti": "Dem", "i": "Ind", "ĉi": "Tot", "neni": "Neg"}
CORRELATIVE_ENDS = {"u": "DET", "a": "DET", "o": "PRON", "es": "DET"} | dict.fromkeys(
    ("e", "am", "al", "el", "om"), "ADV"
)

_X_NOTATION = re.compile("([cghjsuCGHJSU])[xX]")
_HATS = dict(zip("cghjsuCGHJSU", "ĉĝĥĵŝŭĈĜĤĴŜŬ", strict=True))
_DIGITS = re.compile(r"[+-]?\d[\d.,:/%]*(?:-?(?P<ending>[aoe]j?n?))?")
_NUMBER = re.compile("(?:(?:du|tri|kvar|kvin|ses|sep|ok|naŭ)?(?:dek|cent)|unu|du|tri|kvar|kvin|ses|sep|ok|naŭ|mil|-)+")
_LETTERS = re.compile("[a-pr-vzĉĝĥĵŝŭ]*[aeiou][a-pr-vzĉĝĥĵŝŭ]*")


def with_hats(text: str) -> str:
    """`ĉ` for `cx` and so on, as people write where they have no such keys."""
    return _X_NOTATION.sub(lambda found: _HATS[found[1]], text) if "x" in text or "X" in text else text


@cache
def roots() -> frozenset[str]:
    """Return all roots of the word list that is packaged with Clew."""
    return frozenset(root for words in word_lists(Path(__file__).with_name("roots.txt")).values() for root in words)


@cache
def closed_words() -> dict[str, WordForm]:
    """Those without an ending of their own, all forms of the 45 correlatives and of the pronouns among them."""
    kinds = {"adverbs": "ADV", "interjections": "INTJ", "adpositions": "ADP", "coordinators": "CCONJ"}
    found = {form: WordForm(form, form, upos, "", form) for name, upos in kinds.items() for form in TABLE[name]}
    found |= {form: WordForm(form, form, "SCONJ", "", form) for form in TABLE["subordinators"] | {"ol"}}
    found |= {form: WordForm(form, form, "PART", "", form) for form in TABLE["particles"]}
    found["ne"] = WordForm("ne", "ne", "ADV", "Polarity=Neg", "ne")
    for form in ("la", "l'", "l’"):
        found[form] = WordForm(form, "la", "DET", "Definite=Def|PronType=Art", "la")
    for form in TABLE["numerals"]:
        found[form] = WordForm(form, form, "NUM", "NumType=Card", form)
    return found | _pronouns() | _correlatives()


def _pronouns() -> dict[str, WordForm]:
    persons = {"mi": "1", "ni": "1", "vi": "2", "ci": "2"}
    numbers = dict.fromkeys(("mi", "ci", "li", "ŝi", "ĝi", "ri"), "|Number=Sing") | {
        "ni": "|Number=Plur",
        "ili": "|Number=Plur",
    }
    found = {}
    for form in TABLE["pronouns"]:
        person = "" if form == "oni" else f"|Person={persons.get(form, '3')}"
        about = f"{person}|PronType={'Ind' if form == 'oni' else 'Prs'}{'|Reflex=Yes' if form == 'si' else ''}"
        for end, case in (("", "Nom"), ("n", "Acc")):
            found[form + end] = WordForm(form + end, form, "PRON", f"Case={case}{numbers.get(form, '')}{about}", form)
        if form != "oni":
            for end, (of, feats) in NOMINAL.items():
                if of == "a":
                    whole = f"{feats}{person}|Poss=Yes{about.removeprefix(person)}"
                    found[form + end] = WordForm(form + end, f"{form}a", "DET", whole, form, ending=end)
    return found


def _correlatives() -> dict[str, WordForm]:
    """`kompound` words of a beginning and an end: ki-u, neni-am."""
    declined = {"u": ("", "n", "j", "jn"), "a": ("", "n", "j", "jn"), "o": ("", "n"), "e": ("", "n")}
    found = {}
    for begin, kind in BEGINNINGS.items():
        for end, upos in CORRELATIVE_ENDS.items():
            lemma = begin + end
            for more in declined.get(end, ("",)):
                case = "Case=Acc|" if "n" in more else "Case=Nom|" if end in "uao" else ""
                number = f"Number={'Plur' if 'j' in more else 'Sing'}|" if end in "uao" else ""
                feats, form = f"{case}{number}PronType={kind}", lemma + more
                found[form] = WordForm(form, lemma, upos, feats, lemma, prefixes=(begin,), ending=end)
    return found


CONTENT = frozenset(("NOUN", "VERB", "ADJ", "ADV", "PROPN", "X"))


def roots_in(word: str) -> tuple[str, ...]:
    """What a word outside its sentence is made of, in lower case, without affixes and endings: `akv` and `bird` of
    `akvobirdojn`. What would have three roots is a name (`Mitrandiro`), and one root. None of closed words (`kaj`), of
    numbers and of `est`, which says too little. Of a stem that nobody knows (`bakej`) what is left of it without `mal`
    and suffixes."""
    found = _analyser().word(word)
    if found.upos not in CONTENT or (not found.ending and not found.known) or word in closed_words():
        return ()
    if not found.known:
        return (_bare(found.root),)
    if len(found.compound) > 1:
        return (with_hats(word)[: -len(found.ending) or None].lower(),)
    return tuple(root for root in (*found.compound, found.root) if len(root) > 1 and root != "est")


def is_known(word: str) -> bool:
    """Whether it is a word of Esperanto whose roots the reader has."""
    return _analyser().word(word.lower()).known


def nominative(word: str) -> str:
    """Without the ending of the accusative."""
    return word[:-1] if _analyser().word(word).feature("Case") == "Acc" else word


def _bare(stem: str) -> str:
    """Without `mal` and its suffixes, as long as three letters and a vowel are left."""
    shorter = [stem[: -len(one)] for one in TABLE["suffixes"] if stem.endswith(one)]
    left = min(shorter, key=len, default=stem[3:] if stem.startswith("mal") else "")
    return _bare(left) if len(left) > 2 and _LETTERS.fullmatch(left) else stem


@cache
def _analyser() -> "Analyser":
    return Analyser()


Segments = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""Prefixes, roots and suffixes, each in order; the last root says what the word is."""

PREFIX_COST, ROOT_COST, SUFFIX_COST, LINK_COST, SHORT_COST, BARE_SUFFIX_COST = 0.95, 2.0, 1.0, 0.6, 1.5, 2.6
RARE_COST, RARE = 0.2, frozenset(("id", "um", "ing", "er", "estr", "end", "obl", "op", "on", "ot"))
"""What a part costs where a stem is taken apart: the cheapest way is taken, so few roots, and affixes rather than
roots. Roots of one or two letters and affixes used as roots (`ulo`, `ebla`) cost more, as they are found by chance."""

COMMON = frozenset(("mal", "re", "ek", "dis", "mis", "ne"))
"""The prefixes that come to mind first; others, and prepositions, cost a little more."""

LONGEST_PART = 14


class Analyser:
    """Takes words apart by a set of roots, those of `roots.txt` unless others are given; `learn` adds some."""

    def __init__(self, known: Iterable[str] | None = None) -> None:
        self.roots = roots() if known is None else frozenset(known)
        self._prefixes = TABLE["prefixes"] | TABLE["words as prefixes"]
        self._bare = TABLE["numerals"] | TABLE["adpositions"] | TABLE["adverbs"] | TABLE["interjections"]
        self._bare |= TABLE["words as roots"]
        self._words: dict[str, WordForm] = dict(closed_words())
        self._parts: dict[str, Segments] = {}

    def word(self, form: str) -> WordForm:
        """Its analysis without a sentence."""
        found = self._words.get(form)
        if found is None:
            found = self._words[form] = self._analysed(form)
        return found

    def _analysed(self, form: str) -> WordForm:
        text = with_hats(form).replace("’", "'")
        low = text.lower()
        if closed := closed_words().get(low):
            return closed._replace(form=form)
        if not any(map(str.isalnum, text)):
            return WordForm(form, form, "SYM" if text in "$€£%&+=§°" else "PUNCT")
        if digits := _DIGITS.fullmatch(low):
            end = digits["ending"] or ""
            if end[:1] == "a":  # 'la 15-an de decembro'
                lemma = low.removesuffix(end) + "a"
                return WordForm(form, lemma, "ADJ", f"{NOMINAL[end][1]}|NumType=Ord", form, ending=end)
            return WordForm(form, form, "NUM", f"NumType={'Ord' if end else 'Card'}", form)
        if _NUMBER.fullmatch(low):
            return WordForm(form, low, "NUM", "NumType=Card", low)
        if low.endswith("'") and len(low) > 2:
            made = self._inflected(form, low[:-1], "o", text)
            return made._replace(ending="'")
        for ending in ENDINGS:
            if low.endswith(ending) and _LETTERS.fullmatch(low[: -len(ending)].replace("-", "")):
                return self._inflected(form, low[: -len(ending)], ending, text)
        known = low in self.roots or len(self.parts(low)[1]) > 0
        prefixes, root, suffixes = self.parts(low) if known else ((), (low,), ())
        name = text[0].isupper()
        lemma, upos = (text, "PROPN") if name else (low, "X")
        return WordForm(form, lemma, upos, "", root[-1], prefixes, suffixes, root[:-1], known=known)

    def _inflected(self, form: str, stem: str, ending: str, text: str) -> WordForm:
        prefixes, of_stem, suffixes = self.parts(stem)
        known = bool(of_stem) and not (of_stem[1:] and text[0].isupper() and "-" not in stem)
        if not known:
            prefixes, (of_stem, suffixes) = (), self._guessed(stem)
        last = suffixes[-1] if suffixes and suffixes[-1] in PARTICIPLES else ""
        lemma, upos, feats = stem, "VERB", FINITE.get(ending, "")
        if kind := NOMINAL.get(ending):
            lemma, feats = stem + kind[0], kind[1]
            upos = "NOUN" if kind[0] == "o" else "ADJ"
            if upos == "NOUN" and text[0].isupper() and not known:
                upos, lemma = "PROPN", text[: len(stem)] + "o"
            elif upos == "ADJ" and _NUMBER.fullmatch(stem):
                feats += "|NumType=Ord"
        elif ending in ("e", "en"):
            upos, lemma, feats = "ADV", f"{stem}e", "Case=Acc" if ending == "en" else ""
        else:
            lemma = f"{stem}i"
            upos = "AUX" if stem == "est" else "VERB"
        if last and upos in ("ADJ", "ADV"):
            feats = "|".join(filter(None, (feats, PARTICIPLES[last])))
            upos = "VERB" if upos == "ADV" else upos
        return WordForm(form, lemma, upos, feats, of_stem[-1], prefixes, suffixes, of_stem[:-1], ending, known)

    def _guessed(self, stem: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of a stem that has no known root: participles, and `ig` and `iĝ`, are told all the same."""
        for suffix in ("ant", "int", "ont", "igit", "igat", "iĝint", "iĝant", "it", "at", "ig", "iĝ"):
            rest = stem.removesuffix(suffix)
            if rest != stem and len(rest) > 3 and _LETTERS.fullmatch(rest):
                return (rest,), tuple(re.findall("i[gĝ]|[aio]n?t", suffix))
        return (stem,), ()

    def learn(self, found: Iterable[str]) -> None:
        """Roots more, as those of a library's own words (`mined_roots`)."""
        self.roots |= frozenset(found)
        self._words, self._parts = dict(closed_words()), {}

    def parts(self, stem: str) -> Segments:
        """The cheapest way to take a stem apart; no roots where there is none. Of equal ones the longest first part."""
        if stem not in self._parts:
            self._parts[stem] = self._taken_apart(stem)
        return self._parts[stem]

    def _taken_apart(self, stem: str) -> Segments:
        if stem in self.roots or stem in self._bare or stem in TABLE["suffixes"]:
            return (), (stem,), ()
        parts = [self.parts(part.rstrip("oae")) for part in stem.split("-")] if "-" in stem else []
        if parts and all(one[1] for one in parts):
            return (), tuple(root for part in parts for root in part[1]), parts[-1][2]
        best: dict[tuple[int, bool], tuple[float, Segments]] = {(0, False): (0.0, ((), (), ()))}
        for start in range(len(stem)):
            for rooted in (False, True):
                if reached := best.get((start, rooted)):
                    self._go_on(stem, start, rooted, *reached, best)
        return best[len(stem), True][1] if (len(stem), True) in best else ((), (), ())

    def _go_on(
        self,
        stem: str,
        start: int,
        rooted: bool,
        cost: float,
        made: Segments,
        best: dict[tuple[int, bool], tuple[float, Segments]],
    ) -> None:
        prefixes, of_stem, suffixes = made
        for end in range(min(len(stem), start + LONGEST_PART), start, -1):
            part = stem[start:end]
            if rooted and part in TABLE["suffixes"]:
                after = cost + SUFFIX_COST + RARE_COST * (part in RARE)
                _take(best, (end, True), after, (prefixes, of_stem, (*suffixes, part)))
            if not rooted and part in self._prefixes and end < len(stem):
                after = cost + PREFIX_COST + 0.3 * (part not in COMMON)
                _take(best, (end, False), after, ((*prefixes, part), of_stem, suffixes))
            number = part in TABLE["numerals"]
            if number or part in self.roots or (part in self._bare and len(part) > 2):
                more = SHORT_COST if len(part) < 3 and not number and (rooted or end < len(stem)) else 0.0
                again = 0.5 * rooted + SHORT_COST * max(0, len(of_stem) - 1) + (1.0 if rooted and suffixes else 0.0)
                roots = (*of_stem, *suffixes, part) if rooted else (part,)
                _take(best, (end, True), cost + ROOT_COST + more + again, (prefixes, roots, ()))
            elif not rooted and part in TABLE["suffixes"] and prefixes:
                _take(best, (end, True), cost + BARE_SUFFIX_COST, (prefixes, (*of_stem, part), suffixes))
        if rooted and stem[start] == "o" and start + 2 < len(stem):
            _take(best, (start + 1, True), cost + LINK_COST, made)


def _take(
    best: dict[tuple[int, bool], tuple[float, Segments]], state: tuple[int, bool], cost: float, made: Segments
) -> None:
    if state not in best or cost < best[state][0]:
        best[state] = cost, made


def mined_roots(words: Iterable[str], known: Iterable[str] | None = None) -> list[str]:
    """The roots of a text's words, of those in lower case: stems that the roots before them do not make, the shortest
    first, so that `patrin` is `patr-in` and `patr` is new. A stem has to stand there twice. Sorted."""
    stems: Counter[str] = Counter()
    for word, times in Counter(word for word in words if word.islower()).items():
        if (word := with_hats(word)) not in closed_words():
            for ending in ENDINGS:
                if word.endswith(ending) and _LETTERS.fullmatch(word[: -len(ending)]):
                    stems[word[: -len(ending)]] += times
                    break
    analyser = Analyser(known)
    found = set()
    for stem in sorted(stems, key=lambda one: (len(one), one)):
        if len(stem) > 1 and stems[stem] > 1 and not analyser.parts(stem)[1] and not _NUMBER.fullmatch(stem):
            found.add(stem)
            analyser.learn([stem])
    return sorted(found)
