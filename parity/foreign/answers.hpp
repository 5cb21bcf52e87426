#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/executor.hpp"
#include "parity/core/candidate_error.hpp"
#include "parity/foreign/candidate.hpp"
#include "parity/foreign/value_names.hpp"

namespace plumb::parity::foreign {

/// Collects what a candidate gives by name as values of a graph, and notes the names of no value. What it must not do
/// throws core::CandidateError, which begins with whose fault it is.
class Answers {
 public:
  /// `candidate` is "candidate 'mine'". The graph and its names must outlive this.
  Answers(std::string candidate, const ir::Graph& graph, const ValueNames& names, const std::vector<ir::Value>& wanted,
          Storage storage);

  /// The value that a name stands for, where it is wanted; nothing, with a note, where there is none.
  std::optional<ir::Value> wanted_by(const std::string& name);
  /// The value that a name stands for, wanted or not; nothing, with a note, where there is none.
  std::optional<ir::Value> find(const std::string& name);

  /// Throws where a tensor of this type may not stand for the value: before there is memory for whatever it is.
  void require_type(const std::string& name, const ir::TensorType& found, ir::Value value) const;
  /// Takes a value, in the graph's dtype or in that in which it is stored. Throws where it has had other bits by
  /// another name.
  void add(const std::string& name, ir::Value value, ir::Tensor tensor);

  /// Throws where one of these is missing that a node computes.
  void require_all(const std::vector<ir::Value>& required) const;

  ir::Tensors values;

  /// Remarks on names of no value, the first few of them.
  std::vector<std::string> notes() const;

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw core::CandidateError(ir::cat(candidate_, ' ', parts...));
  }

 private:
  std::string candidate_;
  const Storage storage_;
  const ir::Graph& graph_;
  const ValueNames& names_;
  std::set<ir::Value> wanted_;
  std::vector<std::string> known_, notes_;
  std::size_t unknown_ = 0;
};

/// Facts that the last run of a candidate left for whoever judges it.
struct LastRun {
  std::map<ir::Value, Pairing> pairing;
  std::vector<std::string> notes;
  Fault fault = Fault::none;
};

/// A name that others chose, as messages have it.
std::string shown_name(std::string_view name);

/// One report for each node of a graph: it ran wherever a candidate computes.
std::vector<ir::NodeReport> foreign_nodes(const ir::Graph& graph);

}  // namespace plumb::parity::foreign
