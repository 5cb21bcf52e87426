#pragma once

#include <string>

#include "ir/op.hpp"

namespace plumb::parity::cli::show {

/// An op, and who runs it.
struct OpRow {
  const ir::OpSchema* schema;
  bool on_cpu, on_vulkan;
};

/// Ops as programs read them: name, tier, who runs it, and its schema in the form in which ops from outside are
/// declared (docs/library.md).
std::string ops_json(const std::vector<OpRow>& rows);

}  // namespace plumb::parity::cli::show
