#pragma once

#include <string>

namespace plumb::parity::cli::show {

/// Prints what a GGUF file says of itself: its metadata, and its tensors by type and one by one. Throws Error, with the
/// file's name.
void print_gguf(const std::string& path);

}  // namespace plumb::parity::cli::show
