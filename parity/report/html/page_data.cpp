// Cases, nodes and graphs as the JSON that the script of a page reads. Only what results files keep is told, so that a
// page made of a file is that of the run.
#include "parity/report/html/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "ir/formats/tensor_json.hpp"
#include "parity/attribution/attribution.hpp"
#include "parity/core/build_info.hpp"
#include "parity/core/json_number.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/derivation.hpp"
#include "parity/report/node_report.hpp"

namespace plumb::parity::report::html {
namespace {

using Json = nlohmann::ordered_json;
using core::terminal::printable;

constexpr std::size_t most_cases = 200, most_nodes_a_case = 100, worst_shown = 8;

/// A number with as many digits as a table shows, where it is finite.
Json brief(double x) {
  if (!std::isfinite(x)) return core::json_number(x);
  const std::string text = fmt::format("{:.5g}", x);
  double rounded = 0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

void add(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = printable(text);
}
void add(Json& json, const char* name, double x) {
  if (!std::isnan(x)) json[name] = brief(x);
}

/// The bins of a histogram that are not empty, and those between them.
Json bins_json(const std::array<std::uint64_t, compare::Comparison::ulp_bins>& counts) {
  const auto is_taken = [](std::uint64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(counts, is_taken);
  if (first == counts.end()) return nullptr;
  const auto last = std::find_if(counts.rbegin(), counts.rend(), is_taken).base();
  return {{"first", first - counts.begin()}, {"counts", std::vector<std::uint64_t>(first, last)}};
}

/// The extents of the output, and the cells that have elements, row by row in base64.
Json map_json(const compare::RatioMap& map) {
  std::vector<std::byte> cells;
  for (std::size_t row = 0; row < map.used_rows(); ++row)
    for (std::size_t column = 0; column < map.used_columns(); ++column)
      cells.push_back(static_cast<std::byte>(map.at(row, column)));
  return {{"rows", map.extents.rows}, {"columns", map.extents.columns}, {"cells", ir::formats::base64_of(cells)}};
}

/// The lower edges of the bins of signed ulps, and the end of the last.
Json edges_json() {
  Json edges = Json::array();
  for (const double edge : compare::ulp_edges()) edges.push_back(core::json_number(edge));
  edges.push_back("inf");
  return edges;
}

/// Largest error, ulps, rms, mean, relative error, elements beyond their limit.
Json part_json(const compare::Comparison& c) {
  return {brief(c.max_abs.value), brief(c.max_ulp.value), brief(c.rms), brief(c.mean_signed), brief(c.rel_l2), c.n_bad};
}

Json parts_json(const cases::NodeResult& node) {
  Json parts = Json::object();
  const auto add_part = [&](const char* name, const compare::Comparison& c) {
    if (c.n > 0) parts[name] = part_json(c);
  };
  add_part("local", node.local);
  add_part("inherited", node.inherited);
  add_part("total", node.total);
  if (node.converted) add_part("converted", *node.converted);
  return parts;
}

/// The number as a results file keeps it, so that its page has the same digits.
double stored(double x) { return static_cast<float>(x); }

/// Findings of samples of a node, as pairs of a name and a text.
Json facts_json(const cases::NodeResult& node) {
  Json facts = Json::array();
  const auto tell = [&](const char* name, const std::string& text) { facts.push_back({name, printable(text)}); };
  if (const auto accumulator = ir::accumulator_of(node.sums)) tell("sums in", std::string(ir::info(*accumulator).name));
  if (node.rule) tell("rule of the policy", std::to_string(*node.rule));
  if (node.group > 1) tell("judged as one", fmt::format("{} nodes", node.group));
  if (node.is_of_plain_run) tell("run", "the graph compiled for its results alone");
  if (!std::isnan(node.sensitivity.share))
    tell("sensitivity",
         fmt::format("{:.3g} % of a sample would notice a small fault", 100 * stored(node.sensitivity.share)));
  if (node.oracle.asked > 0)
    tell("definition", fmt::format("{} elements of the truth were evaluated again", node.oracle.asked));
  if (node.replays.asked > 0)
    tell("replayed",
         fmt::format("{} of {} elements bit for bit as its sums say", node.replays.equal, node.replays.asked));
  if (!std::isnan(node.statistics.bits_accumulator))
    tell("rounds as", fmt::format("an accumulator of {:.3g} bits", stored(node.statistics.bits_accumulator)));
  if (!std::isnan(node.statistics.misrounded))
    tell("misrounded",
         fmt::format("{:.3g} % of the results, by chance up to {:.3g} %", 100 * stored(node.statistics.misrounded),
                     100 * stored(node.statistics.misrounded_bound)));
  if (node.settled.replayed > 0) tell("settled", fmt::format("{} elements by a replay", node.settled.replayed));
  if (node.hash) tell("hash", fmt::format("{:016x}", *node.hash));
  return facts;
}

Json more_json(const cases::CaseResult& result, const cases::NodeResult& node, Kept kept) {
  Json more = Json::object();
  add(more, "why", node.why);
  Json sums = Json::array(), patterns = Json::array(), worst = Json::array();
  for (const ir::Sum& sum : node.sums) sums.push_back(printable(text_of_sum(sum)));
  for (const cases::Pattern& one : node.patterns) patterns.push_back(printable(one.text));
  for (const compare::Worst& one : node.gated().worst) {
    if (worst.size() == worst_shown) break;
    worst.push_back({one.index, core::json_number(one.expected), core::json_number(one.got), brief(one.allowed)});
  }
  if (!sums.empty()) more["sums"] = std::move(sums);
  if (!patterns.empty()) more["patterns"] = std::move(patterns);
  if (!worst.empty()) more["worst"] = std::move(worst);
  if (Json parts = parts_json(node); !parts.empty()) more["parts"] = std::move(parts);
  if (Json facts = facts_json(node); !facts.empty()) more["facts"] = std::move(facts);
  if (kept == Kept::all)
    if (Json bins = bins_json(node.local.hist_ulp); !bins.is_null()) more["ulps"] = std::move(bins);
  if (kept == Kept::all && node.gated().map.is_made()) more["map"] = map_json(node.gated().map);
  if (core::is_fine(node.verdict)) return more;
  add(more, "repro", node.repro);
  if (Json limit = limit_json(result, node); !limit.is_null()) more["limit"] = std::move(limit);
  if (Json next = next_json(result, node); !next.empty()) more["next"] = std::move(next);
  return more;
}

Json node_json(const cases::CaseResult& result, const cases::NodeResult& node, Kept kept) {
  Json json = {{"name", printable(node.name())}, {"index", node.node}};
  json["op"] = node.op;
  json["dtype"] = ir::info(node.type.dtype).name;
  json["shape"] = std::vector<std::int64_t>(node.type.shape);
  json["verdict"] = ir::enum_name(node.verdict);
  add(json, "kernel", node.kernel);
  add(json, "tile", node.tile);
  json["place"] = ir::enum_name(node.placement);
  const compare::Comparison& gated = node.gated();
  add(json, "error", gated.max_abs.value);
  add(json, "ratio", gated.ratio());
  add(json, "ulp", gated.max_ulp.value);
  if (!gated.worst.empty()) add(json, "allowed", gated.worst.front().allowed);
  add(json, "inherited", node.inherited.max_abs.value);
  add(json, "amp", static_cast<float>(node.amplification));
  if (node.device_ns) json["us"] = brief(1e-3 * static_cast<double>(*node.device_ns));
  if (!core::is_fine(node.verdict) || kept < Kept::no_details_of_passed)
    if (Json more = more_json(result, node, kept); !more.empty()) json["more"] = std::move(more);
  return json;
}

/// A node a line: its label, its op, and the nodes that it reads.
Json graph_json(const ir::Graph& graph) {
  Json nodes = Json::array();
  for (const ir::Node& node : graph.nodes()) {
    std::set<std::size_t> sources;
    for (const ir::Value v : node.inputs)
      if (const auto from = graph.producer(v)) sources.insert(*from);
    nodes.push_back({printable(node.label), node.op.name(), std::vector<std::size_t>(sources.begin(), sources.end())});
  }
  return nodes;
}

/// The cases of a page, and the graphs that they share.
class PageData {
 public:
  explicit PageData(Kept kept) : kept_(kept) {}
  void add_case(const cases::CaseResult& result);
  Json get(const RunFacts& facts, std::size_t left_out);

 private:
  Json left_out_json(std::size_t cases_left_out) const;

  const Kept kept_;
  Json cases_ = Json::array(), graphs_ = Json::array();
  std::map<std::string, std::size_t> places_;  ///< places of graphs by their text
  std::set<std::string> policies_;
};

void PageData::add_case(const cases::CaseResult& result) {
  const cases::Identity identity = cases::identity_of(result);
  Json json = {{"id", printable(identity.id())}, {"key", identity.key()}, {"verdict", ir::enum_name(result.verdict)}};
  if (result.subject.file && kept_ < Kept::first_cases) {
    Json graph = graph_json(result.subject.file->graph);
    const auto [place, is_new] = places_.try_emplace(graph.dump(), graphs_.size());
    if (is_new) graphs_.push_back(std::move(graph));
    json["graph"] = place->second;
  }
  if (!result.judged_by.file.empty()) policies_.insert(printable(result.judged_by.file));
  add(json, "message", result.message);
  add(json, "candidate", result.candidate);
  json["seconds"] = brief(result.wall_seconds);
  add(json, "flops", result.coverage.flops);
  if (const auto* const guilty = cases::first_guilty(result)) json["guilty"] = printable(guilty->name());
  Json notes = Json::array(), nodes = Json::array();
  for (const std::string& note : result.notes) notes.push_back(printable(note));
  const auto tell = [&](const std::string& name, core::Verdict verdict, const std::string& why) {
    if (verdict != core::Verdict::passed)
      notes.push_back(printable(fmt::format("{}: {}: {}", name, ir::enum_name(verdict), why)));
  };
  for (const cases::RelationResult& one : result.relations)
    tell(fmt::format("{}: relation {} {}", one.label, ir::enum_name(one.relation), one.how), one.verdict, one.why);
  for (const cases::ExpectedResult& one : result.expected) tell("expected " + one.value, one.verdict, one.why);
  if (!notes.empty()) json["notes"] = std::move(notes);
  add(json, "repro", result.repro);
  for (const cases::NodeResult& node : result.nodes) {
    if (kept_ == Kept::first_cases && nodes.size() == most_nodes_a_case) break;
    if (!core::is_fine(node.verdict) || kept_ < Kept::no_passed) nodes.push_back(node_json(result, node, kept_));
  }
  json["nodes"] = std::move(nodes);
  cases_.push_back(std::move(json));
}

Json PageData::left_out_json(std::size_t cases_left_out) const {
  Json said = {"Numbers of tables have five digits; --json and the results file have all.",
               "Tensors, shares of results' errors (blame) and what results files do not keep are not here."};
  if (kept_ >= Kept::no_histograms) said.push_back("Histograms and maps were left out: the page would be too large.");
  if (kept_ >= Kept::no_details_of_passed) said.push_back("So were the details of nodes that passed.");
  if (kept_ >= Kept::no_passed) said.push_back("So were nodes that passed.");
  if (kept_ >= Kept::first_cases) said.push_back("So were graphs, and all but the first 100 such nodes of a case.");
  if (cases_left_out > 0) said.push_back(fmt::format("So were the last {} cases.", cases_left_out));
  return said;
}

Json PageData::get(const RunFacts& facts, std::size_t left_out) {
  const core::BuildInfo& built = core::build_info();
  Json findings = Json::array();
  for (const core::RunFinding& one : facts.outcome.findings) findings.push_back(printable(one.text));
  return {{"format", "plumb.page/1"},
          {"device", printable(facts.device)},
          {"driver", printable(facts.driver)},
          {"profile", printable(facts.profile)},
          {"version", facts.tool_version.empty() ? std::string(built.version) : printable(facts.tool_version)},
          {"commit", facts.commit.empty() ? std::string(built.git_commit) : printable(facts.commit)},
          {"strict", facts.outcome.demands.strict},
          {"require_verified", facts.outcome.demands.verified},
          {"exit", static_cast<int>(facts.outcome.exit)},
          {"findings", std::move(findings)},
          {"policies", std::vector<std::string>(policies_.begin(), policies_.end())},
          {"left_out", left_out_json(left_out)},
          {"ulp_edges", edges_json()},
          {"graphs", std::move(graphs_)},
          {"cases", std::move(cases_)}};
}

}  // namespace

std::size_t count_outputs(const Cases& cases) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < cases.count; ++at) count += cases.at(at).nodes.size();
  return count;
}

std::string page_data(const Cases& cases, const RunFacts& facts, Kept kept) {
  PageData data(kept);
  const std::size_t told = kept == Kept::first_cases ? std::min(cases.count, most_cases) : cases.count;
  for (std::size_t at = 0; at < told; ++at) data.add_case(cases.at(at));
  return data.get(facts, cases.count - told).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace plumb::parity::report::html
