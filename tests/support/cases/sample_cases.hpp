#pragma once

#include <vector>

#include "ir/fill.hpp"
#include "ir/ops/grid_sample.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::testing {

struct SampleCase {
  const char* what;
  ir::Shape x;
  std::vector<std::int64_t> points;
};

inline std::vector<SampleCase> sample_cases() {
  return {
      {"an image", {2, 3, 7, 9}, {5, 11}},        {"one axis", {2, 2, 13}, {40}},
      {"three axes", {1, 2, 4, 5, 6}, {3, 7, 2}}, {"extents of one", {1, 2, 1, 5}, {6, 7}},
      {"extents of two", {1, 3, 2, 2}, {9, 8}},   {"no image", {0, 2, 3, 4}, {5, 5}},
      {"no channel", {2, 0, 3, 4}, {5, 5}},       {"no point", {2, 2, 3, 4}, {5, 0}},
      {"many points", {1, 2, 31, 33}, {47, 41}},
  };
}

/// All modes.
inline std::vector<ir::ops::GridSample> samplings() {
  using namespace ir::ops;
  std::vector<GridSample> all;
  for (const SampleMode mode : {SampleMode::linear, SampleMode::nearest, SampleMode::cubic})
    for (const SamplePadding padding : {SamplePadding::zeros, SamplePadding::border, SamplePadding::reflection})
      for (const bool align : {false, true}) all.push_back({mode, padding, align});
  return all;
}

/// Points in the image and about its own size beyond.
inline ir::Tensor grid_for(const SampleCase& c, ir::DType dtype, std::uint64_t seed) {
  ir::Shape shape = {c.x[0]};
  shape.insert(shape.end(), c.points.begin(), c.points.end());
  shape.push_back(c.x.rank() - 2);
  return random_tensor({dtype, shape}, seed, {.distribution = ir::Distribution::uniform, .low = -2.5, .high = 2.5});
}

}  // namespace plumb::testing
