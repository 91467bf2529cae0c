"""The citations of an answer: of its words while they stream, and of its sentences when it is whole.

A model writes [3], [1, 2], [1-3], [passage id="4"], [2, p. 7], [2: Title], [^2], \\[2\\], [2](#2), (passage 2), (2),
(1)(2), <cite>2</cite>, <sup>2</sup>, ², "In passage 2, ..." or numbers that there are not. What is shown is numbered
anew in the order of first mention, and unknown numbers are dropped; where only its number tells a citation from prose,
an unknown one is prose."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from clew.agent.state import Claim
from clew.memory.datatypes import Passage
from clew.memory.text import split

_LONGEST = 80
"""Characters between brackets that may be a citation; longer brackets are not waited for."""

_BLANK = r"[^\S\n]*"
_KIND = r"(?:passages?|sources?|documents?|docs?|refs?)"
_LABEL = rf"(?:(?:{_KIND}|ids?|citations?|cite)(?![a-z]){_BLANK}[=:#_-]?{_BLANK}){{0,2}}[=:#^]?{_BLANK}"
_BESIDE = (
    rf"{_BLANK},?{_BLANK}(?<![a-z])(?:pp?|pages?|seiten?|s)\b\.?{_BLANK}\d{{1,4}}(?:{_BLANK}[-–—]{_BLANK}\d{{1,4}})?"
    r"|[^\S\n]+title=[\"“][^\"”]{0,60}[\"”]|†[^\]】,;]{0,20}"
    rf"|:{_BLANK}[^\W\d][^\]】\[;\n]{{0,60}}?(?={_BLANK}(?:[\]】;]|,{_BLANK}\d{{1,3}}{_BLANK}[\]】:,]))"
)
"""What may follow the number: a page, the passage's title, marks of browsing tools."""

_TO, _AND = r"(?:[-‑–—−]|(?:to|bis)\b)", r"(?:and|und|et|y)"
_ONE = rf"{_LABEL}[\"“']?\d{{1,3}}[\"”']?(?:{_BESIDE})?"
_NUMBERS = rf"{_BLANK}{_ONE}(?:{_BLANK}(?:{_TO}|[,;]?{_BLANK}{_AND}\b|[,;&]){_BLANK}{_ONE})*{_BLANK}"
_FEW = rf"{_BLANK}\d{{1,3}}(?:{_BLANK}(?:[,;&]|{_AND}|\){_BLANK}\(){{1,2}}{_BLANK}\d{{1,3}})*{_BLANK}"
_START = r"(?:^|(?<=[.!?…:*•\])-][^\S\n]))"
_SAID_IN = rf"(?:according{_BLANK}to|in){_BLANK}(?:the{_BLANK})?{_KIND}{_BLANK}[\[(]?"
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_TAG = "(?:cite|passage|source)"
_RAISING = r"(?:(?<=[^\W\d_]{3})|(?<=[.!?…。,;:)\]\"”»]))"

_FORMS = (
    rf"(?<!\s)\s*\[\[{_NUMBERS}\]\]",
    rf"(?<!\s)\s*[\[【](?=[^\]】\n]{{0,{_LONGEST}}}[\]】]){_NUMBERS}[\]】](?:\(#[^()\s]{{0,40}}\))?",
    rf"(?<!\s)\s*\\\[{_NUMBERS}\\\]",
    rf"(?<!\s)\s*\((?={_BLANK}(?:passages?|sources?)\b[^)\n]{{0,{_LONGEST}}}\)){_NUMBERS}\)",
    rf"(?<!\s)\s*<cite>\[?{_NUMBERS}\]?</cite>",
    rf"{_START}(?P<opens><{_TAG}{_NUMBERS}>)\s*",
    rf"(?<!\s)\s*<{_TAG}{_NUMBERS}/?>",
    rf"(?P<closes></{_TAG}>)",
    rf"{_START}(?P<said>{_SAID_IN}{_NUMBERS}[\])]?,)\s*(?P<next>[^\W\d])",
    rf"(?:(?<=[.!?…。])|(?<=[.!?…。][\"”]))[^\S\n]*\((?P<behind>{_FEW})\)(?=\s|\Z)",
    rf"(?<=\S)(?<![a-z\d)](?=\())[^\S\n]*\((?P<before>{_FEW})\)(?={_BLANK}(?:[.!?…。]|\n|\Z|[\[【]))",
    rf"(?P<told>\bpassages?{_BLANK})(?P<named>\d{{1,3}}(?:{_BLANK}(?:{_AND}|&){_BLANK}\d{{1,3}})*)(?!\w)",
    rf"{_RAISING}{_BLANK}<sup>(?P<tagged>\[?{_NUMBERS}\]?)</sup>",
    rf"{_RAISING}(?P<raised>[{_RAISED}]+(?:,?{_BLANK}[{_RAISED}]+)*)",
)
_CITATION = re.compile("|".join(_FORMS), re.IGNORECASE | re.MULTILINE)
"""All forms: brackets, tags, a passage named in a sentence, bare numbers at the end of one, and raised numbers (but not
units and variables: 5 km², x²)."""

