"""Tables of many trades and questions of them with the requests that answer them, made by template: what the reader of
tables is fitted on. The tables of `tests/benchmarks/tables.py` and their wordings are others."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from clew.memory.datatypes import Table
from clew.tools.table import Aggregate, Condition, TableRequest
from clew.tools.table_reader import ASKED, Asked

FIRST = (
    "Anna Bram Celia Dirk Elsa Felix Greta Hanna Ivo Jana Karl Lena Marc Nora Otto Paula Rolf Sara Theo Vera".split()
)
LAST = "Abbott Brand Corbin Dekker Evers Falk Grant Holm Ivers Jansen Keller Lund Moreau Novak Olsen Petri Roth".split()
TOWNS = "Aachen Bergen Cardiff Dresden Exeter Florence Gouda Halle Innsbruck Jena Kassel Leiden Mainz Nantes".split()


def sections(path: Path) -> dict[str, list[str]]:
    """The lines of a text by the name in brackets above them."""
    found: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            lines = found.setdefault(line.strip("[]"), [])
        elif line:
            lines.append(line)
    return found


def _by_head(lines: Sequence[str]) -> dict[str, list[str]]:
    return {head: texts.split(" | ") for head, _, texts in (line.partition(" = ") for line in lines)}


_TEXTS = sections(Path(__file__).with_suffix(".txt"))
TEMPLATES: dict[Asked, tuple[str, ...]] = {asked: tuple(_TEXTS[asked]) for asked in ASKED}
THINGS, FOREIGN, VERBS, COUNTING = (
    _TEXTS[name] for name in ("things", "foreign things", "strange verbs", "heads that count")
)
STRANGE, COUNTS, WRAPPED = (_TEXTS[name] for name in ("strange", "sums of counts", "around"))
OTHER_NAMES = dict(line.split(" = ") for line in _TEXTS["other names"])
ASKS, TOTALS = (_by_head(_TEXTS[name]) for name in ("look up without a head", "sum without a head"))
COMPARISONS, OF_DATES, OF_UNITS = (_by_head(_TEXTS[name]) for name in ("numbers", "dates", "units"))
BOTH: tuple[Asked, ...] = ("count", "filter")
COMPARING, DATING, YES, NO = (
    {asked: tuple(_TEXTS[f"{name} {asked}"]) for asked in BOTH} for name in ("compared", "dated", "yes", "no")
)


@dataclass(frozen=True, slots=True)
class MadeColumn:
    head: str
    cells: str
    most: tuple[str, ...] = ()
    least: tuple[str, ...] = ()
    meant: str = ""

    @property
    def kind(self) -> str:
        if self.cells in ("date", "year"):
            return "date"
        if self.cells[0].isdigit() and "," not in self.cells:
            return "number"
        return "yes-no" if self.cells == "yesno" else "text"


@dataclass(frozen=True, slots=True)
class MadeTable:
    """`named` tells it from another of its form, whose keys that this one has not are `foreign`."""

    file: str
    words: tuple[str, ...]
    columns: tuple[MadeColumn, ...]
    table: Table
    named: str = ""
    foreign: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """`request` is None where no table answers it; `column` is the head that is looked up."""

    text: str
    asked: Asked
    file: str
    request: TableRequest | None
    column: str = ""
    compared: str = ""
    answer: str = ""


def made_tables(rng: random.Random, lines: Sequence[str]) -> list[MadeTable]:
    """With rows drawn anew; some of them twice, as tables of one form."""
    made = list[MadeTable]()
    for line in lines:
        one = _made(rng, *line.split(" | "))
        if rng.random() > PAIRS:
            made.append(one)
            continue
        base, names = one.file.removesuffix(".csv"), rng.sample(NAMED, 2)
        pair = [replace(_made(rng, *line.split(" | ")), file=f"{base} {name}.csv", named=name) for name in names]
        keys = [{row[0] for row in its.table.rows} for its in pair]
        foreign = [tuple(sorted(keys[1] - keys[0])), tuple(sorted(keys[0] - keys[1]))]
        made += [replace(its, foreign=others) for its, others in zip(pair, foreign, strict=True)]
    return made


RENAMED = 0.35
"""How many of the columns that have another name get it."""

PAIRS = 0.4
"""How many of the tables come as two of one form."""

NAMED = "north south east west 2022 2023 spring autumn upper lower old new main branch".split()


def table_lines() -> list[str]:
    return _TEXTS["tables"]


def _made(rng: random.Random, file: str, words: str, columns: str) -> MadeTable:
    made = []
    for column in columns.split("; "):
        head, cells, most, least = ([*column.split(":"), "", ""])[:4]
        up, down = (tuple(one.split(",")) if one else () for one in (most, least))
        other = OTHER_NAMES.get(head, "").capitalize()
        made.append(MadeColumn(other if other and rng.random() < RENAMED else head, cells, up, down, head))
    first = made[0].cells.count(",") + 1
    size = first if first > 1 else rng.randint(8, 60)
    filled = [_cells(rng, column, size, place == 0) for place, column in enumerate(made)]
    rows = tuple(zip(*filled, strict=True))
    heads = tuple(column.head for column in made)
    return MadeTable(f"{file}.csv", tuple(words.split()), tuple(made), Table("", heads, rows, 2))


def _cells(rng: random.Random, column: MadeColumn, size: int, key: bool) -> list[str]:
    kind, unit = ([*column.cells.split(" ", 1), ""])[:2] if column.kind == "number" else (column.cells, "")
    if column.kind == "number":
        low, high = map(float, kind.split("-"))
        decimals = 2 if "." in kind else 0
        return [f"{rng.uniform(low, high):.{decimals}f}{unit and ' ' + unit}" for _ in range(size)]
    pools: dict[str, Callable[[], str]] = {
        "person": lambda: f"{rng.choice(FIRST)} {rng.choice(LAST)}",
        "town": lambda: rng.choice(TOWNS),
        "thing": lambda: rng.choice(THINGS).capitalize(),
        "title": lambda: f"The {rng.choice(THINGS)} of {rng.choice(TOWNS)}",
        "code": lambda: f"{rng.choice('BCDFGHKLMNPRST')}{rng.randint(10, 999)}",
        "date": lambda: f"20{rng.randint(10, 25)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
        "year": lambda: str(rng.randint(1950, 2024)),
        "yesno": lambda: rng.choice(["yes", "no"]),
    }
    draw = pools.get(column.cells, lambda: rng.choice(column.cells.split(",")))
    if key and column.cells not in pools:
        return column.cells.split(",")[:size]
    cells = list[str]()
    for attempt in count():
        cell = draw()
        if not key or cell not in cells or attempt > 500:
            cells.append(cell)
        if len(cells) == size:
            return cells
    return cells


def questions(
    rng: random.Random, made: MadeTable, templates: dict[Asked, tuple[str, ...]], each: int
) -> Iterator[MadeQuestion]:
    """So many of each kind, where the table has the columns for it."""
    for asked, texts in templates.items():
        for _ in range(each):
            if (one := _question(rng, made, asked, rng.choice(texts))) is not None:
                yield one
    columns = {column.meant: column for column in made.columns}
    own = {text for head in columns for text in ASKS.get(head, ())}
    others = sorted({text for texts in ASKS.values() for text in texts} - own)
    apart = [text for text in others if not {_first(one) for one in own} & {_first(text)}]
    for found in (_question(rng, made, "other", rng.choice(apart)) for _ in range(2 * each)):
        if found:
            yield replace(found, asked="look up")  # by its words, though this table has no such column
    for head in columns:
        own_words: list[tuple[Asked, Sequence[str]]] = [("look up", ASKS.get(head, ())), ("sum", TOTALS.get(head, ()))]
        for asked, known in own_words:
            if known:
                yield from filter(None, [_question(rng, made, asked, rng.choice(known), columns[head])])
        if head in COUNTING:
            yield from filter(None, [_question(rng, made, "sum", rng.choice(COUNTS), columns[head]) for _ in range(2)])
        if columns[head].kind == "yes-no":
            for answer, kinds in (("yes", YES), ("no", NO)):
                for asked, texts_ in kinds.items():
                    found = _question(rng, made, asked, rng.choice(texts_), columns[head], answer)
                    yield from filter(None, [found])
    yield from filter(None, [_question(rng, made, "other", rng.choice(STRANGE)) for _ in range(2 * each)])
    for asked, texts in COMPARING.items():
        for _ in range(each):
            if (one := _comparing(rng, made, asked, rng.choice(texts))) is not None:
                yield one


def _first(text: str) -> str:
    """The words that a question begins with."""
    return " ".join(text.split()[:2])


def _of_kind(made: MadeTable, *kinds: str, key: bool = False) -> list[MadeColumn]:
    return [column for column in made.columns[0 if key else 1 :] if column.kind in kinds]


BY_NUMBERS = ("sum", "mean", "most", "least", "sum each", "mean each")
NEEDED = {
    **dict.fromkeys(BY_NUMBERS, ("number",)),
    **dict.fromkeys(("latest", "earliest"), ("date",)),
    "compare": ("number", "date"),
    "look up": ("number", "date", "text"),
    **dict.fromkeys(("count each", "most common", "filter", "count", "other"), ("text",)),
}


def _question(
    rng: random.Random, made: MadeTable, asked: Asked, text: str, of: MadeColumn | None = None, answer: str = ""
) -> MadeQuestion | None:
    columns = [of] if of else _of_kind(made, *NEEDED[asked])
    if "{+}" in text:
        columns = [one for one in columns if one.most]
    if "{-}" in text:
        columns = [one for one in columns if one.least]
    named = of is not None or asked not in BY_NUMBERS or any(mark in text for mark in ("{h}", "{+}", "{-}"))
    if not columns or not (named or len(columns) == 1):
        return None
    column = rng.choice(columns)
    heads, rows = made.table.heads, made.table.rows
    row, other = rng.sample(list(rows), 2)
    filtering = column if asked in ("filter", "count") and not of else rng.choice(_of_kind(made, "text"))
    value = row[heads.index(filtering.head)]
    if made.named and "{t}" not in text:
        text = f"{text.rstrip('?.')} in {{t}}?"
    if made.foreign and asked == "look up" and rng.random() < 0.4:
        row = (rng.choice(made.foreign), *row[1:])
    groups = [one for one in _of_kind(made, "text") if one is not column and one.cells != "person"]
    if "{g}" in text and not groups:
        return None
    group = rng.choice(groups) if groups else column
    number = rng.choice(["three", "3", "5", "five", "2", "10", "4"])
    digits = {"three": "3", "five": "5"}.get(number, number)
    filled = {
        "h": _head(rng, column),
        "k": row[0],
        "k2": other[0],
        "v": value.lower() if rng.random() < 0.3 else value,
        "e": made.words[0] if rng.random() < 0.7 else rng.choice(made.words[::2]),
        "es": rng.choice(made.words[1::2]),
        "t": _name(rng, made),
        "g": _head(rng, group),
        "n": number,
        "f": rng.choice(FOREIGN),
        "w": rng.choice(VERBS),
        "d": rng.choice("won lost made got gave took drew missed needed used had brought sold showed reached".split()),
        "+": rng.choice(column.most or ("",)),
        "-": rng.choice(column.least or ("",)),
    }
    said = _wrapped(rng, text)
    for name, words in filled.items():
        said = said.replace(f"{{{name}}}", words)
    return MadeQuestion(
        said,
        asked,
        made.file,
        _request(asked, text, column, filtering, value, row, other, group, digits, answer),
        column.head if asked == "look up" else "",
        answer=answer,
    )


def _name(rng: random.Random, made: MadeTable) -> str:
    base = made.file.removesuffix(".csv")
    if made.named:
        plain = base.removesuffix(f" {made.named}")
        return rng.choice([f"the {made.named} {plain}", f"{plain} {made.named}", f"the {made.named}", made.file])
    return made.file if rng.random() < 0.5 else f"the {base} list"


def _wrapped(rng: random.Random, text: str) -> str:
    text = text[0].lower() + text[1:] if text[0] != "{" and rng.random() < 0.2 else text
    text = text.rstrip("?.") if rng.random() < 0.15 else text
    return rng.choice(WRAPPED).replace("{}", text) if rng.random() < 0.15 else text


def _head(rng: random.Random, column: MadeColumn) -> str:
    other = OTHER_NAMES.get(column.meant) if column.head == column.meant else column.meant
    said = other if other and rng.random() < 0.25 else column.head
    return said if len(said) < 4 else said.lower()


def _request(
    asked: Asked,
    text: str,
    column: MadeColumn,
    filtering: MadeColumn,
    value: str,
    row: tuple[str, ...],
    other: tuple[str, ...],
    group: MadeColumn,
    number: str,
    answer: str,
) -> TableRequest | None:
    where = [Condition(column=column.head, value=answer)] if answer else []
    if "{v}" in text:
        where.append(Condition(column=filtering.head, value=value))
    if "{k2}" in text:
        where.append(Condition(column="", value=(row[0], other[0])))
    elif "{k}" in text:
        where.append(Condition(column="", value=row[0]))
    return request_for(asked, column.head, where, group.head, int(number) if "{n}" in text else 0)


def request_for(
    asked: Asked, head: str, where: Sequence[Condition], group_by: str = "", limit: int = 0
) -> TableRequest | None:
    """What is asked of the column `head`; `group_by` is the other one of what is computed for each of its values."""
    given: dict[str, object] = {"where": tuple(where)}
    function = asked.split()[0]
    if asked == "other":
        return None
    if limit:
        given |= {"order_by": head, "descending": asked in ("most", "latest"), "limit": limit}
    elif asked in ("most", "least", "latest", "earliest"):
        given["aggregate"] = Aggregate(function="max" if asked in ("most", "latest") else "min", column=head)
    elif asked in ("most common", "count each"):
        given |= {"aggregate": Aggregate(function="count"), "group_by": head, "descending": asked == "most common"}
    elif function in ("sum", "mean"):
        given["aggregate"] = Aggregate(function=function, column=head)  # type: ignore[arg-type]
        given |= {"group_by": group_by} if asked.endswith(" each") else {}
    elif asked == "count":
        given["aggregate"] = Aggregate(function="count")
    return TableRequest(**given)  # type: ignore[arg-type]


def _comparing(rng: random.Random, made: MadeTable, asked: Asked, text: str) -> MadeQuestion | None:
    columns = _of_kind(made, "number", "date")
    if not columns:
        return None
    column = rng.choice(columns)
    cell = rng.choice(made.table.rows)[made.table.heads.index(column.head)]
    dated = column.kind == "date"
    unit = column.cells.partition(" ")[2] if column.kind == "number" and column.cells[0].isdigit() else ""
    number = cell[:4] if dated and (column.cells == "year" or rng.random() < 0.8) else cell.split()[0]
    if dated and rng.random() < 0.4:
        text = rng.choice(DATING[asked])
    if made.named:
        text = f"{text.rstrip('?.')} in {_name(rng, made)}?"
    by_unit = bool(unit) and rng.random() < 0.4
    operator, forms = rng.choice([*(OF_DATES if dated else OF_UNITS if by_unit else COMPARISONS).items()])
    compared = rng.choice(forms).replace("{h}", _head(rng, column)).replace("{x}", number).replace("{u}", unit)
    said = text.replace("{c}", compared).replace("{es}", rng.choice(made.words[1::2]))
    request = TableRequest(
        where=(Condition(column=column.head, operator=operator, value=number),),  # type: ignore[arg-type]
        aggregate=Aggregate(function="count") if asked == "count" else None,
    )
    return MadeQuestion(said, asked, made.file, request, compared=operator)
