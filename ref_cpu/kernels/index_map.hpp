#pragma once

#include <span>

#include "ir/kernels/index_map.hpp"

namespace plumb::ref_cpu::kernels {

/// Makes y from x, run by run. `fill` is one element, or empty for zero bytes.
void index_map(const ir::kernels::IndexMap& map, std::span<const std::byte> x, std::span<const std::byte> fill,
               std::span<std::byte> y);

}  // namespace plumb::ref_cpu::kernels
