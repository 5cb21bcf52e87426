// Experts of rows, for the tests of ops whose rows have weights of their own.
#pragma once

#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::testing {

/// An expert for each of so many rows, in no order, −1 among them.
inline ir::Tensor random_experts(ir::DType dtype, std::int64_t rows, std::int64_t experts, std::uint64_t seed) {
  return random_tensor(
      {dtype, {rows}}, seed,
      {.distribution = ir::Distribution::uniform_int, .low = -1, .high = static_cast<double>(experts)});
}

/// Expects an op whose operand `expert` has three rows and two experts to name node, position and value of an index
/// that is none. Without a device the CPU alone is asked.
inline void expect_faults_of_experts(const ir::Op& op, std::vector<ir::Tensor> operands, std::size_t expert) {
  const auto message = [&](ir::Executor& executor, const ir::Tensor& experts) {
    operands.at(expert) = experts;
    return tests::message_of([&] { ir::run_op(executor, op, operands); });
  };
  const auto narrow = ir::Tensor::of<std::int32_t>({3}, {-1, 2, 0});
  const auto wide = ir::Tensor::of<std::int64_t>({3}, {0, 1, std::int64_t{1} << 32});
  const auto negative = ir::Tensor::of<std::int64_t>({3}, {-2, 1, 0});
  const std::string node = ir::cat("node 'y' (", op.name(), "): ");
  ref_cpu::CpuExecutor cpu;
  EXPECT_EQ(message(cpu, narrow), node + "expert[1] is 2, outside [-1, 2)");
  EXPECT_EQ(message(cpu, wide), node + "expert[2] is 4294967296, outside [-1, 2)");
  EXPECT_EQ(message(cpu, negative), node + "expert[0] is -2, outside [-1, 2)");
  if (gpu().executor == nullptr) return;
  EXPECT_EQ(message(*gpu().executor, narrow), node + "index 2 at position 1 is out of range");
  EXPECT_EQ(message(*gpu().executor, wide), node + "index 4294967296 at position 2 is out of range");
  EXPECT_EQ(message(*gpu().executor, negative), node + "index -2 at position 0 is out of range");
}

}  // namespace plumb::testing
