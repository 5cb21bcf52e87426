#pragma once

#include <array>
#include <string>
#include <vector>

namespace plumb::parity::cases {

/// How the graph compiled for its results alone, as it is used, compares with the run that every value was kept of
/// (verdict.md V4).
enum class Plain {
  equal,             ///< bit by bit: verdicts on the watched run are verdicts on what ships
  tapped,            ///< other bits, always the same: its values were judged as well, in rows of their own
  nondeterministic,  ///< other bits that come and go, or that vanish when its values are looked at
  not_run,
  whole,  ///< other bits, always the same, and no way to copy its values: its results were judged from the inputs on
};

constexpr auto enum_names(Plain) {
  return std::array<std::string_view, 5>{"equal", "tapped", "nondeterministic", "not_run", "whole"};
}

/// A node that another kernel computes in the plain run.
struct OtherKernel {
  std::string node, watched, plain;
};

struct PlainRun {
  Plain plain = Plain::not_run;
  std::string why = {};                   ///< the first result that differs, and by how much; "" where all are equal
  std::vector<OtherKernel> kernels = {};  ///< where it is computed otherwise
};

}  // namespace plumb::parity::cases
