"""Says whether SciPy finds a better fit of the Universal Scalability Law.

Reads a JSON list from stdin. Each case has `workers`, the `runs` of each (tasks a second), and the `fit` under test. What is to
be least is the sum of the squares of relative errors in N/X, each number of workers counting alike. SciPy searches for it in
steps from several first guesses; the fit is computed at once. A search may end somewhat above the least, and never below. Where
it gets as far, the curves must be the same. Peak, its throughput and the knee are found again by trying. Prints a line for each
disagreement; ends with 1 if there was any.
"""

import json
import sys

import numpy
from scipy.optimize import least_squares

GUESSES = [(0.0, 0.0), (0.1, 0.001), (0.9, 0.1), (0.3, 0.0)]


def law(parameters, n):
    single, contention, crosstalk = parameters
    return single * n / (1 + contention * (n - 1) + crosstalk * n * (n - 1))


def search(n, x, weight):
    def errors(parameters):
        return (x / law(parameters, n) - 1) * weight

    ends = []
    for contention, crosstalk in GUESSES:
        first = (x[0] / n[0], contention + 1e-9, crosstalk + 1e-9)
        bounds = ([1e-9, 0, 0], [numpy.inf] * 3)
        scale = (x[0] / n[0], 0.1, 0.01)
        ends.append(least_squares(errors, first, bounds=bounds, x_scale=scale, xtol=1e-14, ftol=1e-14, gtol=1e-14))
    best = min(ends, key=lambda end: end.cost)
    return best.x, 2 * best.cost, errors


def highest(parameters):
    """Where the curve is highest, and how high, tried out as far as nobody has workers."""
    tried = numpy.geomspace(1, 1e9, 40_001)
    reached = law(parameters, tried)
    at = reached.argmax()
    return tried[at], reached[at]


def knee(parameters):
    n = numpy.arange(1, 100_000)
    gains = law(parameters, n + 1) - law(parameters, n)
    below = numpy.flatnonzero(gains < parameters[0] / 2)
    return int(n[below[0]]) if below.size else None


def near(ours, theirs, share):
    return abs(ours - theirs) <= share * max(abs(theirs), 1e-12)


def disagreements(case):
    n = numpy.array([n for n, runs in zip(case["workers"], case["runs"]) for _ in runs], dtype=float)
    x = numpy.array([x for runs in case["runs"] for x in runs])
    weight = numpy.array([len(runs) ** -0.5 for runs in case["runs"] for _ in runs])
    fit = case["fit"]
    ours = (fit["single_per_s"], fit["contention"], fit["crosstalk"])
    if not (ours[0] > 0 and ours[1] >= 0 and ours[2] >= 0):
        yield f"impossible parameters {ours}"
        return
    theirs, least, errors = search(n, x, weight)
    reached = float((errors(ours) ** 2).sum())
    if reached > least * (1 + 1e-6) + 1e-9:
        yield f"leaves {reached}, SciPy {least} with {tuple(theirs)}"
    if near(reached, least, 1e-6) and not numpy.allclose(law(ours, n), law(theirs, n), rtol=1e-2):
        yield f"another curve: {law(ours, n)}, SciPy {law(theirs, n)}"
    total, left = ((x - x.mean()) ** 2).sum(), ((x - law(ours, n)) ** 2).sum()
    if total > 0 and abs(fit["r_squared"] - (1 - left / total)) > 1e-9:
        yield f"R² of {fit['r_squared']} is {1 - left / total}"
    workers, throughput = highest(ours)
    if fit["peak_per_s"] is None:
        # Without end: as much as the workers bring.
        if throughput < 0.99 * ours[0] * 1e9:
            yield f"grows without end, and reaches {throughput} when tried"
    elif not near(fit["peak_per_s"], throughput, 1e-3):
        yield f"reaches {fit['peak_per_s']}, and {throughput} with {workers} workers when tried"
    elif fit["peak_workers"] and not near(law(ours, fit["peak_workers"]), throughput, 1e-3):
        yield f"the peak is at {fit['peak_workers']}, and at {workers} when tried"
    if fit["knee_workers"] != knee(ours) and (fit["knee_workers"] or 0) < 99_000:
        yield f"the knee is at {fit['knee_workers']}, and at {knee(ours)} when tried"


def main():
    failures = 0
    for number, case in enumerate(json.load(sys.stdin)):
        for said in disagreements(case):
            failures += 1
            print(f"case {number}, workers {case['workers']}: {said}")
    return 1 if failures else 0


sys.exit(main())
