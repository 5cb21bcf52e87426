"""usage: page.py PAGE.html REPORT.json [MORE.html...]

The page shows the cases, nodes and verdicts of the report, loads nothing, runs nothing but its own script, and names
its parts for those who do not see it; the others are equal to it.
"""
import base64
import gzip
import hashlib
import html.parser
import json
import re
import sys

VOID = {"meta", "br", "input", "img", "link"}


class Page(html.parser.HTMLParser):
    """Elements with their attributes, the text of scripts and styles, and that they are closed as they were opened."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.opened, self.elements, self.raw, self.shown = [], [], {}, []
        self.feed(text)
        self.close()
        assert not self.opened, self.opened

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.opened.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.opened and self.opened[-1][0] == tag, (tag, self.opened)
        self.opened.pop()

    def handle_data(self, data):
        inside = self.opened[-1] if self.opened else ("", {})
        if inside[0] in ("script", "style"):
            key = (inside[0], inside[1].get("id", ""))
            self.raw[key] = self.raw.get(key, "") + data
        else:
            self.shown.append(data)

    def of(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def check_that_nothing_else_runs(page):
    policy = next(a["content"] for a in page.of("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; "), policy
    for kind in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(page.raw[kind, ""].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy, (kind, policy)
    assert len(page.of("script")) == 2, page.of("script")
    for tag, attrs in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form"), tag
        for name in attrs:
            assert not name.startswith("on") and name not in ("src", "href", "style"), (tag, name)
    assert not re.search(r"fetch\(|XMLHttp|import\(|innerHTML|outerHTML|insertAdjacent|eval\(|document\.write",
                         page.raw["script", ""])


def check_that_parts_are_named(page):
    assert page.of("html")[0].get("lang") == "en"
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids)), ids
    for section in page.of("section"):
        assert section["aria-labelledby"] in ids or section["id"] == "node", section
    assert len(page.of("main")) == len(page.of("h1")) == len(page.of("title")) == 1
    for attrs in page.of("th"):
        assert attrs["scope"] in ("row", "col"), attrs


def check_data(page, report):
    data = json.loads(gzip.decompress(base64.b64decode(page.raw["script", "data"], validate=True)))
    assert data["exit"] == report["exit"], (data["exit"], report["exit"])
    assert len(data["cases"]) == len(report["cases"])
    for told, case in zip(data["cases"], report["cases"]):
        assert (told["verdict"], told["key"]) == (case["verdict"], case["key"])
        found = [(one["name"], one["op"], one["verdict"]) for one in told["nodes"]]
        assert found == [(one["node"], one["op"], one["verdict"]) for one in case["nodes"]], found
        if "graph" in told:
            labels = [label for label, _, _ in data["graphs"][told["graph"]]]
            for one in told["nodes"]:
                assert one["name"].startswith(labels[one["index"]]), (one["name"], labels)
        for one, node in zip(told["nodes"], case["nodes"]):
            ratio = (node["local"] or {}).get("ratio")
            if isinstance(ratio, float) and ratio:
                assert abs(one["ratio"] / ratio - 1) < 1e-4, (one["ratio"], ratio)
            if node["verdict"] == "failed":
                assert one["more"]["why"] == node["why"] and one["more"]["repro"] == node["repro"], one
    shown = "".join(page.shown)
    failed = [one["node"] for case in report["cases"] for one in case["nodes"] if one["verdict"] == "failed"]
    for name in failed[:200]:
        assert name in shown, (name, "is not there without scripts")
    assert "plumb: " in shown and "cases by verdict" in shown


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    page, report = Page(text), json.load(open(sys.argv[2], encoding="utf-8"))
    check_that_nothing_else_runs(page)
    check_that_parts_are_named(page)
    check_data(page, report)
    for other in sys.argv[3:]:
        assert open(other, encoding="utf-8").read() == text, f"{other} is another page"


if __name__ == "__main__":
    main()
