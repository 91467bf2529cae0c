"""Text from documents and people made fit for a terminal: nothing in it steers the screen, and it fits a width."""

import re
from pathlib import Path

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, screen
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x80-\x9f]*+(?:\x07|\x1b\\|\x9c)"  # OSC: window title, links, clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x80-\x9f]*+(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]?"  # the rest, and what was cut off
)
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f]"
)
"""Controls but tab and line feed; the marks that turn the writing direction; what has no width, and tags, in which text
hides; halves of surrogate pairs. The two joiners stay: some scripts and emoji are written with them."""

_MARKDOWN = re.compile(r"[\\<\[]")


def plain(text: str) -> str:
    """Without escape sequences and control characters; lines and tabs stay."""
    return _CONTROLS.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n")))


def escaped(json: str) -> str:
    """JSON text with such characters as `\\u009b`: as they are, and nothing steers a terminal that it is shown in."""
    return _CONTROLS.sub(
        lambda found: "".join(f"\\u{unit:04x}" for unit in memoryview(found[0].encode("utf-16")[2:]).cast("H")), json
    )


def as_text_of_markdown(text: str) -> str:
    """With nothing that Markdown would make a link, an image or an element of HTML."""
    return _MARKDOWN.sub(r"\\\g<0>", plain(text))


def one_line(text: str) -> str:
    return " ".join(plain(text).split())


def cut(text: str, width: int) -> str:
    """At most `width` characters, the last an ellipsis where something is gone."""
    return text if len(text) <= width else text[: max(width - 1, 0)].rstrip() + "…"


def typed(text: str) -> str:
    """What a person typed or piped in: half a surrogate pair, which no encoder takes, is replaced."""
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def near(source: str) -> str:
    """A path as it is written from the working folder, where that is shorter; another source as it is."""
    try:
        return str(Path(source).relative_to(Path.cwd()))
    except ValueError:
        return source


def short_path(source: str, width: int) -> str:
    """A source in `width` characters: whole folders are left out from the left, so that the name stays."""
    shown = near(one_line(source))
    if len(shown) <= width:
        return shown
    parts = Path(shown).parts
    for first in range(1, len(parts)):
        tail = "…/" + "/".join(parts[first:])
        if len(tail) <= width:
            return tail
    return "…" + shown[-max(width - 1, 1) :]
