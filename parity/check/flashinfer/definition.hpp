#pragma once

// Definitions of kernels as flashinfer-bench has them: axes, operands, outputs, and a reference in Python.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ir/dtype.hpp"

/// FlashInfer-Trace: definitions and workloads in, traces out (library.md F).
namespace plumb::parity::check::flashinfer {

struct Axis {
  std::string name;
  std::optional<std::int64_t> extent = {};  ///< a const axis has it; a var axis has another in every workload
};

/// An input or an output.
struct TensorSpec {
  std::string name;
  std::optional<std::vector<std::string>> axes = {};  ///< none: one number, which functions take as a number
  ir::DType dtype = ir::DType::f32;

  bool is_scalar() const { return !axes.has_value(); }
};

struct Definition {
  std::string name = {}, op_type = {};
  std::vector<Axis> axes = {};
  std::vector<TensorSpec> inputs = {}, outputs = {};  ///< in the order in which functions take them
  std::string reference = {};                         ///< text of Python, which is looked into but never run

  const Axis* axis(std::string_view wanted) const;
  const TensorSpec* input(std::string_view wanted) const;
  const TensorSpec* output(std::string_view wanted) const;
};

/// Reads a definition. Throws Error, with file and field, where it is none, and Unsupported where a tensor is of a
/// dtype that the IR has not (float8, float4).
Definition read_definition(const std::filesystem::path& path);

/// Does so for its text; errors begin with `where`.
Definition parse_definition(std::string_view text, const std::string& where);

}  // namespace plumb::parity::check::flashinfer
