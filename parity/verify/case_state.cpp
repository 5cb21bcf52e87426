// The state of a case while it is judged: values, truths and segments, each let go after its last reader.
#include "parity/verify/case_state.hpp"

#include <algorithm>

#include "ir/passes/widen.hpp"
#include "ir/raw/mappings.hpp"

namespace plumb::parity::verify {

CaseState::CaseState(const cases::Case& subject, bool isolates, bool keeps_all)
    : subject_(subject),
      graph_(subject.file->graph),
      isolates_(isolates),
      keeps_all_(keeps_all),
      values_(graph_.value_count()),
      nodes_(graph_.nodes().size()) {}

const ir::Tensor& CaseState::got(ir::Value v) const {
  return graph_.is_source(v) ? ir::fed(graph_, subject_.feeds, v) : value(v).got.value();
}

ir::Tensor CaseState::truth(ir::Value v) const {
  return graph_.is_source(v) ? ir::passes::widen(ir::fed(graph_, subject_.feeds, v)) : value(v).truth.value();
}

bool CaseState::lacks_truth() const {
  return std::ranges::any_of(nodes_, [](const NodeState& node) { return !node.no_truth.empty(); });
}

void CaseState::give(ir::Value v, ir::Tensor tensor) {
  ValueState& state = value(v);
  const ir::DType dtype = graph_.type(v).dtype;
  state.stored.reset();
  state.stored_in.reset();
  if (tensor.dtype() != dtype) {
    state.stored_in = tensor.dtype();
    state.stored = std::move(tensor);
    state.got = ir::convert(*state.stored, dtype);
  } else {
    state.got = std::move(tensor);
  }
  state.is_captured = true;
}

ir::DType CaseState::dtype_of(ir::Value v) const {
  return graph_.is_source(v) ? graph_.type(v).dtype : value(v).stored_in.value_or(graph_.type(v).dtype);
}

void CaseState::take(CandidateRun& run) {
  for (auto& [v, tensor] : run.values) give(v, std::move(tensor));
  for (const auto& [v, hash] : run.hashes)
    if (!value(v).hash) value(v).hash = hash;
  for (const ir::Value v : run.unstable) value(v).is_unstable = true;
}

void CaseState::plan(const std::function<bool(std::size_t)>& must_be_exact) {
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    core::Segment& segment = nodes_[n].segment;
    segment = core::segment_of(graph_, n, [this](ir::Value v) { return is_captured(v); });
    for (const ir::Node& one : segment.graph.nodes())
      if (std::string why = ir::passes::why_no_truth(segment.graph, one); !why.empty()) nodes_[n].no_truth = why;
    store_outputs(n);
    if (must_be_exact(n)) core::hold_exactly(segment.judged);
    for (const ir::Value v : segment.fed) value(v).last_use = n;
    for (const ir::Value v : graph_.nodes()[n].inputs) value(v).last_reader = n;
  }
}

void CaseState::store_outputs(std::size_t n) {
  const std::vector<ir::Value>& outputs = graph_.nodes()[n].outputs;
  std::map<std::size_t, ir::DType> dtypes;
  for (std::size_t k = 0; k < outputs.size(); ++k)
    if (const auto dtype = value(outputs[k]).stored_in) dtypes.emplace(k, *dtype);
  if (dtypes.empty()) return;
  nodes_[n].segment = core::stored_in(nodes_[n].segment, dtypes);
  nodes_[n].stored = dtypes.size();
}

void CaseState::release(std::size_t n) {
  const ir::Node& node = graph_.nodes()[n];
  for (const ir::Value v : node.outputs) value(v).stored.reset();
  const auto let_go = [&](const std::vector<ir::Value>& values, auto last, auto held) {
    for (const ir::Value v : values)
      if (value(v).*last <= n) (value(v).*held).reset();
  };
  for (const auto& values : {node.outputs, node.inputs}) let_go(values, &ValueState::last_reader, &ValueState::truth);
  if (keeps_all_) return;
  for (const auto& values : {node.outputs, nodes_[n].segment.fed})
    let_go(values, &ValueState::last_use, &ValueState::got);
}

void CaseState::release_pages(std::size_t n) const {
  const ir::Node& node = graph_.nodes()[n];
  for (const auto* const values : {&node.outputs, &node.inputs, &nodes_[n].segment.fed})
    for (const ir::Value v : *values) {
      if (graph_.is_source(v)) continue;
      if (value(v).got) ir::raw::release_after_use(std::as_const(*value(v).got).bytes());
      if (value(v).truth) ir::raw::release_after_use(std::as_const(*value(v).truth).bytes());
    }
}

void LentTruths::feed(const ir::Graph& graph, const core::Segment& alone) {
  for (std::size_t i = 0; i < alone.fed.size(); ++i) {
    const ir::Value v = alone.fed[i];
    const std::string& name = alone.graph.inputs()[i];
    if (graph.is_source(v)) {
      if (!feeds_.contains(name)) feeds_.emplace(name, state_.truth(v));
      continue;
    }
    ir::Tensor& to = feeds_[name];
    to = std::move(*state_.value(v).truth);
    lent_.emplace_back(v, &to);
  }
}

}  // namespace plumb::parity::verify
