"""What the loaders of langchain-community read (the extra `clew[loaders]`): pages that a browser saved whole."""

import warnings
from collections.abc import Iterator
from importlib.util import find_spec

from clew.memory.datatypes import Document
from clew.memory.errors import Unreadable, install_command, required
from clew.memory.knowledge.loaders.plain_text import title_of_file
from clew.memory.knowledge.loaders.source import Loader, Source, shown
from clew.memory.text import clean


def read_saved_page(source: Source) -> Iterator[Document]:
    """One document, the paragraphs of its text. Raises `Unreadable` where no page is in it, and without the extra."""
    if find_spec("langchain_community") is None:
        raise Unreadable(f"a saved web page: {install_command('loaders')} reads it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says at each import that it will end
        loaders = required("langchain_community.document_loaders.mhtml", "a saved web page", "loaders")
        try:
            pages = loaders.MHTMLLoader(source.path, get_text_separator="\n").load()
        except (UnicodeDecodeError, LookupError) as error:
            raise Unreadable(f"it is not written as it says: {error}") from error
    lines = [" ".join(line.split()) for page in pages for line in page.page_content.splitlines()]
    if not (text := clean("\n\n".join(filter(None, lines)))):
        raise Unreadable("no page is in it")
    title = " ".join(str(pages[0].metadata.get("title") or "").split())
    yield Document(source.name, clean(title) or title_of_file(source.path), text, shown(source.path))


SAVED_PAGE = Loader("saved page", read_saved_page, (".mhtml", ".mht"))
