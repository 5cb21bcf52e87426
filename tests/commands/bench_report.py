"""usage: bench_report.py SCHEMA.json REPORT.json: a report of bench keeps to its schema, and its numbers are those of
the samples that it has."""
import json
import math
import statistics
import sys

from agents import faults


def check(spread, samples):
    ranked = sorted(samples)
    wanted = {"runs": len(ranked), "min": ranked[0], "max": ranked[-1], "mean": statistics.fmean(ranked),
              "median": statistics.median(ranked)}
    wanted |= {f"p{p}": ranked[max(math.ceil(p * len(ranked) / 100), 1) - 1] for p in (90, 95, 99)}
    for name, number in wanted.items():
        assert math.isclose(spread[name], number, rel_tol=1e-9), (name, spread[name], number)
    assert spread["median_low"] in ranked and spread["median_high"] in ranked
    assert spread["median_low"] <= spread["median"] <= spread["median_high"], spread


def main():
    schema, report = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
    wrong = list(faults(report, schema, schema, "report"))
    assert not wrong, "\n".join(wrong)
    for timed in report["timed"]:
        for name, samples in timed["samples"].items():
            check(timed[name], samples)
        latency = timed["samples"]["latency"]
        assert math.isclose(timed["throughput"], 1e3 * len(latency) / sum(latency), rel_tol=1e-6)
    print(f"{len(report['timed'])} timed")


if __name__ == "__main__":
    main()
