"""Closed lists of English words and verb forms, in lower case, that the rules of extraction use."""

from collections.abc import Sequence

from clew.memory.words import FUNCTION_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PRONOUNS = _words(
    """
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself we us
    our ours ourselves they them their theirs themselves one ones oneself who whom whose which what this that these
    those someone somebody something anyone anybody anything everyone everybody everything nobody nothing none other
    others another each either neither both all some any many much most few several such same here there where when
    why how whoever whatever whichever
    """
)

NUMBERS = _words(
    """
    zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions
    billion billions dozen dozens first second third fourth fifth sixth seventh eighth ninth tenth once twice half
    """
)

EMPTY = FUNCTION_WORDS | PRONOUNS | NUMBERS
"""Words that are no entity, and of which alone no entity is made."""

OPENERS = EMPTY | _words(
    """
    according additionally afterwards ago alongside already also although amid among another anyway apart around
    aside away back based beginning beside besides beyond born built certain clearly close commonly consequently
    currently despite directed due early earlier else especially essentially eventually except far featuring fewer
    final finally following formally former formerly fortunately founded frequently furthermore generally given
    hence historically indeed initially inside instead inspired known largely last late lately later latest latter
    least less likewise little located long lot mainly maybe meanwhile moreover mostly named nearby nearly
    nevertheless new next nonetheless notable notably notwithstanding occasionally often old older originally
    otherwise outside overall part particularly perhaps plus possibly presumably previous previously primarily
    probably produced published quite rather raised recent recently regarding released reportedly roughly
    set shortly similar similarly simply since situated so-called sometimes soon specifically starring
    starting still strictly subsequently supposedly surprisingly the therefore thereafter thereby though throughout
    thus today together tomorrow toward towards traditionally typically ultimately unfortunately unlike
    unless usually various versus via well whereas whereby wherever whether whilst within without written yesterday
    yet including include includes several numerous like unlike using used compared dear hello hi thanks thank please
    see note click read learn find get go make let sure okay ok yeah oh ah well such upon near opposite against
    per adding asked added says said say want need try take come look call keep give show start
    """
)
"""Words whose capital comes from the place where they stand, when they begin a sentence."""

IN_NAMES = _words("new old little long")
"""Openers that belong to the name before which they stand: New York, Old Trafford, Little Rock, Long Island."""

MONTHS = _words("january february march april may june july august september october november december")
DAYS = _words("monday tuesday wednesday thursday friday saturday sunday mondays fridays saturdays sundays")

ABBREVIATED = _words("dr mr mrs ms prof st rev gen col capt lt sgt cpl maj adm sen rep gov hon fr jr sr mt ft messrs")
"""After these a full stop ends no name."""

HONORIFICS = _words(
    """
    dr mr mrs ms prof rev gen col capt lt sgt maj adm sen gov hon professor doctor sir dame lord lady president king
    queen prince princess pope emperor empress captain general colonel major lieutenant sergeant admiral senator
    governor judge justice reverend mayor chancellor archbishop bishop cardinal duke duchess baron baroness count
    countess earl marquess sultan tsar czar shah saint miss mister madam sheikh rabbi imam ambassador congressman
    congresswoman representative secretary minister commander marshal chief director coach inspector detective
    officer agent
    """
)
TITLES = _words(
    "dr mr mrs ms prof professor sir president governor senator minister queen pope captain colonel chancellor mayor"
    " justice emperor"
)
"""Those that begin a name wherever they stand: what is before them is another name."""

LEADING = HONORIFICS | _words("former late prime vice deputy assistant attorney")
"""What can stand before a person's name and is no part of it."""

SUFFIXES = _words("jr sr ii iii iv inc ltd llc corp plc")

PARTICLES = _words(
    "de von van der den het la le les du da di del della delle dos das do ter ten bin ibn al el y zu zur e und af av"
)

ORGANISATIONS = _words(
    """
    university college school academy institute institution association society party church council committee
    commission ministry department bureau agency bank company corporation corp inc ltd llc plc group holdings
    club team orchestra band press records studios pictures entertainment productions army navy force forces
    congress parliament senate assembly court union league federation confederation organisation organization
    foundation fund trust museum library hospital centre center board authority office service services network
    broadcasting railway railways railroad airlines airways industries international brothers police regiment
    battalion brigade administration conference seminar laboratory laboratories partners media publishing
    publications magazine newspaper times post
    """
)

PLACES = _words(
    """
    river mountain mountains mount lake island islands county street avenue road city town village township
    bridge ocean sea bay gulf valley province district republic kingdom state states empire park square
    peninsula desert forest hill hills beach coast harbour harbor port airport station stadium arena castle
    palace cathedral abbey tower building territory canton prefecture parish borough isle cape creek
    canal strait falls glacier plateau plains basin region north south east west
    """
)

OF_HEADS = (ORGANISATIONS | PLACES | HONORIFICS) - _words("state states times post") | _words(
    """
    house treaty battle siege act order archdiocese diocese war duchy county faculty minister secretary house cup
    declaration convention charter university community commonwealth chamber office director head member governor
    hall medal museum art law empire register list
    """
)
"""After a longer name that ends in one of these, `of` goes on with it: the Supreme Court of the United States."""

PLURAL_JOINERS = ORGANISATIONS | _words("act campaign movement conference treaty award prize medal survey summit")
"""After a word of these, `for`, `in`, `on`, `at`, `and` go on with the name: the Institute for Advanced Study."""

ROLES = _words(
    """
    actor actress artist author architect composer conductor critic dancer director drummer economist editor engineer
    explorer filmmaker founder guitarist historian inventor journalist judge lawyer mathematician model musician
    novelist painter philosopher photographer physicist pianist player playwright poet politician producer rapper
    scientist screenwriter sculptor singer songwriter wrestler writer wife husband son daughter brother sister father
    mother uncle aunt nephew niece cousin widow friend coach boxer golfer footballer comedian astronaut chemist
    biologist theologian activist businessman businesswoman entrepreneur chairman ceo astronomer cosmonaut pilot
    teacher professor surgeon priest bishop statesman diplomat linguist translator animator illustrator choreographer
    cinematographer swimmer cyclist skier jurist reformer presenter broadcaster geologist botanist zoologist
    psychologist sociologist anthropologist archaeologist
    """
)
"""What persons are called by: before a name, or said of it, it is a person's."""

WORKS = _words(
    """
    film films movie novel novels book books album albums song songs single singles series show episode episodes play
    plays opera musical poem poems painting paper essay essays article story magazine journal newspaper game sitcom
    drama comedy documentary soundtrack symphony track ballet trilogy sequel
    """
)

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
