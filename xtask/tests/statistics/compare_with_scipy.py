"""Says whether SciPy agrees with intervals and p-values of the Mann-Whitney test.

Reads a JSON list from stdin. Each case has `numerator`, `denominator`, `p` and, where it is to be checked, `low`, `high` and
`confidence`. Prints a line for each disagreement; ends with 1 if there was any.

The interval is found by another way than the one under test: a ratio is tried by dividing it out, and belongs to the interval
where the test then does not tell the two sides apart. No quotient is counted and no rank is computed.
"""

import json
import sys

from scipy.stats import mannwhitneyu

ALPHA = 0.05


def p_value(numerator, denominator):
    return mannwhitneyu(numerator, denominator, alternative="two-sided", method="exact").pvalue


def interval(numerator, denominator):
    """Between two neighbouring quotients the test never changes its mind, so one try for each gap is enough."""
    quotients = sorted(a / b for a in numerator for b in denominator)
    tries = [quotients[0] / 2]
    tries += [(a + b) / 2 for a, b in zip(quotients, quotients[1:])]
    tries += [quotients[-1] * 2]
    tested = [p_value(numerator, [b * ratio for b in denominator]) for ratio in tries]
    rejected = [p for p in tested if p <= ALPHA]
    if not rejected:
        # Even the farthest ratios are not told apart: the widest interval that there is, and how far it covers.
        return quotients[0], quotients[-1], 1 - tested[0]
    kept = [gap for gap, p in enumerate(tested) if p > ALPHA]
    return quotients[kept[0] - 1], quotients[kept[-1]], 1 - max(rejected)


def differ(ours, theirs):
    return abs(ours - theirs) > 1e-9 * max(1.0, abs(theirs))


def main():
    failures = 0
    for number, case in enumerate(json.load(sys.stdin)):
        sides = case["numerator"], case["denominator"]
        pairs = [("p", case["p"], p_value(*sides))]
        if "low" in case:
            names = ("low", "high", "confidence")
            pairs += [(name, case[name], theirs) for name, theirs in zip(names, interval(*sides))]
        for name, ours, theirs in pairs:
            if differ(ours, theirs):
                failures += 1
                print(f"case {number}, {len(sides[0])} and {len(sides[1])} runs: {name} is {ours}, SciPy has {theirs}")
    return 1 if failures else 0


sys.exit(main())
