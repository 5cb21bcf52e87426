// MatMul, whose vectors become matrices for a while, Gemm and Einsum.
#include <algorithm>
#include <cmath>

#include "ir/formats/onnx/compose/arithmetic.hpp"
#include "ir/formats/onnx/compose/named_function.hpp"
#include "ir/formats/onnx/compose/vectors.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"

namespace plumb::ir::from_onnx {
namespace {

void product(NodeReader& node) { node.out(0, matmul(node, node.in(0), node.in(1))); }

/// Integers times a factor, which must be whole: nothing says how others would round.
Ref scaled(NodeReader& node, Ref x, double factor, std::string_view name) {
  if (factor == 1) return x;
  if (std::trunc(factor) != factor || std::fabs(factor) >= 0x1p31)
    NodeReader::unsupported("integers with ", name, " ", factor, ", which is not whole");
  const Ref whole = node.cast(node.scalar(DType::i64, factor), node.dtype(x));
  return binary(node, ops::BinaryFunction::multiply, x, whole);
}

/// The op is of real numbers: of integers the parts are spelled out, which wrap as they do.
Ref gemm_of_integers(NodeReader& node, const ops::Gemm& op) {
  const ops::Matmul times{.transpose_a = op.transpose_a, .transpose_b = op.transpose_b, .output_dtype = {}};
  require(node.shape(node.in(0)).rank() == 2 && node.shape(node.in(1)).rank() == 2, "A is ", node.type(node.in(0)),
          ", B is ", node.type(node.in(1)));
  const Ref y = scaled(node, node.add(times, {node.in(0), node.in(1)}), op.alpha, "alpha");
  if (!op.has_c) return y;
  const Ref c = node.in(2);
  require(broadcasts_to(node.shape(c), node.shape(y)), "C is ", node.type(c), ", A·B is ", node.type(y));
  return binary(node, ops::BinaryFunction::add, y, scaled(node, c, op.beta, "beta"));
}

Ref gemm_of(NodeReader& node) {
  ops::Gemm op{.alpha = node.real("alpha", 1),
               .beta = node.real("beta", 1),
               .transpose_a = node.integer("transA", 0) != 0,
               .transpose_b = node.integer("transB", 0) != 0,
               .has_c = node.has(2)};
  if (is_integer(node.dtype(node.in(0)))) return gemm_of_integers(node, op);
  std::vector<Ref> operands = {node.in(0), node.in(1)};
  if (op.has_c) operands.push_back(node.in(2));
  return node.add(op, operands);
}

void gemm(NodeReader& node) { node.out(0, gemm_of(node)); }

/// onnxruntime's Gemm with an activation behind it.
void fused_gemm(NodeReader& node) {
  const NamedFunction function{.name = lower_case(node.text("activation", "")),
                               .alpha = node.real("activation_alpha", 0),
                               .beta = node.real("activation_beta", 0)};
  const Ref y = gemm_of(node);
  node.out(0, function.name.empty() ? y : apply(node, function, y));
}

/// The terms of an equation, one for each operand: letters, of which an ellipsis is one dot.
std::vector<std::string> terms_of(const std::string& equation) {
  std::vector<std::string> terms(1);
  for (const char c : equation.substr(0, equation.find("->"))) {
    if (c == ',')
      terms.emplace_back();
    else if (c != ' ' && !(c == '.' && terms.back().ends_with('.')))
      terms.back() += c;
  }
  return terms;
}

/// Calls act(letter, axis) for the axes of an operand outside the ellipsis.
template <class Act>
void for_each_letter(const std::string& term, std::int64_t rank, const Act& act) {
  const auto letters = static_cast<std::int64_t>(term.size());
  std::int64_t axis = 0;
  for (const char c : term) {
    if (c == '.')
      axis += rank - (letters - 1);
    else if (axis < rank)
      act(c, static_cast<std::size_t>(axis++));
  }
}

/// Einsum's operands with one extent a letter: an extent of 1 stretches, as NumPy and runtimes let it.
void stretch(NodeReader& node, const std::string& equation, std::vector<Ref>& operands) {
  const auto terms = terms_of(equation);
  if (terms.size() != operands.size()) return;  // which the op says better
  std::map<char, std::int64_t> extents;
  const auto each = [&](std::size_t i, const auto& act) {
    for_each_letter(terms[i], node.shape(operands[i]).rank(), act);
  };
  for (std::size_t i = 0; i < operands.size(); ++i)
    each(i, [&](char c, std::size_t axis) { extents[c] = std::max(extents[c], node.shape(operands[i])[axis]); });
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Shape to = node.shape(operands[i]);
    each(i, [&](char c, std::size_t axis) {
      if (to[axis] == 1 && std::ranges::count(terms[i], c) == 1) to[axis] = extents[c];
    });
    if (to != node.shape(operands[i])) operands[i] = node.add(ops::Expand{to}, {operands[i]});
  }
}

/// Integers of other widths go through wider ones: what is cut off of a sum of products wraps as it would have done.
void einsum(NodeReader& node) {
  const DType dtype = node.dtype(node.in(0));
  const DType held = !is_integer(dtype) || dtype == DType::i64 ? dtype
                     : info(dtype).bytes < 4                   ? DType::i32
                     : dtype == DType::u32                     ? DType::i64
                                                               : dtype;
  std::vector<Ref> operands;
  for (std::size_t i = 0; i < node.inputs(); ++i)
    operands.push_back(node.dtype(node.in(i)) == dtype ? node.cast(node.in(i), held) : node.in(i));
  const std::string equation = node.text("equation", "");
  stretch(node, equation, operands);
  node.out(0, node.cast(node.add(ops::Einsum{equation}, operands), dtype));
}

}  // namespace

std::span<const Converter> products_converters() {
  static constexpr Converter table[] = {
      {"Einsum", einsum}, {"Gemm", gemm}, {"MatMul", product}, {"com.microsoft.FusedGemm", fused_gemm}};
  return table;
}

}  // namespace plumb::ir::from_onnx
