#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "ir/executor.hpp"
#include "ir/fill.hpp"

namespace plumb::ir::formats {

/// Numbers made when they are asked for.
struct Generated {
  Fill fill;
  std::optional<std::uint64_t> seed = {};  ///< instead of the run's: always the same numbers

  bool operator==(const Generated&) const = default;
};

/// A tensor of another file (.npy, .npz, .h5), relative to the graph's.
struct External {
  std::string file, key;

  bool operator==(const External&) const = default;
};

/// Where the numbers of an input or param come from.
using TensorSource = std::variant<Generated, External, Tensor>;

/// The outcome that verifying the graph must have.
enum class Must { pass, fail, refuse };

constexpr auto enum_names(Must) { return std::array<std::string_view, 3>{"pass", "fail", "refuse"}; }

/// The decimals of a file, as far as they differ from the numbers that they were read as.
struct Decimals {
  /// The units of the last digits of expectations that have "values", by result; 0 for exact elements.
  std::map<std::string, Tensor, std::less<>> last_digits;
  /// Inputs, params and constants as they are written, in the widened dtype, where that is another number than was
  /// read.
  std::map<std::string, Tensor, std::less<>> written;
};

/// A file of format plumb.graph/1 (docs/graph_format.md): a graph, its feeds, and
/// the results expected of it.
struct GraphFile {
  Graph graph;
  std::string why;                                           ///< the question it answers
  std::vector<std::string> tags = {};                        ///< names by which a run chooses its cases
  std::map<std::string, TensorSource, std::less<>> sources;  ///< by input or param; others get default_fill
  std::map<std::string, Tensor, std::less<>> expected;       ///< by result: numbers in the widened dtype
  std::map<std::string, Tensor, std::less<>> given_outputs;  ///< by value: results of another implementation, as given
  /// Values of a model that its reader put others in the place of, by their names there: what an Identity, a Dropout or
  /// a Cast without effect gives, say. Names that the graph itself has are not among them.
  std::map<std::string, Value, std::less<>> aliases = {};
  Must must = Must::pass;
  Decimals decimals = {};
  std::string expect_error;         ///< part of the message, where one is expected
  std::filesystem::path directory;  ///< that external files are relative to
};

/// Reads a graph file. Throws one Error that starts with the file's name and has every
/// error found, one a line; nodes that depend on a wrong one are not reported again.
GraphFile read_graph(const std::filesystem::path& path);

/// Reads the text of a graph file whose external files are relative to `directory`.
GraphFile parse_graph(std::string_view text, const std::filesystem::path& directory);

inline constexpr std::uint64_t usual_memory_budget = std::uint64_t{1} << 34;  ///< 16 GiB

/// Tensors for all inputs and params. Throws Error before anything is allocated when
/// they, or any one value that the graph computes, are larger than `most_bytes`; and when
/// an external file does not fit.
Feeds materialise(const GraphFile& file, std::uint64_t seed, std::uint64_t most_bytes = usual_memory_budget);

/// The file as canonical JSON: equal files give equal text, and reading it gives the
/// same file again. Throws Error when a name cannot be written unambiguously.
std::string write_graph(const GraphFile& file);

/// The graph alone as canonical JSON, on one line a node.
std::string graph_json(const Graph& graph);

}  // namespace plumb::ir::formats
