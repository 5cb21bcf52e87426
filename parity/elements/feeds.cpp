// Feeds a segment again with what it was fed: widened for the truth, or as it was.
#include "parity/elements/feeds.hpp"

#include <algorithm>

#include "ir/passes/widen.hpp"

namespace plumb::parity::elements {

ir::Feeds widened_feeds(const Subject& subject) {
  ir::Feeds fed;
  for (std::size_t i = 0; i < subject.inputs.size(); ++i)
    fed.emplace(subject.segment.graph.inputs()[i], ir::passes::widen(subject.inputs[i]));
  return fed;
}

ir::Tensor evaluate_natively(const Subject& subject, std::size_t k) {
  const core::Segment& segment = subject.segment;
  const auto fed = [&](ir::Value v) {
    const auto at = std::ranges::find(segment.fed, v) - segment.fed.begin();
    return ir::Tensor(subject.inputs[static_cast<std::size_t>(at)]);
  };
  return std::move(core::evaluate(subject.reference, segment, fed).outputs.at(k));
}

}  // namespace plumb::parity::elements
