"""usage: viewers.py REPORT.json OVERLAY TRACE.json ARCHIVE.zip: the overlay's keys are tensors of its graphs and its
numbers those of the report, slices add up to the nodes' times, and the archive holds page, report and results."""
import json
import math
import sys
import zipfile


def read(name):
    return json.load(open(name, encoding="utf-8"))


def check_overlay(report, name):
    collection = read(name + ".graph.json")
    tensors, ids = {}, {}
    for graph in collection["graphs"]:
        ids[graph["id"]] = {node["id"] for node in graph["nodes"]}
        assert len(ids[graph["id"]]) == len(graph["nodes"])
        tensors[graph["id"]] = {attr["value"] for node in graph["nodes"] for output in node.get("outputsMetadata", [])
                                for attr in output["attrs"] if attr["key"] == "tensor_name"}
        for node in graph["nodes"]:
            for edge in node.get("incomingEdges", []):
                assert edge["sourceNodeId"] in ids[graph["id"]], edge
    for kind in ("ratio", "ulp", "inherited", "time"):
        data = read(f"{name}.{kind}.json")
        for graph, one in data.items():
            assert set(one) == {"name", "results", "gradient"} and one["results"], one
            assert set(one["results"]) <= tensors[graph], (set(one["results"]), tensors[graph])
            assert [stop["stop"] for stop in one["gradient"]] == [0, 0.5, 1]
    ratios = {}
    for case in report["cases"]:
        for node in case["nodes"]:
            ratio = (node["local"] or {}).get("ratio")
            if isinstance(ratio, (int, float)):
                key = case["graph"].split("/")[-1].rsplit(".", 1)[0], node["node"]
                ratios[key] = max(ratio, ratios.get(key, 0))
    assert ratios
    data = read(name + ".ratio.json")
    for (graph, node), ratio in ratios.items():
        assert math.isclose(data[graph]["results"][node]["value"], ratio, rel_tol=1e-12), (graph, node)


def check_trace(report, name):
    events = read(name)["traceEvents"]
    for place, case in enumerate(report["cases"]):
        for track, key in ((1, "device_ns"), (2, "reference_ns")):
            slices = [e for e in events if (e["ph"], e["pid"], e["tid"]) == ("X", place + 1, track)]
            timed = [node for node in case["nodes"] if node[key] is not None]
            assert [e["name"] for e in slices] == [node["node"] for node in timed]
            assert math.isclose(sum(e["dur"] for e in slices), sum(node[key] for node in timed) / 1000, abs_tol=1e-6)
            for before, after in zip(slices, slices[1:]):
                assert math.isclose(before["ts"] + before["dur"], after["ts"], abs_tol=1e-6), (before, after)
    assert any(e["ph"] == "X" for e in events) and {e["ph"] for e in events} <= {"M", "X", "C"}


def main():
    report = read(sys.argv[1])
    check_overlay(report, sys.argv[2])
    check_trace(report, sys.argv[3])
    with zipfile.ZipFile(sys.argv[4]) as archive:
        assert archive.testzip() is None and archive.namelist() == ["report.html", "report.json", "results.h5"]
        assert json.loads(archive.read("report.json")) == report


if __name__ == "__main__":
    main()
