#pragma once

#include <span>

#include "ir/kernels/index_map.hpp"

namespace plumb::ref_cpu::kernels {

/// A map in fewest axes, but at least one.
struct PlannedMap {
  explicit PlannedMap(const ir::kernels::IndexMap& given);
  ir::kernels::IndexMap map;
};

/// Makes y from x, run by run. `fill` is one element, or empty for zero bytes.
void index_map(const PlannedMap& plan, std::span<const std::byte> x, std::span<const std::byte> fill,
               std::span<std::byte> y);

}  // namespace plumb::ref_cpu::kernels
