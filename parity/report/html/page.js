// The page of a report: tables, a graph and the details of a node, from the data that stand in the page itself.
// Text that others wrote reaches the page by textContent and setAttribute alone. There is no library in it: a graph has
// at most 250 boxes, in rows by what they read, and a histogram 64 bars, which are marks of SVG that can be read aloud.
// This file has the tables and the node that is looked at; page_graph.js, which the build puts behind it, the rest.
"use strict";

const rowsAPage = 200, mostBoxes = 250, fewNodes = 40;
const svgSpace = "http://www.w3.org/2000/svg";
const signs = {passed: "✓", failed: "✗", error: "!", nondeterministic: "≠", mistrusted: "?", fallback: "h",
  skipped: "–", unsupported: "–", xfailed: "x", xpassed: "!", out_of_range: "∞", quarantined: "q"};
const meanings = {
  passed: "every element that was judged is within its limit: the kernel is as exact as its arithmetic allows",
  failed: "at least one element is beyond what rounding in the kernel's own order can explain: a defect",
  mistrusted: "within its limits, but the data would not have shown a defect: this proves nothing",
  nondeterministic: "two runs on the same inputs gave different bits",
  fallback: "it ran on the host: nothing was verified on the device",
  unsupported: "the device cannot run it: nothing was verified",
  error: "the case could not be carried out",
  xfailed: "it failed, as a rule of the policy says that it will",
  xpassed: "a rule of the policy says that it fails, and it did not",
  quarantined: "it went wrong in a way that the policy excuses for a while: nothing was verified",
  out_of_range: "an intermediate result left the range of the type, here and on any device: nothing to judge",
  skipped: "it was not compared: filtered out, or computed inside another node",
};
let data, rows = [], shown = [], page = 0, order = {key: "rank", down: false}, openGroups = new Set(), graphCase = 0;

/// Makes an element: attributes by name, a function for an event, then children, of which strings are text.
function make(name, attributes, ...children) {
  const one = name.startsWith("svg:") ? document.createElementNS(svgSpace, name.slice(4))
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (typeof value === "function") one.addEventListener(key, value);
    else if (value !== undefined && value !== null && value !== false) one.setAttribute(key, value);
  for (const child of children.flat()) if (child !== undefined && child !== null) one.append(child);
  return one;
}
const at = id => document.getElementById(id);
const button = (text, does, attributes) => make("button", {type: "button", click: does, ...attributes}, text);
const isFine = verdict => verdict === "passed" || verdict === "skipped";
const word = verdict => `${signs[verdict] || ""} ${verdict}`;
const number = x => x === undefined || x === null ? NaN : x === "inf" ? Infinity : x === "-inf" ? -Infinity : +x;
function text(x) {
  if (x === undefined || x === null) return "";
  const n = number(x);
  if (!Number.isFinite(n)) return String(x);
  return n !== 0 && (Math.abs(n) < 1e-3 || Math.abs(n) >= 1e6) ? n.toExponential(2) : String(+n.toPrecision(4));
}

async function unpack() {
  const packed = atob(at("data").textContent.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; ++i) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// ---- the table of nodes

const columns = [
  {key: "name", title: "node"}, {key: "op", title: "op"}, {key: "dtype", title: "dtype"},
  {key: "error", title: "error", isNumber: true}, {key: "ratio", title: "ratio", isNumber: true},
  {key: "ulp", title: "ulp", isNumber: true}, {key: "allowed", title: "allowed", isNumber: true},
  {key: "inherited", title: "inherited", isNumber: true}, {key: "amp", title: "amp", isNumber: true},
  {key: "kernel", title: "kernel"}, {key: "place", title: "place"}, {key: "us", title: "us", isNumber: true},
  {key: "verdict", title: "verdict"},
];
const keys = {s: "verdict", n: "name", op: "op", k: "kernel", d: "dtype", t: "tile", p: "place", c: "case"};
const numbers = {r: "ratio", u: "ulp", e: "error", i: "inherited", us: "us"};
const inPart = new Set(["name", "case", "kernel"]);

function matcher(key, patterns) {
  const tests = patterns.split(",").filter(Boolean).map(pattern => {
    const safe = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".");
    const isPart = inPart.has(key) && !/[*?]/.test(pattern);
    return new RegExp(isPart ? safe : `^(?:${safe})$`, "i");
  });
  return row => tests.some(test => test.test(row[key] || ""));
}

/// "s:failed r>0.5 !op:mat* attn": what each word asks of a row; a word that cannot be read says why.
function readQuery(query) {
  const tests = [], problems = [];
  for (let part of query.split(/\s+/).filter(Boolean)) {
    const isNot = part.startsWith("!");
    if (isNot) part = part.slice(1);
    const compared = /^([a-z]+)([<>]=?)(.+)$/.exec(part), named = /^([a-z]+):(.*)$/.exec(part);
    let test;
    if (compared && numbers[compared[1]] && !Number.isNaN(+compared[3])) {
      const [, name, sign, limit] = compared, key = numbers[name];
      const holds = {"<": x => x < +limit, "<=": x => x <= +limit, ">": x => x > +limit, ">=": x => x >= +limit}[sign];
      test = row => holds(number(row[key]));
    } else if (named && keys[named[1]]) {
      test = matcher(keys[named[1]], named[2]);
    } else if (!compared && !named) {
      const small = part.toLowerCase();
      test = row => [row.name, row.op, row.kernel, row.case].some(x => (x || "").toLowerCase().includes(small));
    } else {
      problems.push(`'${part}' is not understood`);
      continue;
    }
    tests.push(isNot ? row => !test(row) : test);
  }
  return {holds: row => tests.every(test => test(row)), problems};
}

