// Lowers rotary embeddings of a grid: an invocation turns a pair by a table that the host makes in f64.
#include "ir/ops/axial_rope_2d.hpp"

#include <cmath>

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan {
namespace {

/// Cosines and sines of the places 0, 1, ..., `count` - 1, in the type that is computed in.
template <class C>
void add_turns(std::int64_t count, const ir::ops::AxialRope2d& op, std::vector<C>& table) {
  const double theta = static_cast<double>(static_cast<C>(op.theta)), depth = static_cast<double>(op.head_dim);
  std::vector<double> frequencies;
  for (std::int64_t i = 0; i < op.head_dim / 4; ++i)
    frequencies.push_back(std::pow(theta, -4.0 * static_cast<double>(i) / depth));
  for (std::int64_t place = 0; place < count; ++place)
    for (const double frequency : frequencies) {
      const double angle = static_cast<double>(place) * frequency;
      table.push_back(static_cast<C>(std::cos(angle)));
      table.push_back(static_cast<C>(std::sin(angle)));
    }
}

template <class C>
plan::Slot table_of(const ir::ops::AxialRope2d& op, const ir::Shape& x, plan::Lowering& node) {
  std::vector<C> table;
  add_turns(op.columns(x), op, table);
  add_turns(op.rows(x), op, table);
  return node.table(std::as_bytes(std::span(table)));
}

}  // namespace

void lower(const ir::ops::AxialRope2d& op, plan::Lowering& node) {
  node.needs_its_types();
  const auto& [dtype, x] = node.in_type(0);
  const std::int64_t pairs = x.elements() / 2, of_token = x[2] / 2, of_half = op.head_dim / 4;
  // Beyond all tokens any extent of a cell or of a row says the same.
  const std::int64_t repeat = std::min(op.repeat, x[1]), width = op.columns(x);
  struct Block {
    kernels::common::Divisor by_token, by_half, by_sequence, by_repeat, by_width;
    std::uint32_t count, of_token, of_half, sequence, width;
  };
  constexpr std::uint32_t threads = 128;
  kernels::common::publish(
      {.of = ir::SumName::rotation, .unit = ir::SumUnit::either, .levels = {kernels::common::chain(2)}}, dtype, node);
  node.dispatch({
      .shader = {ir::cat("axial_rope_2d.", dtype), {{"invocations", threads}}},
      .reads = {node.in(0), dtype == ir::DType::f64 ? table_of<double>(op, x, node) : table_of<float>(op, x, node)},
      .writes = {node.out(0)},
      .push = Block{kernels::common::Divisor(of_token), kernels::common::Divisor(of_half),
                    kernels::common::Divisor(x[1]), kernels::common::Divisor(repeat), kernels::common::Divisor(width),
                    plan::word(pairs), plan::word(of_token), plan::word(of_half), plan::word(x[1]), plan::word(width)},
      .groups = plan::groups_for(pairs, threads),
  });
}

}  // namespace plumb::gpu_vulkan
