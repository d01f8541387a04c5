"""Says whether Holm's correction lets the same p-values stand, done the other way round.

Reads a JSON list from stdin. Each case has p-values `p` and, for each, whether it is `standing`. Here no p-value is held
against a level of its own: each is corrected upwards, to the largest of all smaller ones times how many were left, and held
against 5 %. Prints a line for each disagreement; ends with 1 if there was any.
"""

import json
import sys

ALPHA = 0.05


def corrected(p_values):
    count = len(p_values)
    return [
        max((count - sum(other < smaller for other in p_values)) * smaller for smaller in p_values if smaller <= p)
        for p in p_values
    ]


def main():
    failures = 0
    for number, case in enumerate(json.load(sys.stdin)):
        theirs = [p <= ALPHA + 1e-12 for p in corrected(case["p"])]
        if theirs != case["standing"]:
            failures += 1
            print(f"case {number}, {case['p']}: standing are {case['standing']}, and should be {theirs}")
    return 1 if failures else 0


sys.exit(main())