_OPEN = re.compile(
    rf"(?<!\s)\s*(?:\\|\\?[\[【][^\]】\n]{{0,{_LONGEST}}}(?:[\]】](?:\((?:#[^()\s]{{0,40}})?)?)?|\[\[[^\]\n]{{0,{_LONGEST}}}\]?|\({_BLANK}(?:[a-z]{{0,8}}|(?:passages?|sources?)\b[^)\n]{{0,{_LONGEST}}})"
    rf"|\([\d\s,;&anduety()]{{0,30}}|</?[a-z]{{0,7}}(?:\s[^<>\n]{{0,{_LONGEST}}})?|<(?:cite|sup)>[^<\n]{{0,20}}(?:</?[a-z]{{0,4}})?)\Z"
    rf"|{_START}(?:a[a-z]{{0,8}}|according{_BLANK}t?o?{_BLANK}|in?{_BLANK}|(?:according{_BLANK}to|in){_BLANK}(?:the?)?{_BLANK}[a-z]{{0,9}}"
    rf"|{_SAID_IN}[\d\s,;&#\])–-]*(?:[a-z]{{1,3}}[\d\s,;&#\])–-]*)?)\Z"
    rf"|{_START}<{_TAG}{_NUMBERS}>\s*\Z"
    rf"|[{_RAISED}][{_RAISED},\s]*\Z"
    rf"|\bp[a-z]{{0,7}}\Z|\bpassages?{_BLANK}[\d\s&anduety]{{0,20}}\Z"
    r"|(?<!\s)\s+\Z",
    re.IGNORECASE | re.MULTILINE,
)
"""What may become a citation once more text has come, with the blank space before it."""

_LISTED = re.compile(r"(?<![.!?…]\s)\(\d{1,3}\)\s+\w")
"""A list within a line: `two things: (1) grey. (2) far.`"""

AHEAD = "\u2060"
"""An invisible mark in front of a citation that belongs to the sentence after it, not to the one before."""

_RANGE = re.compile(rf"(\d+)[\"”']?(?:{_BLANK}{_TO}{_BLANK}{_LABEL}[\"“']?(\d+))?", re.IGNORECASE)


