"""Where the text of a language model ends, whatever it goes on to write: at a mark of its template, at a next turn that
it invents, at a sentence that it repeats. What it echoes of the prompt before its first word goes, and what it thinks.

Filters over the pieces of a stream. That of the end is for answers and not for JSON: of that lines repeat.
"""

import re
from collections.abc import Iterator, Sequence

from clew.memory.ports import Void
from clew.memory.text import split

OPENING = (
    *("<think>", "<thinking>", "<thought>", "<reasoning>", "[think]", "<seed:think>", "<|start_thinking|>"),
    *("<|channel>thought", "<|channel|>analysis<|message|>"),
)
CLOSING = (
    *("</think>", "</thinking>", "</thought>", "</reasoning>", "[/think]", "</seed:think>", "<|end_thinking|>"),
    *("<channel|>", "assistantfinal"),
)
"""The marks around thoughts; of gpt-oss, where its server leaves them in the text or takes only the signs away."""

END = "<|end|>"
"""Of a thought of gpt-oss, and of a turn of others."""


def without_thoughts(pieces: Iterator[str]) -> Iterator[str | Void]:
    """The pieces as they come, without what stands between the marks, which may be cut anywhere.

    A thought whose end is missing swallows the rest. An end without a beginning makes what came before void: some
    templates have written the beginning themselves. Blank space before the first word goes too.
    """
    thinking = started = False
    for part, mark in parted(pieces, (*OPENING, *CLOSING, END)):
        text = part if started else part.lstrip()
        if text and not thinking:
            started = True
            yield text
        if mark in CLOSING and not thinking:
            started = False
            yield Void()
        elif mark == END and not thinking:
            yield mark
        elif mark:
            thinking = mark in OPENING


