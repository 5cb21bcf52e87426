// Values for a case's inputs and params; a large tensor repeats a prime number of elements, to save time.
#include "bench/gpu/values.hpp"

#include "ir/kernels/packed/fill.hpp"
#include "ir/raw/copy_bytes.hpp"

namespace plumb::bench {
namespace {

constexpr std::int64_t period = 1'000'003;  // a prime

ir::Tensor repeated(const ir::Tensor& pattern, const ir::TensorType& type) {
  ir::Tensor whole(type);
  const auto from = pattern.bytes();
  for (auto to = whole.bytes(); !to.empty();) {
    const auto part = std::min(to.size(), from.size());
    ir::raw::copy_bytes(from.first(part), to);
    to = to.subspan(part);
  }
  return whole;
}

/// Rows of codes, of which a prime number is repeated.
ir::Tensor codes(const ir::TensorType& type, const ir::Fill& fill, std::uint32_t stream) {
  const std::int64_t row = type.shape.back(), rows = std::min<std::int64_t>(type.shape.elements() / row, 61);
  return repeated(
      ir::kernels::packed::fill({type.dtype, {rows, row}}, ir::kernels::packed::format_named(fill.format), 0, stream),
      type);
}

}  // namespace

ir::Feeds values_for(const Case& one) {
  ir::Feeds feeds;
  for (ir::Value v = 0; v < one.graph.value_count() && one.graph.is_source(v); ++v) {
    const std::string name = one.graph.name(v);
    const ir::TensorType& type = one.graph.type(v);
    const auto given = one.fills.find(name);
    const ir::Fill fill = given == one.fills.end() ? ir::default_fill(type.dtype) : given->second;
    if (fill.distribution == ir::Distribution::packed) {
      feeds.emplace(name, codes(type, fill, ir::stream_of(name)));
      continue;
    }
    const bool large = type.shape.elements() > period;
    ir::Tensor values = ir::fill(large ? ir::TensorType{type.dtype, {period}} : type, fill, 0, ir::stream_of(name));
    feeds.emplace(name, large ? repeated(values, type) : std::move(values));
  }
  return feeds;
}

}  // namespace plumb::bench
