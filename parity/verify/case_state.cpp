// The state of a case while it is judged: values, truths and segments, each let go after its last reader.
#include "parity/verify/case_state.hpp"

#include <algorithm>

#include "ir/passes/widen.hpp"

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
  value(v).got = std::move(tensor);
  value(v).is_captured = true;
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
    if (must_be_exact(n)) core::hold_exactly(segment.judged);
    for (const ir::Value v : segment.fed) value(v).last_use = n;
    for (const ir::Value v : graph_.nodes()[n].inputs) value(v).last_reader = n;
  }
}

void CaseState::release(std::size_t n) {
  const ir::Node& node = graph_.nodes()[n];
  const auto let_go = [&](const std::vector<ir::Value>& values, auto last, auto held) {
    for (const ir::Value v : values)
      if (value(v).*last <= n) (value(v).*held).reset();
  };
  for (const auto& values : {node.outputs, node.inputs}) let_go(values, &ValueState::last_reader, &ValueState::truth);
  if (keeps_all_) return;
  for (const auto& values : {node.outputs, nodes_[n].segment.fed})
    let_go(values, &ValueState::last_use, &ValueState::got);
}

}  // namespace plumb::parity::verify
