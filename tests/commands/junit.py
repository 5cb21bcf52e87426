"""usage: junit.py REPORT.xml REPORT.json: both, of one run of plumb verify, must say the same, and no two tests of the
first have one name."""
import collections
import json
import sys
import xml.etree.ElementTree as ElementTree

ends = {"failed": "failure", "nondeterministic": "failure", "error": "error", "passed": None, "xpassed": None}
suites = ElementTree.parse(sys.argv[1]).getroot().findall("testsuite")
cases = json.load(open(sys.argv[2], encoding="utf-8"))["cases"]
assert len(suites) == len(cases) > 0, (len(suites), len(cases))
names = collections.Counter()
for suite, case in zip(suites, cases):
    wanted = collections.Counter()
    for one in case["nodes"] + case["relations"] + case["expected"]:
        if one["verdict"] != "skipped" or "node" not in one:
            end = ends.get(one["verdict"], "skipped")
            # A case that ends well although it failed had to fail.
            wanted["skipped" if end and case["exit"] == 0 else end] += 1
    tests = suite.findall("testcase")
    if case["exit"] in (1, 2, 3) and not wanted["failure"] + wanted["error"]:
        wanted["error" if case["verdict"] == "error" else "failure"] += 1
        assert any(test.get("name").startswith("(case)") for test in tests), case["graph"]
    elif not wanted:
        wanted[ends.get(case["verdict"], "skipped")] += 1
    found = collections.Counter(next((e.tag for e in test if e.tag != "properties"), None) for test in tests)
    assert found == wanted, (case["graph"], found, wanted)
    counts = {"tests": wanted.total(), "failures": wanted["failure"], "errors": wanted["error"],
              "skipped": wanted["skipped"]}
    assert counts == {key: int(suite.get(key)) for key in counts}, (case["graph"], suite.attrib, counts)
    names.update((test.get("classname"), test.get("name")) for test in tests)
twice = [name for name, times in names.items() if times > 1]
assert not twice, twice
