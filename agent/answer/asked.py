"""What a question asks for: the form of its answer, and how the text looks that holds it. By rules, of English."""

import re
from dataclasses import dataclass

from clew.agent.state import Form
from clew.memory.text import split

_NUMBER = r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|half|twice|none|no|one|once)\b"
_UNIT = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centur(?:y|ies)|ms|min|h)"
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_START = r"^(?:(?:and|but|so|then|ok|okay|well|also|exactly|please|in fact),? )*"

EXPECTED: tuple[tuple[str, str, str], ...] = (
    ("duration", r"\bhow long\b|\bfor how (?:long|many (?:days|weeks|months|years))\b", rf"(?:{_NUMBER}).{{0,20}}\b{_UNIT}\b|\b(?:until|till)\b"),
    (
        "money",
        r"\bhow much\b.*\b(?:cost|pay|paid|charge|spend|spent|price|fee|rent|worth|owe|earn|money|euros?|dollars?|pounds?)"
        r"|\b(?:what|how).*\b(?:cost|price|fee|rent|charge|salary|budget)\b|\bhow expensive\b",
        r"[$€£¥]\s?\d|\d[\d.,]*\s?(?:%|[$€£¥]|(?:euros?|eur|dollars?|usd|pounds?|cents?|francs?|percent|thousand|million)\b)|\bfree\b|\d",
    ),
    (
        "number",
        r"\bhow (?:many|much|far|big|large|heavy|old|tall|high|deep|fast|often|wide|hot|cold|warm|thick|small|few)\b"
        r"|\bwhat (?:is|are|was|were)? ?the (?:\w+ ){0,3}(?:number|amount|size|age|height|length|weight|distance|percentage|share|rate|"
        r"population|limit|maximum|minimum|total|average|version|temperature|speed|accuracy|score|default|code|port)\b"
        r"|\bwhat (?:number|percentage|size|age|version|temperature|speed|port)\b|\bat (?:most|least)\b.*\?",
        _NUMBER,
    ),
    (
        "time",
        r"\b(?:when|since when|until when|by when)\b|\b(?:what|which) (?:year|date|day|month|time|century|weekday)\b|\bwhat time\b",
        rf"\b\d{{4}}\b|\b\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}\b|\b{_MONTH}\.? \d|\b{_DAY}\b|\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}} ?[ap]\.?m\b"
        rf"|\b\d{{1,2}}[/.]\d{{1,2}}\b|\b(?:today|tomorrow|yesterday|noon|midnight|century|{_MONTH})\b|\d+ {_UNIT}\b",
    ),
    ("person", rf"{_START}(?:who|whose|whom|by whom|with whom|to whom)\b|\bwhich (?:person|author|man|woman)\b", r"(?<![.?!] )(?<!^)\b[A-Z][\w'’-]+|\b(?:he|she|I|we|they)\b"),
    ("place", rf"{_START}(?:where|in which (?:city|country|town|place)|from where)\b", r"\b(?:in|at|near|from|to|on|outside|under|into|behind|above|next to) (?:the |a |an |our |my |your )?\w|https?://|@"),
    (
        "reason",
        r"\b(?:why|what makes|what made|how come|reasons?|for what reason)\b",
        r"\b(?:because|since|so that|therefore|due to|as a result|caus\w+|reasons?|in order to|thus|made|makes|to avoid|to prevent|for (?:backwards?|fear|lack)|owing to|hence|could not|cannot|as \w+ (?:is|are|was|were))\b|\bso\b|:",
    ),
)  # fmt: skip
"""Name; a sign of it in a question; a sign of it in a text."""

_LIST = re.compile(
    r"\b(?:which|what) (?:\w+ ){0,3}(?:kinds?|types?|sorts?|methods|options|ways|things|steps|examples|problems|advantages|disadvantages|benefits|reasons)\b"
    r"|\b(?:list|name|enumerate|tell me) (?:all|the|some|every|me)\b|\bwhat (?:are|were) (?:all |the |some |our |my |your )"
    r"|\bwhich (?!one\b)(?:\w+ )?\w+(?<![su])s (?:are|were|do|did|can|have|does|need|should|is)\b|\bwhat (?:else|all)\b|\bwhat (?:do|did|should|can) (?:i|we|you|they) (?:need|pack|bring|buy|take)\b"
    r"|\b(?:in|for|from|of|with) which \w+s\b|\bwhat (?:is|was) (?:still )?(?:on|in|open|left|missing)\b|\bwho (?:all )?(?:are|were|came|attended|was (?:there|present))\b|\bingredients\b",
    re.IGNORECASE,
)
_STEPS = re.compile(
    r"\bhow (?:do|does|can|could|should|would|must|to|did) (?:i|you|we|one|they|people|somebody|someone|it|a|the|an)?\b|\bhow to\b"
    r"|\bwhat (?:do|should|must|can) (?:i|you|we|one) do\b|\bsteps?\b|\binstructions?\b|\brecipe\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(
    rf"{_START}(?:is|isn't|are|aren't|was|wasn't|were|weren't|do|does|doesn't|don't|did|didn't|can|can't|could|may|might|must|should|shall|will|won't"
    r"|would|has|hasn't|have|haven't|had|am)\b(?! (?:you )?(?:tell|explain|show|list|give|summari[sz]e))",
    re.IGNORECASE,
)
_COMPARISON = re.compile(
    r"\b(?:compare|difference|differences|differ|differs|versus|vs\.?|in contrast|similarit\w+|compared)\b"
    r"|\bwhich (?:one |of (?:the )?(?:two|these|them)|is|was|has|did|does)\b.*\b(?:\w+er|more|less|better|worse|first)\b|\bwhich.*\bor\b",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    rf"{_START}(?:what(?:'s| is| are| was| were| does)|who(?:'s| is| are| was| were)|define|explain)\b (?:an? |the )?(?P<what>[\w .'’/()=-]+?)(?: mean| stand for)?\s*\??$",
    re.IGNORECASE,
)  # fmt: skip

