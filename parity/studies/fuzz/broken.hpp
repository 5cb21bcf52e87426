#pragma once

// Graph files that no reader may take.

#include <cstdint>
#include <string>

#include "ir/formats/graph_file.hpp"

namespace plumb::parity::studies::fuzz {

struct Broken {
  std::string how;  ///< "cut off", "an operand that is not there"
  std::string text;
};

/// The file broken in one of several ways, a function of the file, the seed and the number. It is no graph file then,
/// whatever it held.
Broken break_file(const ir::formats::GraphFile& file, std::uint64_t seed, std::uint64_t number);

}  // namespace plumb::parity::studies::fuzz
