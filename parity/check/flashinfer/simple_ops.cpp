// Definitions that are one op, or a few behind each other.
#include "ir/ops/binary.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/rms_norm.hpp"
#include "parity/check/flashinfer/problem.hpp"

namespace plumb::parity::check::flashinfer {

using ir::DType;
using ir::Value;

namespace {

/// Whether a norm's weights are what is added to 1, as Gemma has them. Throws Unsupported where its name and its
/// reference do not agree.
bool adds_one(const Definition& definition) {
  const std::string text = without_spaces(definition.reference);
  const bool is_so = text.find("(1.0+weight") != text.npos || text.find("(1+weight") != text.npos;
  const bool is_called_so = definition.name.find("gemma") != std::string::npos;
  if (is_called_so && !is_so)
    refuse(definition, "its name says that 1 is added to the weights, its reference has no (1.0 + weight");
  return is_so;
}

}  // namespace

/// C = A·Bᵀ, rounded once.
void build_gemm(Builder& builder) {
  builder.expect({"A", "B"}, {"C"});
  Value a = builder.value("A"), b = builder.value("B");
  if (builder.type(a).dtype != builder.definition().output("C")->dtype) {
    a = builder.cast(a, DType::f32);
    b = builder.cast(b, DType::f32);
  }
  builder.result("C", ir::ops::Gemm{.transpose_b = true}, {a, b});
}

/// output = x/√(mean(x²) + EPS)·weight, or ·(1 + weight), where x is hidden_states, or that and residual; computed in
/// f32 and rounded once. updated_residual is x.
void build_rms_norm(Builder& builder) {
  const bool is_fused = builder.has_input("residual");
  if (is_fused)
    builder.expect({"hidden_states", "residual", "weight"}, {"output"}, {"updated_residual"});
  else
    builder.expect({"hidden_states", "weight"}, {"output"});
  ir::ops::RmsNorm norm;
  norm.epsilon = builder.constants().number({"EPS", "eps", "epsilon"});
  const bool is_gemma = adds_one(builder.definition());
  Value x = builder.value("hidden_states"), weight = builder.value("weight");
  const bool is_one_op =
      !is_fused && !is_gemma && builder.type(x).dtype == builder.definition().output("output")->dtype;
  if (!is_one_op) {
    x = builder.cast(x, DType::f32);
    weight = builder.cast(weight, DType::f32);
  }
  const ir::ops::Binary add{ir::ops::BinaryFunction::add};
  if (is_gemma) weight = builder.add("one_and_weight", add, {weight, builder.constant(1)});
  if (is_fused) {
    const Value residual = builder.cast(builder.value("residual"), DType::f32);
    if (builder.has_output("updated_residual")) builder.result("updated_residual", add, {x, residual});
    x = builder.add("sum", add, {x, residual});
  }
  builder.result("output", norm, {x, weight});
}

/// output[t] = weight[input_ids[t]].
void build_embedding(Builder& builder) {
  builder.expect({"input_ids", "weight"}, {"output"});
  builder.feed_indices("input_ids", builder.shape("weight", 2)[0]);
  builder.result("output", ir::ops::Gather{.axis = 0}, {builder.value("weight"), builder.value("input_ids")});
}

}  // namespace plumb::parity::check::flashinfer
