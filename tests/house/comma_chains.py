#!/usr/bin/env python3
"""Lists statements that a comma makes of several expressions, "a = 1, b = 2;", and fails when there are any.

usage: comma_chains.py ROOT

A comma between declarators, arguments or parts of a header of a loop is none of them.
"""
import pathlib
import re
import sys

FOLDERS = ("ir", "ref_cpu", "gpu_vulkan", "parity", "library", "tests", "bench")
KINDS = (".cpp", ".hpp", ".comp", ".glsl")
TOKEN = re.compile(
    r'(?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*)'
    r'|(?P<text>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\')'
    r"|(?P<word>[A-Za-z_]\w*|\d(?:[\w.]|'\d|(?<=[eEpP])[+-])*)"
    r'|(?P<sign>::|->|<=>|[-+*/%&|^<>=!]=|<<=|>>=|\+\+|--|&&|\|\||.)', re.S | re.M)
DECLARES = {"using", "typedef", "enum", "template", "struct", "class", "friend", "extern", "const", "constexpr",
            "static", "auto", "inline", "unsigned", "mutable", "thread_local", "volatile", "uniform", "layout",
            "shared", "in", "out", "buffer", "explicit", "virtual", "operator", "return", "namespace", "public",
            "private", "protected", "precise"}
CLOSES = {"(": ")", "[": "]", "{": "}"}


class Token:
    __slots__ = ("text", "start", "end", "is_word", "inside")

    def __init__(self, text, start, is_word):
        self.text, self.start, self.is_word, self.inside = text, start, is_word, None
        self.end = start + len(text)


def tree_of(source):
    """The tokens of a file; brackets hold what is between them."""
    root, stack = [], []
    level = root
    for match in TOKEN.finditer(source):
        kind = match.lastgroup
        if kind == "skip":
            continue
        token = Token(match[0], match.start(), kind != "sign")
        if kind != "sign":
            level.append(token)
        elif token.text in CLOSES:
            level.append(token)
            stack.append((token, level))
            token.inside = level = []
        elif token.text in (")", "]", "}") and stack:
            opened, level = stack.pop()
            opened.end = token.end
        else:
            level.append(token)
    return root


def is_block(before):
    """Whether braces behind these tokens of a statement hold statements, not the parts of a value."""
    if not before or before[0].text in ("namespace", "struct", "class", "union", "enum", "extern"):
        return True
    last = before[-1]
    if last.text in ("else", "do", "try", "const", "noexcept", "override", "mutable"):
        return True
    return last.text in ("(", "{") and not any(token.text == "=" for token in before)


def statements(level):
    """The statements between braces, each a list of tokens that ends with its semicolon or block."""
    found, current = [], []
    for i, token in enumerate(level):
        ends = token.text == ";"
        if token.text == "{":
            after = level[i + 1].text if i + 1 < len(level) else ""
            ends = after not in (";", ",") and is_block(current)
        current.append(token)
        if ends:
            found.append(current)
            current = []
    return found + ([current] if current else [])


def after_header(statement):
    """Where the expression of a statement begins, behind the headers of conditions and loops."""
    i = 0
    while i < len(statement):
        word = statement[i].text
        if word in ("if", "for", "while", "switch"):
            has_constexpr = i + 1 < len(statement) and statement[i + 1].text == "constexpr"
            i += 3 if has_constexpr else 2
        elif word in ("else", "do"):
            i += 1
        elif word in ("case", "default"):
            while i < len(statement) and statement[i].text != ":":
                i += 1
            i += 1
        else:
            break
    return i


def is_declaration(tokens):
    if not tokens or tokens[0].text in DECLARES or tokens[0].text in ("[", ":"):
        return True
    i = 0
    if tokens[0].text == "alignas":
        i = 2
    if tokens[i].text == "::":
        i += 1
    while i < len(tokens) and tokens[i].is_word:
        i += 1
        if i < len(tokens) and tokens[i].text == "<":
            depth = 0
            while i < len(tokens):
                depth += tokens[i].text.count("<") - (tokens[i].text.count(">") if tokens[i].text != "->" else 0)
                i += 1
                if depth == 0:
                    break
        if i < len(tokens) and tokens[i].text == "::":
            i += 1
            continue
        break
    while i < len(tokens) and tokens[i].text in ("*", "&", "&&", "const"):
        i += 1
    if i == 0 or i == len(tokens):
        return False
    return tokens[i].is_word or (tokens[i].text == "[" and tokens[i - 1].text in ("&", "&&"))  # a structured binding


def has_comma(tokens):
    """Whether there is a comma between expressions; one between arguments of a template is none."""
    for i in [i for i, token in enumerate(tokens) if token.text == ","]:
        before = sum(t.text == "<" for t in tokens[:i]) - sum(t.text == ">" for t in tokens[:i])
        behind = any(t.text in (">", ">>") for t in tokens[i:])
        if not (before > 0 and behind):
            return True
    return False


def chains(level, is_code=True):
    """The first and the last token of each chain."""
    found = []
    for statement in statements(level):
        for token in statement:
            if token.inside is not None:
                found += chains(token.inside, token.text == "{")
        if not is_code or statement[-1].text != ";":
            continue
        tokens = statement[after_header(statement):-1]
        if len(tokens) < 3 or is_declaration(tokens):
            continue
        if has_comma(tokens):
            found.append((tokens[0], statement[-1]))
    return found


def main(root):
    count = 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in KINDS or "planted_chains" in path.relative_to(root).parts:
                continue
            source = path.read_text(encoding="utf-8")
            found = chains(tree_of(source))
            for first, last in found:
                line = source.count("\n", 0, first.start) + 1
                print(f"{path.relative_to(root)}:{line}: {' '.join(source[first.start:last.end].split())[:100]}")
            count += len(found)
    if count:
        print(f"{count} chains of expressions", file=sys.stderr)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
