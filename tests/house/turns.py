#!/usr/bin/env python3
"""Looks whether three landings in a row run every test: turns.py BUILD SOURCE [CTEST]

Of each test of a build that is in no turn or in none of the three (tests/turns.cmake), and of each pattern there that
no test's name matches, a line, and 1 at the end.
"""
import json
import pathlib
import re
import subprocess
import sys


def alternatives(pattern):
    """The patterns of a list `a|b[.](c|d)`, each without alternatives: a, b[.]c, b[.]d."""
    whole = re.match(r"((?:[^|()]|\([^()]*\))*)(?:\|(.*))?$", pattern)
    inner = re.match(r"(.*)\(([^()]*)\)(.*)$", whole[1])
    first = [inner[1] + one + inner[3] for one in inner[2].split("|")] if inner else [whole[1]]
    return first + (alternatives(whole[2]) if whole[2] else [])


def main(build, source, ctest="ctest"):
    listing = subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1"], stdout=subprocess.PIPE, check=True)
    labels = {}
    for test in json.loads(listing.stdout)["tests"]:
        of_test = [one["value"] for one in test.get("properties", []) if one["name"] == "LABELS"]
        labels[test["name"]] = set(of_test[0]) if of_test else set()
    findings = []
    for name, known in sorted(labels.items()):
        left_out = {one for one in known if one.startswith("left_out_")}
        if len(left_out) > 2 or known - {"left_out_0", "left_out_1", "left_out_2", "on_request", "in_parts"}:
            findings.append(f"{name} has the labels {sorted(known)}")
    names = {re.sub(r"^mesa26[.]|[.][0-9]+_of_[0-9]+$", "", name) for name in labels}
    text = (pathlib.Path(source) / "tests/turns.cmake").read_text(encoding="utf-8")
    patterns = re.findall(r'^set\((turns_\w+) "(.*)"\)$', text, re.MULTILINE)
    for variable, pattern in patterns:
        for one in alternatives(pattern):
            if not any(re.fullmatch(one, name) for name in names):
                findings.append(f"{variable}: no test has a name like {one}")
    print(*findings, sep="\n")
    print(f"{len(labels)} tests, {len(patterns)} lists, {len(findings)} findings")
    return 1 if findings or not labels or not patterns else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else __doc__)
