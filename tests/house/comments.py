#!/usr/bin/env python3
"""Every comment stands alone: comments.py ROOT lists comments that begin with "Of" or "The same", which mean
something only behind the comment before them and break when code moves, and in C++ and shaders those that begin with
"What", which go around the name of the thing; it fails when there is one. Behind code in C++ and shaders, "of ...",
"the same ..." and "what ..." are such beginnings, too. And every file of C++ outside tests/ and docs/ says what it is
for, in a comment before its first code."""
import itertools
import re
import sys

from tree import CODE, Tree

BEGINS = r"(?:[Oo]f|[Tt]he same|[Ww]hat)[ ,:]"
BEHIND_CODE = rf"[^ /\n][^\n]* //+<? *{BEGINS}"
IN_CODE = re.compile(rf"^ *//+<? *(?:Of|The same|What)[ ,:]|^ *{BEHIND_CODE}", re.M)
IN_SCRIPTS = re.compile(r"^ *# *(?:Of|The same)[ ,:]", re.M)
COMMENT = re.compile(rf".*((?://+<?|#) *{BEGINS})")
# Lines that are none of the preprocessor's, of which the first may open the namespaces that the code is in.
OF_CODE = re.compile(r"^ *[^ #\n].*", re.M)
OPENS = re.compile(r" *(?:inline )?(?:namespace|using) ")
MOST_OPENING = 12


def says_what_it_is_for(text):
    first = itertools.islice(OF_CODE.finditer(text), MOST_OPENING)
    return next((line[0] for line in first if not OPENS.match(line[0])), "").lstrip().startswith("//")


def main(root):
    tree = Tree(root)
    for kinds, begins in ((".cpp", ".hpp", ".comp", ".glsl"), IN_CODE), ((".cmake", ".sh", ".py"), IN_SCRIPTS):
        for file in tree.files(CODE, kinds):
            for found in begins.finditer(tree.text(file)):
                comment = COMMENT.match(found[0])
                tree.breach(f"{file}: a comment that does not stand alone: {comment[1]}")
    for file in tree.files(("ir", "ref_cpu", "gpu_vulkan", "parity", "library", "bench"), (".cpp", ".hpp")):
        if not says_what_it_is_for(tree.text(file)):
            tree.breach(f"{file}: does not say what it is for before its first code")
    return tree.status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
