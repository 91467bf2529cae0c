"""Closed lists of English words, lower-case, that the rules of extraction know names by."""

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
