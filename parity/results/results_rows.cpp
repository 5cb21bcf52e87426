// Rows of the results file's tables, made of graphs, comparisons, relations, patterns and expectations.
#include "parity/results/results_rows.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ir/cost.hpp"

namespace plumb::parity::results {
namespace {

OpCode code_of(std::string_view op) {
  const auto& names = op_choices();
  const auto found = std::ranges::find(names, op);
  ir::require(found != names.end(), "no such op: ", op);
  return {static_cast<std::uint16_t>(found - names.begin())};
}

std::uint64_t whole(double x) { return x < 0x1p63 ? static_cast<std::uint64_t>(x) : no_number; }

/// Rank, dims and elements of what a node computes, its first output.
void describe(GraphNode& row, const ir::TensorType& type) {
  row.dtype_out = type.dtype;
  row.rank = static_cast<std::uint8_t>(type.shape.size());
  for (std::size_t axis = 0; axis < type.shape.size(); ++axis)
    row.dims[axis] = static_cast<std::uint64_t>(type.shape[axis]);
  row.n_elem = static_cast<std::uint64_t>(type.shape.elements());
}

GraphNode of_node(const ir::Graph& graph, const ir::Node& node) {
  GraphNode row;
  row.op = code_of(node.op.name());
  if (!node.inputs.empty()) row.dtype_in = graph.type(node.inputs[0]).dtype;
  if (!node.outputs.empty()) describe(row, graph.type(node.outputs[0]));
  const ir::Cost cost = ir::cost_of(graph, node);
  row.k_reduce = static_cast<std::uint64_t>(std::max<std::int64_t>(cost.contraction, 0));
  row.flops = whole(cost.flops);
  row.bytes = ir::bytes_of(graph, node);
  return row;
}

}  // namespace

std::uint32_t node_row(const ir::Graph& graph, std::size_t node) {
  return static_cast<std::uint32_t>(graph.inputs().size() + graph.params().size() + node);
}

std::vector<GraphNode> graph_nodes(const ir::Graph& graph, std::span<const core::Proof> proofs, const NameId& name_id) {
  std::vector<GraphNode> rows;
  for (ir::Value v = 0; graph.is_source(v); ++v) {
    GraphNode row;
    row.op = code_of(v < graph.inputs().size() ? "input" : "param");
    row.name_id = name_id(graph.name(v));
    describe(row, graph.type(v));
    row.bytes = graph.type(v).bytes();
    rows.push_back(row);
  }
  for (const ir::Node& node : graph.nodes()) {
    rows.push_back(of_node(graph, node));
    rows.back().name_id = name_id(node.label);
    if (!proofs.empty()) rows.back().exact = proofs[&node - graph.nodes().data()].exact;
  }
  for (std::uint32_t n = 0; n < rows.size(); ++n) rows[n].node = n;
  return rows;
}

std::vector<std::uint32_t> graph_edges(const ir::Graph& graph) {
  std::vector<std::uint32_t> edges;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const auto& inputs = graph.nodes()[n].inputs;
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      const auto from = graph.producer(inputs[i]);
      std::uint32_t output = 0;
      if (from) {
        const auto& outputs = graph.nodes()[*from].outputs;
        output = static_cast<std::uint32_t>(std::ranges::find(outputs, inputs[i]) - outputs.begin());
      }
      const auto source = from ? node_row(graph, *from) : static_cast<std::uint32_t>(inputs[i]);
      edges.insert(edges.end(), {source, output, node_row(graph, n), i});
    }
  }
  return edges;
}

std::vector<Coopmat> coopmat_rows(std::span<const profile::CooperativeShape> shapes) {
  std::vector<Coopmat> rows;
  for (const auto& shape : shapes)
    rows.push_back({.M = shape.m, .N = shape.n, .K = shape.k, .a = shape.a, .b = shape.b, .c = shape.c, .r = shape.r});
  return rows;
}

std::vector<RelationRow> relation_rows(const ir::Graph& graph, std::span<const cases::RelationResult> relations,
                                       std::uint32_t run, const NameId& name_id) {
  std::vector<RelationRow> rows;
  for (const cases::RelationResult& one : relations)
    rows.push_back({.run = run,
                    .node = node_row(graph, one.node),
                    .name_id = name_id(one.label),
                    .relation = one.relation,
                    .how_id = name_id(one.how),
                    .bitwise = one.bitwise,
                    .n = one.n,
                    .n_bad = one.n_bad,
                    .n_differ = one.n_differ,
                    .ratio_max = one.ratio,
                    .verdict = one.verdict,
                    .why_id = name_id(one.why)});
  return rows;
}

