#pragma once

#include "ir/kernels/accumulator.hpp"
#include "ir/kernels/einsum.hpp"
#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Sums of products of tensors whose axes are named by letters (ops.md 6, ONNX Einsum-12).
struct Einsum {
  std::string equation;
  std::optional<DType> accumulator = {};

  static constexpr auto name = "einsum";
  static constexpr auto summary = "sums of products over axes named by letters";
  static constexpr auto formula =
      "letters not in the result are summed, one twice in a term takes the diagonal; without -> the result is the "
      "ellipsis and the letters that occur once, in ASCII order; pairwise from the left, rounded once";
  static constexpr int tier = 2;
  static constexpr DTypes operand = dtypes::R | DType::i32 | DType::i64;
  static constexpr std::array inputs = {Input{.name = "x", .dtypes = operand, .shape = "[..]", .repeated = true}};
  static constexpr std::array outputs = {Output{"y", "as x, as the equation says"}};
  static constexpr std::array<std::string_view, 6> checks = {
      "equation must consist of terms of letters and at most one ellipsis each, separated by commas, and at most one "
      "-> "
      "term",
      "each input must have a term, which names all of its axes",
      "a letter must have one extent everywhere",
      "letters of the result must occur in the inputs, and once in it, as must the ellipsis",
      "the product of two operands must have a rank of at most 8",
      kernels::accumulator_rule};
  static constexpr auto fields = std::tuple{
      Field{"equation", &Einsum::equation, "as numpy.einsum takes it: \"ij,jk->ik\"", Presence::required},
      Field{"accumulator", &Einsum::accumulator, "f16 allows a device to keep sums of two f16 operands in f16"},
  };

  kernels::EinsumPlan plan(Types in) const {
    std::vector<Shape> shapes;
    for (const TensorType& type : in) shapes.push_back(type.shape);
    return kernels::plan_einsum(equation, shapes);
  }

  TensorTypes infer(Types in) const {
    check(*this, 6, kernels::can_accumulate(in[0].dtype, accumulator), "operands are ", in[0].dtype,
          ", accumulator is ", accumulator.value_or(in[0].dtype));
    try {
      return {{in[0].dtype, plan(in).shape}};
    } catch (const kernels::EinsumFault& fault) {
      check(*this, fault.constraint, false, fault.found, ", equation is '", kernels::shown(equation), "'");
      throw;
    }
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types) const {
    const kernels::EinsumPlan made = plan(in);
    return {made.flops, made.longest_sum};
  }
  Loops loops(Types in, Types) const {
    Loops made{.loops = kernels::einsum(equation, in)};
    made.operands.resize(in.size(), kernels::linear_factor);
    made.operands[0] = kernels::linear_data;
    return made;
  }
  bool operator==(const Einsum&) const = default;
};

}  // namespace plumb::ir::ops
