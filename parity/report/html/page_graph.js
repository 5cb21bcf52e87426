// The rest of the script of a page, behind page.js: maps, the graph, cases and times, and what puts the page together.

// ---- the map of a node: parts of a row that are of one level are one mark of SVG

const mapLevels = ["below 0.012", "below 0.037", "below 0.11", "below 0.34", "within the limit",
  "to 4 times the limit", "to 16 times the limit", "to 64 times the limit", "beyond 64 times the limit", "not finite"];
const mapLevel = cell => cell === 255 ? 9 : cell < 128 ? Math.floor(cell * 5 / 128) : 5 + Math.floor((cell - 128) / 31.75);

function mapOf({rows, columns, cells}) {
  const packed = atob(cells), across = Math.min(columns, 64), down = Math.min(rows, 64);
  const size = Math.max(6, Math.min(24, Math.floor(256 / Math.max(across, down, 1)))), left = 60, top = 16;
  const level = (row, column) => mapLevel(packed.charCodeAt(row * across + column));
  const span = (extent, first, end) => {
    const begins = cell => extent > 64 ? Math.ceil(cell * extent / 64) : cell, last = begins(end) - 1;
    return begins(first) === last ? `${last}` : `${begins(first)} to ${last}`;
  };
  const marks = [], counts = new Array(10).fill(0);
  for (let row = 0; row < down; ++row)
    for (let first = 0, end = 1; first < across; first = end, end = first + 1) {
      const of = level(row, first);
      while (end < across && level(row, end) === of) ++end;
      counts[of] += end - first;
      marks.push(make("svg:rect", {class: `m${of}`, x: left + first * size, y: top + row * size,
        width: (end - first) * size, height: size},
        make("svg:title", {}, `rows ${span(rows, row, row + 1)}, columns ${span(columns, first, end)}: `
          + mapLevels[of])));
    }
  const label = (x, y, anchor, what) => make("svg:text", {x, y, "text-anchor": anchor}, String(what));
  const labels = [label(left, top - 4, "start", "column 0"), label(left - 4, top + 11, "end", "row 0")];
  if (columns > 1 && across * size > 120)
    labels.push(label(left + across * size, top - 4, "end", columns - 1));
  if (down > 1) labels.push(label(left - 4, top + down * size - 2, "end", rows - 1));
  const worst = counts.reduce((most, count, k) => count > 0 ? k : most, 0);
  const beyond = counts.slice(5).reduce((a, b) => a + b, 0);
  const said = `map of the largest error over its limit: ${rows} rows and ${columns} columns in ${down * across} parts, `
    + `${beyond} of them beyond the limit; the worst is ${mapLevels[worst]}`;
  const width = left + Math.max(across * size, 80), height = top + down * size;
  return make("figure", {}, make("svg:svg", {role: "img", "aria-label": said, class: "map", width, height,
    viewBox: `0 0 ${width} ${height}`}, marks, labels), make("figcaption", {}, said));
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
    const sumOf = k => sources[k].reduce((sum, from) => sum + places[from], 0);
    const wish = k => sources[k].length ? sumOf(k) / sources[k].length : 0;
    line.sort((a, b) => wish(a) - wish(b) || a - b);
    line.forEach((k, place) =>
      places[k] = Math.max(place, place ? places[line[place - 1]] + 1 : 0, Math.round(wish(k))));
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
  const guilty = of.guilty ? of.guilty.replace(/:\d+$/, "") : undefined;
  const isGuilty = box => Boolean(guilty) && box.leaves.some(leaf => graph[leaf][0] === guilty);
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
      + "thick border: the first node whose own error is too large. Enter opens a group or a node."),
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
  const heads = ["case", "verdict", "nodes", "s", "verified", "first guilty", "remarks"];
  at("cases").append(tableOf("cases, with their verdicts", heads, lines));
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
