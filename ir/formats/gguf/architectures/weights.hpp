#pragma once

// The tensors of a file by what a template wants of them.

#include <map>
#include <optional>
#include <string>

#include "ir/formats/findings.hpp"
#include "ir/formats/gguf/gguf.hpp"
#include "ir/formats/graph_file.hpp"

namespace plumb::ir::formats::gguf::architectures {

/// Holds tensors to the shapes that the metadata imply. Everything that is missing, too much, of another shape or of a
/// type that no op reads is noted, so that one error lists all.
class Weights {
 public:
  Weights(const Gguf& file, Findings& findings) : file_(file), findings_(findings) {}

  /// A tensor that must be there, "blk.0.attn_q.weight". `is_used`: the graph has it.
  void need(const std::string& name, const Shape& shape, bool is_used = true);
  /// One that may be; says whether it is.
  bool may(const std::string& name, const Shape& shape, bool is_used = true);
  /// One that is passed over where it is there.
  void ignore(const std::string& name) { wanted_.emplace(name, false); }

  /// Notes what else the file has.
  void note_others();

  /// Types that no op reads yet, a line each; empty where there is none.
  const std::string& unsupported() const { return unsupported_; }

  /// Adds the tensors that the graph has as its params, each of this file.
  void declare(GraphFile& graph, const std::string& file_name) const;

  bool has(const std::string& name) const { return file_.tensor(name) != nullptr; }
  const TensorInfo& at(const std::string& name) const { return *file_.tensor(name); }

  /// The numbers of a small one of floats.
  std::vector<double> numbers(const std::string& name) const;

 private:
  const Gguf& file_;
  Findings& findings_;
  std::map<std::string, bool, std::less<>> wanted_;  ///< by name, whether the graph has it
  std::string unsupported_;
};

}  // namespace plumb::ir::formats::gguf::architectures
