#pragma once

#include <cstddef>
#include <functional>

#include "ir/tensor.hpp"

namespace plumb::parity::settle {

/// Visits the grid of a grid_sample (f64), and then with the coordinates of its points one step to either side, in all
/// combinations along their `axes`; `step` is that of the coordinate with a flat index.
void for_each_nearby_grid(const ir::Tensor& grid, std::size_t axes,
                          const std::function<double(std::size_t coordinate)>& step,
                          const std::function<void(const ir::Tensor& moved)>& visit);

}  // namespace plumb::parity::settle
