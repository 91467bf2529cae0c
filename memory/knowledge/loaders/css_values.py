"""Values of CSS: lengths in pixels, shares, colours, and what is worked out of them (`calc`)."""

import colorsys
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from clew.memory.text import word_lists

Colour = tuple[float, ...] | None
"""Red, green and blue, 0 to 255; () for one that is not seen, None for one that is not known."""

NEAR = 24.0
"""Two colours of which no part, of 255, differs more look the same."""

_LENGTH = re.compile(r"([-+]?\d*\.?\d+(?:e[-+]?\d+)?)\s*(px|pt|em|rem|%|vw|vh|cm|mm|in)?")
_PIXELS = {"pt": 1.3, "em": 16.0, "rem": 16.0, "vw": 12.0, "vh": 8.0, "cm": 38.0, "mm": 3.8, "in": 96.0, "%": 10.0}

_WORKED_OUT = re.compile(r"\b(calc|min|max|clamp)\(([^()]{1,200})\)")
_TERM = re.compile(r"\s*(?:([-+]?\d*\.?\d+(?:e[-+]?\d+)?)([a-z%]*)|([-+*/,]))")
_DEEP = 5
"""How deep what is worked out may lie in one another."""


def worked_out(value: str) -> str:
    """With what `calc`, `min`, `max` and `clamp` come to, where all that is added has the same unit."""
    for _ in range(_DEEP if "(" in value else 0):
        before, value = value, _WORKED_OUT.sub(lambda found: _result(found[1], found[2]) or found[0], value)
        if value == before:
            break
    return value


