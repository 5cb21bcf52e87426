// Cases of ONNX's own suite whose files expect what ONNX's text does not say.
#pragma once

#include <string_view>

namespace plumb::parity::studies::conformance {

/// Why a case of this name (its folder's path in a suite) is disputed: what its file expects, and what ONNX says
/// instead. Empty for all others. A disputed case that does not give what its file expects is judged by its nodes
/// alone; one whose files contradict its model cannot be run.
std::string_view dispute(std::string_view name);

}  // namespace plumb::parity::studies::conformance
