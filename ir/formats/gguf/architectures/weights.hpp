#pragma once

// The tensors of a model by what a template wants of them.

#include <map>
#include <string>
#include <vector>

#include "ir/formats/findings.hpp"
#include "ir/formats/gguf/architectures/parts.hpp"
#include "ir/formats/graph_file.hpp"

namespace plumb::ir::formats::gguf::architectures {

/// Holds tensors to the shapes that the metadata imply. Everything that is missing, too much, of another shape or of a
/// type that no op reads is noted, so that one error lists all.
class Weights {
 public:
  Weights(const Parts& parts, Findings& findings) : parts_(parts), findings_(findings) {}

  /// A tensor that must be there, "blk.0.attn_q.weight". `is_used`: the graph has it.
  void need(const std::string& name, const Shape& shape, bool is_used = true);
  /// One that may be; says whether it is.
  bool may(const std::string& name, const Shape& shape, bool is_used = true);
  /// One that is passed over where it is there.
  void ignore(const std::string& name) { wanted_.emplace(name, false); }
  /// All of names that begin so.
  void ignore_all(std::string_view prefix);
  /// The matrices [N, K] of experts: one tensor `prefix`_exps [E, N, K], or in older files `prefix`.0, `prefix`.1, ...
  void need_experts(const std::string& prefix, std::int64_t experts, const Shape& matrix, bool is_used);

  /// Notes what else there is.
  void note_others();

  /// Types that no op reads yet, a line each; empty where there is none.
  const std::string& unsupported() const { return unsupported_; }

  /// Adds the tensors that the graph has as its params, each of its part's file.
  void declare(GraphFile& graph) const;

  bool has(const std::string& name) const { return parts_.find(name) != nullptr; }
  const TensorInfo& at(const std::string& name) const { return parts_.find(name)->tensor; }

  /// The numbers of a small one of floats.
  std::vector<double> numbers(const std::string& name) const;

 private:
  /// A place in the file, for messages.
  std::string place_of(const Parts::Tensor& found) const;

  const Parts& parts_;
  Findings& findings_;
  std::map<std::string, bool, std::less<>> wanted_;  ///< by name, whether the graph has it
  std::string unsupported_;
};

}  // namespace plumb::ir::formats::gguf::architectures
