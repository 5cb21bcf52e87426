#!/usr/bin/env python3
"""One markdown table of what plumb_gpu_bench and torch_peer.py measured: usage:
table.py OURS.json TORCH.json [-o TABLE.json]

The ratio is of speeds, ours to PyTorch's: above 1 we are faster. What ggml reached, and what is aimed at, is in
anchors.json. With -o the rows are written as JSON too. Ends 1 when a case failed or only one side has it.
"""

import argparse
import json
import pathlib
import sys


def rate(case, ms):
    """(number, unit) of a case that takes `ms`; nothing where its work is not counted."""
    if case.get("flops"):
        return case["flops"] / ms / 1e9, "TF/s"
    if case.get("bytes"):
        return case["bytes"] / ms / 1e6, "GB/s"
    return None, ""


def rows(ours, torch, anchors):
    for name in dict.fromkeys([*torch, *ours]):  # in the order of the peer, who has more
        anchor = anchors.get(name, {})
        our_case, torch_case = ours.get(anchor.get("ours", name)), torch.get(name)
        row = {"name": name, "ggml": anchor.get("ggml"), "ggml_of": anchor.get("of"), "target": None, "met": None}
        row["ours_ms"], row["torch_ms"] = (case and case["ms"] for case in (our_case, torch_case))
        if our_case:
            row["ours_rate"], row["unit"] = rate(our_case, row["ours_ms"])
            row["torch_rate"] = torch_case and rate(our_case, row["torch_ms"])[0]
            row["kernels"] = our_case.get("kernels", [])
        if our_case and torch_case:
            row["ratio"] = row["torch_ms"] / row["ours_ms"]
        if "ms" in anchor:
            row["target"], row["met"] = f"{anchor['ms']} ms", our_case and row["ours_ms"] <= anchor["ms"]
        if "ratio" in anchor:
            row["target"] = f"ratio {anchor['ratio']:.2f}"
            row["met"] = "ratio" in row and row["ratio"] >= anchor["ratio"]
        yield row


def markdown(row):
    number = lambda key, form: format(row[key], form) if row.get(key) is not None else ""
    rates = ["", "", ""]
    if row.get("unit"):
        form = ".1f" if row["unit"] == "TF/s" else ".0f"
        rates = [number(key, form) for key in ("ours_rate", "torch_rate", "ggml")]
        rates[0] += f" {row['unit']}" if rates[0] else ""
        rates[2] += f" ({row['ggml_of']})" if row["ggml_of"] else ""
    target = f"{row['target']}, {'met' if row['met'] else 'missed'}" if row["target"] else ""
    cells = [row["name"], number("ours_ms", ".4f"), number("torch_ms", ".4f"), number("ratio", ".2f"), *rates, target]
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ours", type=pathlib.Path)
    parser.add_argument("torch", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="the rows as JSON")
    arguments = parser.parse_args()
    ours, torch = (json.loads(path.read_text()) for path in (arguments.ours, arguments.torch))
    anchors = json.loads((pathlib.Path(__file__).parent / "anchors.json").read_text())["cases"]
    if ours["scale"] != torch["scale"]:
        sys.exit(f"table: ours are of scale {ours['scale']}, theirs of scale {torch['scale']}")
    table = list(rows(ours.get("cases", {}), torch.get("cases", {}), anchors))
    print(f"{ours['device']}; PyTorch {torch['torch']} on {torch['device']}. Medians in ms.")
    print("The ratio is of our speed to PyTorch's; an aim is the least of it.\n")
    print("| case | ours | PyTorch | ratio | rate | PyTorch's | ggml's | aim |\n|---|---|---|---|---|---|---|---|")
    for row in table:
        print(markdown(row))
    failures = [f"{side}: {name}: {why}" for side, results in (("ours", ours), ("PyTorch", torch))
                for name, why in results.get("failed", {}).items()]
    failures += [f"{row['name']}: only one side has it" for row in table
                 if (row["ours_ms"] is None) != (row["torch_ms"] is None) and row["name"] not in ours.get("failed", {})
                 and row["name"] not in torch.get("failed", {})]
    if failures:
        print("\nFailed:\n")
        for failure in failures:
            print(f"* {failure}")
    if arguments.output:
        whole = {"device": ours["device"], "torch": torch["torch"], "rows": table}
        arguments.output.write_text(json.dumps(whole, indent=1) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
