// The report of verify as JSON: cases, nodes, and all that was measured of them.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "ir/formats/sums_json.hpp"
#include "parity/attribution/attribution.hpp"
#include "parity/core/build_info.hpp"
#include "parity/core/json_number.hpp"
#include "parity/report/derivation.hpp"
#include "parity/report/report.hpp"

namespace plumb::parity::report {
namespace {

using Json = nlohmann::ordered_json;

Json whole(const std::optional<std::uint64_t>& x) { return x ? Json(*x) : Json(nullptr); }

/// A number of which results files keep no more than a float.
Json float_number(double x) {
  const auto kept = static_cast<float>(x);
  if (!std::isfinite(kept)) return core::json_number(kept);
  const std::string text = fmt::format("{}", kept);
  double brief = 0;  // from_chars knows no locale, which a caller may have set
  std::from_chars(text.data(), text.data() + text.size(), brief);
  return brief;
}

Json extreme(const compare::Extreme& one) { return {{"value", core::json_number(one.value)}, {"index", one.index}}; }

/// `limited`: errors were held against a limit, so that ratios mean something.
Json comparison(const compare::Comparison& c, bool limited) {
  if (c.n == 0) return nullptr;
  Json json = {{"elements", c.n},
               {"bad", c.n_bad},
               {"nan_expected", c.n_nan_expected},
               {"nan_got", c.n_nan_got},
               {"inf_expected", c.n_inf_expected},
               {"inf_got", c.n_inf_got},
               {"max_abs", extreme(c.max_abs)},
               {"max_rel", extreme(c.max_rel)},
               {"max_ulp", extreme(c.max_ulp)},
               {"mean_signed", core::json_number(c.mean_signed)},
               {"rms", core::json_number(c.rms)},
               {"rel_l2", core::json_number(c.rel_l2)},
               {"cosine", core::json_number(c.cosine)}};
  if (limited && !c.worst.empty()) {
    const compare::Worst& w = c.worst.front();
    json["ratio"] = core::json_number(w.ratio);
    json["sigma_max"] = core::json_number(c.sigma_max);
    json["worst"] = {{"index", w.index},
                     {"expected", core::json_number(w.expected)},
                     {"got", core::json_number(w.got)},
                     {"allowed", core::json_number(w.allowed)}};
  }
  return json;
}

/// By result of the graph.
Json blame_json(const cases::NodeResult& node, const ir::Graph* graph) {
  if (graph == nullptr || node.blame.empty()) return nullptr;
  Json json = Json::object();
  for (std::size_t r = 0; r < node.blame.size(); ++r)
    json[graph->name(graph->results()[r])] = core::json_number(node.blame[r]);
  return json;
}

/// The dtype of the sums of the node's kernel; null where it has none.
Json accumulation_json(const cases::NodeResult& node) {
  const auto accumulator = ir::accumulator_of(node.sums);
  return accumulator ? Json(ir::info(*accumulator).name) : Json(nullptr);
}

Json patterns_json(const std::vector<cases::Pattern>& all) {
  Json list = Json::array();
  for (const cases::Pattern& one : all)
    list.push_back({{"kind", ir::enum_name(one.kind)},
                    {"period", one.period},
                    {"phase", one.phase},
                    {"k0", one.k0},
                    {"k1", one.k1},
                    {"score", one.score},
                    {"text", one.text}});
  return list;
}

Json statistics(const cases::Statistics& found) {
  return {{"n", found.n},
          {"rho", float_number(found.rho)},
          {"bits_accumulator", float_number(found.bits_accumulator)},
          {"bits_operand", float_number(found.bits_operand)},
          {"misrounded", float_number(found.misrounded)},
          {"misrounded_bound", float_number(found.misrounded_bound)},
          {"bias", float_number(found.bias)},
          {"bias_t", float_number(found.bias_t)}};
}

/// The units that a ratio is about, and the choices that were read off the output.
Json units_json(const cases::Units& units) {
  Json differing = Json::array();
  for (const cases::Decision& one : units.decisions.differing)
    differing.push_back({{"what", one.what},
                         {"element", one.where},
                         {"chosen", core::json_number(one.chosen)},
                         {"truth", core::json_number(one.truth)},
                         {"margin", core::json_number(one.margin)},
                         {"limit", core::json_number(one.limit)},
                         {"admissible", one.is_admissible}});
  return {{"kind", ir::enum_name(units.kind)},
          {"count", units.count},
          {"beyond", units.beyond},
          {"flagged", units.flagged},
          {"untraced", units.untraced},
          {"decisions", units.decisions.count},
          {"free", units.decisions.free},
          {"free_bound", float_number(units.decisions.bound)},
          {"refused", units.decisions.refused},
          {"differing", std::move(differing)},
          {"residual", float_number(units.residual)},
          {"orthogonality", float_number(units.orthogonality)}};
}

/// Adds the limit of an output that did not pass, and the steps behind it.
void add_advice(Json& json, const cases::CaseResult& result, const cases::NodeResult& node) {
  if (core::is_fine(node.verdict)) return;
  json["limit"] = limit_json(result, node);
  json["next"] = next_json(result, node);
}

Json node_json(const cases::NodeResult& node, const ir::Graph* graph) {
  return {{"node", node.name()},
          {"op", node.op},
          {"dtype", ir::info(node.type.dtype).name},
          {"shape", std::vector<std::int64_t>(node.type.shape)},
          {"verdict", ir::enum_name(node.verdict)},
          {"why", node.why},
          {"exact", ir::enum_name(node.proof.exact)},
          {"proof", node.proof.why},
          {"of_plain_run", node.is_of_plain_run},
          {"placement", ir::enum_name(node.placement)},
          {"group", node.group},
          {"paired", ir::enum_name(node.paired)},
          {"kernel", node.kernel},
          {"tile", node.tile},
          {"accumulation", accumulation_json(node)},
          {"sums", Json::parse(ir::formats::to_json(node.sums))},
          {"placement_reason", node.placement_reason},
          {"local", comparison(node.local, true)},
          {"inherited", comparison(node.inherited, false)},
          {"total", comparison(node.total, node.gates_total && !node.converted)},
          {"converted", node.converted ? comparison(*node.converted, node.gates_total) : Json(nullptr)},
          {"amplification", float_number(node.amplification)},
          {"blame", blame_json(node, graph)},
          {"expected", node.expected ? comparison(*node.expected, true) : Json(nullptr)},
          {"truth",
           {{"uncertainty", core::json_number(node.certificate.uncertainty)},
            {"recomputed", node.certificate.recomputed},
            {"undecided", node.certificate.undecided}}},
          {"telling",
           {{"informative", node.telling.informative},
            {"loose", node.telling.loose},
            {"not_finite", node.telling.not_finite}}},
          {"settled",
           {{"open", node.settled.open},
            {"replayed", node.settled.replayed},
            {"wide", node.settled.wide},
            {"out_of_range", node.settled.out_of_range}}},
          {"units", units_json(node.units)},
          {"oracle",
           {{"asked", node.oracle.asked},
            {"bad", node.oracle.bad},
            {"limits", node.oracle.limits},
            {"bad_limits", node.oracle.bad_limits}}},
          {"replays", {{"asked", node.replays.asked}, {"equal", node.replays.equal}}},
          {"special", ir::enum_name(node.special.of)},
          {"special_at", node.special.of > cases::Special::none ? Json(node.special.at) : Json(nullptr)},
          {"lacks_truth", node.lacks_truth},
          {"sensitivity", float_number(node.sensitivity.share)},
          {"statistics", statistics(node.statistics)},
          {"emulator_ulp", node.emulator_ulp ? core::json_number(*node.emulator_ulp) : Json(nullptr)},
          {"emulator_share", node.emulator_share ? core::json_number(*node.emulator_share) : Json(nullptr)},
          {"emulator_pattern", node.emulator_pattern},
          {"reference_ns", whole(node.reference_ns)},
          {"device_ns", whole(node.device_ns)},
          {"out_hash", node.hash ? Json(fmt::format("{:016x}", *node.hash)) : Json(nullptr)},
          {"patterns", patterns_json(node.patterns)},
          {"repro", node.repro}};
}

Json first_guilty_json(const cases::CaseResult& result) {
  const cases::NodeResult* guilty = cases::first_guilty(result);
  if (guilty == nullptr) return nullptr;
  return {{"node", guilty->name()},
          {"ratio", core::json_number(guilty->local.ratio())},
          {"text", attribution::guilty_text(result)}};
}

Json origin_json(const cases::NonFiniteOrigin& one) {
  Json json = {{"kind", ir::enum_name(one.kind)}, {"node", one.node}, {"element", one.element}, {"from", one.from}};
  json["elements"] = one.elements;
  json["special"] = ir::enum_name(one.special);
  json["heirs"] = one.heirs;
  return json;
}

Json relation_json(const cases::RelationResult& one) {
  return {{"node", one.label},      {"relation", ir::enum_name(one.relation)},
          {"how", one.how},         {"verdict", ir::enum_name(one.verdict)},
          {"why", one.why},         {"bitwise", one.bitwise},
          {"elements", one.n},      {"bad", one.n_bad},
          {"differ", one.n_differ}, {"ratio", core::json_number(one.ratio)}};
}

Json explanation_json(const cases::Explanation& one) {
  if (one.text.empty()) return nullptr;
  return {{"text", one.text},
          {"precision", one.precision.empty() ? Json(nullptr) : Json(one.precision)},
          {"ratio", core::json_number(one.ratio)},
          {"absolute", core::json_number(one.absolute)}};
}

Json expected_json(const cases::ExpectedResult& one) {
  const bool has_tolerance = one.rule == cases::ExpectedRule::tolerance;
  return {{"value", one.value},
          {"verdict", ir::enum_name(one.verdict)},
          {"why", one.why},
          {"rule", ir::enum_name(one.rule)},
          {"runs", one.runs},
          {"precision", one.precision},
          {"rtol", has_tolerance ? Json(one.relative) : Json(nullptr)},
          {"atol", has_tolerance ? Json(one.absolute) : Json(nullptr)},
          {"flagged", one.n_flagged},
          {"explanation", explanation_json(one.explanation)},
          {"informative", one.telling.informative},
          {"comparison", comparison(one.comparison, true)}};
}

Json plain_json(const cases::PlainRun& plain) {
  Json kernels = Json::array();
  for (const cases::OtherKernel& one : plain.kernels)
    kernels.push_back({{"node", one.node}, {"watched", one.watched}, {"plain", one.plain}});
  return {{"bits", ir::enum_name(plain.plain)}, {"why", plain.why}, {"kernels", std::move(kernels)}};
}

/// `exit` is by what was demanded, where that is known of this case.
Json case_json(const cases::CaseResult& result, const core::Outcome& outcome, std::size_t place) {
  Json nodes = Json::array();
  const ir::Graph* graph = result.subject.file ? &result.subject.file->graph : nullptr;
  for (const cases::NodeResult& node : result.nodes) {
    nodes.push_back(node_json(node, graph));
    add_advice(nodes.back(), result, node);
  }
  Json origins = Json::array();
  for (const cases::NonFiniteOrigin& one : result.non_finite) origins.push_back(origin_json(one));
  Json relations = Json::array();
  for (const cases::RelationResult& one : result.relations) relations.push_back(relation_json(one));
  Json expected = Json::array();
  for (const cases::ExpectedResult& one : result.expected) expected.push_back(expected_json(one));
  const cases::Identity identity = cases::identity_of(result);
  const std::string uuid = cases::to_text(result.uuid);
  return {{"graph", result.subject.name},
          {"id", identity.id()},
          {"key", identity.key()},
          {"uuid", uuid.empty() ? Json(nullptr) : Json(uuid)},
          {"subject", identity.subject},
          {"options", identity.options},
          {"attempts", result.attempts},
          {"planted", result.settings.planted},
          {"why", result.subject.file ? result.subject.file->why : ""},
          {"verdict", ir::enum_name(result.verdict)},
          {"exit", static_cast<int>(place < outcome.cases.size() ? outcome.cases[place] : result.exit)},
          {"message", result.message},
          {"seed", result.subject.seed},
          {"step", result.subject.step},
          {"dtype", result.subject.dtype ? ir::info(*result.subject.dtype).name : "as the graph"},
          {"fill", ir::enum_name(result.subject.fill)},
          {"fill_name", result.subject.adversarial ? ir::enum_name(*result.subject.adversarial) : ""},
          {"mode", ir::enum_name(result.mode)},
          {"first_guilty", first_guilty_json(result)},
          {"non_finite", std::move(origins)},
          {"verified", {{"flops", result.coverage.flops}, {"elements", result.coverage.elements}}},
          {"false_alarms",
           {{"alpha", result.false_alarms.alpha},
            {"n_limits", result.false_alarms.n_limits},
            {"lambda", result.false_alarms.lambda()}}},
          {"candidate", result.candidate},
          {"wall_seconds", result.wall_seconds},
          {"notes", result.notes},
          {"repro", result.repro},
          {"nodes", std::move(nodes)},
          {"relations", std::move(relations)},
          {"expected", std::move(expected)},
          {"plain_run", plain_json(result.plain)}};
}

// Fields that results files do not keep, of a case, of its nodes, and of expected results; "a/b" is b of a.
constexpr std::array not_kept_of_case = {"why", "non_finite", "plain_run/why", "plain_run/kernels"};
constexpr std::array not_kept_of_node = {"proof",
                                         "placement_reason",
                                         "blame",
                                         "expected",
                                         "telling",
                                         "units/beyond",
                                         "units/flagged",
                                         "units/untraced",
                                         "units/decisions",
                                         "units/refused",
                                         "units/differing",
                                         "oracle/bad",
                                         "oracle/limits",
                                         "oracle/bad_limits",
                                         "statistics/n",
                                         "emulator_share",
                                         "emulator_pattern",
                                         "local/max_ulp/index",
                                         "inherited/max_ulp/index",
                                         "total/max_ulp/index",
                                         "converted/max_ulp/index"};
constexpr std::array not_kept_of_expected = {"explanation",
                                             "comparison/nan_expected",
                                             "comparison/nan_got",
                                             "comparison/inf_expected",
                                             "comparison/inf_got",
                                             "comparison/max_abs",
                                             "comparison/max_rel",
                                             "comparison/max_ulp",
                                             "comparison/mean_signed",
                                             "comparison/rms",
                                             "comparison/rel_l2",
                                             "comparison/cosine"};

template <std::size_t count>
void make_null(Json& json, const std::array<const char*, count>& places) {
  for (const char* const place : places)
    if (const Json::json_pointer at('/' + std::string(place)); json.contains(at)) json[at] = nullptr;
}

/// "closer" is null where both are alike or one has no known error.
Json pair_json(const cases::PairResult& pair) {
  const std::string closer = pair.closer();
  return {{"graph", pair.graph},
          {"seed", pair.seed},
          {"value", pair.value},
          {"candidates", {pair.first, pair.second}},
          {"elements", pair.elements},
          {"differing", pair.differing},
          {"max_abs", core::json_number(pair.max_abs)},
          {"max_ulp", core::json_number(pair.max_ulp)},
          {"errors", {core::json_number(pair.error_of_first), core::json_number(pair.error_of_second)}},
          {"closer", closer.empty() ? Json(nullptr) : Json(closer)}};
}

std::string document_of(Json list, const core::Outcome& outcome, std::span<const cases::PairResult> pairs) {
  Json beside = Json::array();
  for (const cases::PairResult& pair : pairs) beside.push_back(pair_json(pair));
  Json findings = Json::array();
  for (const core::RunFinding& one : outcome.findings) findings.push_back({{"kind", one.kind}, {"text", one.text}});
  const Json document = {{"format", "plumb.report/1"},
                         {"tool_version", core::build_info().version},
                         {"strict", outcome.demands.strict},
                         {"require_verified", outcome.demands.verified},
                         {"exit", static_cast<int>(outcome.exit)},
                         {"findings", std::move(findings)},
                         {"cases", std::move(list)},
                         {"pairs", std::move(beside)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string to_json(std::span<const cases::CaseResult> cases, const core::Outcome& outcome,
                    std::span<const cases::PairResult> pairs) {
  core::Outcome known = outcome;
  if (known.cases.size() != cases.size()) {  // nobody said: by their verdicts alone
    for (const cases::CaseResult& result : cases) known.cases.push_back(result.exit);
    known.exit = core::overall(std::span<const core::ExitCode>(known.cases));
  }
  Json list = Json::array();
  for (std::size_t c = 0; c < cases.size(); ++c) list.push_back(case_json(cases[c], known, c));
  return document_of(std::move(list), known, pairs);
}

std::string to_json_of_record(std::size_t count, const std::function<cases::CaseResult(std::size_t)>& case_at,
                              const core::Outcome& outcome, std::span<const cases::PairResult> pairs) {
  Json list = Json::array();
  for (std::size_t i = 0; i < count; ++i) {
    Json json = case_json(case_at(i), outcome, i);
    make_null(json, not_kept_of_case);
    for (Json& node : json["nodes"]) make_null(node, not_kept_of_node);
    for (Json& one : json["expected"]) make_null(one, not_kept_of_expected);
    list.push_back(std::move(json));
  }
  return document_of(std::move(list), outcome, pairs);
}

}  // namespace plumb::parity::report