function sortRows() {
  const {key, down} = order, sign = down ? -1 : 1;
  const isNumber = key === "rank" || columns.some(one => one.key === key && one.isNumber);
  const compare = isNumber
    ? (a, b) => {
      const x = number(a[key]), y = number(b[key]);
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return x === y ? 0 : sign * (x < y ? -1 : 1);
    }
    : (a, b) => sign * (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0);
  shown.sort((a, b) => compare(a, b) || a.rank - b.rank);
}

function filter(query, isFromLink) {
  const {holds, problems} = readQuery(query);
  shown = rows.filter(holds);
  sortRows();
  page = 0;
  at("problem").textContent = problems.join("; ");
  if (!isFromLink) history.replaceState(null, "", query ? `#q=${encodeURIComponent(query)}` : "#");
  showRows();
}

function showRows() {
  const body = at("rows"), first = page * rowsAPage, last = Math.min(first + rowsAPage, shown.length);
  const made = document.createDocumentFragment();
  const isOfSeveral = data.cases.length > 1;
  for (const row of shown.slice(first, last)) {
    const cells = columns.map(({key, isNumber}) => {
      if (key === "name") {
        const name = make("th", {scope: "row"}, button(row.name, () => showNode(row), {class: "link"}));
        if (isOfSeveral) name.append(make("div", {class: "of"}, row.case));
        return name;
      }
      if (key === "verdict") return make("td", {class: `v ${isFine(row.verdict) ? "" : "bad"}`}, word(row.verdict));
      return make("td", isNumber ? {class: "n"} : {}, isNumber ? text(row[key]) : row[key] || "");
    });
    made.append(make("tr", {}, cells));
  }
  body.replaceChildren(made);
  at("count").textContent = shown.length === 0 ? "no node is like that"
    : `${first + 1} to ${last} of ${shown.length}` + (shown.length < rows.length ? `, chosen of ${rows.length}` : "");
  at("before").disabled = page === 0;
  at("after").disabled = last >= shown.length;
}

function turn(by) {
  page += by;
  showRows();
  at("count").scrollIntoView({block: "nearest"});
}

function sortBy(key, isNumber) {
  order = {key, down: order.key === key ? !order.down : Boolean(isNumber)};
  for (const head of document.querySelectorAll("#table th[data-key]"))
    if (head.dataset.key === key) head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  sortRows();
  page = 0;
  showRows();
}

function buildNodes() {
  const input = make("input", {id: "query", type: "search", autocomplete: "off", spellcheck: "false",
    "aria-describedby": "words problem", input: event => filter(event.target.value)});
  const heads = columns.map(({key, title, isNumber}) =>
    make("th", {scope: "col", "data-key": key}, button(title, () => sortBy(key, isNumber))));
  at("nodes").append(
    make("p", {}, make("label", {for: "query"}, "choose "), input, " ", make("span", {id: "problem", role: "alert"})),
    make("p", {id: "words", class: "of"}, "words such as s:failed,error n:attn op:mat* k:coopmat* d:f16 r>0.5 "
      + "c:seed=3 !s:skipped: verdict, name, op, kernel, dtype, ratio, case; ! for what shall not be"),
    make("div", {class: "wide", tabindex: "0", role: "region", "aria-label": "table of nodes"},
      make("table", {id: "table"}, make("caption", {class: "hidden"}, "nodes"),
        make("thead", {}, make("tr", {}, heads)), make("tbody", {id: "rows"}))),
    make("p", {}, button("before", () => turn(-1), {id: "before"}), " ", button("after", () => turn(1), {id: "after"}),
      " ", make("span", {id: "count", role: "status"})));
}

// ---- one node

const pair = (name, ...value) => value.some(x => x !== undefined && x !== null && x !== "")
  ? [make("dt", {}, name), make("dd", {}, ...value)] : [];

function tableOf(caption, heads, lines) {
  return make("div", {class: "wide", tabindex: "0", role: "region", "aria-label": caption},
    make("table", {}, make("caption", {}, caption),
      make("thead", {}, make("tr", {}, heads.map(head => make("th", {scope: "col"}, head)))),
      make("tbody", {}, lines.map(line => make("tr", {}, line.map((cell, k) =>
        cell instanceof Node ? cell : make("td", k === 0 ? {} : {class: "n"}, cell)))))));
}

