#pragma once

// Which graph a definition stands for, by its op_type and the names of its tensors.

#include "parity/check/flashinfer/builder.hpp"

namespace plumb::parity::check::flashinfer {

/// A definition on one workload, ready to be verified.
struct Problem {
  ir::formats::GraphFile file;  ///< its results are the definition's outputs
  /// The arguments of a function in the order of the definition, inputs and then outputs, in the words of --args;
  /// without the outputs where the function returns them.
  std::string arguments, returning_arguments;
};

/// Makes the graph. Throws Unsupported, with the reason, where the definition is none of those that are built in, and
/// Error where the workload does not fit it, or something was given that it has no use for.
Problem problem_of(const Task& task, const Words& constants);

/// Three workloads, from small to less small, of random numbers: for definitions without a file of workloads. Throws
/// Unsupported where the definition is not built in.
std::vector<Workload> drawn_workloads(const Definition& definition);

/// The extents of var axes, by name.
using VarAxes = std::map<std::string, std::int64_t, std::less<>>;

// The families that are built in: each adds what computes the definition's outputs.
void build_gemm(Builder& builder);
void build_rms_norm(Builder& builder);
void build_embedding(Builder& builder);
void build_rope(Builder& builder);
void build_attention(Builder& builder);

/// The extents of an attention's var axes for so many sequences, which have to fit each other.
VarAxes attention_axes(const Definition& definition, std::int64_t sequences);

}  // namespace plumb::parity::check::flashinfer
