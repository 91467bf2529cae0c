"""Several questions in one turn: taken apart, asked one after the other, and their answers joined."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from clew.agent.state import UNANSWERED, Answer, Claim, Turn, TurnSearch
from clew.agent.talk.lines import refused_in
from clew.memory.datatypes import Passage, Recalled, Sentence
from clew.memory.dialogue.context_dependence import depends_on_context
from clew.memory.dialogue.utterances import tidy
from clew.memory.language.telling import language_of

MOST = 4
"""Questions of a turn that are asked one by one; a turn with more is one question with much around it."""

_ASKING = {
    "en": r"who|whom|whose|what|which|when|where|why|how",
    "de": r"wer|wen|wem|was|welche[rsmn]?|wann|wo|woher|wohin|warum|wieso|wie|wieviel",
    "fr": r"qui|que|qu['’]|quoi|quel(?:le)?s?|quand|où|comment|pourquoi|combien",
    "es": r"quién(?:es)?|qué|cuál(?:es)?|cuándo|dónde|cómo|por qué|cuánt[oa]s?",
    "it": r"chi|che|cosa|qual[ei]?|quando|dove|come|perché|quant[oaie]",
    "eo": r"kiu[jn]*|kion?|kia[jn]*|kie|kien|kiam|kiel|kiom|kial|kies|ĉu",
}
_AND = {"en": "and|but", "de": "und|aber", "fr": "et|mais", "es": "y|e|pero", "it": "e|ed|ma", "eo": "kaj|sed"}
_AUX = r"(?:(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|may|must)(?:n't)?|can't)"
_SUBJECT = (
    r"(?:I|you|he|she|it|we|they|the|an?|my|your|his|her|its|our|their|this|that|these|those|there|any|some|[A-Z])"
)
_OPENS = re.compile(
    rf"(?:(?:who|what|which)(?: \w+)? (?!(?:{_SUBJECT})\b)\w+|(?:{_ASKING['en']})['’](?:s|re)\b"
    rf"|(?:{_ASKING['en']})(?: (?!{_SUBJECT}\b)[\w'-]+){{0,5}}? {_AUX}\b"
    rf"|{_AUX} (?:not )?{_SUBJECT}\b|(?:why|how|when|where)\W*$)",
    re.IGNORECASE,
)
"""An English question of its own, and no clause: 'who pays', 'how much is', 'are the dogs'; not 'how it works'."""

_TWICE = re.compile(rf"(where|when|why|how) and (where|when|why|how)\s+({_AUX}\b.+)$", re.IGNORECASE | re.DOTALL)
"""'Where and when was it read?' asks two things of one."""

_EACH = re.compile(
    r"(?P<asks>(?:(?!\bdifferen|\bcompar).)+?),? (?P<by>for|to|about|with|on|at|from|of|in|under) "
    r"(?P<one>(?:[^\s,?]+ ){0,7}?[^\s,?]+),? and (?P=by) "
    r"(?P<other>[^,?]+)\W*$",
    re.IGNORECASE,
)
"""'What do we pay for the van and for its insurance?' asks the same of two."""

_BOTH = re.compile(
    r"(?P<asks>how (?:old|tall|high|long|deep|heavy|big|large|far away)) (?:are|were) (?P<one>[^,?]+?) and "
    r"(?P<other>(?:the |my |our )?(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)*)(?P<rest>(?: [^,?]*)?)\W*$",
    re.IGNORECASE,
)
"""'How old are Ann and Bob?': no measure is that of both."""

_OF_THE_SAME = re.compile(
    rf"(?P<asks>(?:{_ASKING['en']})) (?P<said>{_AUX} .+?),? and "
    r"(?P<by>(?:at|from|to|in|on|by|for|with|until|since|under) (?:what|which|whom)"
    rf"(?: (?!{_AUX}\b)\w+){{0,3}})\W*$",
    re.IGNORECASE,
)
"""'What did he buy, and at what price?' asks two things of what he bought."""

_TWO_OF_ONE = re.compile(
    r"(?P<asks>(?:where|when|how|why) (?:do|does|did|are|is|were|was)) (?P<one>(?:the|my|our|your) \w+) and (?P=asks) "
    r"(?P<other>(?:the|my|our|your) \w+) (?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
"""'Where do the covers and where do the lyrics get stored?' says of both what it says once."""

_HAS_ASKING = re.compile(rf"\b(?:{'|'.join(_ASKING.values())}|{_AUX})\b|¿", re.IGNORECASE)
_ALSO = re.compile(r"(?:please )?(?:and )?(?:also|außerdem|aussi|también|anche|inoltre|ankaŭ)\b", re.IGNORECASE)
_SENTENCE = re.compile(rf"(?<=[?\uff1f])\s+|(?<=[.!])\s+(?={_ALSO.pattern})", re.IGNORECASE)
_EMBEDS = re.compile(
    r"(?:do|can|could|would|will|did) (?:you|we|I)\b|(?:please )?(?:tell|explain|say|show|know)\b", re.I
)
_QUOTED = re.compile(r"[\"“”„«»]|(?<!\S)['‘]")


def questions_of(text: str) -> tuple[str, ...]:
    """The questions that it asks, each as it is written; one, where it asks one or more than `MOST`.

    'What is the rent and who pays the heating?' are two; 'Do you know what it is and how it works?' is one.
    """
    if _QUOTED.search(text):
        return (text,)
    sentences = [part for part in _SENTENCE.split(text) if part.strip()]
    unmarked = len(sentences) == 1 and text.rstrip()[-1:].isalnum() and not re.search(r"[.!;:]\s", text)
    if not unmarked and not all(map(_asks, sentences)):
        return (text,)
    found = tuple(chain.from_iterable(map(_joined_by_and, sentences)))
    return found if 1 < len(found) <= MOST else (text,)


def _asks(sentence: str) -> bool:
    """'Tell me the rent. Also the deposit, please.' asks twice."""
    marked = sentence.rstrip().endswith(("?", "\uff1f")) and _HAS_ASKING.search(sentence)
    return bool(marked or _EMBEDS.match(sentence) or _ALSO.match(sentence))


def _joined_by_and(sentence: str) -> Sequence[str]:
    if twice := _TWICE.match(sentence):
        one, other, rest = twice.groups()
        return [f"{one} {rest}", f"{other.capitalize()} {rest}"]
    if of_one := _TWO_OF_ONE.fullmatch(sentence):
        rest = of_one["rest"].rstrip(" ?!.")
        asks = (of_one["asks"], of_one["asks"][0].upper() + of_one["asks"][1:])
        return [f"{ask} {of_one[which]} {rest}?" for ask, which in zip(asks, ("one", "other"), strict=True)]
    if both := _BOTH.fullmatch(sentence):
        was = "was" if " were " in sentence.casefold() else "is"
        return [f"{both['asks']} {was} {both[one]}{both['rest']}?" for one in ("one", "other")]
    if more := _OF_THE_SAME.fullmatch(sentence):
        by = more["by"][0].upper() + more["by"][1:]
        return [f"{more['asks']} {more['said']}?", f"{by} {more['said']}?"]
    if each := _EACH.fullmatch(sentence) if not _EMBEDS.match(sentence) and _OPENS.match(sentence) else None:
        return [f"{each['asks']} {each['by']} {each[one]}?" for one in ("one", "other")]
    language = language_of(sentence) or "en"
    link = rf",?\s+(?:{_AND[language]})\s+(?:also |auch |aussi |también |anche |ankaŭ )?(?=(?:{_ASKING[language]})\b)"
    if language == "en":
        link = rf",?\s+(?:{_AND['en']})\s+(?:also )?(?=(?:{_ASKING['en']}|{_AUX})\b)"
    starts = re.match(
        rf"(?:[^:?]+: )?¿?(?:(?:{_AND[language]}|also|oh|then),?\s+)?(?:{_ASKING[language]}|{_AUX})\b",
        sentence,
        re.IGNORECASE,
    )
    if not starts or _EMBEDS.match(sentence):
        return [sentence]
    made, links = [sentence], list(re.finditer(link, sentence, re.IGNORECASE))
    if links:  # 'When is it, who comes, and who pays?'
        asking = rf",\s+(?=(?:{_ASKING[language]})\b)"
        links = [*re.finditer(asking, sentence[: links[-1].start()], re.IGNORECASE), *links]
    for match in sorted(links, key=lambda one: one.start()):
        rest = sentence[match.end() :]
        before = made[-1][: len(made[-1]) - len(sentence[match.start() :])]
        if len(before.split()) > 1 and (language != "en" or _OPENS.match(rest)):
            made[-1:] = [f"{before.rstrip(' ,')}?", rest[0].upper() + rest[1:]]
    return made


def begun(turn: Turn, questions: Sequence[str]) -> Turn:
    """With the first of the questions to be asked, and the others waiting."""
    return turn.searched(asking=questions[0], waiting=tuple(questions[1:]))


def advanced(turn: Turn) -> Turn:
    """After an answer: the next question, which leans on those before it in this turn; behind the last, all joined."""
    done = (*turn.search.done, replace(turn, search=TurnSearch(asking=turn.search.asking), steps=()))
    if not turn.search.waiting:
        return _whole(turn, done)
    asked, *waiting = turn.search.waiting
    before = [sentence for part in done for sentence in _as_said(part)]
    known = replace(turn.recalled, extracted=tuple(before), selected=tuple(before[:MOST]))
    search = TurnSearch(tool=turn.search.tool, scope=turn.search.scope, asking=asked, waiting=tuple(waiting), done=done)
    fresh = Turn(turn.thread, turn.turn, turn.question, today=turn.today)
    return replace(fresh, recalled=known, steps=turn.steps, answer=UNANSWERED, search=search)


def _as_said(turn: Turn) -> list[Sentence]:
    said = [Sentence(turn.search.asking, "user", turn.turn)]
    if not turn.answer.refused:
        said += [Sentence(claim.text, "agent", turn.turn) for claim in turn.answer.claims]
    return said


def _whole(turn: Turn, done: Sequence[Turn]) -> Turn:
    """One turn of those of its questions; `steps` are of all of them already."""
    share = 1 / len(done)
    return replace(
        turn,
        answer=joined([(part.search.asking, part.answer) for part in done]),
        recalled=done[0].recalled if done else Recalled(),
        rewritten=" ".join(part.rewritten for part in done),
        meant=" ".join(part.search.asking for part in done),
        expanded="",
        own_weight=sum(part.own_weight for part in done) * share,
        wordings=tuple(replace(w, weight=w.weight * share) for part in done for w in part.wordings),
        calls=tuple(call for part in done for call in part.calls),
        passages=in_turn([part.passages for part in done]),
        walk=next((part.walk for part in done if part.walk), None),
        paths=tuple(dict.fromkeys(path for part in done for path in part.paths)),
        model=next((part.model for part in done if part.model), ""),
        degraded=tuple(dict.fromkeys(one for part in done for one in part.degraded)),
        ledger=tuple(line for part in done for line in part.ledger),
        search=replace(turn.search, asking=" ".join(part.search.asking for part in done), waiting=(), done=()),
    )


def in_turn(each: Sequence[Sequence[Passage]]) -> tuple[Passage, ...]:
    """The best of each, then the second best of each, none twice."""
    found = {passage.id: passage for rank in zip_longest(*each) for passage in rank if passage}
    return tuple(found.values())


def joined(answers: Sequence[tuple[str, Answer]]) -> Answer:
    """The answers to these questions as one: what refuses a question, or asks back, names it."""
    outcomes = [answer.outcome for _, answer in answers]
    claims: list[Claim] = []
    sources: list[Passage] = []
    for question, answer in answers:
        for source in answer.sources:
            if source.id not in [one.id for one in sources]:
                sources.append(source)
        ids = [source.id for source in sources]
        own = [
            replace(claim, cites=tuple(ids.index(answer.sources[n - 1].id) + 1 for n in claim.cites))
            for claim in (_named(question, answer) if answer.refused or answer.outcome == "unclear" else answer.claims)
        ]
        own = [claim for claim in own if claim.text not in [one.text for one in claims]]  # said once is enough
        claims += [replace(claim, new_line=claim.new_line or (n == 0 and bool(claims))) for n, claim in enumerate(own)]
    missing = tuple(dict.fromkeys(word for _, answer in answers for word in answer.missing))
    nearest = tuple(dict.fromkeys(title for _, answer in answers for title in answer.nearest))
    whole = Answer("stopped", tuple(claims), tuple(sources), missing, nearest)
    forms, says = [answer.form for _, answer in answers if answer.form], {answer.says for _, answer in answers}
    whole = replace(whole, form=next(iter(forms), ""), says=says.pop() if len(says) == 1 else None)
    if "stopped" in outcomes:
        return whole
    same = outcomes[0] if len(set(outcomes)) == 1 else "partial"
    if same == "partial" and not {"answered", "partial"} & set(outcomes):
        same = "unclear" if "unclear" in outcomes else "nothing-found"
    left_out = max(answer.files_left_out for _, answer in answers) if same == "nothing-found" else 0
    return replace(whole, outcome=same, files_left_out=left_out)


def _named(question: str, answer: Answer) -> tuple[Claim, ...]:
    """What refuses or asks back, behind the question that it is said of."""
    first, *others = refused_in(answer, language_of(question)).claims
    return (replace(first, text=f"{tidy(question)} {first.text}"), *others)


_COMPARED = tuple(
    re.compile(rf"^(?:please |can you |could you )?{pattern}[\s?.!]*$", re.IGNORECASE)
    for pattern in (
        r"(?:compare|contrast) (.+?) (?:and|with|to|versus|vs\.?) (.+?)",
        r"(?:what(?:'s| is| are| was| were)? )?(?:the )?(?:\w+ )?(?:differences?|similarit(?:y|ies))"
        r" between (?:the )?(.+?) and (?:the )?(.+?)",
        r"how (?:does|do|did|is|are|was|were) (.+?) (?:compared? (?:to|with)|differ(?:ent)? from) (.+?)",
    )
)


_ADJECTIVE = r"(?:[A-Z]\w+|\w+(?:[ai]r|al|ic|ive|ous|ed|[ae]nt|ful|less|[ai]ble|ary))"
_SHARES_NOUN = re.compile(rf"(?:an? |the )?{_ADJECTIVE}\|(?:an? |the )?{_ADJECTIVE} (?P<noun>[a-z]+)")


def _with_noun(one: str, other: str) -> tuple[str, str]:
    """Both with the noun that is said once: `a solar and a lunar eclipse`."""
    found = _SHARES_NOUN.fullmatch(f"{one}|{other}")
    return (f"{one} {found['noun']}", other) if found else (one, other)


def parts(question: str) -> tuple[str, ...]:
    """The parts of a question that asks several things: each is answered, or refused, on its own.

    'Who was Laika, and what did Kepler think?' is two questions; 'Compare Laika and Ham' asks what each of them is. A
    part that leans on the one before it stays with it: 'Who was Laika, and how did she die?' is one.
    """
    for pattern in _COMPARED:
        if compared := pattern.match(question):
            return tuple(f"What is {thing}?" for thing in _with_noun(*compared.groups()))
    found: list[str] = []
    for part in questions_of(question[: question.rfind("?") + 1] or question):  # 'Please.' behind it asks nothing
        if found and depends_on_context(part) and not depends_on_context(found[-1]):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return tuple(found) if len(found) > 1 else (question,)