std::vector<PairRow> pair_rows(std::span<const cases::PairResult> pairs, std::uint32_t first_run,
                               const NameId& name_id) {
  std::vector<PairRow> rows;
  for (const cases::PairResult& one : pairs)
    rows.push_back({.run = first_run + static_cast<std::uint32_t>(one.first_at),
                    .second_run = first_run + static_cast<std::uint32_t>(one.second_at),
                    .value_id = name_id(one.value),
                    .first_id = name_id(one.first),
                    .second_id = name_id(one.second),
                    .n = one.elements,
                    .n_differ = one.differing,
                    .max_abs = one.max_abs,
                    .max_ulp = one.max_ulp,
                    .rms_first = one.error_of_first,
                    .rms_second = one.error_of_second});
  return rows;
}

std::vector<PatternRow> pattern_rows(const cases::CaseResult& result, std::uint32_t run, const NameId& name_id) {
  std::vector<PatternRow> rows;
  for (const cases::NodeResult& node : result.nodes)
    for (const cases::Pattern& one : node.patterns)
      rows.push_back({.run = run,
                      .node = node_row(result.subject.file->graph, node.node),
                      .out = static_cast<std::uint16_t>(node.output),
                      .kind = one.kind,
                      .period = static_cast<std::int32_t>(one.period),
                      .phase = static_cast<std::int32_t>(one.phase),
                      .k0 = static_cast<std::int32_t>(one.k0),
                      .k1 = static_cast<std::int32_t>(one.k1),
                      .score = one.score,
                      .text_id = name_id(one.text)});
  return rows;
}

std::vector<MapRow> map_rows(const cases::CaseResult& result, std::uint32_t run) {
  std::vector<MapRow> rows;
  for (const cases::NodeResult& node : result.nodes) {
    const compare::RatioMap& map = node.gated().map;
    if (!map.is_made()) continue;
    rows.push_back({.run = run,
                    .node = node_row(result.subject.file->graph, node.node),
                    .out = static_cast<std::uint16_t>(node.output),
                    .of_plain_run = node.is_of_plain_run,
                    .rows = map.extents.rows,
                    .columns = map.extents.columns});
    std::ranges::copy(map.cells, rows.back().cells.begin());
  }
  return rows;
}

std::vector<ExpectedRow> expected_rows(std::span<const cases::ExpectedResult> expected, std::uint32_t run,
                                       const NameId& name_id) {
  std::vector<ExpectedRow> rows;
  for (const cases::ExpectedResult& one : expected) {
    const bool is_end_to_end = one.rule == cases::ExpectedRule::end_to_end;
    const compare::Comparison& c = one.comparison;
    ExpectedRow row{.run = run, .name_id = name_id(one.value), .rule = one.rule};
    row.runs = one.runs;
    row.precision_id = name_id(one.precision);
    if (!is_end_to_end) {
      row.rtol = one.relative;
      row.atol = one.absolute;
    }
    row.n = c.n;
    row.n_bad = c.n_bad;
    row.n_flagged = one.n_flagged;
    row.n_informative = one.telling.informative;
    row.ratio_max = c.ratio();
    row.sigma_max = c.sigma_max;
    row.verdict = one.verdict;
    row.why_id = name_id(one.why);
    row.worst_at.fill(no_number);
    for (auto* const worst : {&row.worst_given, &row.worst_held, &row.worst_limit}) worst->fill(compare::not_computed);
    for (std::size_t k = 0; k < c.worst.size(); ++k) {
      row.worst_at[k] = c.worst[k].index;
      row.worst_limit[k] = c.worst[k].allowed;
      row.worst_given[k] = is_end_to_end ? c.worst[k].got : c.worst[k].expected;
      row.worst_held[k] = is_end_to_end ? c.worst[k].expected : c.worst[k].got;
    }
    rows.push_back(row);
  }
  return rows;
}

std::string notes_text(const std::vector<std::string>& notes) {
  if (notes.empty()) return "";
  return nlohmann::json(notes).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> notes_of(const std::string& text) try {
  return text.empty() ? std::vector<std::string>() : nlohmann::json::parse(text).get<std::vector<std::string>>();
} catch (const nlohmann::json::exception&) {
  ir::fail("notes of a run are no list of texts: ", text);
}

void set_attempts(Run& run, const cases::CaseResult& result, const NameId& name_id) {
  run.attempt = static_cast<std::uint8_t>(result.attempt);
  run.retried = result.is_retried;
  run.attempts_id = name_id(notes_text(result.attempts));
  run.planted_id = name_id(notes_text(result.settings.planted));
}

ir::Tensor bounds(const compare::Allowed& allowed, const ir::TensorView& truth, ir::DType dtype) {
  ir::Tensor limits({ir::DType::f64, truth.shape()});
  if (allowed.rule != compare::Allowed::Rule::within) return limits;
  const auto out = limits.as<double>();
  const auto fill = [&]<class T>(const T* values) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = allowed.at(std::abs(values[i]), dtype, i);
  };
  if (truth.dtype() == ir::DType::f64)
    fill(truth.as<double>().data());
  else if (truth.dtype() == ir::DType::c128)
    fill(truth.as<std::complex<double>>().data());
  return limits;
}

}  // namespace plumb::parity::results
