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
    lists = re.findall(r'^set\((turns_\w+)((?:\s+"[^"]*")+)\)$', text, re.MULTILINE)
    for variable, patterns in lists:
        for pattern in re.findall('"(.*?)"', patterns):
            if not any(re.fullmatch(pattern, name) for name in names):
                findings.append(f"{variable}: no test has a name like {pattern}")
    for finding in findings:
        print(finding)
    print(f"{len(labels)} tests, {len(lists)} lists, {len(findings)} findings")
    return 1 if findings or not labels or not lists else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else __doc__)