class Citations:
    """The citations of one answer, made from `count` passages. `order` are the passages' own numbers in the order of
    first mention."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.order: list[int] = []

    def streamed(self, pieces: Iterable[str]) -> Iterator[str]:
        """The text with citations as ` [1]`. A citation is shown once it is complete; it is read letter by letter, so
        that the cuts between pieces make no difference."""
        text, done = "", 0
        for piece in pieces:
            ready = ""
            for letter in piece:
                text += letter
                waiting = _OPEN.search(text, done)
                said, done = self._read(text, done, waiting.start() if waiting else len(text))
                ready += said
            if ready:
                yield ready
        if rest := self._read(text, done, len(text))[0].rstrip():
            yield rest

    def _read(self, text: str, start: int, end: int) -> tuple[str, int]:
        """What is shown of this part of the text, and where reading goes on: behind the last citation that begins in
        it."""
        shown = ""
        while (match := _CITATION.search(text, start)) and match.start() < end:
            shown += text[start : match.start()] + self._shown(match)
            start = match.end()
        return shown + text[start:end], max(start, end)

    def _shown(self, match: re.Match[str]) -> str:
        if _in_code(match.string[: match.start()]):
            return match[0]
        if match["closes"]:
            return ""
        inside = re.sub(_BESIDE, "", match["said"] or match[0], flags=re.IGNORECASE)
        named = list(self._raised(match["raised"]) if match["raised"] else self._named(inside))
        line = match.string[: match.start()].rpartition("\n")[2]
        bare = (
            match["said"] or match["behind"] or match["before"] or match["raised"] or match["named"] or match["tagged"]
        )
        unknown = bare and not all(1 <= number <= self._count for number in named)
        if unknown or (match["behind"] and _LISTED.search(line)):
            return match[0]
        numbers = dict.fromkeys(filter(None, map(self._number, named)))
        if match["said"] or match["opens"]:
            return "".join(f"{AHEAD}[{number}] " for number in numbers) + (match["next"] or "").upper()
        return (match["told"] or "").rstrip() + "".join(f" [{number}]" for number in numbers)

    def _number(self, own: int) -> int:
        """The new number of a passage, in the order of first mention; 0 if there is no such passage."""
        if not 1 <= own <= self._count:
            return 0
        if own not in self.order:
            self.order.append(own)
        return self.order.index(own) + 1

    def _raised(self, text: str) -> Iterator[int]:
        """`¹²` is 12 where there are so many passages, else 1 and 2."""
        for digits in re.findall(r"\d+", text.translate(_LOWERED)):
            yield from [int(digits)] if int(digits) <= self._count else map(int, digits)

    def _named(self, inside: str) -> Iterator[int]:
        """All numbers that a citation names; of a range all passages that exist, and its end."""
        for first, last in _RANGE.findall(inside):
            start, end = int(first), int(last or first)
            yield start
            yield from range(start + 1, min(end, self._count + 1))
            if last and start != end:
                yield end


def _in_code(before: str) -> bool:
    """Whether a text breaks off in a block or a piece of code: `a[2]` cites nothing."""
    line = before.rpartition("\n")[2].replace("```", "")
    return len(_FENCE.findall(before)) % 2 == 1 or line.count("`") % 2 == 1


_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~)", re.MULTILINE)
_LOWERED = str.maketrans(_RAISED, "0123456789")


_CITED = re.compile(rf"(?:\s+|(?<![\w)\]])){AHEAD}?\[(\d+)\]")
_ALONE = re.compile(r"(?<!\n)\n\s*(?:[-*•–]\s+)?((?:\[\d+\][^\S\n]*)+\.?)[^\S\n]*$", re.MULTILINE)
"""A line that is only citations."""

LIST_MARK = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+")
"""What a line of a list begins with; the first claim of it has it."""

_SECOND_STOP = re.compile(r"(?<=[.!?])((?:\s*\[\d+\])+)\.")
"""`It is far. [1].`"""

MARKUP = re.compile(r"\*\*|__|^#{1,6}\s+|`", re.MULTILINE)


_BLOCK = re.compile(r"^[^\S\n]*(?P<fence>```+|~~~+).*\n(?:.*\n)*?(?:[^\S\n]*(?P=fence).*|\Z)|^.*$", re.MULTILINE)
"""A block of code, or a line."""

_ROW, _RULE, _CODE = re.compile(r"\s*\|.*\|"), re.compile(r"[\s|:-]*-[\s|:-]*"), re.compile(r"\s*(?:```|~~~)")
_MARKED = re.compile(r"(\*\*|__|`)(.+?)\1")


def claims_of(text: str) -> tuple[Claim, ...]:
    """The sentences of a text as claims. A citation belongs to the sentence that it stands in or behind; that of a
    heading to what stands directly below it, or to all of the list or the table there. List items, table rows and code
    begin a new line; headings and column heads, which claim nothing, go into the markup of what follows."""
    claims, above, apart = list[Claim](), "", False
    heads, cites = list[str](), tuple[int, ...]()
    blocks = [match[0] for match in _BLOCK.finditer(_ALONE.sub(r" \1", text) + "\n")]
    for block, below in zip_longest(blocks, blocks[1:], fillvalue=""):
        row, mark, code = _ROW.match(block), LIST_MARK.match(block), _CODE.match(block)
        heading, of_columns = block.startswith("#"), row and _RULE.fullmatch(below)
        if heading or of_columns or (above and _RULE.fullmatch(block)):
            above += re.sub(r"^#+(.*)", r"###\1\n", _CITED.sub("", block)) + "\n"
            heads, cites = _cells(block) if of_columns else heads, _cites(block) if heading else cites
            continue
        heads = heads if row else []
        if of_block := _of_block(block, heads):
            first, cites = of_block[0], cites if above or row or mark else ()
            markup = f"{above}{first.markup or first.text}" if above else first.markup
            new_line = bool(mark or (claims and (row or code or above or apart)))
            claims += [replace(first, cites=first.cites or cites, new_line=new_line, markup=markup), *of_block[1:]]
            above = ""
        apart = bool(mark or row or code) or not block.strip()
    return (*claims, *_of_line(MARKUP.sub("", above).strip()))


def _of_block(block: str, heads: Sequence[str]) -> list[Claim]:
    """The claims of a block: code and a table row are one each; a row is `head: cell, head: cell`."""
    if _CODE.match(block):
        code = "\n".join(block.strip().splitlines()[1:]).rstrip("`~ \n")
        return [Claim(code or block, markup=block.strip("\n"))]
    if _ROW.match(block):
        cells = zip_longest(heads, _cells(block), fillvalue="")
        said = ", ".join(f"{head}: {cell}" if head else cell for head, cell in cells if cell)
        return [Claim(said, _cites(block), markup=_CITED.sub("", block).strip())]
    claims = _of_line(LIST_MARK.sub("", MARKUP.sub("", block)).strip())
    if claims and (mark := LIST_MARK.match(block)):
        claims[0] = replace(claims[0], text=f"{mark[0].strip()} {claims[0].text}")
    return [replace(claim, markup=_marked(claim.text, block)) for claim in claims]


def _cells(row: str) -> list[str]:
    plain = MARKUP.sub("", _CITED.sub("", row)).strip()
    return [cell.strip() for cell in plain.removeprefix("|").removesuffix("|").split("|")]


def _cites(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(map(int, _CITED.findall(text))))


def is_code(claim: Claim) -> bool:
    """Whether it is a block of code."""
    return any(map(_CODE.match, claim.markup.splitlines()))


def _marked(text: str, line: str) -> str:
    """The text with the bold and code marks of its line; empty if there are none."""
    for mark, said in _MARKED.findall(line):
        words = _CITED.sub("", said)
        text = text.replace(words, f"{mark}{words}{mark}", 1)
    indent = line[: len(line) - len(line.lstrip())] if LIST_MARK.match(text) else ""
    return indent + text if indent or _MARKED.search(text) else ""


def numbered(claims: Sequence[Claim], passages: Sequence[Passage]) -> tuple[tuple[Claim, ...], tuple[Passage, ...]]:
    """The claims, citing sources numbered from 1 in the order of first mention, and these sources; before, `cites` are
    places in `passages`."""
    order = list(dict.fromkeys(number for claim in claims for number in claim.cites))
    renumbered = tuple(
        replace(claim, cites=tuple(order.index(number) + 1 for number in claim.cites)) for claim in claims
    )
    return renumbered, tuple(passages[number - 1] for number in order)


def whole_sentences(text: str) -> str:
    """The text without a last sentence that is incomplete; empty if there is no other."""
    ends = [end for start, end in split(text) if re.search(r"[.!?…。\]][\"”’)]*$", text[start:end])]
    return text[: ends[-1]] if ends else ""


def _of_line(line: str) -> list[Claim]:
    """The sentences of a line, each with the citations in it or behind it."""
    line = _SECOND_STOP.sub(r"\1", line)
    plain, last, cites = "", 0, list[tuple[int, int]]()
    for found in _CITED.finditer(line):
        plain, last = plain + line[last : found.start()], found.end()
        cites.append((len(plain) + 2 if AHEAD in found[0] else len(plain.rstrip()), int(found[1])))
    plain += line[last:]
    claims = list[Claim]()
    for start, stop in split(plain):
        text = plain[start:stop].strip()
        own = tuple(dict.fromkeys(number for place, number in cites if start < place <= stop))
        if re.search(r"\w", text):
            claims.append(Claim(re.sub(r"\s+([.!?,;:])", r"\1", text), own))
    return claims


def same_words(text: str) -> str:
    """The same for texts that differ only in case, spacing and punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def in_same_words(texts: Iterable[str]) -> list[str]:
    """The `same_words` of each text."""
    return list(map(same_words, texts))


def stands_in(text: str, other: str) -> bool:
    """Whether the other text has all words of this one in a row: "No." is not in "known"."""
    return f" {same_words(text)} " in f" {same_words(other)} "
