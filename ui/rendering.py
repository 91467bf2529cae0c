"""How answers, sources, steps and the work of language models read in text; without colours they read alike."""

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from itertools import groupby, pairwise
from operator import itemgetter

from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.style import Style
from rich.text import Text

from clew.agent.answer.citations import LIST_MARK
from clew.agent.models import Writers
from clew.agent.state import STANDINGS, Answer, Claim, ClaimStanding, Prompted, Step, Turn
from clew.memory.datatypes import Chunk, Passage
from clew.memory.text import is_named, words
from clew.ui.plain import cut, lies_at, one_line, plain, short_path

_WORD = re.compile(r"\w+")

QUOTE = 3
"""Words in a row from which it is a quotation, and no chance."""

DIM = Style(dim=True)
BOLD = Style(bold=True)
OWN = Style(italic=True)
"""Clew's own words beside quotations: heads, labels, asides."""

CITATION = Style(color="cyan")
MARKS: dict[ClaimStanding, tuple[str, Style]] = {
    "weak": (f"({STANDINGS['weak'][0]})", Style(color="yellow")),
    "unsupported": (f"({STANDINGS['unsupported'][0]})", Style(color="red", bold=True)),
}
"""What is put behind a sentence that its source does not carry, in words: colours may be missing."""

SCOPE = re.compile(r'((?<!\S)@(?:"[^"]+"|\S+))')
"""What a question names to be looked in."""

STEP_NAME = 8
"""Columns of a step's name: the longest is `remember`."""


def is_structured(answer: Answer) -> bool:
    """Whether it is more than sentences: then it is shown as Markdown."""
    return any(claim.markup or LIST_MARK.match(claim.text) for claim in answer.claims)


def printed(answer: Answer, console: Console) -> RenderableType:
    """As it is printed at once: at a terminal Markdown is rendered, and elsewhere what a model wrote in it stays so."""
    if is_structured(answer) and console.is_terminal:
        return Markdown(markdown_of(answer, marks_of), code_theme="bw")
    if any(claim.markup and not claim.quotes and " | " not in claim.text for claim in answer.claims):  # no computed row
        return Text(markdown_of(answer, marks_of))
    return answer_text(answer)


def markdown_of(answer: Answer, mark: Callable[[Claim], str]) -> str:
    """The answer in Markdown, with `mark` behind each claim; what is no markup of its writer is escaped."""
    text, heads, cites = "", list[str](), tuple[int, ...]()  # heads of the table that the last line is of
    for claim in answer.claims:
        lines = _body(claim).replace("\ue000", "").split("\n")  # the page's own mark
        own = lines[:2] * (lines[1:] != [] and lines[1].startswith("|--"))
        goes_on = own in ([], heads)
        lines = (own and goes_on and lines[2:]) or lines
        before, now = _kind(text.rpartition("\n")[2]), _kind(lines[0])
        heads = own or heads * (now == "row")
        lead = "\n" if before and before == now and goes_on else "\n\n"
        apart = claim.new_line or now == "item" or (before == "item" and claim.cites != cites)
        lead, cites = lead if apart or "row" in (before, now) else " ", claim.cites
        text += lead * bool(text) + _with_mark("\n".join(lines), mark(claim))
    return text


def _body(claim: Claim) -> str:
    if not claim.markup:
        return "".join(_escaped(*piece) for piece in pieces_of(claim))
    if not claim.quotes or claim.markup.startswith("```"):
        return plain(claim.markup)
    rows = (line[2:-2].split(" | ") for line in claim.markup.split("\n") if not line.startswith("|--"))
    heads, *below = (f"| {' | '.join(_escaped(plain(cell), False) for cell in cells)} |" for cells in rows)
    return "\n".join([heads, *claim.markup.split("\n")[1:2], *below])


def _kind(line: str) -> str:
    return "row" if line.lstrip().startswith("|") else "item" if LIST_MARK.match(line) else ""


def _with_mark(body: str, mark: str) -> str:
    """In the last cell of a row that is alone or below its heads, behind code on a line of its own."""
    if body.endswith("|"):
        head, rule, row = body.partition("\n|--")
        return (
            f"{head[:-1].rstrip()}{mark} |{rule}{row}" if rule and "\n" not in row else f"{body[:-1].rstrip()}{mark} |"
        )
    return f"{body}\n\n{mark.strip()}" if mark and body.endswith(("```", "~~~")) else body + mark


def _escaped(piece: str, bold: bool) -> str:
    mark = LIST_MARK.match(piece)
    head = mark[0].replace("•", "-").replace("–", "-") if mark else ""
    text = head + re.sub(r"[\\`*_\[\]<|~]|^[#>+=-]", r"\\\g<0>", piece[len(head) :])
    return f"**{text}**" if bold else text


