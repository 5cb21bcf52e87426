#pragma once

// Which graphs a command line means.

#include <string>
#include <vector>

namespace plumb::parity::cli::flags {

/// Graph files as given, folders replaced by the *.json, *.onnx and *.gguf below them, in order. Links to folders are
/// not followed. A link that leads nowhere is among them, since its graph cannot be verified. Throws Error when a
/// folder has none or cannot be read.
std::vector<std::string> graph_paths(const std::vector<std::string>& given);

}  // namespace plumb::parity::cli::flags
