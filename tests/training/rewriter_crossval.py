"""What the rewriter is worth: fitted on all domains but one and reported on that one, for each.

    python -m tests.training.rewriter_crossval DATA LIBRARIES           a table of every form of the question
    python -m tests.training.rewriter_crossval DATA LIBRARIES --ablate  the rewriter without each of its signals in turn

DATA and LIBRARIES are those of `tests.training.rewriter`. `fixed` adds the wordings with the weights that are best on
the other domains, `rewrite` with those that the model gives them by what they find. Domains of one name are one, also
across sets.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from clew.agent.evaluation.ranking import DEPTH, FormName, Ranking, distinct, measure, query_of
from clew.agent.evaluation.ranking import FORMS as QUERY_FORMS
from clew.agent.models import encoder_for
from clew.agent.search.query_weights import WeightModel
from clew.agent.settings import read_settings
from clew.memory.dialogue.rewriting import RewriteParameters, Rewritten, rewrite
from clew.memory.dialogue.signals import RewriteModel, shipped
from clew.memory.dialogue.utterances import tidy
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import BadInput, ClewError
from clew.memory.text import content_words
from clew.tools.hybrid import Hybrid
from tests.training.forms import SIGNALS, FormExample, best_sum, fit_forms, ndcg
from tests.training.rewriter import WORD_SIGNALS, RewriteExample, fit_terms, form_example, opened

SIMPLE: list[FormName] = [form for form in QUERY_FORMS if form != "rewrite"]
DRAWS = 2000
"""Of conversations with replacement, for an interval."""

Found = dict[str, FormExample]


@dataclass(frozen=True, slots=True)
class FittedElsewhere:
    """What was fitted without a domain, and what all questions' wordings find with its words."""

    words: RewriteModel
    forms: WeightModel
    fixed: WeightModel
    found: Found


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
    fitted = fitted_elsewhere(examples, tools, encoder)
    forms: dict[str, dict[str, float]] = {form: _simple(examples, form, tools, encoder) for form in SIMPLE}
    forms["fixed"] = {_key(one): ndcg(_own(one, fitted), fitted[one.domain].fixed) for one in examples}
    forms["rewrite"] = {_key(one): ndcg(_own(one, fitted), fitted[one.domain].forms) for one in examples}
    yield from table(examples, forms)
    yield from gains(examples, forms["rewrite"], forms["fixed"])
    yield from changes(examples, encoder, {domain: one.words for domain, one in fitted.items()})


def ablation(examples: Sequence[RewriteExample], tools: Mapping[str, Hybrid], encoder: CachedEncoder) -> Iterator[str]:
    known: dict[str, Found] = {}
    for without in ("", *(f"words.{name}" for name in WORD_SIGNALS), *SIGNALS):
        fitted = fitted_elsewhere(examples, tools, encoder, frozenset([without]), known)
        found = {_key(one): ndcg(_own(one, fitted), fitted[one.domain].forms) for one in examples}
        figures = [_mean([one for one in examples if one.set == name], found) for name in tools]
        yield f"{without or 'with all':28}" + "".join(f"{figure:12.3f}" for figure in figures)


def fitted_elsewhere(
    examples: Sequence[RewriteExample],
    tools: Mapping[str, Hybrid],
    encoder: CachedEncoder,
    without: frozenset[str] = frozenset(),
    known: dict[str, Found] | None = None,
) -> dict[str, FittedElsewhere]:
    """Domain -> what was fitted on the other domains of all sets. `known` keeps what was found, by the model of the
    words."""
    domains, known = _domains(examples), {} if known is None else known
    if len(domains) < 2:
        raise BadInput(f"all questions are of one domain, {', '.join(domains)}", "use data of two domains")
    fitted: dict[str, FittedElsewhere] = {}
    for domain in domains:
        others = [one for one in examples if one.domain != domain]
        words = RewriteModel(fit_terms(others, without), shipped().forms)
        found = known.get(words.to_json())
        if found is None:
            found = {_key(one): form_example(one, words, tools[one.set], encoder) for one in examples}
            known[words.to_json()] = found
        rows = [found[_key(one)] for one in others]
        fitted[domain] = FittedElsewhere(words, fit_forms(rows, without), best_sum(rows), found)
    return fitted


def _own(example: RewriteExample, fitted: Mapping[str, FittedElsewhere]) -> FormExample:
    return fitted[example.domain].found[_key(example)]


def rewritten(example: RewriteExample, encoder: CachedEncoder, learned: RewriteModel) -> Rewritten:
    return rewrite(example.question.text, example.recalled, encoder, RewriteParameters(learned=learned))


def _simple(
    examples: Sequence[RewriteExample], form: FormName, tools: Mapping[str, Hybrid], encoder: CachedEncoder
) -> dict[str, float]:
    """nDCG@5 by question."""
    return {
        _key(one): measure(
            {one.question.id: one.golds}, {one.question.id: ranked_as(one, form, tools[one.set], encoder)}
        )["ndcg@5"]
        for one in examples
    }


def ranked_as(example: RewriteExample, form: FormName, tool: Hybrid, encoder: CachedEncoder) -> Ranking:
    """The tool's documents for a form that needs no training."""
    query = query_of(example.question, form, encoder)
    return distinct(lambda k: tool.search(query, k).passages, DEPTH, 3 * DEPTH)


def table(examples: Sequence[RewriteExample], forms: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """nDCG@5 by set, domain, first and later turns, and whether the question stands alone."""
    yield f"{'':34}{'questions':>10}" + "".join(f"{name:>12}" for name in forms)
    for name in dict.fromkeys(one.set for one in examples):
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
            figures = [_mean(group, figures) for figures in forms.values()]
            yield f"{label:34}{len(group):>10}" + "".join(f"{figure:12.3f}" for figure in figures)


def gains(
    examples: Sequence[RewriteExample], learned: Mapping[str, float], fixed: Mapping[str, float]
) -> Iterator[str]:
    """How much more `rewrite` has than `fixed`, with the interval of 90% over conversations."""
    for place in dict.fromkeys((one.set, one.domain) for one in examples):
        by_conversation: dict[str, list[float]] = {}
        for one in examples:
            if (one.set, one.domain) == place:
                by_conversation.setdefault(one.conversation, []).append(learned[_key(one)] - fixed[_key(one)])
        sums, counts = (np.array([of(gain) for gain in by_conversation.values()]) for of in (sum, len))
        drawn = np.random.default_rng(0).integers(0, len(sums), (DRAWS, len(sums)))
        low, high = np.quantile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), (0.05, 0.95))
        yield f"{', '.join(place)}: rewrite has {sums.sum() / counts.sum():+.3f} [{low:+.3f}, {high:+.3f}] of fixed"


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


def _mean(examples: Sequence[RewriteExample], figures: Mapping[str, float]) -> float:
    return float(np.mean([figures[_key(one)] for one in examples]))


def _stands_alone(example: RewriteExample) -> bool:
    """Who rewrote it left it as it was."""
    return example.rewrite.split() == example.question.text.split()


def _domains(examples: Sequence[RewriteExample]) -> list[str]:
    return sorted({example.domain for example in examples})


def _key(example: RewriteExample) -> str:
    return f"{example.set} {example.question.id}"


if __name__ == "__main__":
    main()
