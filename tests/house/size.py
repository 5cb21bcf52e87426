#!/usr/bin/env python3
"""Sizes: size.py ROOT lists files over 400 lines, lines over 120 columns (of pages, too), functions over 60 lines,
folders of more than 40 source files and function-like macros in C++, and fails when there are any; folders of more than
25 are listed alone, for whoever adds to one to look for the idea that divides it. Exceptions are stated in
exceptions.txt, each with its reason, and one that is no longer needed is an error too."""
import collections
import re
import sys

from tree import CODE, Tree

MOST_LINES = 400
MOST_COLUMNS = 120
MOST_FUNCTION_LINES = 60
MANY_FILES = 25
MOST_FILES = 40

# A function as clang-format leaves it: from a line that ends in "{", outside of another function, to the "}" below the
# beginning of its declaration. What is no function there says so by its first word, or is initialised.
NO_FUNCTION = re.compile(r"^ *(namespace|class|struct|union|enum|extern|template<>)|= *\{|=> *\{")
DECLARED = re.compile(r"((?:  )?)[A-Za-z~]")
LAST_OF_DECLARATION = re.compile(r" .*\).*\{$")
MACRO = re.compile(r" *# *define +[A-Za-z_0-9]+\(")


class Sizes(Tree):
    def __init__(self, root):
        super().__init__(root)
        self.excepted, self.used = [], set()
        for line in self.text("tests/house/exceptions.txt").splitlines():
            if line and not line.startswith("#"):
                found = re.match("([^:]+): .+", line)
                if not found:
                    sys.exit(f"exceptions.txt: '{line}' is not 'path: reason'")
                self.excepted.append(found[1])

    def found(self, file, what):
        if file in self.excepted:
            self.used.add(file)
        else:
            self.breach(f"{file}: {what}")

    def too_wide(self, file, number, line):
        if len(line) > MOST_COLUMNS:
            self.found(file, f"line {number} has {len(line)} columns, at most {MOST_COLUMNS} are wanted")


def check_folders(sizes, files):
    """A folder that is a table, of ops or of fixtures, has as many files as there are ops."""
    folders = [file.rpartition("/")[0] for file in files if file.endswith((".cpp", ".hpp", ".comp", ".glsl"))]
    for folder, count in collections.Counter(folders).items():
        if folder.endswith("/ops"):
            continue
        if count > MOST_FILES:
            sizes.found(folder, f"{count} source files, at most {MOST_FILES} are wanted")
        elif count > MANY_FILES:
            print(f"{folder}: {count} source files, which is many", file=sys.stderr)


def check_functions(sizes, file, lines):
    declared, indent, end = 0, "", ""
    for number, line in enumerate(lines, 1):
        if end:
            if line.startswith(end):
                length = number - declared + 1
                if length > MOST_FUNCTION_LINES:
                    sizes.found(file, f"the function at line {declared} has {length} lines, "
                                      f"at most {MOST_FUNCTION_LINES} are wanted")
                end = ""
        elif begins := DECLARED.match(line):
            indent, declared = begins[1], number
            if line.endswith("{") and "(" in line and not NO_FUNCTION.search(line):
                end = indent + "}"
        elif LAST_OF_DECLARATION.match(line) and not NO_FUNCTION.search(line):
            end = indent + "}"


def check_code(sizes, file):
    lines = sizes.text(file).removesuffix("\n").split("\n")
    if len(lines) > MOST_LINES:
        sizes.found(file, f"{len(lines)} lines, at most {MOST_LINES} are wanted")
    if file.endswith((".cpp", ".hpp", ".comp", ".glsl")):
        check_functions(sizes, file, lines)
    for number, line in enumerate(lines, 1):
        sizes.too_wide(file, number, line)
        if file.endswith((".cpp", ".hpp")) and MACRO.match(line):
            sizes.found(file, f"line {number} defines a macro with parameters")


def check_page(sizes, file):
    """Prose is as wide as code. A table's row cannot be wrapped, what a program prints or reads stays as it is, and
    where a link leads does not count."""
    text = re.sub(r"\]\([^)\n]*\)|https?://[^ \n]*", ".", sizes.text(file))
    in_code = False
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(" *```", line):
            in_code = not in_code
        if not in_code and not re.match("    | *[|]", line):
            sizes.too_wide(file, number, line)


def main(root):
    sizes = Sizes(root)
    files = sizes.files(CODE, (".cpp", ".hpp", ".comp", ".glsl", ".cmake", ".sh", ".py"))
    check_folders(sizes, files)
    for file in files:
        check_code(sizes, file)
    for file in [*sizes.files(("docs", "fixtures"), (".md",)), *sorted(path.name for path in sizes.root.glob("*.md"))]:
        check_page(sizes, file)
    for file in sizes.excepted:
        if file not in sizes.used:
            sizes.breach(f"exceptions.txt: {file} needs no exception any more")
    return sizes.status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
