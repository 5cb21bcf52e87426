"""Lists what sanitizers reported in a log of a fuzzer and its child processes, by kind and place.

Fails where a place is not in HDF5, whose faults on damaged files are what the child processes are for.

usage: findings.py LOG
"""
import collections
import re
import sys

lines = open(sys.argv[1], errors="replace").read().split("\n")
library = r"([cm]alloc|realloc|free|mem\w+|str\w+) "
interceptor = re.compile(r"^in (__(asan|interceptor|sanitizer|ubsan)_|operator new|" + library + ")")
found = collections.Counter()
for at, line in enumerate(lines):
    if "runtime error:" in line:
        found["undefined behaviour", line.split(": runtime error")[0]] += 1
    report = re.search(r"ERROR: (?:AddressSanitizer|libFuzzer): ([a-zA-Z ]+[a-z]-?[a-z-]*)", line)
    if not report:
        continue
    places = []
    for frame in lines[at + 1 : at + 25]:
        place = re.match(r"\s+#\d+ 0x[0-9a-f]+ (.*)", frame)
        if place:
            places.append(place.group(1))
        elif places:
            break
    own = [place for place in places if not interceptor.search(place)] or ["nowhere"]
    found[report.group(1).strip(), "HDF5" if "libhdf5" in own[0] else own[0]] += 1
for (kind, place), count in found.most_common():
    print(f"{count} times {kind}: {place}")
sys.exit(any(place != "HDF5" for _, place in found))
