#pragma once

#include <string>
#include <vector>

#include "ir/ops/resize.hpp"

namespace plumb::testing {

struct ResizeCase {
  std::string what;
  ir::Shape x;
  ir::ops::Resize op;
};

/// Geometries, with any mode.
inline std::vector<ResizeCase> resize_geometries() {
  return {
      {"twice as large", {1, 2, 4, 5}, {.axes = {2, 3}, .sizes = {8, 10}}},
      {"by 0.6 and 1.5", {2, 3, 7, 9}, {.axes = {-2, -1}, .sizes = {4, 13}, .scales = {0.6, 1.5}}},
      {"to one", {2, 7, 3}, {.axes = {1}, .sizes = {1}}},
      {"from one", {2, 1, 3}, {.axes = {1}, .sizes = {5}}},
      {"as it is", {2, 5, 3}, {.axes = {1, 2}, .sizes = {5, 3}}},
      {"much smaller", {1, 40, 23}, {.axes = {2, 1}, .sizes = {7, 12}, .scales = {0.3, 0.3}}},
      {"three axes", {2, 5, 4, 3}, {.axes = {0, 1, 3}, .sizes = {3, 7, 2}}},
      {"a scale that is not that of the sizes", {1, 9, 2}, {.axes = {1}, .sizes = {6}, .scales = {1.7}}},
      {"none", {3, 4}, {.axes = {}, .sizes = {}}},
      {"to nothing", {3, 4}, {.axes = {1}, .sizes = {0}}},
      {"eight axes", {2, 2, 1, 3, 1, 2, 2, 3}, {.axes = {1, 3, 5, 7}, .sizes = {3, 2, 5, 4}}},
  };
}

/// Every mode, coordinate mode and option with one geometry.
inline std::vector<ResizeCase> resizes_of(const ResizeCase& geometry) {
  using namespace ir::ops;
  using ir::enum_name;
  std::vector<ResizeCase> all;
  const auto add = [&](const Resize& op, std::string what) {
    all.push_back({geometry.what + ", " + std::move(what), geometry.x, op});
  };
  for (std::size_t c = 0; c < enum_names(ResizeCoordinate{}).size(); ++c)
    for (std::size_t m = 0; m < enum_names(ResizeMode{}).size(); ++m) {
      Resize op = geometry.op;
      op.mode = static_cast<ResizeMode>(m);
      op.coordinate = static_cast<ResizeCoordinate>(c);
      op.extrapolation_value = -2.7;
      for (const double edge : {0.1, 0.85})  // starts, then ends; the first axis hangs over
        for (std::size_t k = 0; k < op.axes.size(); ++k) op.roi.push_back(edge * (k == 0 && edge > 0.5 ? 1.5 : 1));
      const std::string what = std::string(enum_name(op.mode)) + " " + std::string(enum_name(op.coordinate));
      add(op, what);
      if (op.mode == ResizeMode::nearest) {
        for (const auto n : {NearestMode::round_prefer_ceil, NearestMode::floor, NearestMode::ceil}) {
          op.nearest_mode = n;
          add(op, what + " " + std::string(enum_name(n)));
        }
        continue;
      }
      op.antialias = true;
      add(op, what + " antialias");
      op.exclude_outside = true;
      op.cubic_coeff_a = -0.5;
      add(op, what + " antialias exclude_outside");
      op.antialias = false;
      add(op, what + " exclude_outside");
    }
  return all;
}

}  // namespace plumb::testing