def marks_of(claim: Claim) -> str:
    """` [1][2] (not found in the source)`"""
    cites = "".join(f" [{number}]" for number in claim.cites)
    return f"{cites} {MARKS[claim.verdict][0]}" if claim.verdict in MARKS else cites


def answer_text(answer: Answer) -> Text:
    """On lines, each row of a table below the heads of its columns, which stand once above several."""
    text, heads = Text(), ""
    for place, claim in enumerate(answer.claims):
        own, before, heads = OWN if is_own(claim, answer) else "", heads, _heads_of(claim)
        text.append("" if not place else "\n" if heads or before else claim.lead)
        itself = "".join(piece for piece, _ in pieces_of(claim)) == heads
        text.append(f"{heads}\n" if heads not in ("", before) and not itself else "", OWN)
        for piece, bold in pieces_of(claim):
            text.append(piece, BOLD if bold else own)
        for number in claim.cites:
            text.append(f" [{number}]", CITATION)
        if claim.verdict in MARKS:
            text.append(" ").append(*MARKS[claim.verdict])
    return text


def _heads_of(claim: Claim) -> str:
    """The heads of the columns of a row that is quoted; empty where they have none."""
    heads, rule, _ = claim.markup.partition("\n|--")
    return plain(heads).strip("| ").replace(" | ", " · ") if rule and claim.quotes else ""


def is_own(claim: Claim, answer: Answer) -> bool:
    """Whether a claim is in Clew's own words, in an answer that otherwise quotes."""
    return not claim.quotes and any(one.quotes for one in answer.claims)


def pieces_of(claim: Claim) -> list[tuple[str, bool]]:
    """The text of a claim as it is shown, on one line but for code, in pieces; each says whether it is bold."""
    span = claim.span
    if claim.quotes and claim.markup.startswith("```"):
        return [(plain(claim.text), False)]
    if span is None:
        said = one_line(claim.text)
        return [(said.replace(" | ", " · ") if claim.quotes or claim.markup else said, False)]
    cuts = (0, span.start, span.end, len(claim.text))
    parts = (re.sub(r"\s+", " ", plain(claim.text[a:b])) for a, b in pairwise(cuts))
    before, bold, behind = (part.replace(" | ", " · ") for part in parts)
    return [(before.lstrip(), False), (bold, True), (behind.rstrip(), False)]


def cited_numbers(answer: Answer) -> list[int]:
    """The numbers of the sources that the answer cites, each once, ascending."""
    return sorted({number for claim in answer.claims for number in claim.cites})


def source_lines(answer: Answer, width: int | None) -> list[Text]:
    """A line for each cited source; with `width`, no longer than that."""
    return [source_line(answer, number, width) for number in cited_numbers(answer)]


def source_line(answer: Answer, number: int, width: int | None) -> Text:
    """Number, title, page or heading, where it lies, and a mark where a sentence that cites it does not hold."""
    passage = answer.sources[number - 1]
    line = Text.assemble((f"[{number}]", CITATION), " ", (name_of(passage), BOLD))
    if (standing := standing_of(number, answer)) in MARKS:
        line.append(" ").append(*MARKS[standing])
    append_place(line, passage, width)
    return line


def standing_of(number: int, answer: Answer) -> ClaimStanding:
    """The worst of what the sentences are that cite a source."""
    cited = {claim.standing for claim in answer.claims if number in claim.cites}
    return next((one for one in STANDINGS if one in cited), "uncited")


def copied(turn: Turn) -> str:
    """The answer as it is pasted: its text, and a line for each source that it cites."""
    answer = turn.answer
    return "\n".join([answer.text, "", *(source_line(answer, n, None).plain for n in cited_numbers(answer))]).strip()


def reworded(turn: Turn) -> bool:
    """Whether it was understood in other words than were typed, those apart that name what is looked in."""
    return bool(turn.rewritten) and words(turn.rewritten) != words(SCOPE.sub(" ", turn.question))


def append_place(line: Text, passage: Passage, width: int | None) -> None:
    """Page, heading and source, the source shortened so that the line has no more than `width` columns."""
    if place := place_of(passage):
        line.append(f" · {place}")
    if source := lies_at(passage.source):
        left = None if width is None else max(width - line.cell_len - 3, 20)
        line.append(f" · {source if left is None else short_path(source, left)}", DIM)
    if width is not None:
        line.truncate(width, overflow="ellipsis")


def name_of(passage: Passage | Chunk) -> str:
    """Its title, on one line, else its document's id."""
    return one_line(passage.title) or passage.document


