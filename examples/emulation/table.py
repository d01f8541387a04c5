"""A summary of examples/emulation.toml on stdin -> a Markdown table: what each model brings over the sequential one, in
Rust under the emulated lock and in the real interpreter, and how far the two are apart.

The interval of a difference goes from the lowest to the highest that the two ratios' own intervals allow: with two of
96.8 %, it holds in at least 93.6 %. It is wider than it would have to be, and assumes nothing.
"""

import json
import sys

EMULATED = "rust"


def ratios(scenario):
    """By model and runtime: the ratio over the sequential cell of the same runtime, with its interval."""
    cells = {cell["id"]: cell for cell in scenario["cells"]}
    found = {}
    for comparison in scenario["comparisons"]:
        for row in comparison["rows"]:
            axes = cells[row["cell"]]["axes"]
            found[axes["model"], axes["runtime"]] = row["ratio"]
    return found


def number(ratio):
    return "–" if ratio is None else f"{ratio['value']:.2f}"


def difference(emulated, real):
    """Rust minus the interpreter, with its interval; a dash where one of them is not known."""
    if emulated is None or real is None:
        return "–"
    value = emulated["value"] - real["value"]
    bounds = [emulated.get("low"), real.get("high"), emulated.get("high"), real.get("low")]
    if None in bounds:
        return f"{value:+.2f}"
    return f"{value:+.2f} ({bounds[0] - bounds[1]:+.2f} … {bounds[2] - bounds[3]:+.2f})"


def main():
    summary = json.load(sys.stdin)
    print("| work | model | Rust, emulated lock | interpreter | | difference |")
    print("| --- | --- | ---: | ---: | --- | ---: |")
    for scenario in summary["scenarios"]:
        found = ratios(scenario)
        runtimes = [value for axis in scenario["axes"] if axis["name"] == "runtime" for value in axis["values"]]
        models = [value for axis in scenario["axes"] if axis["name"] == "model" for value in axis["values"]]
        for real in [runtime for runtime in runtimes if runtime != EMULATED]:
            for model in models:
                pair = found.get((model, EMULATED)), found.get((model, real))
                if model != "sequential" and pair != (None, None):
                    left, right = map(number, pair)
                    print(f"| {scenario['name']} | {model} | {left} | {right} | {real} | {difference(*pair)} |")


if __name__ == "__main__":
    main()
