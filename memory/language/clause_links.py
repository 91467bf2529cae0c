"""How the clauses of a sentence of Esperanto hang together."""

from clew.memory.language.clause_parts import ClauseDraft
from clew.memory.language.esperanto_words import TABLE
from clew.memory.language.noun_phrases import Draft


def linked(draft: Draft, clauses: list[ClauseDraft]) -> int:
    """Attaches the heads of clauses to one another; the place of the root."""
    main = clauses[0]
    heads = [clause for clause in clauses if clause.head >= 0]
    root = main.head if main.head >= 0 else (heads[0].head if heads else 0)
    for clause in clauses:
        head = clause.head
        if head < 0:
            if clause.opener is not None and draft.heads[clause.opener.head] < 0:
                draft.attach(clause.opener.head, root, "dep")
            continue
        if clause.opener is not None and clause.opener.kind in "QT" and clause.opener.head != head:
            draft.attach(clause.opener.head, head, "mark")
        if clause.joined >= 0:
            draft.attach(clause.joined, head, "cc")
        if head == root:
            continue
        if clause.beside is not None and clause.beside.head >= 0:
            target = clause.beside
            while target.beside is not None and target.beside.head >= 0 and not target.mark:
                target = target.beside
            told = (
                clause.joined < 0
                and clause.verb is not None
                and draft.tokens[clause.verb.head].word.root in TABLE["speech"]
            )
            after = any(
                one.kind == "N" and one.case == "N" and one.preposition < 0 for one in clause.phrases if one.head < head
            )
            draft.attach(
                head, target.head, "parataxis" if clause.mark in (":", "–", "—") or (told and not after) else "conj"
            )
        elif clause.noun >= 0:
            noun = clause.noun
            if draft.roles[noun] == "conj" and clause.opener is not None and draft.tokens[clause.opener.head].plural:
                noun = draft.heads[noun]
            draft.attach(head, noun, "acl")
        else:
            _subordinate(draft, clause, root)
    return root


def _subordinate(draft: Draft, clause: ClauseDraft, root: int) -> None:
    parent = clause.parent
    to = parent.head if parent is not None and parent.head >= 0 else root
    head, opener = clause.head, clause.opener
    lemma = draft.lemma(opener.head) if opener is not None else ""
    governor = to
    if parent is not None:
        inside = [p.head for p in parent.phrases if p.kind in "IG" and to < p.head < clause.start]
        governor = inside[-1] if inside else to
    has_subject = any(draft.heads[i] == to and draft.roles[i] in ("nsubj", "csubj") for i in range(len(draft.heads)))
    copula = any(draft.heads[i] == to and draft.roles[i] == "cop" for i in range(len(draft.heads)))
    free = opener is not None and draft.tokens[opener.head].asks and draft.tokens[opener.head].kind in "DPS"
    before = None
    if parent is not None:
        before = next((one for one in reversed(parent.phrases) if one.kind != "," and one.end <= clause.start), None)
    if lemma == "ke" or (lemma == "ĉu" and opener is not None):
        correlated = any(draft.lemma(i) in ("tiel", "tiom", "tia") for i in range(clause.start))
        if (
            before
            and before.kind == "N"
            and before.head != to
            and (before.preposition >= 0 or draft.lemma(before.head) in ("tio",) or before.case == "A")
        ):
            draft.attach(head, before.head, "acl")
        elif correlated and lemma == "ke":
            near = next(i for i in range(clause.start - 1, -1, -1) if draft.lemma(i) in ("tiel", "tiom", "tia"))
            said = draft.heads[near] if draft.roles[near] in ("advmod", "amod", "det") else governor
            draft.attach(head, said if 0 <= said < clause.start else governor, "advcl")
        else:
            draft.attach(head, governor, "csubj" if copula and not has_subject else "ccomp")
    elif (
        free
        or lemma in ("kie", "kien", "kial", "kiom", "kies")
        or (lemma == "kiel" and not any(draft.lemma(i) in ("tiel", "same", "tia") for i in range(clause.start)))
    ):
        first = parent is not None and parent.verb is not None and clause.start < parent.verb.head
        draft.attach(
            head,
            governor,
            "csubj" if free and first and not has_subject else "ccomp" if free or clause.start > to else "advcl",
        )
    else:
        draft.attach(head, governor, "advcl")
