// Feeds a segment again with what it was fed: widened for the truth, or as it was.
#include "parity/settle/feeds.hpp"

#include <algorithm>

#include "ir/passes/widen.hpp"

namespace plumb::parity::settle {
namespace {

/// A tensor over the bytes of a view, which outlive it: packed weights may be large.
ir::Tensor lent(const ir::TensorView& view) {
  const std::byte* const begin = view.bytes().data();
  if (begin == nullptr) return ir::Tensor(view);
  return ir::Tensor::shared(view.type(), view.bytes(), std::shared_ptr<const void>(begin, [](const void*) {}));
}

}  // namespace

ir::Feeds widened_feeds(const Subject& subject) {
  ir::Feeds fed;
  for (std::size_t i = 0; i < subject.inputs.size(); ++i)
    fed.emplace(subject.segment.graph.inputs()[i], ir::passes::widen(lent(subject.inputs[i])));
  return fed;
}

core::Lookup native_feed(const Subject& subject) {
  return [&subject](ir::Value v) {
    const auto at = std::ranges::find(subject.segment.fed, v) - subject.segment.fed.begin();
    return lent(subject.inputs[static_cast<std::size_t>(at)]);
  };
}

ir::Tensor evaluate_natively(const Subject& subject, std::size_t k) {
  return std::move(core::evaluate(subject.reference, subject.segment, native_feed(subject)).outputs.at(k));
}

}  // namespace plumb::parity::settle
