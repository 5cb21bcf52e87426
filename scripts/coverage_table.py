#!/usr/bin/env python3
"""Says what the fixtures reach of every GPU kernel, and what none of them does.

usage: coverage_table.py [--full] [--page FILE | --check FILE] [--explained FILE] REACHED...

REACHED are what `plumb reach` printed, a line for each node that a device runs. A row is a shader, whose cells are its
dtypes, its switches (specialization constants that are bools), special numbers among the operands, sizes, and ends that
are no multiple of what a workgroup takes at once; or it is a way to compute an op, "gemm by vector", whose cells are
the attributes of the op. Nothing of it is listed by hand: modules and attributes are what the program declares.

  --full        print each row with all of its cells
  --page FILE   write the page of docs
  --check FILE  fail where FILE is not that page, where a cell is empty that the explained ones do not have, and where
                an explained one is not empty
  --explained   "= REASON", then lines "CELL: SHADER, SHADER"; * and ? stand for any text (explained.txt)
"""

import argparse
import collections
import fnmatch
import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLOATS = ("f16", "bf16", "f32", "f64", "c64", "c128")
SPECIALS = ("nan", "inf", "-0", "subnormal")


def bools_of_shaders():
    """The names of specialization constants that shaders declare as bools."""
    declared = re.compile(r"layout\(constant_id = [^)]*\) const bool (\w+)")
    folder = ROOT / "gpu_vulkan"
    files = [*folder.rglob("*.comp"), *folder.rglob("*.glsl")]
    return {name for file in files for name in declared.findall(file.read_text())}


def parse_type(text):
    """"f32[2, 3]" as ("f32", [2, 3])."""
    dtype, extents = text.rstrip("]").split("[")
    return dtype, [int(n) for n in extents.split(",") if n.strip()]


def product(numbers):
    """The product of numbers, 1 of none."""
    result = 1
    for number in numbers:
        result *= number
    return result


class Kernel:
    """What is known of one shader: for each cell, whether a fixture reaches it."""

    def __init__(self, stem):
        self.stem = stem
        self.cells = collections.OrderedDict()
        self.values = collections.defaultdict(lambda: collections.defaultdict(set))  # by op, by attribute
        self.switches = collections.defaultdict(set)
        self.nodes = 0

    def want(self, cell):
        """Counts a cell that some fixture should reach."""
        self.cells.setdefault(cell, False)

    def see(self, cell, seen=True):
        """Counts a cell that should be reached, and whether a node reached it."""
        self.cells[cell] = self.cells.get(cell, False) or bool(seen)

    def empty(self):
        """The cells that nothing reaches."""
        return [cell for cell, reached in self.cells.items() if not reached]


def extents_of(node):
    """Rows, columns and terms of what a kernel with tiles computes."""
    _, out = parse_type(node["out"][0])
    terms = node["terms"]
    if node["op"] in ("attention", "viewed_attention"):
        heads_second = node["attributes"].get("layout") != "bshd"
        return out[2 if heads_second else 1], terms, out[3]
    if "conv" in node["op"]:
        return out[1], product(out) // max(out[1], 1), terms
    rows = out[-2] if len(out) > 1 else 1
    return rows, out[-1] if out else 1, terms


def see_ends(kernel, node, dispatch):
    """Ends that are no multiple of the tile, or of 4 and the workgroup where there is no tile."""
    _, out = parse_type(node["out"][0])
    tile = [int(n) for n in re.findall(r"\d+", node["tile"].split(" ")[0])] if node["tile"] else []
    if len(tile) >= 2:
        for name, extent, width in zip(("rows", "columns", "terms"), extents_of(node), tile):
            if width > 1:
                kernel.see(f"end of {name} ragged", extent % width)
        return
    at_once = dispatch["constants"].get("invocations", 0)
    if at_once > 1:
        kernel.see("end of elements ragged", product(out) % at_once)
    kernel.see("end of the last axis odd", out and out[-1] % 2)
    if node["terms"] > 0:
        kernel.see("end of terms odd", node["terms"] % 2 and node["terms"] > 1)


