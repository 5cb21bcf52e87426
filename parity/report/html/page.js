// The page of a report: tables, a graph and the details of a node, from the data that stand in the page itself.
// Text that others wrote reaches the page by textContent and setAttribute alone. There is no library in it: a graph has
// at most 250 boxes, in rows by what they read, and a histogram 64 bars, which are marks of SVG that can be read aloud.
"use strict";
(() => {
  const rowsAPage = 200, mostBoxes = 250, fewNodes = 40;
  const svgSpace = "http://www.w3.org/2000/svg";
  const signs = {passed: "✓", failed: "✗", error: "!", nondeterministic: "≠", mistrusted: "?", fallback: "h",
    skipped: "–", unsupported: "–", xfailed: "x", xpassed: "!", out_of_range: "∞"};
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
      more.ulps ? histogram("signed errors in ulps", more.ulps, data.ulp_edges) : "");
    at("node-title").focus();
    at("node").scrollIntoView({block: "start"});
  }

  // ---- the graph: boxes are nodes, or groups of nodes whose labels begin alike

  /// A tree of what labels have in common: {name, path, from, to, children}; leaves are nodes of the graph.
  function treeOf(nodes) {
    const root = {name: "", path: "", children: new Map()};
    nodes.forEach(([label], index) => {
      const parts = label.split("/");
      let group = root;
      for (const part of parts.slice(0, -1)) {
        if (!group.children.has(part + "/"))
          group.children.set(part + "/", {name: part, path: group.path + part + "/", children: new Map()});
        group = group.children.get(part + "/");
      }
      group.children.set(`${parts[parts.length - 1]} ${index}`, {name: parts[parts.length - 1], index});
    });
    const inBlocks = group => {
      let children = [...group.children.values()].map(child => child.children ? inBlocks(child) : child);
      for (let level = 0; children.length > fewNodes; ++level) {
        const size = Math.max(fewNodes / 2, Math.ceil(children.length / fewNodes)), blocks = [];
        for (let k = 0; k < children.length; k += size) {
          const some = children.slice(k, k + size);
          blocks.push({name: `${some[0].name} … ${some[some.length - 1].name}`, path: `${group.path}#${level}.${k}`,
            children: some});
        }
        children = blocks;
      }
      // A group of one group is that group, by both names.
      if (group !== root && children.length === 1 && children[0].children)
        return {...children[0], name: `${group.name}/${children[0].name}`};
      return {name: group.name, path: group.path, children};
    };
    return inBlocks(root);
  }

  function leavesOf(box) {
    return box.children ? box.children.flatMap(leavesOf) : [box.index];
  }

  /// The worst row of some nodes of a case: one that did not pass, then the largest ratio.
  function worstOf(indices, byNode) {
    let worst;
    for (const index of indices)
      for (const row of byNode.get(index) || [])
        if (!worst || isFine(worst.verdict) > isFine(row.verdict)
          || (isFine(worst.verdict) === isFine(row.verdict) && number(row.ratio) > (number(worst.ratio) || 0)))
          worst = row;
    return worst;
  }

  function boxesOf(tree, byNode) {
    const boxes = [];
    const add = box => {
      if (box.children && (box === tree || openGroups.has(box.path))) box.children.forEach(add);
      else boxes.push({...box, leaves: leavesOf(box)});
    };
    add(tree);
    for (const box of boxes) {
      box.row = worstOf(box.leaves, byNode);
      box.from = box.leaves.reduce((least, leaf) => Math.min(least, leaf));
    }
    return boxes.sort((a, b) => a.from - b.from);
  }

  /// Rows of boxes, each below what it reads, in an order in which few edges cross.
  function layOut(boxes, nodes) {
    const boxOf = new Map();
    boxes.forEach((box, k) => box.leaves.forEach(leaf => boxOf.set(leaf, k)));
    const edges = new Map();
    boxes.forEach((box, k) => box.leaves.forEach(leaf => nodes[leaf][2].forEach(source => {
      const from = boxOf.get(source);
      if (from !== k) edges.set(`${from} ${k}`, {from, to: k});
    })));
    const ranks = boxes.map(() => 0), sources = boxes.map(() => []);
    for (const {from, to} of edges.values()) if (from < to) sources[to].push(from);
    boxes.forEach((box, k) => sources[k].forEach(from => ranks[k] = Math.max(ranks[k], ranks[from] + 1)));
    const lines = [];
    boxes.forEach((box, k) => (lines[ranks[k]] = lines[ranks[k]] || []).push(k));
    const places = boxes.map(() => 0);
    for (const line of lines) {
      const wish = k => sources[k].length ? sources[k].reduce((sum, from) => sum + places[from], 0) / sources[k].length : 0;
      line.sort((a, b) => wish(a) - wish(b) || a - b);
      line.forEach((k, place) => places[k] = Math.max(place, place ? places[line[place - 1]] + 1 : 0, Math.round(wish(k))));
    }
    return {edges: [...edges.values()], ranks, places};
  }

  const heat = row => !row || Number.isNaN(number(row.ratio)) ? "h0" : number(row.ratio) > 1 ? "h4"
    : number(row.ratio) > 0.5 ? "h3" : number(row.ratio) > 0.1 ? "h2" : "h1";

  function activate(box, focus) {
    if (box.children) {
      openGroups.add(box.path);
      drawGraph(focus);
    } else if (box.row) {
      showNode(box.row);
    }
  }

  function boxElement(box, x, y, isGuilty) {
    const wide = 150, tall = 34, cut = box.name.length > 20 ? box.name.slice(0, 19) + "…" : box.name;
    const what = box.children ? `group of ${box.leaves.length} nodes, opens` : "node";
    const said = `${box.name}, ${what}${box.row ? `, ${box.row.verdict}, ratio ${text(box.row.ratio) || "none"}` : ""}`;
    const does = event => {
      if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      activate(box, box.path);
    };
    const classes = ["box", heat(box.row), box.children ? "group" : "", isGuilty ? "guilty" : ""].join(" ");
    return make("svg:g", {class: classes, role: "button", tabindex: "0", "aria-label": said, click: does, keydown: does,
      transform: `translate(${x} ${y})`},
      make("svg:rect", {width: wide, height: tall, rx: 4}),
      make("svg:text", {x: 6, y: 14}, (box.row && !isFine(box.row.verdict) ? signs[box.row.verdict] + " " : "") + cut),
      make("svg:text", {x: 6, y: 28, class: "small"}, box.children ? `${box.leaves.length} nodes`
        : box.row ? `${box.row.op} ${text(box.row.ratio)}` : ""));
  }

  function drawGraph(isFocused) {
    const of = data.cases[graphCase], graph = data.graphs[of.graph], area = at("drawing");
    if (!graph) return area.replaceChildren(make("p", {}, "no graph was recorded"));
    const byNode = new Map();
    for (const row of rows)
      if (row.caseAt === graphCase) byNode.set(row.index, [...(byNode.get(row.index) || []), row]);
    const tree = treeOf(graph);
    let boxes = boxesOf(tree, byNode);
    const left = boxes.length - mostBoxes;
    if (left > 0) boxes = boxes.slice(0, mostBoxes);
    const kept = new Set(boxes.flatMap(box => box.leaves));
    const nodes = graph.map(([label, op, sources]) => [label, op, sources.filter(source => kept.has(source))]);
    const {edges, ranks, places} = layOut(boxes, nodes);
    const place = k => [12 + places[k] * 166, 12 + ranks[k] * 66];
    const lines = edges.map(({from, to}) => {
      const [x0, y0] = place(from), [x1, y1] = place(to), row = boxes[to].row;
      const inherited = number(row && row.inherited), share = inherited / (inherited + number(row && row.error));
      return make("svg:path", {class: "edge", "stroke-width": 1 + 3 * (share > 0 ? share : 0), fill: "none",
        d: `M${x0 + 75} ${y0 + 34}C${x0 + 75} ${y0 + 54} ${x1 + 75} ${y1 - 20} ${x1 + 75} ${y1}`});
    });
    const isGuilty = box => Boolean(of.guilty) && box.leaves.some(leaf => graph[leaf][0] === of.guilty.replace(/:\d+$/, ""));
    const wide = 24 + 166 * (1 + Math.max(0, ...places)), tall = 24 + 66 * (1 + Math.max(0, ...ranks));
    const drawn = boxes.map((box, k) => boxElement(box, ...place(k), isGuilty(box)));
    area.replaceChildren(make("svg:svg", {width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`, role: "group",
      "aria-label": "the graph, first nodes above"}, lines, drawn));
    at("drawn").textContent = `${boxes.length} boxes` + (left > 0 ? `; ${left} more are left out: close groups` : "");
    if (isFocused !== undefined) area.querySelector("g.box")?.focus();
  }

  /// Opens the groups on the way to nodes that did not pass, and all of a small graph.
  function openWhatFailed() {
    openGroups = new Set();
    const graph = data.graphs[data.cases[graphCase].graph];
    if (!graph) return;
    const bad = new Set(rows.filter(row => row.caseAt === graphCase && !isFine(row.verdict)).map(row => row.index));
    const walk = (box, isRoot) => {
      if (!box.children) return bad.has(box.index);
      const isOnTheWay = box.children.map(child => walk(child, false)).some(Boolean);
      if (!isRoot && (isOnTheWay || graph.length <= fewNodes) && openGroups.size < fewNodes) openGroups.add(box.path);
      return isOnTheWay;
    };
    walk(treeOf(graph), true);
  }

  function buildGraph() {
    const choose = make("select", {id: "graph-case", change: event => {
      graphCase = +event.target.value;
      openWhatFailed();
      drawGraph();
    }}, data.cases.slice(0, 1000).map((one, k) => make("option", {value: k}, `${one.id} (${one.verdict})`)));
    choose.value = String(graphCase);
    at("graph").append(
      make("p", {}, make("label", {for: "graph-case"}, "case "), choose, " ",
        button("close groups", () => { openGroups = new Set(); drawGraph(); }), " ",
        button("open what failed", () => { openWhatFailed(); drawGraph(); }), " ",
        make("span", {id: "drawn", role: "status"})),
      make("p", {class: "of"}, "colour: the largest ratio, blue to orange; thick edges: most of the error is inherited; "
        + "double border: the first node whose own error is too large. Enter opens a group or a node."),
      make("div", {id: "drawing", class: "wide", tabindex: "0", role: "region", "aria-label": "drawing of the graph"}));
    openWhatFailed();
    drawGraph();
  }

  // ---- cases, times, and the rest

  function buildCases() {
    const lines = data.cases.slice(0, rowsAPage).map((one, k) => [
      make("th", {scope: "row"}, button(one.id, () => {
        at("query").value = `c:${one.id.split(" ").pop()}`;
        filter(at("query").value);
        graphCase = k;
        if (at("graph-case")) { at("graph-case").value = String(k); openWhatFailed(); drawGraph(); }
        at("nodes").scrollIntoView();
        at("query").focus();
      }, {class: "link"})),
      make("td", {class: `v ${isFine(one.verdict) ? "" : "bad"}`}, word(one.verdict)), String(one.nodes.length),
      text(one.seconds), one.flops === undefined ? "" : `${Math.floor(100 * one.flops)} %`,
      make("td", {}, one.guilty || ""), make("td", {}, one.message || (one.notes || []).join("; "))]);
    at("cases").append(tableOf("cases, with their verdicts", ["case", "verdict", "nodes", "s", "verified", "first guilty", "remarks"], lines));
    if (data.cases.length > rowsAPage) at("cases").append(make("p", {}, `and ${data.cases.length - rowsAPage} more`));
  }

  function buildTimes() {
    const byOp = new Map();
    for (const row of rows) if (row.us !== undefined) byOp.set(row.op, (byOp.get(row.op) || 0) + row.us);
    const total = [...byOp.values()].reduce((a, b) => a + b, 0);
    if (!(total > 0)) return at("time").append(make("p", {}, "no times were taken on the device"));
    const lines = [...byOp].sort((a, b) => b[1] - a[1]).slice(0, 20).map(([op, us]) => [op, text(us),
      `${(100 * us / total).toFixed(1)} %`, make("td", {}, make("svg:svg", {class: "bars", width: 200, height: 10,
        "aria-hidden": "true"}, make("svg:rect", {width: 200 * us / total, height: 10})))]);
    at("time").append(tableOf("time on the device by op, all cases", ["op", "us", "share", "of all"], lines));
  }

  function buildRest() {
    const list = pairs => make("dl", {}, pairs.flatMap(([name, value]) => pair(name, value)));
    at("environment").append(list([["device", data.device], ["driver", data.driver], ["profile", data.profile],
      ["plumb", data.version], ["commit", data.commit]]));
    at("policy").append(list([["policy", data.policies.join(", ") || "none: by the bounds alone"],
      ["demands", [data.strict && "--strict", data.require_verified && "--require-verified"].filter(Boolean).join(" ")],
      ...data.findings.map(one => ["finding", one])]));
    at("about").append(make("ul", {}, data.left_out.map(one => make("li", {}, one))));
  }

  function buildRows() {
    data.cases.forEach((of, caseAt) => of.nodes.forEach(node => {
      node.case = of.id;
      node.caseAt = caseAt;
      rows.push(node);
    }));
    const weight = row => (isFine(row.verdict) ? 0 : 1e6) + Math.min(number(row.ratio) || 0, 1e5);
    [...rows].sort((a, b) => weight(b) - weight(a)).forEach((row, rank) => row.rank = rank);
  }

  function followLink() {
    const linked = /^#q=(.*)$/.exec(location.hash);
    if (!linked) return false;
    try {
      at("query").value = decodeURIComponent(linked[1]);
    } catch (malformed) {
      at("query").value = linked[1];
    }
    filter(at("query").value, true);
    return true;
  }

  function buildNavigation() {
    for (const section of document.querySelectorAll("main > section[id]:not(#node)"))
      at("parts").append(button(section.querySelector("h2").textContent, () => {
        section.scrollIntoView();
        section.querySelector("h2").setAttribute("tabindex", "-1");
        section.querySelector("h2").focus();
      }), " ");
    at("parts").hidden = false;
  }

  async function start() {
    data = await unpack();
    at("plain").remove();
    for (const section of document.querySelectorAll("main > section[hidden]:not(#node)")) section.hidden = false;
    buildRows();
    const worst = data.cases.findIndex(one => !isFine(one.verdict));
    graphCase = Math.max(0, worst);
    buildNodes();
    if (!followLink()) filter("", true);
    if (data.cases.length > 0) {
      buildCases();
      buildGraph();
    }
    buildTimes();
    buildRest();
    buildNavigation();
    window.addEventListener("hashchange", followLink);
    document.documentElement.dataset.ready = "yes";
  }

  start().catch(problem => {
    document.documentElement.dataset.ready = "no";
    at("parts").hidden = false;
    at("parts").textContent = `the data of this page cannot be read: ${problem.message}`;
  });
})();
