#pragma once

// Faults that a user plants in a run, to see what becomes of one that has them.

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.hpp"
#include "parity/power/faults/fault.hpp"

namespace plumb::parity::cli {

/// FAULT[=ARG]@GLOB: a fault at the nodes whose labels match.
struct Plant {
  /// A fault of results (`plumb power --list`), of which `number` is the share that is planted, or what a device does.
  enum class Kind {
    result,
    nan,      ///< the first element is one
    flicker,  ///< the last bit of the first element changes in this share of the runs
    lost,     ///< the first `number` attempts lose the device
    hang,     ///< the run takes so many seconds more
    crash,    ///< the process ends by SIGSEGV
  };

  std::string text = {};  ///< as it was given
  Kind kind = Kind::result;
  const power::faults::Fault* fault = nullptr;  ///< null unless the kind is result
  double number = 1;
  std::string glob = {};

  bool is_at(const ir::Node& node) const;
  /// The error where it is at no node.
  std::string nowhere() const;
};

/// Names that FAULT may be: of faults that a device has, and of faults of results.
std::vector<std::string> plant_names();

/// Throws Error for one that is not of this form, names no fault, with the nearest, or has a number that it cannot
/// have.
Plant parse_plant(const std::string& text);

}  // namespace plumb::parity::cli
