"""A text in parts that a model's prompt has room for."""

from collections.abc import Iterator

from clew.memory.sentences import Span, split


def parts(text: str, limit: int) -> Iterator[list[Span]]:
    """Sentences that together have at most `limit` bytes; a longer sentence is cut where it has white space."""
    part: list[Span] = []
    for span in (piece for sentence in split(text) for piece in _pieces(text, sentence, limit)):
        if part and _bytes(text[part[0][0] : span[1]]) > limit:
            yield part
            part = []
        part.append(span)
    if part:
        yield part


def _pieces(text: str, span: Span, limit: int) -> Iterator[Span]:
    start, end = span
    while _bytes(text[start:end]) > limit:
        cut = start + len(text[start:end].encode()[:limit].decode(errors="ignore"))
        space = text.rfind(" ", start + 1, cut)
        cut = space if space > 0 else cut
        yield start, cut
        start = cut + (text[cut : cut + 1] == " ")
    yield start, end


def _bytes(text: str) -> int:
    return len(text.encode())
