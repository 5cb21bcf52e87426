"""usage: agents.py SCHEMA.json REPORT.json PLUMB...: the report keeps to its schema, limits are made again from their
parts, and what `next` says of the first node of each verdict can be run. Says how many of each there were."""
import json
import os
import re
import shlex
import subprocess
import sys

CODES = {0, 1, 2, 3, 4, 77}
TYPES = {"object": dict, "array": list, "string": str, "null": type(None), "boolean": bool}


def is_of_type(value, kind):
    if kind in ("integer", "number"):
        return not isinstance(value, bool) and isinstance(value, int if kind == "integer" else (int, float))
    return isinstance(value, TYPES[kind])


def faults(value, schema, root, path):
    """Where a value does not keep to a schema, by the keywords that ours has."""
    if "$ref" in schema:
        yield from faults(value, root["$defs"][schema["$ref"].split("/")[-1]], root, path)
    if "anyOf" in schema and not any(not list(faults(value, one, root, path)) for one in schema["anyOf"]):
        yield from list(faults(value, schema["anyOf"][0], root, path)) or [f"{path}: none of anyOf"]
    kinds = schema.get("type", [])
    if kinds and not any(is_of_type(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        yield f"{path}: {value!r} is no {kinds}"
        return
    if "enum" in schema and value not in schema["enum"] or "const" in schema and value != schema["const"]:
        yield f"{path}: {value!r} is not among {schema.get('enum', schema.get('const'))}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{path}: {value!r} is not like {schema['pattern']}"
    if is_of_type(value, "number") and value < schema.get("minimum", value):
        yield f"{path}: {value!r} is too small"
    if isinstance(value, list):
        if len(value) > schema.get("maxItems", len(value)):
            yield f"{path}: {len(value)} items"
        for k, item in enumerate(value):
            yield from faults(item, schema.get("items", {}), root, f"{path}[{k}]")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        yield from (f"{path}: lacks {key}" for key in schema.get("required", []) if key not in value)
        for key, item in value.items():
            if key in known:
                yield from faults(item, known[key], root, f"{path}.{key}")
            elif schema.get("additionalProperties") is False:
                yield f"{path}: has {key}"


def check_limit(node):
    """The numbers of a limit of a sum give the limit again."""
    limit, comparisons = node["limit"], [node["local"], node["total"], node["converted"]]
    worst = [one["worst"]["allowed"] for one in comparisons if one and "worst" in one]
    assert limit["value"] in worst, (limit, worst)
    if limit["by"] != "sum" or limit["sigma"] is None:
        return 0
    again = limit["lambda"] * limit["sigma"] + limit["fixed"]
    if limit["certain"] is not None:
        again = min(again, limit["certain"])
    assert abs(again - limit["value"]) <= 1e-6 * limit["value"], (again, limit)
    assert limit["text"] and limit["rules"], limit
    return 1


def main():
    schema, report = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:3])
    found = list(faults(report, schema, schema, "report"))
    assert not found, found[:5]
    sums, steps, tried = 0, 0, set()
    for case in report["cases"]:
        for node in case["nodes"]:
            is_fine = node["verdict"] in ("passed", "skipped")
            assert is_fine == ("limit" not in node) == ("next" not in node), node
            if not is_fine and node["limit"]:
                sums += check_limit(node)
            if is_fine or node["verdict"] in tried:
                continue
            tried.add(node["verdict"])
            assert 1 <= len(node["next"]) <= 3, node["next"]
            for step in node["next"]:
                command = shlex.split(step["command"])
                assert command[0] == "plumb" and step["why"], step
                ended = subprocess.run(sys.argv[3:] + command[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       env=os.environ, check=False)
                assert ended.returncode in CODES - {2}, (step, ended.returncode, ended.stderr)
                steps += 1
    print(f"{sums} limits of sums made again, {steps} steps taken")


if __name__ == "__main__":
    main()