LONGEST_DEFINED = 6
"""Words of what is defined."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`expected` are names of `EXPECTED`; `measure` matches an amount of what is counted or measured ("how many
    eggs", "how old"), where that is said; `defined` is what is to be defined, or empty."""

    form: Form
    expected: tuple[str, ...] = ()
    defined: str = ""
    measure: str = ""

    def holds(self, text: str) -> bool:
        """Whether a text holds something of the kind that is expected; nothing expected, nothing held."""
        return any(sign.search(text) for name, sign in _SIGNS.items() if name in self.expected)

    def measures(self, text: str) -> bool:
        """Whether it holds an amount of what is measured; true where nothing is."""
        return not self.measure or bool(re.search(self.measure, text, re.IGNORECASE))


_MEASURES = (
    (r"\bhow old\b|\bwhat age\b", rf"\b(?:years?|months?|weeks?|days?)[- ]old\b|\bage[ds]?\b|\bborn\b|\bturn(?:s|ed)? (?:{_NUMBER})|\byears\b"),
    (r"\bhow (?:tall|high|deep|wide|big|far|large|thick|long is)\b", r"\d\s?(?:[kcm]?m|km|ft|feet|foot|in|inch(?:es)?|miles?|met(?:re|er)s?|kilomet|square|m2|m²|%|[kmgt]i?b)|\d\s?[x×]\s?\d|\b(?:feet|foot|miles?|met(?:re|er)s?|kilomet(?:re|er)s?|leagues?|fathoms?|yards?|acres?|hectares?|columns?|\d{3,})\b"),
    (r"\bhow heavy\b|\bhow much .*\bweigh", r"\b(?:kg|g|kilos?|grams?|grammes?|pounds?|lbs?|tons?|tonnes?|stone|ounces?|oz)\b|\d\s?k?g\b"),
    (r"\bhow (?:hot|cold|warm)\b|\bwhat temperature\b", r"\bdegrees?\b|°|\d\s?[CF]\b"),
)  # fmt: skip
_COUNTED = re.compile(
    r"\bhow many (?:(?:of|the|more|different|other|new|such|my|our|your) )*(?P<what>[\w-]+)", re.IGNORECASE
)
_FOR_COUNTING = frozenset("people times ones things of are is do does did can have has had were was per should".split())


def _measure(question: str) -> str:
    counted = _COUNTED.search(question)
    if counted and counted["what"].casefold() not in _FOR_COUNTING:
        stem = re.escape(counted["what"].casefold().rstrip("s")[:7])
        return rf"(?:{_NUMBER}).{{0,60}}\b{stem}|\b{stem}\w*.{{0,60}}(?:{_NUMBER})"
    return next((holds for asks, holds in _MEASURES if re.search(asks, question, re.IGNORECASE)), "")


_ASKS = {name: re.compile(asks, re.IGNORECASE) for name, asks, _ in EXPECTED}
_SIGNS = {name: re.compile(holds, 0 if name == "person" else re.IGNORECASE) for name, _, holds in EXPECTED}


def asked(question: str) -> Asked:
    """Of the last sentence of a question."""
    spans = split(question)
    last = question[slice(*spans[-1])].strip() if spans else ""
    expected = tuple(name for name, asks in _ASKS.items() if asks.search(last))
    definition = _DEFINITION.match(last)
    what = definition["what"].strip() if definition and not expected else ""
    defined = what if 0 < len(what.split()) <= LONGEST_DEFINED else ""
    return Asked(_form(last, expected), expected, defined, _measure(last))


def _form(question: str, expected: tuple[str, ...]) -> Form:
    if _COMPARISON.search(question):
        return "comparison"
    if _YES_NO.match(question):
        return "yes-no"
    if _LIST.search(question) and not set(expected) & {"duration", "money", "time"}:
        return "list"
    if _STEPS.search(question):
        return "steps"
    return "fact"
