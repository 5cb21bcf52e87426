#!/usr/bin/env python3
"""Resolves what code and docs cite: citations.py ROOT lists every citation that leads nowhere and fails when there is
one.

  ops.md 1.10, verdict.md V19     a section of docs/spec/ops.md, a rule of docs/spec/verdict.md: both must exist
  ops.md                          alone only in docs: code says which section it means
  appendix D, D.8, numerics 2.4   in code name no page, so they are refused
  docs/policy.md                  the page must exist
  [text](page.md#anchor)          in docs: the file must exist, and the anchor in it
  D.8, V19                        within a page of docs/spec: its own sections, or those of the page named before
"""
import posixpath
import re
import sys

from tree import Tree

SECTION = r"(?:V[0-9]+|[A-K][.][0-9]+|[A-K]|[0-9]+[.][0-9]+|[0-9]+)"
CODE = ("ir", "ref_cpu", "gpu_vulkan", "parity", "tests", "bench", "cmake", "scripts", "docs", "fixtures")
KINDS = (".cpp", ".hpp", ".comp", ".glsl", ".cmake", ".sh", ".py", "/CMakeLists.txt")
# They cite what is not there.
OWN = ("tests/house/citations.py", "tests/house/planted.cmake")
TITLE = re.compile(rf'^(?:#+ (?:Appendix )?|[*] (?:<a id="V[0-9]+"></a>)?[*][*])({SECTION})[. ]', re.M)
PAGE = re.compile(rf"[A-Za-z0-9_][.]md(?: ({SECTION}[A-Za-z0-9]*))?")
PATH_BEFORE = re.compile(r"[A-Za-z0-9_./-]*\Z")
OF_A_PAGE = re.compile(rf"[a-z_0-9][.]md {SECTION}")
NAMES_NO_PAGE = re.compile(
    r"(?<![A-Za-z0-9_])([Aa]ppendix [A-K](?![a-z])|numerics [0-9](?:[.][0-9]+)?|[A-K][.][0-9]+)")
OF_ITSELF = r'(?<![A-Za-z0-9_."#])'
OWN_SECTION = re.compile(OF_ITSELF + r"[A-K][.][0-9]+")
OWN_RULE = re.compile(OF_ITSELF + r"(?:V[0-9]+|[A-K][.][0-9]+)")
LINK = re.compile(r"\]\(([^()<> ]+)\)")


class Citations(Tree):
    def __init__(self, root):
        super().__init__(root)
        self.pages = self.files(("docs",), (".md",))
        numbered = [path for path in self.pages if re.match("docs/(spec/)?[^/]+$", path)]
        self.home = {posixpath.basename(path)[:-3]: path for path in numbered}
        self.spec = {posixpath.basename(path)[:-3] for path in numbered if path.startswith("docs/spec/")}
        texts = {path: self.text(path) for path in self.pages}
        self.sections = {path: self.sections_of(path, text) for path, text in texts.items()}
        self.anchors = {path: anchors_of(text) for path, text in texts.items()}

    def sections_of(self, path, text):
        known = set()
        for section in TITLE.findall(text):
            if section in known:
                self.breach(f"{path}: section {section} is there twice")
            known.add(section)
        return known

    def joined(self, path):
        """A file's text, in which what a comment breaks between two lines is one citation."""
        return re.sub(r"\.md\n *(?:///?|#)? *", ".md ", self.text(path))

    def check_sections(self, path, text, is_code):
        """`x.md n`, anywhere."""
        for cited in PAGE.finditer(text):
            before = PATH_BEFORE.search(text[max(0, cited.start() - 200):cited.start()])[0]
            whole, number = before + cited[0], cited[1] or ""
            folder, slash, page = (before + cited[0][0]).rpartition("/")
            is_link = text.endswith("[", 0, cited.start() - len(before))
            if not re.fullmatch("[A-Za-z0-9_]+", page):
                continue
            if whole.startswith("docs/") and not self.exists(f"{folder}/{page}.md"):
                self.breach(f"{path}: there is no {folder}/{page}.md")
            elif not number or page not in self.home or (number[0].isalpha() and page not in self.spec):
                if is_code and page in self.spec and not number and not slash and not is_link:
                    self.breach(f"{path}: '{page}.md' says no section")
            elif number not in self.sections[self.home[page]]:
                self.breach(f"{path}: '{whole}' is no section of {self.home[page]}")

    def check_named(self, path, text):
        """Citations in code that name no page."""
        for cited in NAMES_NO_PAGE.findall(OF_A_PAGE.sub("", text)):
            self.breach(f"{path}: '{cited}' names no page: ops.md D.8, verdict.md V19")

    def check_own(self, path, text):
        """Sections that a page of docs/spec cites of itself."""
        own = OWN_RULE if path == "docs/spec/verdict.md" else OWN_SECTION
        for cited in own.findall(OF_A_PAGE.sub("", text)):
            if cited not in self.sections[path]:
                self.breach(f"{path}: '{cited}' is no section of it")

    def check_links(self, path, text):
        for link in LINK.findall(text):
            target, _, anchor = link.partition("#")
            if re.match("[a-z]+:", target):
                continue
            to = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
            if not self.exists(to):
                self.breach(f"{path}: the link {target} leads nowhere")
            elif anchor and anchor not in self.anchors.get(to, ()):
                self.breach(f"{path}: {to} has no anchor #{anchor}")


def anchors_of(text):
    """Those that are written out, and a heading's own: its words in small letters, joined by '-'."""
    titles = re.findall(r"^#+ ([^\n<]+)", text, re.M)
    return {*re.findall('id="([^"]*)"', text),
            *(re.sub("[^a-z0-9 _-]", "", title.lower()).replace(" ", "-") for title in titles)}


def main(root):
    tree = Citations(root)
    for path in tree.files(CODE, KINDS):
        if path not in OWN:
            text = tree.joined(path)
            tree.check_sections(path, text, is_code=True)
            tree.check_named(path, text)
    for path in [*tree.pages, *(["README.md"] if tree.exists("README.md") else [])]:
        text = tree.joined(path)
        tree.check_sections(path, text, is_code=False)
        tree.check_links(path, text)
        if path.startswith("docs/spec/"):
            tree.check_own(path, text)
    return tree.status("citations lead nowhere")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
