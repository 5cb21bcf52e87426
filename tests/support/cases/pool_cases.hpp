#pragma once

#include <vector>

#include "ir/ops/pool.hpp"

namespace plumb::testing {

struct PoolCase {
  const char* what;
  ir::Shape x;
  ir::ops::Pool op;  ///< its geometry
};

inline std::vector<PoolCase> pool_cases() {
  return {
      {"one axis", {2, 3, 70}, {.kernel_shape = {3}}},
      {"resnet", {1, 4, 21, 22}, {.kernel_shape = {3, 3}, .strides = {2, 2}, .pads = {1, 1, 1, 1}}},
      {"the whole image", {3, 2, 5, 7}, {.kernel_shape = {5, 7}}},
      {"stride beyond the kernel", {2, 2, 23, 17}, {.kernel_shape = {2, 3}, .strides = {5, 4}}},
      {"asymmetric pads", {1, 3, 9, 8}, {.kernel_shape = {4, 3}, .strides = {1, 2}, .pads = {0, 2, 3, 1}}},
      {"dilated, padded", {2, 2, 8, 9}, {.kernel_shape = {3, 2}, .dilations = {2, 3}, .pads = {3, 1, 2, 3}}},
      {"ceil mode", {1, 2, 8, 10}, {.kernel_shape = {3, 4}, .strides = {2, 3}, .ceil_mode = true}},
      {"ceil mode, a window dropped",
       {1, 2, 7, 4},
       {.kernel_shape = {2, 2}, .strides = {3, 3}, .pads = {1, 1, 1, 1}, .ceil_mode = true}},
      {"three axes",
       {1, 2, 6, 5, 7},
       {.kernel_shape = {2, 3, 2},
        .strides = {2, 1, 3},
        .dilations = {1, 2, 1},
        .pads = {1, 0, 0, 0, 4, 1},
        .ceil_mode = true}},
      {"stride 3", {1, 3, 4, 31}, {.kernel_shape = {2, 4}, .strides = {1, 3}}},
      {"no image", {0, 3, 5}, {.kernel_shape = {2}}},
      {"nothing but padding", {1, 2, 0}, {.kernel_shape = {3}, .pads = {2, 2}}},
      {"kernel of one", {1, 2, 3, 4}, {.kernel_shape = {1, 1}}},
  };
}

/// Every kind of pool with one geometry.
inline std::vector<ir::ops::Pool> pools_of(const ir::ops::Pool& geometry) {
  using F = ir::ops::PoolFunction;
  std::vector<ir::ops::Pool> all(8, geometry);
  all[1].with_indices = true;
  all[2].function = all[3].function = F::average;
  all[3].count_include_pad = true;
  all[4].function = F::sum;
  for (std::size_t p = 1; p <= 3; ++p) {
    all[4 + p].function = F::lp;
    all[4 + p].p = static_cast<std::int64_t>(p);
  }
  return all;
}

}  // namespace plumb::testing
