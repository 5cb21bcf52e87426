#pragma once

// A graph with its numbers, and smaller ones made of it: fewer nodes, smaller extents.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/formats/graph_file.hpp"
#include "parity/cases/case.hpp"

namespace plumb::parity::studies::reduce {

/// A graph that may fail as the original does. Its values have the numbers that they have where a file of it is read.
struct Candidate {
  ir::Graph graph = {};
  std::map<std::string, ir::formats::TensorSource, std::less<>> sources = {};  ///< by input or param, for each
};

/// The candidate that is the case itself. Sources that the file fills, and that are fed just that, stay fills, with
/// their seed; others become tensors.
Candidate candidate_of(const cases::Case& subject);

/// The elements of all inputs, params and outputs of nodes.
std::int64_t elements_of(const ir::Graph& graph);

/// Whether there are numbers in its file, and not fills alone.
bool has_numbers(const Candidate& candidate);

/// Its graph file.
ir::formats::GraphFile file_of(const Candidate& candidate, std::string why);

/// The numbers of a value that a node gives.
using Lookup = std::function<ir::Tensor(ir::Value)>;

/// These of the nodes, by their places in ascending order, of which there is one at least. Labels stay. What other
/// nodes gave becomes inputs with the numbers of `captured`. Results are those of the original that are left, and what
/// nobody reads.
Candidate with_nodes(const Candidate& candidate, const std::vector<std::size_t>& kept, const Lookup& captured);

/// One axis of an input or a param.
struct SourceAxis {
  ir::Value source = 0;
  std::size_t axis = 0;

  auto operator<=>(const SourceAxis&) const = default;
};

/// Axes that get shorter together, all by one factor.
struct TiedAxes {
  std::int64_t extent = 0;  ///< above 1, and a divisor of the extents of all
  std::vector<SourceAxis> axes = {};

  bool operator==(const TiedAxes&) const = default;
};

/// The axes that the loops of the nodes tie to each other, the longest first; then, where these are others, all axes of
/// one extent; all whose extents are multiples of one, such as gates of a state; and each by itself.
std::vector<TiedAxes> tied_axes(const ir::Graph& graph);

/// The extents to try in place of one, in their order: 1, 2, half, those congruent to it modulo 128, 64, ... 8, and one
/// less.
std::vector<std::int64_t> smaller_extents(std::int64_t extent);

enum class End { front, back };

/// The candidate with `axes.extent` cut to `extent`, and all of its axes in proportion. The numbers at one end are
/// kept. Attributes that state shapes follow. Nothing where some node cannot be fed so.
std::optional<Candidate> cropped(const Candidate& candidate, const TiedAxes& axes, std::int64_t extent, End kept);

}  // namespace plumb::parity::studies::reduce
