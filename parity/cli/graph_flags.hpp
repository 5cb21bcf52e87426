#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ir/formats/graph_file.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::cli {

/// The flags that say what a graph is fed, the same in every command.
struct GraphFlags {
  std::uint64_t seed = 1;  ///< 0: from the system, and printed
  std::string load_inputs, save_inputs;
  std::string dtype;  ///< f16 or bf16: run the graph's f32 values in this storage
};

void add_graph_flags(CLI::App& app, GraphFlags& flags);

/// The seed to use: the flag's, or a fresh one, said on stderr.
std::uint64_t chosen_seed(const GraphFlags& flags);

/// Bytes of tensors that a run may hold: half of what the machine has.
std::uint64_t memory_budget();

/// A graph and everything it is fed.
struct Loaded {
  ir::GraphFile file;
  ir::Feeds feeds;
};

/// Reads a graph in the storage asked for and makes its tensors, with those of
/// --load-inputs in place of the generated ones.
Loaded load(const std::string& path, const GraphFlags& flags, std::uint64_t seed);

}  // namespace plumb::parity::cli
