// Lowers histograms to counts in shared memory, one set a workgroup, added to the result by integer atomics: their sum
// has no order. Edges are brought to the type that the shader compares in, so that comparing decides exactly.
#include "ir/ops/histogram.hpp"

#include <cmath>
#include <limits>

#include "gpu_vulkan/kernels/indexing/indexed.hpp"

namespace plumb::gpu_vulkan {
namespace {

/// The numbers that x is compared with: edges that an x can reach, ascending, then the largest x that still counts.
struct Limits {
  std::vector<std::byte> table;  ///< in the shader's type
  std::int64_t reached = 0;
};

template <class C>
Limits limits_in(const std::vector<double>& edges) {
  std::vector<C> values;
  using Range = std::numeric_limits<C>;
  if constexpr (std::is_integral_v<C>) {
    // The highest number itself may be no double; an edge that is not below it as a double is beyond every x.
    const double lowest = static_cast<double>(Range::lowest()), above = std::ldexp(1.0, Range::digits);
    for (std::size_t i = 0; i + 1 < edges.size() && std::ceil(edges[i]) < above; ++i)
      values.push_back(std::ceil(edges[i]) <= lowest ? Range::lowest() : static_cast<C>(std::ceil(edges[i])));
    const double last = std::floor(edges.back());
    if (last < lowest) values.clear();
    values.push_back(last >= above ? Range::max() : last < lowest ? Range::lowest() : static_cast<C>(last));
  } else {
    const auto up = [](double edge) {
      const C near = static_cast<C>(edge);
      return static_cast<double>(near) < edge ? std::nextafter(near, Range::infinity()) : near;
    };
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) values.push_back(up(edges[i]));
    values.push_back(-up(-edges.back()));
  }
  const auto bytes = std::as_bytes(std::span(values));
  return {{bytes.begin(), bytes.end()}, static_cast<std::int64_t>(values.size()) - 1};
}

Limits limits_of(const ir::ops::Histogram& op, ir::DType dtype) {
  const std::vector<double> edges = op.edges(dtype);
  switch (dtype) {
    case ir::DType::f64:
      return limits_in<double>(edges);
    case ir::DType::i64:
      return limits_in<std::int64_t>(edges);
    case ir::DType::u32:
    case ir::DType::u16:
    case ir::DType::u8:
      return limits_in<std::uint32_t>(edges);
    case ir::DType::i32:
    case ir::DType::i16:
    case ir::DType::i8:
      return limits_in<std::int32_t>(edges);
    default:
      return limits_in<float>(edges);
  }
}

}  // namespace

void lower(const ir::ops::Histogram& op, plan::Lowering& node) {
  node.needs_its_types();
  const ir::TensorType& x = node.in_type(0);
  constexpr std::uint32_t threads = 128;
  const auto words = static_cast<std::int64_t>(node.out_type(0).bytes() / sizeof(std::uint32_t));
  node.dispatch({.shader = {"zero", {{"invocations", threads}}},
                 .reads = {},
                 .writes = {node.out(0)},
                 .push = plan::word(words),
                 .groups = plan::groups_for(words, threads)});
  if (x.shape.elements() == 0) return;
  const Limits limits = limits_of(op, x.dtype);
  struct Block {
    std::uint32_t count, each, reached, bins;
  };
  // A workgroup's own counts are worth clearing and adding where it looks at several elements for each.
  constexpr std::int64_t most_in_shared = 2048, elements_a_group = 64 * threads;
  const bool in_shared = op.bins <= most_in_shared && op.bins <= elements_a_group / 4;
  const std::int64_t each = in_shared ? elements_a_group / threads : 1;
  const std::int64_t count = x.shape.elements();
  node.dispatch({
      .shader = {ir::cat("histogram.", x.dtype),
                 {{"invocations", threads},
                  {"counts", in_shared ? plan::word(op.bins) : 1u},
                  {"in_shared", in_shared},
                  {"index_words", kernels::indexing::index_words(op.index_dtype)}}},
      .reads = {node.in(0), node.table(limits.table)},
      .writes = {node.out(0)},
      .push = Block{plan::word(count), plan::word(each), plan::word(limits.reached), plan::word(op.bins)},
      .groups = plan::groups_for((count + each - 1) / each, threads),
  });
}

}  // namespace plumb::gpu_vulkan
