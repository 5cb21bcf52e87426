#pragma once

// The cases of `plumb fuzz`: each a function of the version of the generator, a seed and its number.

#include <cstdint>
#include <string>

#include "ir/formats/graph_file.hpp"

namespace plumb::parity::studies::fuzz {

/// Counts changes of what the numbers of cases mean.
inline constexpr int generator_version = 1;

struct GeneratorOptions {
  std::uint64_t seed = 1;
  std::size_t most_nodes = 12;  ///< a graph has at most so many; 2 at least
};

/// A graph with its fills.
struct DrawnCase {
  std::string name;  ///< "000012.softmax", "000013.graph"
  ir::formats::GraphFile file;
};

/// Whether the case has one node; every other one has several.
constexpr bool is_single(std::uint64_t number) { return number % 2 == 0; }

/// The op of a single case: every op comes once in as many single cases as there are ops.
const ir::OpSchema& op_of_case(const GeneratorOptions& options, std::uint64_t number);

/// The case of this number, the same on every machine.
DrawnCase draw_case(const GeneratorOptions& options, std::uint64_t number);

/// How a case is filled and judged beyond what its graph says.
struct Judging {
  std::string fill = "graph";  ///< as --fill takes it
  std::uint64_t seed = 1;      ///< that its numbers are made by
  unsigned repeat = 1;
  bool relations = false, no_fuse = false, other_kernels = false;

  bool operator==(const Judging&) const = default;
};

inline constexpr std::uint64_t cases_of_a_block = 16;

/// How the cases from 16 block to 16 block + 15 are judged, by one process.
Judging judging_of(const GeneratorOptions& options, std::uint64_t block);

}  // namespace plumb::parity::studies::fuzz
