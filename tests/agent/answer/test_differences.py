"""By how much two things differ is worked out of the two sentences that say a value of each, and shown with them."""

from collections.abc import Callable

import pytest

from clew.agent.state import Answer

FILES: dict[str, str | bytes] = {
    "plans.md": "# Phone plans\n\nNova Small costs 12 EUR a month and includes 5 GB.\n\nNova Large costs 19 EUR a "
    "month and includes 30 GB. Calls are free.\n\nThe contract for Nova Small began on 3 March 2024. The contract for "
    "Nova Large began on 18 April 2024.\n",
    "house.md": "# House\n\nHeating cost 1,480 euros in 2021. In 2022 we paid 1,930 euros for heating, in 2023 1,610 "
    "euros. The roof is 90 years old, the barn 140 years.\n",
    "people.md": "# Two painters\n\nIlse Rand was born in 1911 in Celle. Hugo Tamm was born in 1926 in Tartu.\n",
}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How much more does Nova Large cost than Nova Small?", "19 EUR - 12 EUR = 7 EUR"),
        ("How many more GB does Nova Large have than Nova Small?", "30 GB - 5 GB = 25 GB"),
        ("How many days lie between the contracts for Nova Small and Nova Large?", "= 46 days"),
        ("how much cheaper was heating in 2023 than in 2022?", "1,930 euros - 1,610 euros = 320 euros"),
        ("How many years older was Ilse Rand than Hugo Tamm?", "1926 - 1911 = 15 years"),
        ("How much does Nova Small cost?", ""),
        ("By how much did heating rise from 2021 to 2022?", ""),  # two sums in one sentence: not plain which
        ("How many kilos heavier is Ilse Rand than Hugo Tamm?", ""),
    ],
)
def test_the_sum_is_shown_where_it_is_plain_between_which_values(
    question: str, said: str, opened: Callable[[dict[str, str | bytes]], Callable[[str], Answer]]
) -> None:
    answer = opened(FILES)(question)
    assert said in answer.text and (said or " = " not in answer.text)
    assert all(claim.verdict == "supported" for claim in answer.claims)
