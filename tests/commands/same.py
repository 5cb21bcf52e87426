"""usage: same.py VERIFY.json JUDGE.json RESULTS.md: judge says what verify said, or null where a results file does not
keep it, and the section "Reports" of that page names all that is null."""
import json
import re
import sys


def differences(one, other, path):
    if isinstance(one, dict) and isinstance(other, dict):
        assert list(one) == list(other), (path, list(one), list(other))
        for key in one:
            yield from differences(one[key], other[key], path + [key])
    elif isinstance(one, list) and isinstance(other, list):
        assert len(one) == len(other), (path, len(one), len(other))
        for a, b in zip(one, other):
            yield from differences(a, b, path)
    elif one != other:
        assert other is None, (path, one, other)
        yield tuple(path)


verify, judge = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:3])
page = open(sys.argv[3], encoding="utf-8").read()
listed = set(re.findall(r"`([a-z_]+)`", page[page.index("## Reports"):page.index("## From Python")]))
lost = set(differences(verify, judge, []))
unlisted = [path for path in lost if not listed & set(path[-2:]) and path[-1] not in listed]
assert not unlisted, unlisted
print(len(lost), "fields are null")
