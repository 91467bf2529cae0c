"""Which pages of a Wikipedia dump a library is made from."""

import shlex
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pages:
    """Which pages of a Wikipedia dump are read: those in one of these categories, or with one of these keywords as a
    whole word (or words) in their title or first paragraph, in whatever case. Without either, all."""

    categories: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.categories or self.keywords)

    def __str__(self) -> str:
        told = [f"--category {shlex.quote(name)}" for name in self.categories]
        return " ".join([*told, *(f"--keyword {shlex.quote(word)}" for word in self.keywords)]) or "all pages"


ALL = Pages()
