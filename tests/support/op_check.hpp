#pragma once

#include <string>
#include <vector>

#include "ir/executor.hpp"
#include "ir/fill.hpp"
#include "parity/compare/compare.hpp"

namespace plumb::testing {

/// Where check_op runs the op besides the truth and the native CPU evaluation.
enum class Where { cpu_and_gpu, cpu_only };

/// Data on which even an honest evaluation may be far off: cancellation, thresholds.
enum class Data { ordinary, ill_conditioned };

struct OpCheck {
  std::vector<parity::compare::Comparison> cpu, gpu;  ///< with the truth, by output; gpu is empty where none ran
};

/// Runs `op` on these operands three times: widened on the CPU (the truth), as it is
/// on the CPU, and on the GPU, and expects both to be as close to the truth as its
/// error model says (parity/bounds/bounded.hpp). Failures say which element, what was expected and what
/// came. On ordinary data the model must say something: limits like the results themselves are a
/// failure. Without a device the CPU is checked and the test then skips, with the reason.
OpCheck check_op(const ir::Op& op, const std::vector<ir::Tensor>& inputs, Where where = Where::cpu_and_gpu,
                 Data data = Data::ordinary);
inline OpCheck check_op(const ir::Op& op, const std::vector<ir::Tensor>& inputs, Data data) {
  return check_op(op, inputs, Where::cpu_and_gpu, data);
}

/// Expects the op on the CPU, as it is, to give what was worked out by hand.
void check_cpu(const ir::Op& op, const std::vector<ir::Tensor>& inputs, const std::vector<ir::Tensor>& expected);

/// Expects the GPU to give it; skips without a GPU.
void check_gpu(const ir::Op& op, const std::vector<ir::Tensor>& inputs, const std::vector<ir::Tensor>& expected);

/// Expects both to give these very bytes, those of every NaN among them: of ops that only move elements.
void check_bytes(const ir::Op& op, const std::vector<ir::Tensor>& inputs, const ir::Tensor& expected);

/// Whether case `number` of many is one of this dtype. Kernels of f16 and bf16 differ in what they load and store
/// alone: the two take cases in turn, since compiling a kernel is what such a case takes.
constexpr bool takes_case(ir::DType dtype, std::size_t number) {
  return (dtype != ir::DType::f16 || number % 2 == 0) && (dtype != ir::DType::bf16 || number % 2 == 1);
}

/// A tensor filled by its dtype's default (normal numbers, small integers, fair
/// coins) or as `fill` says; equal seeds give equal tensors.
ir::Tensor random_tensor(const ir::TensorType& type, std::uint64_t seed);
ir::Tensor random_tensor(const ir::TensorType& type, std::uint64_t seed, const ir::Fill& fill);

}  // namespace plumb::testing