function histogram(caption, {first, counts}, edges) {
  const width = 9, height = 80, most = Math.max(...counts), total = counts.reduce((a, b) => a + b, 0);
  const said = `${caption}: ${total} elements from ${text(edges[first])} to ${text(edges[first + counts.length])}`;
  const bars = counts.map((count, k) => {
    const tall = count === 0 ? 0 : Math.max(1, height * Math.log1p(count) / Math.log1p(most));
    return make("svg:rect", {x: k * width, y: height - tall, width: width - 1, height: tall},
      make("svg:title", {}, `from ${text(edges[first + k])}: ${count}`));
  });
  return make("figure", {},
    make("svg:svg", {role: "img", "aria-label": said, class: "bars", width: Math.max(counts.length * width, 60), height,
      viewBox: `0 0 ${Math.max(counts.length * width, 60)} ${height}`}, bars),
    make("figcaption", {}, said));
}

function agentText(row) {
  const of = data.cases[row.caseAt], more = row.more || {};
  return JSON.stringify({case: of.id, key: of.key, node: row.name, op: row.op, dtype: row.dtype, shape: row.shape,
    kernel: row.kernel, tile: row.tile, verdict: row.verdict, means: meanings[row.verdict], why: more.why,
    ratio: row.ratio, limit: more.limit, next: more.next, patterns: more.patterns, worst: more.worst,
    first_guilty: of.guilty, repro: more.repro || of.repro}, null, 1);
}

function issueText(row) {
  const of = data.cases[row.caseAt], more = row.more || {}, lines = [];
  lines.push(`${row.name} (${row.op}, ${row.dtype}): ${row.verdict}`, "", more.why || meanings[row.verdict] || "");
  for (const [name, value] of [["case", of.id], ["kernel", [row.kernel, row.tile].filter(Boolean).join(" ")],
    ["ratio", text(row.ratio)], ["device", data.device], ["driver", data.driver], ["plumb", data.version],
    ["commit", data.commit]])
    if (value) lines.push(`${name}: ${value}`);
  for (const pattern of more.patterns || []) lines.push(`pattern: ${pattern}`);
  lines.push("", "    " + (more.repro || of.repro || ""));
  return lines.join("\n");
}

async function copy(what) {
  let isDone = false;
  try {
    await navigator.clipboard.writeText(what);
    isDone = true;
  } catch (refused) {
    // A page that was opened as a file has no clipboard of its own.
    const area = make("textarea", {"aria-hidden": "true", class: "hidden"});
    area.value = what;
    document.body.append(area);
    area.select();
    isDone = Boolean(document.execCommand?.("copy"));
    area.remove();
  }
  at("copied").textContent = isDone ? "copied" : "could not be copied; here it is:";
  at("text").textContent = what;
  at("text").hidden = false;
}

function limitOf(limit) {
  if (!limit) return [];
  return [...pair("limit", `${text(limit.value)} by ${limit.by}`), ...pair("derived", limit.text),
    ...pair("rules", (limit.rules || []).join(", "))];
}

function showNode(row) {
  const more = row.more || {}, of = data.cases[row.caseAt], worst = more.worst || [];
  const parts = Object.entries(more.parts || {});
  at("node").hidden = false;
  at("node").replaceChildren(
    make("h2", {id: "node-title", tabindex: "-1"}, `${row.name} (${row.op}): `,
      make("span", {class: isFine(row.verdict) ? "" : "bad"}, word(row.verdict))),
    make("p", {}, meanings[row.verdict] || ""),
    make("p", {}, button("copy for an issue", () => copy(issueText(row))), " ",
      button("copy for an agent", () => copy(agentText(row))), " ",
      make("span", {id: "copied", role: "status"})),
    make("pre", {id: "text", hidden: "", tabindex: "0", "aria-label": "text that was copied"}),
    make("dl", {}, pair("case", of.id), pair("why", more.why), pair("ratio", text(row.ratio)), limitOf(more.limit),
      pair("type", `${row.dtype} [${(row.shape || []).join(", ")}]`),
      pair("kernel", [row.kernel, row.tile].filter(Boolean).join(" ")), pair("ran on", row.place),
      (more.sums || []).flatMap(sum => pair("sum", sum)), (more.patterns || []).flatMap(one => pair("pattern", one)),
      (more.facts || []).flatMap(([name, value]) => pair(name, value)),
      (more.next || []).flatMap(step => pair("next", `${step.why}: `, make("code", {}, step.command))),
      more.repro ? pair("again", make("code", {}, more.repro)) : []),
    worst.length ? tableOf("worst elements", ["element", "truth", "device", "off by", "allowed", "ratio"],
      worst.map(([index, expected, got, allowed]) => [String(index), text(expected), text(got),
        text(Math.abs(number(got) - number(expected))), text(allowed),
        text(Math.abs(number(got) - number(expected)) / number(allowed))])) : "",
    parts.length ? tableOf("errors", ["part", "largest", "ulp", "rms", "mean", "relative", "beyond"],
      parts.map(([name, part]) => [name, ...part.map(text)])) : "",
    more.map ? mapOf(more.map) : "",
    more.ulps ? histogram("signed errors in ulps", more.ulps, data.ulp_edges) : "");
  at("node-title").focus();
  at("node").scrollIntoView({block: "start"});
}
