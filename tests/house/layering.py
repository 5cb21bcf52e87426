#!/usr/bin/env python3
"""Who may include whom: layering.py ROOT lists every breach and fails when there is one. Tests and benchmarks may
include anything."""
import re
import sys

from tree import Tree

# 1. Which folders a folder may include. parity/cli puts the program together.
MAY = {
    "ir": {"ir"},
    "ref_cpu": {"ir", "ref_cpu"},
    "gpu_vulkan": {"ir", "gpu_vulkan"},
    "parity": {"ir", "parity"},
    "library": {"ir", "ref_cpu", "gpu_vulkan", "parity", "library"},
    "cli": {"ir", "ref_cpu", "gpu_vulkan", "parity", "library"},
}

# 2. Rooms: within a layer a file includes its own room and rooms of lower floors, so that no circle can arise. A room
# is a folder with those below it that have no floor of their own. The layer's own folder, "." here, is its face, which
# a room may include only where it says so.
FLOORS = {
    "ir": """.=1 raw=0 cpu=2 dumps=2 files=2 kernels=2 ops=3 passes=4 adversarial=4 hdf5=4 formats/gguf=4 formats=5
        formats/onnx=6 formats/gguf/architectures=6""",
    "ref_cpu": ".=0 kernels=1 gemm=2 packed=3 transforms=2 recurrent=3 ops=4 levels=5",
    "gpu_vulkan": """device=0 plan=1 kernels/common=2 kernels/elementwise=3 kernels/copy=3 kernels/rows=4
        kernels/norms=5 kernels/gemm=5 kernels/sort=5 kernels/conv=6 kernels/attention=6 kernels/indexing=6
        kernels/fourier=6 kernels/scans=6 kernels/recurrent=7 fused_ops=7 ops=8 region=8 passes=9 cache=3
        runtime/driver=4 runtime=5 run=10 self_test=10 .=11 calibrate=12""",
    "parity": """core=0 core/terminal=0 element=0 element/terms=1 judges/definitions=0 compare=1 power/faults=5 cases=3
        sums=2 attribution=4 bounds=3 bounds/runs=4 policy=4 profile=4 profile/probe=5 settle=5 settle/certify=6
        checks/exact=5 checks/expected=5 checks/patterns=6 checks/samples=6 judges=7 report=7 foreign=7
        checks/relations=8 results=8 verify=9 power=10 check=10 studies/bench=10 studies/closeness=10
        studies/conformance=10 studies/drift=10 studies/fit=10 studies/flake=10 studies/lint=10 studies/reduce=10
        studies/search=10 studies/sweep=10 studies/selfcheck=11 studies/fuzz=11 report/html=8 campaign=4 cli=12""",
    "library": ".=0 abi=1 host=1 candidates=2",
}
ROOMS = {layer: {name: int(floor) for name, floor in (entry.split("=") for entry in text.split())}
         for layer, text in FLOORS.items()}
# What reaches beyond, file by file: tables that know every op, and taps that are those of one op.
BEYOND_FLOORS = {("ir/op_list.cpp", "ops"), ("ir/kernels/resize_taps.hpp", "ops"), ("ir/hdf5/hdf5_use.hpp", "formats")}

# 3. Where a third-party header may be included.
THIRD_PARTIES = {
    "boost": (r"boost/", r"^parity/core/distributions\.cpp$"),
    "glslang": (r"glslang/", r"^gpu_vulkan/region/glslang\.cpp$"),
    "onnx": (r"(onnx|google/protobuf)/", r"^ir/formats/onnx/"),
    "eigen": (r"(unsupported/)?Eigen/", r"^ref_cpu/"),
    "fftw": (r"fftw3\.h", r"^ref_cpu/transforms/fftw\.cpp$"),
    "tbb": (r"(tbb|oneapi)/", r"^ref_cpu/"),
    "vulkan": (r"(vulkan|vk_video)/", r"^gpu_vulkan/(runtime/|vulkan_executor[a-z_]*\.cpp$)"),
    "hdf5": (r"hdf5", r"^ir/(formats|hdf5)/.*\.cpp$"),
    "json": (r"nlohmann/", r"^((ir/formats|parity)/.*\.cpp|parity/core/json_number\.hpp)$"),
    "zlib": (r"zlib\.h", r"^ir/formats/.*\.cpp$"),
    "md": (r"sha2(56)?\.h", r"^parity/.*\.cpp$"),
    "re2": (r"re2/", r"^ir/formats/regular_expression\.cpp$"),
    "xxhash": (r"xxhash\.h", r"^ir/.*\.cpp$"),
    "cli11": (r"CLI/", r"^parity/cli/"),
    "toml": (r"toml\+\+/|toml\.hpp", r"^parity/core/toml_text\.hpp$"),
    "dlfcn": (r"dlfcn\.h", r"^(library/host/.*|library/(own_files|load_ops)|gpu_vulkan/runtime/driver/loader)\.cpp$"),
}
THIRD_PARTIES = {name: (re.compile(header), re.compile(place)) for name, (header, place) in THIRD_PARTIES.items()}

