"""plumb.exec/1: what plumb asks in a folder, and what a candidate answers there. This file needs no package."""
import json
import os
import pathlib


class Unsupported(Exception):
    """The candidate refuses this, in its own words."""


class Failed(Exception):
    """The function did what it must not."""


class Problem(Exception):
    """Nothing can be judged: the request, the function or what it needs is not there or does not work."""


BYTES = {"bool": 1, "u8": 1, "i8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4,
         "f64": 8, "c64": 8, "c128": 16}


class Type:
    """The name, the dtype and the shape of a tensor."""

    def __init__(self, name, dtype, shape):
        if dtype not in BYTES:
            raise Problem(f"tensor '{name}': there is no dtype '{dtype}'")
        self.name, self.dtype, self.shape = name, dtype, tuple(int(extent) for extent in shape)
        if any(extent < 0 for extent in self.shape):
            raise Problem(f"tensor '{name}' has a negative extent: {list(self.shape)}")
        self.item_bytes = BYTES[dtype]
        self.elements = 1
        for extent in self.shape:
            self.elements *= extent
        self.bytes = self.elements * self.item_bytes

    def called(self, name):
        return Type(name, self.dtype, self.shape)

    def place(self, element):
        """Names an element by its number in row-major order: "element 5", "element [1, 2]"."""
        if len(self.shape) < 2:
            return f"element {element}"
        index = []
        for extent in reversed(self.shape):
            element, inside = divmod(element, extent)
            index.insert(0, inside)
        return f"element {index}"


def type_of(entry):
    return Type(entry["name"], entry["dtype"], entry["shape"])


class Graph:
    """What a function computes: operands, results and attributes of a graph of one node, or those of a whole graph.

    The operands of a single node are its own, in its order, so that one that it reads twice is two arguments. A graph
    of several nodes has its inputs and then its params as operands, and no attributes.
    """

    OWN = ("label", "op", "inputs")

    def __init__(self, path):
        try:
            text = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
            nodes = text["nodes"]
            self.operands = list(text.get("inputs", {})) + list(text.get("params", {}))
            self.results = list(text["results"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
            raise Problem(f"the graph cannot be read: {problem!r}") from problem
        self.attributes, self.op = {}, ""
        if len(nodes) == 1:
            self.op = nodes[0]["op"]
            self.operands = [name for name in nodes[0].get("inputs", []) if name]
            self.attributes = {name: value for name, value in nodes[0].items() if name not in self.OWN}


class Request:
    """request.json of a folder. Paths in it are taken as relative to the folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        try:
            self.json = json.loads((self.folder / "request.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            raise Problem(f"request.json cannot be read: {problem}") from problem
        if not isinstance(self.json, dict) or self.json.get("schema") != "plumb.exec/1":
            raise Problem("request.json is not of schema plumb.exec/1")

    @property
    def action(self):
        return self.json.get("action")

    @property
    def jobs(self):
        return self.json.get("jobs", [])

    def path(self, name):
        return self.folder / name

    def answer(self, response):
        """Writes response.json whole, by rename."""
        part = self.folder / "response.json.part"
        part.write_text(json.dumps({"schema": "plumb.exec/1", **response}), encoding="utf-8")
        os.replace(part, self.folder / "response.json")


def result_types(job, graph):
    """The types of the graph's results, which stand among the wanted values or with the results themselves."""
    types = {entry["name"]: type_of(entry) for entry in job.get("wanted", [])}
    for entry in job.get("results", []):
        if isinstance(entry, dict):
            types[entry["name"]] = type_of(entry)
    for name in graph.results:
        if name not in types:
            raise Problem(f"the request does not say of what type result '{name}' is")
    return [types[name] for name in graph.results]
