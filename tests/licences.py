"""The licences of the packages that are installed: exit code 1 where one is not known to go with ours (Apache-2.0).

python -m tests.licences

igraph and, of extras, html2text and Pandoc are under the GPL: not shipped, the person's own to install.
"""

import re
import sys
from importlib import metadata

KNOWN = re.compile(
    r"MIT|BSD|Apache|Python Software|PSF|ISC|Mozilla|MPL|Zlib|CC0|Unlicense|HPND|Historical|CNRI|BSL-1|public domain",
    re.IGNORECASE,
)
NAMED = {"html2text", "igraph", "clew"}


def licence(package: metadata.Distribution) -> str:
    found = package.metadata
    classified = [one.rpartition(" :: ")[2] for one in found.get_all("Classifier") or [] if one.startswith("License")]
    named = ["; ".join(found.get_all(field) or []) for field in ("License-Expression", "License")]
    said = named[0] or "; ".join(classified) or named[1]
    return " ".join(str(said).split())[:100]


def main() -> int:
    packages = {one.metadata["Name"]: licence(one) for one in metadata.distributions()}
    wrong = {name: said for name, said in packages.items() if not KNOWN.search(said) and name.lower() not in NAMED}
    for name, said in sorted(wrong.items()):
        print(f"{name}: {said or 'says no licence'}")
    print(f"{len(packages)} packages, {len(wrong)} with a licence that is not known; {', '.join(sorted(NAMED))} named")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