def _result(kind: str, terms: str) -> str:
    """Empty where it is not known."""
    parts = [_sum(part) for part in terms.split(",")]
    known = [part for part in parts if part]
    units = {unit for number, unit in known if number or unit}
    if len(known) < len(parts) or len(units) > 1 or (kind == "clamp" and len(known) != 3):
        return ""
    numbers = [number for number, _ in known]
    made = {"min": min(numbers), "max": max(numbers), "clamp": sorted(numbers)[len(numbers) // 2]}.get(kind, numbers[0])
    return f"{made:g}{''.join(units)}"


def _sum(terms: str) -> tuple[float, str] | None:
    """Products first: of `1px - 2 * 3px` -5 and px."""
    found = _TERM.findall(terms)
    if "".join(terms.split()) != "".join("".join(one) for one in found):
        return None
    total, product, unit, sign, operator = 0.0, None, "", 1.0, "+"
    for number, its_unit, mark in found:
        if mark:
            if operator:
                return None
            operator = mark
            continue
        value = float(number)
        if not operator:  # `1px -2px` is told by its sign
            operator = "+"
        if its_unit and unit not in ("", its_unit):
            return None
        unit = unit or its_unit
        if operator in "*/" and product is not None:
            if operator == "/" and not value:
                return None
            product = product * value if operator == "*" else product / value
        else:
            total += sign * (product or 0.0)
            product, sign = value, -1.0 if operator == "-" else 1.0
        operator = ""
    return None if operator or product is None else (total + sign * product, unit)


def pixels(value: str) -> float:
    """Of a length; not a number where it is none."""
    found = _LENGTH.match(value)
    return float(found[1]) * _PIXELS.get(found[2] or "", 1.0) if found else float("nan")


def lengths(value: str) -> list[float]:
    """Of all lengths in it, in pixels."""
    return [float(number) * _PIXELS.get(unit, 1.0) for number, unit in _LENGTH.findall(value[:200])]


def share(value: str) -> float:
    """Of a number, or of a hundred."""
    found = _LENGTH.match(value)
    return float(found[1]) / (100 if found[2] == "%" else 1) if found else float("nan")


def letters(value: str, around: float) -> float:
    """The size in pixels of letters in ones that have `around`."""
    found = _LENGTH.match(value)
    if found and found[2] in ("em", "%"):
        return float(found[1]) * around / (100 if found[2] == "%" else 1)
    return pixels(value) if found else around


def colour(said: str) -> Colour:
    """Of what a value begins with."""
    said = said.removesuffix("!important").strip()
    if mixed := _MIXED.match(said):
        one, other = map(colour, mixed.groups())
        return one if one is not None and other is not None and same([one, other]) else None
    if (of_light := _OF_LIGHT.match(said)) and said.startswith("light-dark("):
        return colour(of_light[1])
    if found := _LIGHTNESS.match(said):
        return _grey(found)
    if found := re.match(r"#([0-9a-f]{3,8})\b", said):
        digits = found[1] if len(found[1]) > 4 else "".join(2 * digit for digit in found[1])
        parts = [float(int(digits[place : place + 2], 16)) for place in range(0, len(digits) - 1, 2)]
        parts[3:] = [part / 255 for part in parts[3:]]
    elif said.startswith("hwb("):
        hue, *parts = (float(one) for one, _ in _LENGTH.findall(said[4:60]))
        white, black = (min(one / 100, 1.0) for one in (*parts, 0.0, 0.0)[:2])
        parts = [255 * (one / 255 * max(1 - white - black, 0.0) + white) for one in _of_hue([hue, 1.0, 0.5])]
    elif said.startswith("color(srgb"):
        parts = [float(one) * (2.55 if unit == "%" else 255.0) for one, unit in _LENGTH.findall(said[10:60])]
        parts[3:] = [part / 255 for part in parts[3:]]
    elif said.startswith(("rgb", "hsl")):
        numbers = _LENGTH.findall(said[3:60].lstrip("a"))
        whole = 1.0 if said.startswith("hsl") else 255.0
        parts = [float(one) * (whole / 100 if unit == "%" else 1.0) for one, unit in numbers[:3]]
        parts += [float(one) / (100 if unit == "%" else 1) for one, unit in numbers[3:]]
        if said.startswith("hsl") and len(parts) > 2:
            parts[:3] = _of_hue(parts[:3])
    else:
        named = _named().get(said.split(" ")[0])
        return () if said.startswith("transparent") else colour(f"#{named}") if named else None
    if len(parts) < 3:
        return None
    return () if len(parts) > 3 and parts[3] < 0.05 else tuple(parts[:3])


def alike(one: Colour, other: Colour) -> bool:
    """Whether two colours look the same."""
    return all(abs(a - b) <= NEAR for a, b in zip(one or (), other or (), strict=True))


def same(colours: Sequence[Colour]) -> bool:
    """Whether all are known and look the same, or are not seen."""
    first = colours[0] if colours else None
    return first is not None and all(
        one is not None and (not one) == (not first) and (not one or alike(one, first)) for one in colours
    )


def colours(said: str) -> list[Colour]:
    """Of those that a gradient is made of; an empty list where there is none."""
    words = _COLOUR.findall(said[:2000])
    return [made for made in map(colour, words) if made is not None] if len(words) < MOST_STOPS else []


MOST_STOPS = 50
_COLOUR = re.compile(r"#[0-9a-f]{3,8}\b|(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]*\)|\b[a-z]{3,20}\b(?!\()")
_MIXED = re.compile(r"color-mix\(\s*in [^,()]*,\s*([^,()]+(?:\([^()]*\))?)[^,()]*,\s*([^,()]+(?:\([^()]*\))?)[^,()]*\)")
_OF_LIGHT = re.compile(r"light-dark\(\s*([^,()]+(?:\([^()]*\))?)")
_LIGHTNESS = re.compile(
    r"(?P<ok>ok)?l(?P<kind>ab|ch)\(\s*(?P<light>\d*\.?\d+)(?P<percent>%?)\s+(?P<chroma>-?\d*\.?\d+)%?"
    r"(?:\s+(?P<other>-?\d*\.?\d+)(?:%|deg)?)?\s*(?:/\s*(?P<clear>\d*\.?\d+)(?P<of>%?))?"
)
_COLOURLESS, _CLEAR = (0.02, 2.0), 0.05
"""Chroma that nobody sees, of `oklab` and of `lab`."""


def _grey(said: re.Match[str]) -> Colour:
    """Of `lab`, `lch`, `oklab` and `oklch`, where it is clear or has no colour; else it is not known."""
    if said["clear"] and float(said["clear"]) / (100 if said["of"] else 1) < _CLEAR:
        return ()
    chroma = [said["chroma"], said["other"] or "0"] if said["kind"] == "ab" else [said["chroma"]]
    if max(abs(float(one)) for one in chroma) > _COLOURLESS[not said["ok"]]:
        return None
    light = float(said["light"]) / (100 if said["percent"] or not said["ok"] else 1)
    linear = light**3 if said["ok"] else ((light + 0.16) / 1.16) ** 3
    made = 255.0 * (12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055)
    return (max(0.0, min(255.0, made)),) * 3


def _of_hue(parts: Sequence[float]) -> list[float]:
    hue, saturation, light = parts
    return [255.0 * one for one in colorsys.hls_to_rgb(hue / 360 % 1.0, light, saturation)]


@cache
def _named() -> dict[str, str]:
    lists = word_lists(Path(__file__).with_name("css.txt"))
    words = [*lists["colours"], *lists["system"]]
    return dict(word.split("=") for word in words)
