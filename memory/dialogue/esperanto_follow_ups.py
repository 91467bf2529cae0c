"""Follow-ups in Esperanto, made to stand alone by the trees of the questions: a pronoun gives way to what it stands
for, a fragment takes the place of what it corresponds to, and a lone question word that of the one before."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from clew.memory.datatypes import Sentence
from clew.memory.errors import BadInput
from clew.memory.language.esperanto import Esperanto
from clew.memory.language.telling import language_of
from clew.memory.language.trees import Tree, WordForm

BACK, ANSWER = 4, 3
"""Questions before, and sentences of each answer, that are looked at."""

NOMINAL = ("NOUN", "PROPN")
ABOUT = frozenset(("det", "amod", "nummod", "nmod", "flat", "case"))
"""What belongs to a name for a thing; not the clauses about it."""

PEOPLE = frozenset(("ist", "ul", "in", "estr", "an", "ant", "int", "ĉj", "nj"))
"""Suffixes of people; `in` of women."""

ROLES = ("nsubj", "obj", "root", "obl", "nmod", "flat", "appos")
PRONOUNS = ("li", "ŝi", "ĝi", "ili")
LONE = ("kie", "kien", "kiam", "kial", "kiel")


def in_esperanto(question: str, history: Sequence[Sentence]) -> bool:
    """Whether a question is, or a few words of no language behind one that is."""
    before = next((one.text for one in reversed(history) if one.speaker == "user"), "")
    told = language_of(question)
    return told == "eo" or (not told and len(question.split()) < 4 and language_of(before) == "eo")


class _Asked(NamedTuple):
    """A question before as it stands alone, the beginning of its answer, and the people that pronouns stood for."""

    tree: Tree
    answer: tuple[str, ...] = ()
    people: frozenset[str] = frozenset()


def standing_alone(question: str, history: Sequence[Sentence]) -> tuple[str, str]:
    """The question as it can be understood alone, and why it is another; `history` has the oldest first."""
    before: list[_Asked] = []
    for one in [each for each in history if each.speaker == "user"][-BACK:]:
        text, _, people = _resolved(one.text, before)
        told = [each.text for each in history if each.speaker != "user" and one.turn in each.turns]
        if tree := _tree(text):
            before.insert(0, _Asked(tree, tuple(told[:ANSWER]), people))
    text, why, _ = _resolved(question, before)
    return text, why


def _resolved(question: str, before: Sequence[_Asked]) -> tuple[str, str, frozenset[str]]:
    """The question, why it is another, and the people in it; `before`: the newest first."""
    tree = _tree(question)
    if not tree or not before:
        return question, "", frozenset()
    last = before[0].tree
    own = [word.lemma.lower() for word in tree.words if word.upos not in ("PUNCT", "CCONJ")]
    if len(own) == 1 and own[0] in LONE:
        return _asked_so(own[0], last), "it asks that of the question before", before[0].people
    text, why, people = _without_pronouns(question, tree, before)
    if not tree.asks and tree.words[tree.root].upos in (*NOMINAL, "ADJ") and (put := _put(_tree(text) or tree, last)):
        return put, "it takes a place in the question before", people
    return text, why, people


@cache
def _reader() -> Esperanto:
    return Esperanto()


def _tree(text: str) -> Tree | None:
    try:
        return _reader().read(text)
    except BadInput:
        return None


def _phrase(tree: Tree, head: int, several: bool = False) -> list[int]:
    """The places of a thing's name around its head, that stand together; of `several` things with what joins them."""
    found, waiting, about = {head}, [head], ABOUT | ({"conj", "cc"} if several else set())
    while waiting:
        at = waiting.pop()
        more = about | {"advmod"} if tree.words[at].upos == "ADJ" else about
        inside = [place for place in tree.children(at) if tree.roles[place].split(":")[0] in more]
        inside = [place for place in inside if at != head or tree.roles[place] != "case"]
        found.update(inside)
        waiting += inside
    start = end = head
    while start - 1 in found:
        start -= 1
    while end + 1 in found:
        end += 1
    return list(range(start, end + 1))


def _named(tree: Tree, head: int, accusative: bool, several: bool = False) -> str:
    """A phrase in that case: its head, and what agrees with it."""
    agreeing = {head, *tree.children(head, "amod", "det")}
    return " ".join(
        _cased(tree.words[place], accusative) if place in agreeing else tree.words[place].form
        for place in _phrase(tree, head, several)
    )


def _cased(word: WordForm, accusative: bool) -> str:
    case = word.feature("Case")
    if not case:
        return word.form
    return (word.form[:-1] if case == "Acc" else word.form) + "n" * accusative


def _without_pronouns(question: str, tree: Tree, before: Sequence[_Asked]) -> tuple[str, str, frozenset[str]]:
    forms, why, people = [word.form for word in tree.words], [], set()
    for place, word in enumerate(tree.words):
        base = word.lemma.lower()[:-1] if word.feature("Poss") else word.lemma.lower()
        found = _meant(base, before) if base in PRONOUNS else None
        if not found:
            continue
        name, several = _named(*found, False, base == "ili"), base == "ili"
        if word.feature("Poss"):
            forms[place] = "la"
            owned = _phrase(tree, tree.heads[place] - 1)[-1] if tree.heads[place] else place
            forms[owned] += f" de {name}"
        else:
            forms[place] = _named(*found, word.feature("Case") == "Acc", several)
        people |= {found[0].words[found[1]].lemma} if base in ("li", "ŝi") else set()
        why.append(f"'{word.form}' is {name}")
    return (_joined(forms) if why else question), "; ".join(why), frozenset(people)


