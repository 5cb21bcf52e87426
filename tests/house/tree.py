"""What the checks of this folder share: the files of a tree, their text, and how breaches are told."""
import pathlib
import sys

CODE = ("ir", "ref_cpu", "gpu_vulkan", "parity", "library", "python", "tests", "bench", "cmake", "scripts")


class Tree:
    """The checkout at `root`. Paths are relative to it, with slashes."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.breaches = 0

    def files(self, folders, kinds):
        """The files below these folders whose names end in one of `kinds`, such as ".cpp", in the order of paths."""
        found = []
        for folder in folders:
            found += [path.relative_to(self.root).as_posix() for path in (self.root / folder).rglob("*")
                      if path.name.endswith(tuple(kinds)) and path.is_file()]
        return sorted(found)

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def exists(self, path):
        return (self.root / path).exists()

    def breach(self, what):
        print(what, file=sys.stderr)
        self.breaches += 1

    def status(self, what="breaches"):
        """What a check ends with: 1 and their number where there are any."""
        if self.breaches:
            print(f"{self.breaches} {what}", file=sys.stderr)
        return 1 if self.breaches else 0