def see_node(kernel, node, dispatch, bools):
    """Counts what one dispatch of a node reaches."""
    kernel.nodes += 1
    for name, value in dispatch["constants"].items():
        if name in bools:
            kernel.switches[name].add(value)
    is_float = any(parse_type(operand)[0] in FLOATS for operand in node["in"])
    only_moves = re.fullmatch(r"w\d+", dispatch["module"].partition(".")[2]) and "encoding" not in dispatch["constants"]
    for special in SPECIALS if is_float and not only_moves else ():
        kernel.see(special, any(special in found for found in node["specials"]))
    _, out = parse_type(node["out"][0])
    kernel.see("size 1", product(out) == 1)
    kernel.see("many workgroups", product(dispatch["groups"]) > 1)
    see_ends(kernel, node, dispatch)


def see_values(kernels, node):
    """Counts the attributes of a node for the way in which it is computed: "gemm by split_k"."""
    way = f"{node['op']} by {re.sub('[0-9]+', 'n', node['kernel'].split('.')[0])}"
    kernel = kernels.setdefault(way, Kernel(way))
    kernel.nodes += 1
    for name, value in node["attributes"].items():
        kernel.values[node["op"]][name].add(json.dumps(value))
    kernel.values[node["op"]][""].add(json.dumps(sorted(node["attributes"])))


def see_attributes(kernel, op, declared):
    """Each attribute at its default and away from it, each choice of an enum."""
    seen, lists = kernel.values[op], [set(json.loads(text)) for text in kernel.values[op][""]]
    for field in declared["fields"]:
        name, kind, values = field["name"], field["kind"], seen[field["name"]]
        default = json.dumps(declared["defaults"].get(name))
        if kind == "enum":
            for choice in field["choices"]:
                kernel.see(f"{name}={choice}", json.dumps(choice) in values)
        elif kind == "bool":
            kernel.see(f"{name}=true", "true" in values)
            kernel.see(f"{name}=false", "false" in values)
        elif kind.endswith("?"):
            kernel.see(f"{name} given", any(name in names for names in lists))
            kernel.see(f"{name} absent", any(name not in names for names in lists))
        elif kind not in ("dtype", "bytes"):
            kernel.see(f"{name} away from {default}", values - {default})


def read(paths):
    """Kernels by shader from what `plumb reach` printed."""
    bools, modules, ops, kernels = bools_of_shaders(), set(), {}, {}
    lines = [json.loads(line) for path in paths for line in pathlib.Path(path).read_text().splitlines()]
    for line in lines:
        if "modules" in line:
            modules.update(line["modules"])
        elif "defaults" in line:
            ops[line["op"]] = line
    for module in modules:
        stem, _, variant = module.partition(".")
        kernels.setdefault(stem, Kernel(stem)).want(f"dtype {variant}" if variant else "dtype any")
    for node in lines:
        if "dispatches" in node:
            see_values(kernels, node)
        for dispatch in node.get("dispatches", []):
            stem, _, variant = dispatch["module"].partition(".")
            kernel = kernels.setdefault(stem, Kernel(stem))
            kernel.see(f"dtype {variant}" if variant else "dtype any")
            see_node(kernel, node, dispatch, bools)
    for kernel in kernels.values():
        for op in list(kernel.values):
            see_attributes(kernel, op, ops[op])
        for name, values in kernel.switches.items():
            for value in (0, 1):
                kernel.see(f"switch {name}={'on' if value else 'off'}", value in values)
    return kernels


def read_explained(path):
    """(shader, cell, reason) for each shader of the lines below each reason."""
    rows, reason = [], ""
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("= "):
            reason = line[2:]
        elif line and not line.startswith("#"):
            cell, _, shaders = line.rpartition(": ")
            rows += [(shader, cell, reason) for shader in shaders.split(", ")]
    return rows


