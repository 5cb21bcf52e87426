#!/usr/bin/env python3
"""The specification says what exists: spec_ops.py ROOT compares the ops of docs/spec/ops.md with the headers of ir/ops
and fails where they differ. The text of an op begins with a heading, or with a row of a table,

  ### name · tier N · ...
  ### name · tier N · not implemented yet · ...      where there is no ir/ops/name.hpp
  | name · tier N · not implemented yet ...
"""
import re
import sys

from tree import Tree

PAGE = "docs/spec/ops.md"
MARK = "not implemented yet"


def check_op(tree, name, tier, is_marked):
    header = f"ir/ops/{name}.hpp"
    if not tree.exists(header):
        if not is_marked:
            tree.breach(f"{PAGE}: {name} is not marked '{MARK}', but there is no {header}")
        return
    if is_marked:
        tree.breach(f"{PAGE}: {name} is marked '{MARK}', but there is {header}")
    if not re.search(rf"static constexpr int tier = {tier}[^0-9]", tree.text(header)):
        tree.breach(f"{PAGE}: {name} is of tier {tier}, but not in {header}")


def main(root):
    tree = Tree(root)
    text = tree.text(PAGE)
    for heading in re.findall(r"^### .*$", text, re.M):
        if not re.match("### [a-z_0-9]+ · tier [0-9]", heading):
            tree.breach(f"{PAGE}: a heading is not '### name · tier N': {heading}")
    known = set()
    for name, tier, mark in re.findall(rf"^(?:###|[|]) ([a-z_0-9]+) · tier ([0-9])( · {MARK})?", text, re.M):
        if name in known:
            tree.breach(f"{PAGE}: {name} is there twice")
        known.add(name)
        check_op(tree, name, tier, bool(mark))
    for header in tree.files(("ir/ops",), (".hpp",)):
        if header.removeprefix("ir/ops/").removesuffix(".hpp") not in known:
            tree.breach(f"{header}: {PAGE} has no text of this op")
    return tree.status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