def place_of(passage: Passage | Chunk) -> str:
    """The page, the heading and where else the file lies, where there are; a heading that repeats the title says
    nothing."""
    copies = [f"also {lies_at(path)}" for path in passage.copies] if isinstance(passage, Passage) else []
    heading = one_line(passage.heading)
    label = one_line(passage.page)
    page = label if is_named(label) else f"page {label}"
    return " · ".join(filter(None, (page, heading if heading != one_line(passage.title) else "", *copies)))


def step_line(step: Step, width: int | None) -> Text:
    """`  rewrite   Who directed Metropolis?   3 ms`, folded to `width` columns."""
    head, tail = f"  {step.node:{STEP_NAME}}  ", f"   {milliseconds(step.ms)}"
    summary = one_line(step.summary)
    if width is not None:
        summary = cut(summary, max(width - len(head) - len(tail), 10))
    return Text(head + summary + tail, DIM)


def unfolded(step: Step) -> list[Text]:
    """The step's line, whole, and its details."""
    return [step_line(step, None), *(Text(f"  {'':{STEP_NAME}}    {one_line(detail)}", DIM) for detail in step.details)]


def indented(text: Text, columns: int, console: Console) -> list[Text]:
    """The lines of a text, indented by `columns`, and wrapped to the terminal where there is one."""
    lines = text.wrap(console, console.width - columns) if console.is_terminal else text.split()
    return [Text(" " * columns).append_text(line) for line in lines]


def print_indented(text: Text, columns: int, console: Console) -> None:
    """Print text indented and wrapped at so many columns."""
    for line in indented(text, columns, console):
        console.print(line)


def milliseconds(ms: float) -> str:
    """Return a duration, given in milliseconds, as it is shown: `<1 ms`, `40 ms` or `1.2 s`."""
    if ms < 1:
        return "<1 ms"
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


PARTS = {"rewrite": "rewriting", "think": "choosing tools", "answer": "answering"}
STOPPED = "stopped; /resume answers it to the end, /again from its beginning"


def model_of(writers: Writers) -> str:
    """The name of the model that answers, else of one that does anything; empty where there is none."""
    named = (writers.answer, writers.think, writers.rewrite)
    return next((writer.name for writer in named if writer), "")


def degraded(turn: Turn) -> list[tuple[str, str]]:
    """The parts that a model should have done and did not, each once, with why."""
    return list(dict.fromkeys((PARTS.get(one.part, one.part), one_line(one.why)) for one in turn.degraded))


def badge(turn: Turn) -> str:
    """`without the model: rewriting (it is empty)`; empty where all went as it should."""
    parts = [f"{part} ({why})" if why else part for part, why in degraded(turn)]
    return f"without the model: {'; '.join(parts)}" if parts else ""


def ledger_lines(ledger: Sequence[Prompted]) -> list[str]:
    """What each prompt held: `answer, llama3.1:8b: 1,204 of 8,192 tokens read, 58 written; left out: passage 7`."""
    return [_prompt_line(prompted) for prompted in ledger]


def _prompt_line(prompted: Prompted) -> str:
    size = f"{prompted.read:,}" if prompted.read else f"about {prompted.estimated:,}"
    line = f"{prompted.purpose}, {one_line(prompted.model)}: {size} of {prompted.window:,} tokens read"
    if prompted.written:
        line += f", {prompted.written:,} written"
    for kept in ("summarised", "left out"):
        parts = [one_line(room.part) for room in prompted.parts if room.kept == kept]
        line += f"; {kept}: {', '.join(parts)}" if parts else ""
    return line


def pieces(text: str, quotes: Sequence[str]) -> list[tuple[str, bool]]:
    """The text in pieces, in order and whole, each with whether one of the quotes says it in these words."""
    cited = [False] * len(text)
    for quote in quotes:
        for start, end in quoted(text, quote):
            cited[start:end] = [True] * (end - start)
    runs = groupby(zip(text, cited, strict=True), key=itemgetter(1))
    return [("".join(character for character, _ in run), is_cited) for is_cited, run in runs]


def quoted(text: str, quote: str) -> list[tuple[int, int]]:
    """Where runs of the quote's words stand in the text, whatever their case and what is between them."""
    found = list(_WORD.finditer(text))
    words = [match[0].casefold() for match in found]
    wanted = [word.casefold() for word in _WORD.findall(quote)]
    blocks = SequenceMatcher(None, words, wanted, autojunk=False).get_matching_blocks()
    longest = min(QUOTE, max(len(wanted), 1))
    return [(found[a].start(), _with_stop(text, found[a + size - 1].end())) for a, _, size in blocks if size >= longest]


def _with_stop(text: str, end: int) -> int:
    """The full stop belongs to its sentence."""
    return end + 1 if text[end : end + 1] in (".", "!", "?") else end
