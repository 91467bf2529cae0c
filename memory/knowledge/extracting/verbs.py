"""Verbs as they are told without a parser: closed lists, and the endings of regular verbs."""

from collections.abc import Sequence

COPULAS = ("is", "was", "are", "were", "be", "been", "being")
BE = frozenset("is was are were be been being 's".split())
AUXILIARIES = BE | frozenset(
    "has have had does do did will would can could may might must shall should also later first then now"
    " still often currently originally formerly eventually subsequently previously officially usually once soon only"
    " already always again together finally initially mainly primarily recently briefly generally commonly jointly"
    " largely sometimes even both all just widely famously reportedly successfully".split()
)
"""Words that can stand in front of a verb or inside it and are no part of what it says."""

_IRREGULAR = """
    write wrote written; win won won; lead led led; make made made; become became become; begin began begun;
    build built built; sing sang sung; fight fought fought; hold held held; find found found; leave left left;
    run ran run; rise rose risen; fall fell fallen; grow grew grown; give gave given; take took taken; get got got;
    go went gone; come came come; see saw seen; say said said; tell told told; know knew known; think thought thought;
    bring brought brought; buy bought bought; sell sold sold; teach taught taught; send sent sent; spend spent spent;
    meet met met; keep kept kept; lose lost lost; pay paid paid; read read read; speak spoke spoken; sit sat sat;
    stand stood stood; wear wore worn; draw drew drawn; drive drove driven; fly flew flown; break broke broken;
    choose chose chosen; feel felt felt; hear heard heard; lie lay lain; beat beat beaten; bear bore born;
    set set set; put put put; cut cut cut; shoot shot shot; strike struck struck; show showed shown;
    swim swam swum;
    catch caught caught; throw threw thrown; hit hit hit; understand understood understood;
    oversee oversaw overseen; undergo underwent undergone; withdraw withdrew withdrawn;
    mean meant meant; seek sought sought
"""
_REGULAR = """
    direct produce release found create design develop publish star play feature include contain comprise consist
    cover border serve represent portray depict describe define establish open close own operate manage provide
    offer use receive involve require cause affect appear perform record compose record score host air premiere
    broadcast attend study graduate work live move travel die marry divorce join sign support oppose defeat conquer
    capture rule govern reign succeed replace follow precede name call call introduce invent discover propose argue
    claim believe state announce adopt approve pass reject vote elect appoint nominate award earn gain achieve reach
    compete participate represent qualify finish rank flow run drain separate connect link cross extend stretch
    surround enclose span measure stand house occupy locate situate base headquarter derive originate stem form
    belong refer relate compare influence inspire collaborate co-found co-write co-direct co-star star edit translate
    illustrate distribute sponsor finance fund acquire purchase merge sell supply manufacture employ train coach
    manage captain command invade attack occupy defend destroy damage kill arrest imprison execute murder sentence
    launch land explore settle inhabit migrate emigrate return arrive visit enter tour sail start end last continue
    remain stay change rename convert transform expand reduce increase decrease allow enable help protect prevent
    treat infect produce generate store process convert measure detect control regulate govern oversee monitor
    supervise exercise practise practice teach narrate voice present chair head lead
"""
AMBIGUOUS = frozenset(
    """
    stars plays features works covers borders states names houses records studies scores hosts awards ranks links
    crosses forms ends starts changes returns visits uses claims calls airs bases funds heads leads runs shows sets
    stands falls finds means tours votes signs practices processes measures stores controls chairs influences causes
    supports attacks captures deaths moves rules commands coaches trains lives offers names plans cuts puts reads
    found set put cut read lead base state open close use house host air score record star play feature cover border
    work study live move rule name call claim vote award rank finish run link cross measure stand form head chair
    end start last change return visit tour control help process store travel support attack damage land train
    coach command sign issue lay saw felt left shot
    """.split()
)
"""Verbs that are as often nouns or something else: verbs only right behind a subject."""


def _third_person(stem: str) -> str:
    if stem.endswith(("s", "sh", "ch", "x", "z", "o")):
        return stem + "es"
    return stem[:-1] + "ies" if stem.endswith("y") and stem[-2] not in "aeiou" else stem + "s"


PARTICIPLES = frozenset(row.split()[2] for row in _IRREGULAR.split(";"))
_PAST_OF = {row.split()[2]: row.split()[1] for row in _IRREGULAR.split(";")}
_PAST = frozenset(word for row in _IRREGULAR.split(";") for word in row.split()[1:])
_STEMS = frozenset(_REGULAR.split()) | {row.split()[0] for row in _IRREGULAR.split(";")}
_PRESENT = frozenset(map(_third_person, _STEMS))
_PLURAL = frozenset(
    "include contain comprise consist belong refer derive involve require provide represent depict".split()
)
_ING = frozenset(
    "starring featuring including containing consisting comprising depicting covering winning playing becoming making"
    " serving representing surrounding bordering following replacing defeating portraying directing".split()
)
_NOT_VERBS = frozenset(
    "hundred indeed need seed speed breed creed greed weed feed bleed deed red bed shed sacred naked hatred kindred"
    " united limited so-called aged wicked rugged ragged beloved talented gifted unrelated embed need exceed proceed"
    " succeed married armed animated combined limited related advanced supposed detailed".split()
)


def is_participle(word: str) -> bool:
    return word in PARTICIPLES or (word.endswith("ed") and word not in _NOT_VERBS)


def past(participle: str) -> str:
    """As it is said of the one who did it: `wrote` for `written`."""
    return _PAST_OF.get(participle, participle)


def looks_like_a_verb(word: str) -> bool:
    """A form that can be a finite verb or a participle, whatever stands around it. Lower case."""
    if word in _PAST or word in _PRESENT or word in _ING or word in _PLURAL or word in ("has", "had", "have"):
        return True
    return len(word) > 4 and word.endswith("ed") and word not in _NOT_VERBS


def wording(verb: str, nouns: Sequence[str], preposition: str, has_object: bool) -> str:
    """How it is said that the verb leads to something: `capital of`, `wrote screenplay for`, `born in`."""
    if verb in COPULAS and nouns and preposition:
        return f"{' '.join(nouns[-2:])} {preposition}"
    preposition = "" if preposition == "'s" else preposition
    return " ".join(filter(None, (verb, *(nouns if preposition and not has_object else ()), preposition)))