def _meant(pronoun: str, before: Sequence[_Asked]) -> tuple[Tree, int] | None:
    """What it stands for: a thing of the last question that has one, else of its answer. Where a question asks who it
    was, the answer's name comes first, unless the question is about somebody (`Kiu estas Mitrandiro?`)."""
    persons = frozenset().union(*(one.people for one in before))
    asked: list[tuple[Tree, int]] = []
    answers: list[tuple[Tree, int]] = []
    for one in before:
        about = [(one.tree, place) for place in _things(one.tree, pronoun, persons)]
        told = [(tree, at) for tree in map(_tree, one.answer) if tree for at in _things(tree, pronoun, persons)]
        if pronoun in ("li", "ŝi"):
            told = [(tree, place) for tree, place in told if tree.words[place].upos == "PROPN"]
            if one.tree.asks == "kiu" and "nsubj" not in (one.tree.roles[place] for _, place in about):
                about = told + about
            about, told = [*about, *told, *((one.tree, place) for place in _subjects(one.tree, pronoun))], []
        asked, answers = asked + about, answers + told
    return next(iter((*asked, *answers)), None)


def _things(tree: Tree, pronoun: str, persons: frozenset[str]) -> list[int]:
    """The places of what a pronoun may stand for, likeliest first: names of people, or things without a name, and what
    the sentence is about."""
    person, found = pronoun in ("li", "ŝi"), []
    order = [
        place for role in ("nsubj", "obj", "root", "obl", "nmod", "flat", "appos") for place in _with_role(tree, role)
    ]
    for place in sorted(order, key=lambda one: person != (tree.words[one].upos == "PROPN")):
        word = tree.words[place]
        plural = word.feature("Number") == "Plur" or bool(tree.children(place, "conj"))
        female, some = "in" in word.suffixes, bool(PEOPLE.intersection(word.suffixes)) or word.lemma in persons
        name = word.upos == "PROPN" and not tree.children(place, "amod", "det")
        fits = {
            "ili": plural,
            "ĝi": not plural and not some and tree.roles[place] not in ("flat", "appos"),
            "li": not plural and not female and (name or some),
            "ŝi": not plural and (female or name),
        }
        if word.upos in NOMINAL and fits[pronoun]:
            found.append(place)
    return found


def _subjects(tree: Tree, pronoun: str) -> list[int]:
    """What `li` may stand for though nothing shows that it is a person: `la reĝo`."""
    nouns = (
        [place for place in _with_role(tree, "nsubj") if tree.words[place].upos == "NOUN"] if pronoun == "li" else []
    )
    return [place for place in nouns if "in" not in tree.words[place].suffixes and not tree.children(place, "conj")]


def _with_role(tree: Tree, role: str) -> list[int]:
    return [place for place, own in enumerate(tree.roles) if own.split(":")[0] == role]


def _put(tree: Tree, last: Tree) -> str:
    """The question before with the fragment in it: in the place of a phrase with the same preposition, of the object
    for an accusative, else of the subject; with another preposition at its end. Empty where there is no place."""
    head = tree.root
    if tree.words[head].upos == "ADJ":
        return _put_adjective(tree.words[head], last)
    case = next((tree.words[one].form.lower() for one in tree.children(head, "case")), "")
    accusative = tree.words[head].feature("Case") == "Acc"
    roles = ("obl", "nmod") if case else ("obj",) if accusative else ("nsubj", "obj", "root")
    asks = [place for place in range(len(last.words)) if last.words[place].upos in NOMINAL]
    for place in (one for role in roles for one in asks if last.roles[one].split(":")[0] == role):
        if not case or case in (last.words[one].form.lower() for one in last.children(place, "case")):
            forms = [word.form for word in last.words]
            phrase = _phrase(last, place)
            text = _named(tree, head, accusative or last.words[place].feature("Case") == "Acc")
            return _joined([*forms[: phrase[0]], text, *forms[phrase[-1] + 1 :]])
    forms = [word.form for word in last.words if word.upos != "PUNCT"]
    return _joined([*forms, case, _named(tree, head, accusative), "?"]) if case else ""


def _put_adjective(said: WordForm, last: Tree) -> str:
    """`la dua` in the place of `la unua`, a colour in that of another one: of the last adjective of its kind."""
    alike = [
        place for place in _with_role(last, "amod") if last.words[place].feature("NumType") == said.feature("NumType")
    ]
    forms = [word.form for word in last.words]
    for place in alike[-1:]:
        forms[place] = _cased(said, last.words[place].feature("Case") == "Acc")
    return _joined(forms) if alike else ""


def _asked_so(asks: str, last: Tree) -> str:
    """The question before with another question word: in the place of its own, and somebody or something for that."""
    forms = [word.form for word in last.words]
    place = next((n for n, word in enumerate(last.words) if word.lemma.lower() == last.asks), -1)
    if place < 0:
        return _joined([asks, *forms])
    stands = {"kiu": "oni", "kio": "io"}.get(last.asks, "") if last.words[place].upos == "PRON" else ""
    forms[place : place + 1] = [asks, stands + "n" * (last.words[place].feature("Case") == "Acc")] if stands else [asks]
    return _joined(forms)


def _joined(forms: Sequence[str]) -> str:
    """A sentence of its words and marks."""
    text = " ".join(forms).replace(" ?", "?").replace(" ,", ",").replace(" .", ".")
    return text[:1].upper() + text[1:]