# 5. Oracles are written from the contract: of ir they may know types, shapes, dtypes, attributes and names of sums, no
# more. So they include these headers, and call no function of an op, nor any of the helpers that these headers happen
# to bring along.
ORACLES = re.compile(r"^parity/element/(ops/|[a-z_]+\.[ch]pp)")
ORACLES_MAY = re.compile(r"^ir/(ops/.*|tensor|shape|dtype|op|graph|sums)\.hpp$")
ORACLES_MAY_NOT = re.compile(
    r"ir::(kernels|raw|passes|along|lines_from|broadcast[a-z_]*|convert[a-z_]*|visit_[a-z]+|f16|bf16)|"
    r"[^a-z_.>]op\.[a-z_]+\(|[.](strides|leading)\(\)|[.]axis\(")

# 6. What computes a truth or a limit does not read the loops that ops declare: a wrong declaration shall fail a correct
# device or miss a fault, and so show, not move a limit along.
TRUTH_OR_LIMIT = re.compile(
    r"^(ref_cpu|parity/(element|sums|bounds|settle|judges|compare|checks/expected|attribution))/")
READS_LOOPS = re.compile(r"loops_of\(|[.]loops\(|ir/loops\.hpp|ir/kernels/op_loops\.hpp")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)


def layer_of(file):
    return "cli" if file.startswith("parity/cli/") else file.split("/")[0]


def room_of(layer, path):
    """The room of a file and its floor, which is that of the nearest folder around it that has one; None, None where
    none has."""
    inside = path.removeprefix(layer + "/")
    at = inside.rpartition("/")[0] or "."
    while at and at not in ROOMS[layer]:
        at = at.rpartition("/")[0]
    return (at, ROOMS[layer][at]) if at else (None, None)


def check_folders(tree, includes):
    """Rules 1 and 3. Returns the headers that include a third party's, each with its name."""
    kept_in = []
    for file, included in includes.items():
        layer = layer_of(file)
        for include in included:
            first = include.split("/")[0]
            if "/" in include and first in ROOMS and first not in MAY[layer]:
                tree.breach(f"{file}: {layer} may not include {first}")
            if include.startswith("parity/cli/") and layer != "cli":
                tree.breach(f"{file}: {layer} may not include parity/cli")
            for third, (header, place) in THIRD_PARTIES.items():
                if not header.match(include):
                    continue
                if not place.search(file):
                    tree.breach(f"{file}: <{include}> may not be included here")
                elif file.endswith(".hpp"):
                    kept_in.append((file, third))
    return kept_in


def check_lines(tree, file, included, text):
    """Rules 5 and 6, which are of what a file includes and says."""
    lines = text.splitlines()
    if ORACLES.match(file):
        for include in included:
            is_foreign = include.startswith("parity/") and not re.match(r"parity/element/[a-z_]+\.hpp", include)
            if is_foreign or (include.startswith("ir/") and not ORACLES_MAY.match(include)):
                tree.breach(f"{file}: an oracle may not include {include}")
        for line in lines:
            if ORACLES_MAY_NOT.search(line) and "op.schema(" not in line:
                tree.breach(f"{file}: an oracle may not use this: {line}")
    if TRUTH_OR_LIMIT.match(file):
        for line in lines:
            if READS_LOOPS.search(line):
                tree.breach(f"{file}: what computes a truth or a limit may not read loops: {line}")


def check_rooms(tree, file, included):
    layer = file.split("/")[0]
    room, floor = room_of(layer, file)
    if room is None:
        tree.breach(f"{file}: its folder is no room of {layer}; tests/house/layering.py has the table")
        return
    for include in included:
        if not include.startswith(layer + "/") or include.endswith("op_table.hpp"):
            continue
        other, other_floor = room_of(layer, include)
        if other == room or (file, other) in BEYOND_FLOORS:
            continue
        if other is None or other_floor >= floor:
            tree.breach(f"{file}: room {room} may not include {include} of room {other}")


def check_kept(tree, includes, kept_in):
    """Rule 4: a header that includes a third party's, itself or through others, stays in its folder. Headers that
    include such are followed until there is nothing new."""
    includers = {}
    for file, included in includes.items():
        for include in set(included):
            includers.setdefault(include, []).append(file)
    fresh, known = list(kept_in), set(kept_in)
    while fresh:
        header, third = fresh.pop()
        home = layer_of(header)
        for file in includers.get(header, []):
            if layer_of(file) != home:
                tree.breach(f"{file}: {header} brings {third} along, which stays in {home}")
            elif file.endswith(".hpp") and (file, third) not in known:
                known.add((file, third))
                fresh.append((file, third))


def main(root):
    tree = Tree(root)
    texts = {file: tree.text(file) for file in tree.files(ROOMS, (".hpp", ".cpp"))}
    includes = {file: INCLUDE.findall(text) for file, text in texts.items()}
    kept_in = check_folders(tree, includes)
    for file, included in includes.items():
        check_lines(tree, file, included, texts[file])
        check_rooms(tree, file, included)
    check_kept(tree, includes, kept_in)
    return tree.status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
