// Truths that stay from one candidate to the next.
#include "parity/verify/shared_case.hpp"

#include <algorithm>

#include "parity/verify/verify.hpp"

namespace plumb::parity::verify {

const ir::Tensor* KeptTruths::find(ir::Value v) const {
  const auto found = truths_.find(v);
  return found == truths_.end() ? nullptr : &found->second;
}

std::optional<std::vector<ir::Tensor>> KeptTruths::of(const ir::Node& node) const {
  std::vector<ir::Tensor> kept;
  for (const ir::Value v : node.outputs) {
    const ir::Tensor* const truth = find(v);
    if (truth == nullptr) return std::nullopt;
    kept.push_back(*truth);
  }
  return kept;
}

void KeptTruths::keep(ir::Value v, const ir::Tensor& truth) {
  const auto bytes = static_cast<double>(truth.bytes().size());
  if (bytes > room_ || truths_.contains(v)) return;
  room_ -= bytes;
  truths_.emplace(v, truth);
}

std::shared_ptr<CaseTruths> truths_for(const cases::Case& subject, double memory_budget) {
  const double rest = std::max(0.0, memory_budget - memory_needed(subject.file->graph));
  const double each = subject.as_written ? rest / 2 : rest;
  return std::make_shared<CaseTruths>(
      CaseTruths{.run = KeptTruths(each), .written = KeptTruths(subject.as_written ? each : 0)});
}

}  // namespace plumb::parity::verify
