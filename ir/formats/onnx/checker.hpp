#pragma once

#include <onnx/checker.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace plumb::ir::from_onnx {

/// Checks a model with ONNX's own checker, where that knows the versions. A branch of an If that it refuses is an error
/// only where it may be taken, which is known when the model is read.
class Checker {
 public:
  /// Throws Error for what is wrong outside branches. Afterwards nodes of the default domain name it "", and the model
  /// is as it was otherwise.
  Checker(::onnx::ModelProto& model, const std::filesystem::path& directory);

  /// That the checker does not know the version, or that it refuses a branch.
  const std::optional<std::string>& note() const { return note_; }

  /// Throws Error for a mistake in a branch that may be taken, but not in branches inside it; `names` are those of the
  /// tensors in scope.
  void check_branch(const ::onnx::GraphProto& branch, std::span<const std::string> names) const;

  /// Whether some branch is refused, so that those which may be taken have to be looked at one by one.
  bool has_wrong_branches() const { return has_wrong_branches_; }

 private:
  ::onnx::checker::CheckerContext context_;
  std::optional<std::string> note_ = {};
  bool has_wrong_branches_ = false;
};

}  // namespace plumb::ir::from_onnx
