"""Text from documents and people made fit for a terminal: nothing in it steers the screen, and it fits a width."""

import re
from datetime import datetime
from functools import lru_cache
from pathlib import Path

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, screen
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x80-\x9f]*+(?:\x07|\x1b\\|\x9c)"  # OSC: window title, links, clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x80-\x9f]*+(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]?"  # the rest, and what was cut off
)
UPLOADS = "documents"  # in `Settings.home`: a folder for each library, with what was added through the browser
PIPED = "clew-piped-"  # a folder whose name begins so is gone with the question that was asked of what was piped in
_PICTURED = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u231a-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935\u2b00-\u2bff\u3030\u303d"
    "\u3297\u3299\U0001f000-\U0001faff"
)
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    rf"|(?<![{_PICTURED}])(?!(?<=[#*0-9])\ufe0f\u20e3)[\ufe0e\ufe0f]"
    r"|(?<![\u0300-\u034e\u0350-\u061b\u061d-\u115e\u1161-\u17b3\u17b6-\u180a\u1810-\u1fff\u2c00-\u3163\u3165-\ud7ff])"
    rf"(?<![{_PICTURED}])(?<![{_PICTURED}]\ufe0f)[\u200c\u200d]"
    r"|(?<![\u1820-\u18aa])[\u180b-\u180d\u180f]"
)
"""Controls but tab and line feed; the marks that turn the writing direction; what has no width, tags and selectors of
variants, in which text hides; halves of surrogate pairs. One joiner stays behind a letter of the scripts that are
written with it and behind a picture, and there one selector that says whether it is coloured."""


@lru_cache(maxsize=2_000)
def plain(text: str) -> str:
    """Remove escape sequences and control characters; line breaks and tabs stay. Results are cached, because the page
    renders all turns again with each new one."""
    return _CONTROLS.sub("", _ESCAPES.sub("", text.replace("\r\n", "\n")))


def escaped(json: str) -> str:
    """JSON in which control characters are written as `\\u009b`: the same value, and it steers no terminal."""
    return _CONTROLS.sub(
        lambda found: "".join(f"\\u{unit:04x}" for unit in memoryview(found[0].encode("utf-16")[2:]).cast("H")), json
    )


def as_text_of_markdown(text: str) -> str:
    """Escape what Markdown would make a link, an image or HTML."""
    return plain(text).translate({ord(mark): f"\\{mark}" for mark in "\\<["})


def one_line(text: str) -> str:
    """Return text fit for a terminal, in one line."""
    return " ".join(plain(text).split())


def cut(text: str, width: int) -> str:
    """At most `width` characters; the last is an ellipsis where the text was cut."""
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


def lies_at(source: str) -> str:
    """A source on one line; of a file that was added through the browser its path below the page's folder; nothing of
    what was piped in."""
    return re.sub(rf"^.*/(?:{UPLOADS}/[0-9a-f]{{16}}/|{PIPED}.*)", "", one_line(source))


def short_path(source: str, width: int) -> str:
    """A source in `width` characters: whole folders are left out from the left, so that the name stays."""
    shown = near(lies_at(source))
    if len(shown) <= width:
        return shown
    parts = Path(shown).parts
    tails = ("…/" + "/".join(parts[first:]) for first in range(1, len(parts)))
    return next((tail for tail in tails if len(tail) <= width), "…" + shown[1 - width :])


def when(updated: str) -> str:
    """A time in ISO 8601 on this machine's clock; of another year the day alone."""
    then = datetime.fromisoformat(updated).astimezone()
    is_this_year = then.year == datetime.now().astimezone().year
    return f"{then.day} {then:%b %H:%M}" if is_this_year else f"{then.day} {then:%b %Y}"
