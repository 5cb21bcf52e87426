#!/usr/bin/env python3
"""Nobody but an op's own header knows its name: op_names.py ROOT lists every string of the product that is the name of
an op, and every comparison with a name that is written out, and fails when there is one. What an op is asks
`op.is<T>()`, a table generated from a folder, or a property that its header states."""
import re
import sys

from tree import Tree

# Where such a string is something else: converters name ONNX's attributes, and lowerings their shaders.
OTHER_MEANING = re.compile(r"^(ir/ops|ir/formats/onnx|gpu_vulkan/(ops|kernels|fused_ops))/")
# Lines that name the values of an enum or the fields of a struct.
OWN_NAMES = re.compile(r"enum_names|std::array<std::string_view|Field\{")
COMPARED = re.compile(r'op\(?\)?(\.|->)(schema\(\)\.)?name(\(\))? *[!=]= *"')
LINE = re.compile(r'^.*"[a-z_0-9]+".*$', re.M)


def excused(tree):
    """Single words that are a key of a file format or a name for people, as "<path>: <word>: <reason>"."""
    found = []
    for line in tree.text("tests/house/op_names.txt").splitlines():
        if line and not line.startswith("#"):
            stated = re.match("([^:]+): ([a-z_0-9]+): .+", line)
            if not stated:
                sys.exit(f"op_names.txt: '{line}' is not 'path: word: reason'")
            found.append((stated[1], stated[2]))
    return found


def main(root):
    tree = Tree(root)
    allowed, used = excused(tree), set()
    headers = "".join(map(tree.text, tree.files(("ir/ops",), (".hpp",))))
    names = set(re.findall('static constexpr auto name = "([a-z_0-9]+)"', headers))
    for file in tree.files(("ir", "ref_cpu", "gpu_vulkan", "parity"), (".hpp", ".cpp")):
        for line in LINE.findall(tree.text(file)):
            line = line.partition("//")[0]
            if COMPARED.search(line):
                tree.breach(f"{file}: compares the name of an op: {line}")
            if OTHER_MEANING.match(file) or OWN_NAMES.search(line):
                continue
            for word in re.findall('"([a-z_0-9]+)"', line):
                if word not in names:
                    continue
                if (file, word) in allowed:
                    used.add((file, word))
                else:
                    tree.breach(f"{file}: knows the op '{word}' by its name")
    for file, word in allowed:
        if (file, word) not in used:
            tree.breach(f"op_names.txt: {file}: {word} needs no exception any more")
    return tree.status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
