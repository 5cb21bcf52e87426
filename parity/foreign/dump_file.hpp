#pragma once

// The tensors of a dump below one prefix, paired with the values of a graph.

#include <memory>
#include <string>
#include <vector>

#include "ir/formats/tensor_files.hpp"
#include "parity/foreign/dump.hpp"

namespace plumb::parity::foreign {

/// A file that is open and paired by name.
class DumpFile {
 public:
  /// Throws Error where the file cannot be opened, or no tensor of it begins with the prefix.
  DumpFile(const DumpOptions& options, const Names& names);

  const std::vector<Offered>& offered() const { return offered_; }
  /// Tensors that count as absent, with the reason, and what pairing says.
  const std::vector<std::string>& notes() const { return notes_; }

  ir::Tensor read(std::size_t tensor) const { return file_->read(stored_[tensor]); }

  /// The type of the value that was paired, transposed, before anything is read.
  ir::TensorType type(const Paired& paired) const;
  /// Its numbers, transposed.
  ir::Tensor read(const Paired& paired) const;

  Pairs pairs;

 private:
  void open(const DumpOptions& options);

  std::unique_ptr<ir::formats::TensorFile> file_;
  std::vector<std::string> stored_;  ///< the names in the file, with the prefix
  std::vector<Offered> offered_;     ///< without it
  std::vector<std::string> notes_;
};

/// The input of a graph as the dump has it, in the graph's dtype. Throws Error, not CandidateError, where it does not
/// fit: the case is wrong then, not the candidate.
ir::Tensor input_of(const DumpFile& dump, const std::string& path, const ir::Graph& graph, ir::Value input,
                    const Paired& paired);

}  // namespace plumb::parity::foreign
