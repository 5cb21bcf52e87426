#include "gpu_vulkan/kernels/copy/index_map.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan::kernels::copy {
namespace {

using ir::kernels::Beyond;

/// One axis as index_map.comp reads it.
struct Axis {
  std::uint32_t extent, extent_multiplier, extent_shift, size, shift, stride, period, period_multiplier, period_shift;
};

Axis axis_of(const ir::kernels::MapAxis& axis, Beyond beyond) {
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  const std::int64_t turn = beyond == Beyond::reflect ? 2 * (axis.size - 1) : axis.size;
  const std::int64_t period = std::clamp(turn, std::int64_t{1}, most);  // no position is beyond so long a one
  const common::Divisor extent(axis.extent), by_period(period);
  return {.extent = plan::word(axis.extent),
          .extent_multiplier = extent.multiplier,
          .extent_shift = extent.shift,
          .size = plan::word(axis.size),
          .shift = plan::word(axis.shift),
          .stride = plan::word(axis.stride),
          .period = plan::word(period),
          .period_multiplier = by_period.multiplier,
          .period_shift = by_period.shift};
}

}  // namespace

void index_map(const ir::kernels::IndexMap& given, plan::Lowering& node) {
  struct Block {
    std::uint32_t count, from;
  };
  node.needs_its_sizes();
  const bool is_cropped = node.in_type(0).bytes() != node.out_type(0).bytes();
  if (!is_cropped && std::ranges::all_of(given.axes, &ir::kernels::MapAxis::is_whole)) return node.alias(0, 0);
  ir::kernels::IndexMap map = given.simplified();
  if (map.axes.empty()) map.axes.push_back({});
  std::vector<Axis> axes;
  for (const ir::kernels::MapAxis& axis : map.axes) axes.push_back(axis_of(axis, map.beyond));
  const bool has_value = node.inputs() > 1;
  const auto value_bytes = has_value ? plan::word(static_cast<std::int64_t>(given.width)) : 0u;
  constexpr std::uint32_t threads = 128;
  node.dispatch({
      .shader = {word_variant("index_map", map.width, node),
                 {{"invocations", threads},
                  {"axes", plan::word(std::ssize(axes))},
                  {"beyond", map.beyond},
                  {"value_bytes", value_bytes}}},
      .reads = {node.in(0), node.in(has_value ? 1 : 0), node.table(std::as_bytes(std::span(axes)))},
      .writes = {node.out(0)},
      .push = Block{plan::word(map.elements()), plan::word(map.from)},
      .groups = plan::groups_for(map.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan::kernels::copy