def find_explained(explained, stem, cell):
    """The row that explains an empty cell; None where there is none."""
    for row in explained:
        if fnmatch.fnmatchcase(stem, row[0]) and fnmatch.fnmatchcase(cell, row[1]):
            return row
    return None


COLUMNS = {"dtypes": "dtype ", "switches": "switch ", "special numbers": SPECIALS, "sizes": ("size ", "many "),
           "ends": "end ", "attributes": ""}


def column_of(cell):
    """The column of the table that a cell is counted in."""
    return next(name for name, start in COLUMNS.items() if cell.startswith(start))


class Table:
    """Cells of all kernels beside what is explained."""

    def __init__(self, kernels, explained):
        self.kernels, self.explained = kernels, explained
        self.reasons = list(dict.fromkeys(reason for _, _, reason in explained))
        self.used, self.open = set(), []
        self.why = {}  # by shader and cell: the reason's letter
        for stem, kernel in sorted(kernels.items()):
            for cell in kernel.empty():
                row = find_explained(explained, stem, cell)
                if row is None:
                    self.open.append((stem, cell))
                else:
                    self.used.add(row)
                    self.why[stem, cell] = chr(ord("a") + self.reasons.index(row[2]))

    def text_of(self, stem, column):
        """"all", "all but 2 (a)", or "-" where there is nothing to reach."""
        cells = [cell for cell in self.kernels[stem].cells if column_of(cell) == column]
        empty = [cell for cell in cells if not self.kernels[stem].cells[cell]]
        if not cells:
            return "-"
        if not empty:
            return "all"
        letters = "".join(sorted({self.why.get((stem, cell), "?") for cell in empty}))
        return f"{'all but ' if len(empty) < len(cells) else 'none of '}{len(empty)} ({letters})"

    def page(self, text_before):
        """The page of docs: what stands before the table, the table of rows with empty cells, the reasons."""
        lines = [text_before, "| shader | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
        for stem in sorted(self.kernels):
            texts = [self.text_of(stem, column) for column in COLUMNS]
            if any(text not in ("all", "-") for text in texts):
                lines.append(f"| {stem} | " + " | ".join(texts) + " |")
        lines += ["", "Why:", ""]
        for i, reason in enumerate(self.reasons):
            lines += textwrap.wrap(f"* ({chr(ord('a') + i)}) {reason}", 120, subsequent_indent="  ")
        return "\n".join(lines) + "\n"

    def print_all(self):
        """Each shader with all of its cells: x is reached, a letter is explained."""
        for stem, kernel in sorted(self.kernels.items()):
            print(f"{stem}: {kernel.nodes} dispatches")
            for cell, reached in kernel.cells.items():
                print(f"  {'x' if reached else self.why.get((stem, cell), '?')} {cell}")

    def complaints(self):
        """What is wrong: empty cells that nobody explained, and explanations of cells that are not empty."""
        found = [f"{stem}: no fixture reaches '{cell}'" for stem, cell in self.open]
        found += [f"explained.txt: '{row[0]} {row[1]}' is not empty" for row in self.explained if row not in self.used]
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reached", nargs="+")
    parser.add_argument("--explained", default=str(ROOT / "tests/coverage/explained.txt"))
    parser.add_argument("--page")
    parser.add_argument("--check")
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    kernels = read(options.reached)
    table = Table(kernels, read_explained(options.explained))
    if options.full:
        table.print_all()
    complaints = table.complaints()
    page = options.page or options.check
    if page:
        before = pathlib.Path(page).read_text()
        after = table.page(before[:before.index("| shader |")].rstrip("\n") + "\n")
        if options.page:
            pathlib.Path(page).write_text(after)
        elif before != after:
            complaints.append(f"{page} is not what --page writes")
    for complaint in complaints:
        print(complaint)
    cells = sum(len(kernel.cells) for kernel in kernels.values())
    print(f"{len(kernels)} rows, {cells} cells: {len(table.why)} empty for a reason, {len(table.open)} for none")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
