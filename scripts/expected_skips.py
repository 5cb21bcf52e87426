#!/usr/bin/env python3
"""Compares the tests that a run skipped with those that may be skipped.

usage: expected_skips.py TESTS.xml LIST

LIST has a line `NAME: reason` for each. A skipped test that is not in it ends this with 1: nobody looked at what it
tests. So does a line of it whose test ran, which then needs no exception, and a run without a test. 2: a file that
cannot be read.
"""
import sys
import xml.etree.ElementTree as ET


def read(report, allowed):
    with open(allowed, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines), ET.parse(report)


def main(report, allowed):
    try:
        reasons, tests = read(report, allowed)
    except (OSError, ValueError, ET.ParseError) as problem:
        print(f"expected_skips: {report} and {allowed} cannot be compared: {problem}", file=sys.stderr)
        return 2
    skipped, ran = set(), set()
    for case in tests.iter("testcase"):
        (ran if case.get("status") in ("run", "fail") else skipped).add(case.get("name"))
    findings = [f"{name} was skipped, and no line of {allowed} says why it may be" for name in skipped - set(reasons)]
    findings += [f"{name} ran, and needs no line in {allowed}" for name in set(reasons) & ran]
    if not ran:
        findings.append(f"{report} has no test that ran")
    for finding in sorted(findings):
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
