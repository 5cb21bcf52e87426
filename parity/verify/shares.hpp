#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "parity/core/segment.hpp"

namespace plumb::parity::verify {

// In doubles, which do not wrap: a hostile file may ask for 2^64 bytes many times over.

/// Bytes of a value, and of its truth.
double bytes_of(const ir::TensorType& type);
double wide_bytes(const ir::TensorType& type);

/// By node, the bytes of all truths that are held while it is judged: from the node that makes one to its last reader.
std::vector<double> truths_held(const ir::Graph& graph);

/// Bytes of all values of a graph, each once, in its own dtype.
double bytes_of_values(const ir::Graph& graph);

/// Bytes that the limits of a node hold at once: three doubles of every element, those of half-done formulas, and the
/// magnitudes and squares of its operands. 0 for a node that needs no formula.
double limit_bytes(const ir::Graph& graph, const ir::Node& node);

/// Bytes that a node holds while it is judged: its operands and truth in f64, and what its limits hold.
double judging_bytes(const ir::Graph& graph, const ir::Node& node);

/// Most bytes of all nodes that are judged by themselves or wait for those before them, without the one whose turn it
/// is: twice the bytes of the values of the graph, but at least 256 MiB, which small graphs do not fill, and at most
/// 4 GiB.
double waiting_bytes(const ir::Graph& graph);

/// How much of the work and of the memory of judging a graph each of its nodes is: what it is judged with, its segment.
/// Estimates, from which no result depends.
class Shares {
 public:
  /// `most_bytes`: of nodes together, where less than the usual may be held.
  Shares(const ir::Graph& graph, const std::function<const core::Segment&(std::size_t node)>& segment,
         std::optional<double> most_bytes = {});

  /// Bytes that a node holds until it is taken: its operands in f64, its truth, and its limits with their formulas.
  double bytes(std::size_t node) const { return bytes_[node]; }
  /// Most bytes of all that are begun and not taken.
  double most_bytes() const { return most_bytes_; }
  /// On how many of the threads that are allowed a node is judged: as its share of the work is or, where few nodes are
  /// held at once, its share of the memory. Where nodes are many and small that is 1.
  int threads(std::size_t node) const;
  /// How many of the threads that are allowed evaluate the truth of the whole graph while nodes are judged by
  /// themselves: as is its share of all that is done.
  int carrying() const;

 private:
  const int allowed_;
  const double most_bytes_;
  std::vector<double> bytes_, work_;
  double all_work_ = 0, truth_work_ = 0;
};

}  // namespace plumb::parity::verify
