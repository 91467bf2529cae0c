"""Prompts are text files of this folder, `NAME.txt`, with `$value` where a value goes."""

from pathlib import Path
from string import Template


def render(name: str, /, *, folder: Path = Path(__file__).parent, **values: str) -> str:
    """The prompt with its values. Raises `KeyError` for a value that is missing or that the prompt does not use."""
    template = Template((folder / f"{name}.txt").read_text("utf-8"))
    wanted = set(template.get_identifiers())
    if wanted != set(values):
        raise KeyError(f"the prompt {name} takes {sorted(wanted)}, given were {sorted(values)}")
    return template.substitute(values)
