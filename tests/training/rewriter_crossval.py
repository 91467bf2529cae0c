"""What the rewriter is worth: fitted on one domain and reported on the other, both ways.

    python -m tests.training.rewriter_crossval DATA LIBRARIES           a table of every form of the question
    python -m tests.training.rewriter_crossval DATA LIBRARIES --ablate  the rewriter without each of its signals in turn

DATA and LIBRARIES are those of `tests.training.rewriter`.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from clew.agent.evaluation.query_forms import FORMS as QUERY_FORMS
from clew.agent.evaluation.query_forms import FormName, query_of
from clew.agent.evaluation.ranking import DEPTH, Ranking, distinct, measure
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.dialogue.rewriting import RewriteParameters, Rewritten, rewrite
from clew.memory.dialogue.signals import RewriteModel
from clew.memory.dialogue.utterances import tidy
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, ClewError
from clew.memory.text import content_words
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from tests.training.rewriter import SETS, TURN_SIGNALS, WORD_SIGNALS, RewriteExample, fit, opened

SIMPLE = [form for form in QUERY_FORMS if form != "rewrite"]


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("libraries", type=click.Path(file_okay=False, path_type=Path))
@click.option("--ablate", is_flag=True, help="Without each signal in turn.")
def main(data: Path, libraries: Path, ablate: bool) -> None:
    try:
        encoder = encoder_for(read_settings())
        examples, tools = opened(data, libraries, encoder)
        for line in ablation(examples, tools, encoder) if ablate else report(examples, tools, encoder):
            click.echo(line)
    except ClewError as error:
        raise click.ClickException(str(error)) from error


def report(examples: Sequence[RewriteExample], tools: Mapping[str, Hybrid], encoder: CachedEncoder) -> Iterator[str]:
    learned = fitted_elsewhere(examples, tools, encoder)
    forms: dict[str, Mapping[str, Ranking]] = {
        form: {_key(one): ranked_as(one, form, tools[one.set], encoder) for one in examples} for form in SIMPLE
    }
    yield from table(examples, {**forms, "rewrite": rankings(examples, tools, encoder, learned)})
    yield from changes(examples, encoder, learned)


def ablation(examples: Sequence[RewriteExample], tools: Mapping[str, Hybrid], encoder: CachedEncoder) -> Iterator[str]:
    for without in ("", *(f"words.{name}" for name in WORD_SIGNALS), *TURN_SIGNALS):
        found = rankings(examples, tools, encoder, fitted_elsewhere(examples, tools, encoder, frozenset([without])))
        figures = [_ndcg([one for one in examples if one.set == name], found) for name in SETS]
        yield f"{without or 'with all':28}" + "".join(f"{figure:12.3f}" for figure in figures)


def fitted_elsewhere(
    examples: Sequence[RewriteExample],
    tools: Mapping[str, Hybrid],
    encoder: CachedEncoder,
    without: frozenset[str] = frozenset(),
) -> dict[str, RewriteModel]:
    """Domain -> the models that were fitted on the other domains of all sets."""
    domains = _domains(examples)
    if len(domains) < 2:
        raise BadInput(f"all questions are of one domain, {', '.join(domains)}", "use data of two domains")
    return {
        domain: fit([one for one in examples if one.domain != domain], tools, encoder, without) for domain in domains
    }


def rankings(
    examples: Sequence[RewriteExample],
    tools: Mapping[str, Hybrid],
    encoder: CachedEncoder,
    learned: Mapping[str, RewriteModel],
) -> dict[str, Ranking]:
    """Every question's documents, as the models of its domain rewrite it."""
    return {_key(one): ranked(one, tools[one.set], encoder, learned[one.domain]) for one in examples}


def ranked(example: RewriteExample, tool: Hybrid, encoder: CachedEncoder, learned: RewriteModel) -> Ranking:
    """The tool's documents for the question as these models rewrite it."""
    made = rewritten(example, encoder, learned)
    query = encode_query(example.question.text, made.wordings, encoder, context=example.recalled.selected)
    return distinct(lambda k: tool.search(query, k).passages, DEPTH, 3 * DEPTH)


def rewritten(example: RewriteExample, encoder: CachedEncoder, learned: RewriteModel) -> Rewritten:
    return rewrite(example.question.text, example.recalled, encoder, RewriteParameters(learned=learned))


def ranked_as(example: RewriteExample, form: FormName, tool: Hybrid, encoder: CachedEncoder) -> Ranking:
    """The tool's documents for a form that needs no training."""
    query = query_of(example.question, form, encoder)
    return distinct(lambda k: tool.search(query, k).passages, DEPTH, 3 * DEPTH)


def table(examples: Sequence[RewriteExample], forms: Mapping[str, Mapping[str, Ranking]]) -> Iterator[str]:
    """nDCG@5 by set, domain, first and later turns, and whether the question stands alone."""
    yield f"{'':34}{'questions':>10}" + "".join(f"{name:>12}" for name in forms)
    for name in SETS:
        of_set = [one for one in examples if one.set == name]
        groups = {name: of_set}
        groups |= {f"{name}, {domain}": [one for one in of_set if one.domain == domain] for domain in _domains(of_set)}
        for domain in _domains(of_set):
            own = [one for one in of_set if one.domain == domain]
            groups[f"{name}, {domain}, first turns"] = [one for one in own if not one.turn]
            groups[f"{name}, {domain}, later turns"] = [one for one in own if one.turn]
            if any(one.rewrite for one in own):
                groups[f"{name}, {domain}, alone"] = [one for one in own if _stands_alone(one)]
                groups[f"{name}, {domain}, not alone"] = [one for one in own if not _stands_alone(one)]
        for label, group in ((label, group) for label, group in groups.items() if group):
            figures = [_ndcg(group, rankings) for rankings in forms.values()]
            yield f"{label:34}{len(group):>10}" + "".join(f"{figure:12.3f}" for figure in figures)


def changes(
    examples: Sequence[RewriteExample], encoder: CachedEncoder, learned: Mapping[str, RewriteModel]
) -> Iterator[str]:
    """How many later questions are left as they are, and of the words added how many a person's question has."""
    later = [one for one in examples if one.turn and one.rewrite]
    made = {_key(one): rewritten(one, encoder, learned[one.domain]) for one in later}
    for label, alone in (("standing alone", True), ("not standing alone", False)):
        of_kind = [one for one in later if _stands_alone(one) is alone]
        left = sum(made[_key(one)].text == tidy(one.question.text) for one in of_kind)
        yield f"{label}: {left} of {len(of_kind)} later questions are left as they are"
    added = [(one, word) for one in later for word, _ in made[_key(one)].words]
    right = sum(not (one.needed or frozenset()).isdisjoint(content_words(word)) for one, word in added)
    yield f"added: {len(added)} words, {right} of them as in the stand-alone question"


def _ndcg(examples: Sequence[RewriteExample], rankings: Mapping[str, Ranking]) -> float:
    golds = {_key(one): one.golds for one in examples}
    return measure(golds, {key: rankings[key] for key in golds})["ndcg@5"]


def _stands_alone(example: RewriteExample) -> bool:
    """Who rewrote it left it as it was."""
    return example.rewrite.split() == example.question.text.split()


def _domains(examples: Sequence[RewriteExample]) -> list[str]:
    return sorted({example.domain for example in examples})


def _key(example: RewriteExample) -> str:
    return f"{example.set} {example.question.id}"


if __name__ == "__main__":
    main()
