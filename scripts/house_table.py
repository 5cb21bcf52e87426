#!/usr/bin/env python3
"""Measures the house: what docs/design.md says of rooms, of what an op takes, and of how code and docs are written.

usage: scripts/house_table.py [ROOT]

Prints a table in Markdown. Rooms, their arrows and floors are those of parity/: a room is a folder right below it, an
arrow an #include of a header of another room, a floor the longest way down along arrows. An op's files are those of its
name in folders that are called ops/, outside of tests, fixtures and benchmarks.
"""
import pathlib
import re
import sys
from collections import defaultdict

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/house"))
import comma_chains  # noqa: E402

CODE = {".cpp", ".hpp"}
LAYERS = ("ir", "ref_cpu", "gpu_vulkan", "parity")
GENERATED = ("op_reference.md", "coverage.md", "accuracy.md", "terminal.md", "packed_products.md")


def files_below(folder, endings):
    return sorted(path for path in folder.rglob("*") if path.suffix in endings and path.is_file())


def lines_of(path):
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def room_of(path, root):
    parts = path.relative_to(root / "parity").parts
    return parts[0] if len(parts) > 1 else None


def arrows_of(root):
    """The rooms that each room includes headers of."""
    arrows = defaultdict(set)
    for path in files_below(root / "parity", CODE):
        room = room_of(path, root)
        if room is None:
            continue
        arrows[room]
        for line in lines_of(path):
            found = re.match(r'#include "parity/([^/"]+)/', line)
            if found and found[1] != room:
                arrows[room].add(found[1])
    return arrows


def floors_of(arrows):
    """The longest way down from any room, in rooms; a circle, which the layering refuses, is an error."""
    depth = {}

    def below(room, way):
        if room in way:
            raise SystemExit("house_table: rooms in a circle: " + " -> ".join(way + [room]))
        if room not in depth:
            depth[room] = 1 + max((below(other, way + [room]) for other in arrows.get(room, ())), default=0)
        return depth[room]

    return max(below(room, []) for room in sorted(arrows))


def ops_of(root):
    """The files of each op that has a header of its own in ir/ops."""
    names = {path.stem for path in (root / "ir/ops").glob("*.hpp")}
    files = {name: [] for name in names}
    for layer in LAYERS:
        for folder in (root / layer).rglob("ops"):
            for path in folder.rglob("*"):
                if not path.is_file() or path.suffix not in CODE | {".comp", ".glsl"}:
                    continue
                # A shader of several is called after its op: lstm_small.comp.
                owners = [name for name in names if path.stem == name or path.stem.startswith(name + "_")]
                if owners:
                    files[max(owners, key=len)].append(path)
    computed = {name: paths for name, paths in files.items() if len(paths) > 1}  # others are what headers share
    return computed


def count_lines(paths):
    return sum(len(lines_of(path)) for path in paths)


def mean_of_ops(ops):
    count = len(ops)
    files = sum(len(paths) for paths in ops.values())
    return count, files / count, sum(count_lines(paths) for paths in ops.values()) / count


def written(root):
    """How many statements are chained by commas, and how many comments begin with "what"."""
    chains = opens = trailing = 0
    for layer in LAYERS:
        for path in files_below(root / layer, CODE):
            chains += len(comma_chains.chains(comma_chains.tree_of(path.read_text(encoding="utf-8"))))
            for line in lines_of(path):
                opens += bool(re.match(r"\s*///? What\b", line))
                trailing += bool(re.search(r"///< what\b", line, re.I))
    return chains, opens, trailing


def docs_of(root):
    pages = files_below(root / "docs", {".md"})
    generated = [page for page in pages if page.name in GENERATED]
    return count_lines(pages), count_lines(generated)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    if not (root / "parity").is_dir():
        raise SystemExit(f"house_table: {root} has no parity/")
    arrows = arrows_of(root)
    count, files, lines = mean_of_ops(ops_of(root))
    chains, opens, trailing = written(root)
    docs, generated = docs_of(root)
    rows = [
        ("rooms of parity, arrows between them, floors",
         f"{len(arrows)}, {sum(len(to) for to in arrows.values())}, {floors_of(arrows)}"),
        ("files of parity, lines", f"{len(files_below(root / 'parity', CODE))}, "
                                   f"{count_lines(files_below(root / 'parity', CODE))}"),
        (f"files and lines that an op takes, mean of {count}", f"{files:.1f}, {lines:.0f}"),
        ("folders called ops/", str(sum(1 for layer in LAYERS for _ in (root / layer).rglob("ops")))),
        ("statements chained by commas", str(chains)),
        ("comments that open with \"What\", and `///< what`", f"{opens}, {trailing}"),
        ("lines of docs, of these generated", f"{docs}, {generated}"),
    ]
    print("| measured | |\n|---|---|")
    for name, value in rows:
        print(f"| {name} | {value} |")


if __name__ == "__main__":
    main()
