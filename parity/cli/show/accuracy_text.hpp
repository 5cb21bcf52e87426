#pragma once

#include <string>

namespace plumb::parity::cli::show {

/// How far every elementwise function may be off: what docs/accuracy.md holds.
std::string accuracy_markdown();

}  // namespace plumb::parity::cli::show
