#!/usr/bin/env python3
"""Writes python/plumbline/_abi.py from library/plumbline.h: python_abi.py [--check]

With --check it compares instead, and ends with 1 where the two differ.
"""
import pathlib
import re
import sys
import textwrap

root = pathlib.Path(__file__).resolve().parent.parent
TYPES = {"uint32_t": "c_uint32", "int32_t": "c_int32", "uint64_t": "c_uint64", "int64_t": "c_int64",
         "size_t": "c_size_t", "double": "c_double", "int": "c_int"}


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def ctype(declared, stars, structs):
    """The type of ctypes for a C type: text, a pointer to a struct that has fields, or any other pointer."""
    base = declared.replace("const", "").strip()
    if base == "char" and stars == 1:
        return "c_char_p"
    if base == "char" and stars == 2:
        return "POINTER(c_char_p)"
    if base in structs and stars == 1:
        return f"POINTER({base})"
    if base in TYPES:
        return TYPES[base] if stars == 0 else f"POINTER({TYPES[base]})"
    if stars >= 1:
        return "c_void_p" if stars == 1 else "POINTER(c_void_p)"
    raise SystemExit(f"python_abi.py: what is '{declared}'?")


def parameter(text, structs):
    """A name and a type of "const plumb_tensor* inputs"; the name is None for void."""
    pointer = re.match(r"(?P<result>.+?)\(\*(?P<name>\w+)\)\((?P<parameters>.*)\)$", text.strip(), re.S)
    if pointer:
        types = [t for _, t in parameters(pointer["parameters"], structs)]
        result = {**TYPES, "void": "None"}[pointer["result"].strip()]
        return pointer["name"], f"CFUNCTYPE({', '.join([result, *types])})"
    array = re.match(r"(?P<one>.+)\[(?P<count>\d+)\]$", text.strip(), re.S)
    if array:
        name, kind = parameter(array["one"], structs)
        return name, f"{kind} * {array['count']}"
    declared, stars, name = re.match(r"(.+?)((?:\s*\*\s*(?:const\s*)?)*)\s*(\w*)$", text.strip(), re.S).groups()
    if not name and not stars:
        return None, None
    return name, ctype(declared, stars.count("*"), structs)


def split_outside(text, separator):
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == separator and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return [p.strip() for p in [*parts, part] if p.strip()]


def parameters(text, structs):
    return [] if text.strip() == "void" else [parameter(one, structs) for one in split_outside(text, ",")]


def fields(body, structs):
    """The fields of a struct; "const int64_t *shape, *strides" are two."""
    made = []
    for line in split_outside(body, ";"):
        parts = split_outside(line, ",")
        made.append(parameter(parts[0], structs))
        base = re.match(r"((?:const\s+)?\w+)", parts[0])[1]
        made += [parameter(f"{base} {part}", structs) for part in parts[1:]]
    return made


def generated():
    header = without_comments((root / "library/plumbline.h").read_text(encoding="utf-8"))
    dtypes = without_comments((root / "library/plumbline_candidate.h").read_text(encoding="utf-8"))
    lines = ['"""Generated from library/plumbline.h by scripts/python_abi.py. Do not edit."""',
             "from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int32, c_int64,",
             "                    c_size_t, c_uint32, c_uint64, c_void_p)", ""]
    structs = {}
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", header, re.S):
        structs[name] = fields(body, structs)
        lines += ["", f"class {name}(Structure):", "    _fields_ = ["]
        lines += [f'        ("{field}", {kind}),' for field, kind in structs[name]]
        lines += ["    ]", ""]
    lines.append("")
    constants = re.findall(r"(PLUMB_\w+) = (\d+)", header) + [
        (name, number) for name, number in re.findall(r"(PLUMB_\w+) = (\d+)", dtypes)
        if re.fullmatch(r"PLUMB_(BOOL|[UIFC]\d+|BF16)", name)]
    lines += [f"{name.removeprefix('PLUMB_')} = {number}" for name, number in constants]
    lines.append("ABI = " + re.search(r"#define PLUMB_ABI (\d+)u", header)[1])
    lines += ["", "FUNCTIONS = {"]
    declaration = r"PLUMB_API\s+((?:const\s+)?\w+)(\*?)\s+(plumb_\w+)\(([^;]*)\);"
    for result, stars, name, arguments in re.findall(declaration, header, re.S):
        kind = "None" if (result, stars) == ("void", "") else ctype(result, len(stars), structs)
        types = ", ".join(t for _, t in parameters(arguments, structs))
        lines += textwrap.wrap(f'"{name}": ({kind}, [{types}]),', 120, initial_indent=" " * 4,
                               subsequent_indent=" " * 8)
    lines += ["}", ""]
    return "\n".join(lines)


def main():
    path = root / "python/plumbline/_abi.py"
    text = generated()
    if sys.argv[1:] == ["--check"]:
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.exit("python/plumbline/_abi.py is not what library/plumbline.h makes: run scripts/python_abi.py")
        return
    path.write_text(text, encoding="utf-8")


main()