def parted(pieces: Iterator[str], marks: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The text as it comes, with the mark behind it where one of these stands there, in small letters; where the pieces
    are cut makes no difference. Held is what may be the beginning of a mark."""
    pattern, longest, held = re.compile("|".join(map(re.escape, marks)), re.IGNORECASE), max(map(len, marks)), ""
    for piece in pieces:
        held += piece
        while found := pattern.search(held):
            yield held[: found.start()], found[0].lower()
            held = held[found.end() :]
        tails = range(max(0, len(held) - longest), len(held))
        sure = next((n for n in tails if any(mark.startswith(held[n:].lower()) for mark in marks)), len(held))
        yield held[:sure], ""
        held = held[sure:]
    yield held, ""


LEAST = 4
"""Words of a sentence that may not come a second time; shorter ones may, but not as a loop."""

_MARKS = (
    "<|im_end|> <|im_start|> <|im_sep|> <|endoftext|> <|end|> <|user|> <|assistant|> <|system|> <|eot_id|> <|eom_id|> "
    "<|end_of_text|> <|begin_of_text|> <|start_header_id|> <|return|> <|end_of_turn_token|> <|start_of_turn_token|> "
    "<|start_of_role|> <|end_of_turn|> </s> <eos> <end_of_turn> <start_of_turn> [inst] [/inst] "
    "<｜end▁of▁sentence｜> <｜user｜> <turn|> <|turn> <|start|> <|call|> <|end_response|> <|eot|> <|header_start|> "
    "<|observation|> <|role_end|> <|end_of_msg|>"
).split()
"""Of templates: ChatML, Llama 3 and 4, Phi, Zephyr, Command-R, Granite, Mistral, Gemma, DeepSeek, gpt-oss, GLM. Of tool
calls only what comes behind them."""

_TURNS = tuple(
    f"\n{before}{who}:"
    for before in ("", "### ", "###", "**")
    for who in ("user", "human", "question", "assistant", "agent", "instruction")
)

_ECHOES = (
    *("answer:", "**answer:**", "assistant:", "### assistant:", "### response:", "assistant\n", "<|assistant|>", "<s>"),
    *("<|im_start|>assistant", "<start_of_turn>model", "<|start_header_id|>assistant<|end_header_id|>", "[/inst]"),
    *("<|start|>assistant", "<|channel|>final<|message|>", "<|start_response|>", "<|turn>model", "agent:"),
)
_ASKED = {"user:": "agent:", "question:": "answer:"}  # of the prompt: the second line is the answer's
_TURN = "|".join(rf"{asked}[^\n]*\n(?=\s*{answered})" for asked, answered in _ASKED.items())
_ECHO = re.compile(rf"\A(?:\s|{_TURN}|{'|'.join(map(re.escape, _ECHOES))})+", re.IGNORECASE)
_CITED = re.compile(r"\s*\[[^\]\n]{0,20}\]?")
_GAP = re.compile(r"(?<=[^\w\s,])\s+(?=\S)|\s*\n\s*(?=\S)|(?<=[。！？])(?=\S)")
"""Where a sentence or a line may end: the next one has begun."""


def until_its_end(pieces: Iterator[str]) -> Iterator[str]:
    """The pieces of an answer up to its end.

    Whoever reads to the end of this has to close what it reads from: the model may still be writing. Where the pieces
    are cut makes no difference.
    """
    return filter(None, _until_repeated(_until_mark(pieces)))


def _until_mark(pieces: Iterator[str]) -> Iterator[str]:
    for text, mark in parted(_without_echo(pieces), (*_MARKS, *_TURNS)):
        yield text
        if mark:
            return


def _without_echo(pieces: Iterator[str]) -> Iterator[str]:
    """The pieces without an echo of the prompt in front. What may be the beginning of one is held."""
    held = ""
    for piece in pieces:
        held = _ECHO.sub("", held + piece)
        first, _, second = held.lower().partition("\n")
        is_turn = any(
            asked.startswith(first[: len(asked)]) and answered.startswith(second.lstrip())
            for asked, answered in _ASKED.items()
        )
        if not is_turn and not any(echo.startswith(held.lower()) for echo in _ECHOES):
            break
    yield held
    yield from pieces


def _until_repeated(pieces: Iterator[str]) -> Iterator[str]:
    """The pieces up to a sentence that was there before, whatever it cites, or up to short ones that come again in
    their order. A sentence is held while an earlier one begins like it, short ones that were there until it is clear
    that others follow them, and so is white space."""
    said, again, held, shown = list[str](), list[str](), "", 0
    for piece in pieces:
        held += piece
        while whole := _whole(held):
            said.append(_uncited(whole))
            if repeated := _repeated(said):
                yield "".join(again[: len(again) + 1 - repeated])
                return
            again.append(whole[shown:])
            if said[-1] not in said[:-1] or not _speaks(said[-1]):
                yield "".join(again)
                again = []
            held, shown = held[len(whole) :], 0
        begun = _uncited(held)
        if not any(one.startswith(begun) for one in said):
            yield "".join((*again, held.rstrip()[shown:]))
            again, shown = [], len(held.rstrip())
    repeated = _repeated([*said, _uncited(held)])
    yield "".join((*again, held.rstrip()[shown:])[: len(again) + 1 - repeated])


def _uncited(text: str) -> str:
    return _CITED.sub("", text).strip()


def _whole(text: str) -> str:
    """The first sentence or line, if another one has begun behind it; else empty."""
    start = len(text) - len(text.lstrip())
    for gap in _GAP.finditer(text, start):
        if "\n" in gap[0] or len(split(text[start : gap.end() + 1])) > 1:
            return text[: gap.start()]
    return ""


def _repeated(said: Sequence[str]) -> int:
    """How many of the last sentences were there before: short ones as many as directly before them, in their order."""
    if not _speaks(said[-1]):
        return 0
    blocks = (n for n in range(1, len(said) // 2 + 1) if said[-n:] == said[-2 * n : -n])
    return next(blocks, int(len(said[-1].split()) >= LEAST and said[-1] in said[:-1]))


def _speaks(sentence: str) -> bool:
    return any(map(str.isalpha, sentence))
