// Products of matrices.
#include <algorithm>
#include <numeric>

#include "ir/formats/onnx/write/writers.hpp"
#include "ir/ops/dot_general.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"

namespace plumb::ir::to_onnx {
namespace {

/// A matrix with its last two axes exchanged.
std::string turned(NodeWriter& node, const std::string& x, DType dtype, std::size_t rank) {
  Numbers order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[rank - 1], order[rank - 2]);
  std::string name = node.between();
  node.add("Transpose", dtype, {x}, {name}).integers("perm", order);
  return name;
}

/// A result wider than its operands is that of operands made wider, whose products are exact either way.
void write_matmul(const ops::Matmul& op, NodeWriter& node) {
  const DType dtype = op.output_dtype.value_or(node.dtype());
  const auto operand = [&](std::size_t i, bool transposes) {
    std::string x = node.cast(node.in(i), node.dtype(), dtype);
    return transposes ? turned(node, x, dtype, node.shape(i).size()) : x;
  };
  const std::string a = operand(0, op.transpose_a), b = operand(1, op.transpose_b);
  node.add("MatMul", dtype, {a, b}, {node.out()});
}

void write_gemm(const ops::Gemm& op, NodeWriter& node) {
  node.add("Gemm")
      .real("alpha", op.alpha)
      .real("beta", op.beta)
      .integer("transA", op.transpose_a ? 1 : 0)
      .integer("transB", op.transpose_b ? 1 : 0);
}

/// The terms of an equation that stand for operands.
std::vector<std::string> terms_of(const std::string& equation) {
  std::vector<std::string> terms = {""};
  for (const char c : equation.substr(0, equation.find('-'))) {
    if (c == ',')
      terms.emplace_back();
    else if (c != ' ')
      terms.back() += c;
  }
  return terms;
}

/// An ellipsis stands for as many axes in every term, in ONNX: one with fewer gets axes of one element in front of
/// them.
void write_einsum(const ops::Einsum& op, NodeWriter& node) {
  constexpr std::string_view dots = "...";
  const std::vector<std::string> terms = terms_of(op.equation);
  const auto axes_of_dots = [&](std::size_t i) {
    return terms[i].find(dots) != std::string::npos ? node.shape(i).size() + dots.size() - terms[i].size() : 0;
  };
  std::size_t most = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) most = std::max(most, axes_of_dots(i));
  Names operands = node.ins();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::size_t at = terms[i].find(dots);
    if (at == std::string::npos || axes_of_dots(i) == most) continue;
    Numbers shape(node.shape(i).begin(), node.shape(i).end());
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), most - axes_of_dots(i), 1);
    operands[i] = node.between();
    node.add("Reshape", {node.in(i), node.stored(shape)}, {operands[i]}).integer("allowzero", 1);
  }
  node.add("Einsum", operands, {node.out()}).text("equation", op.equation);
}

/// Paired axes have one letter in both terms; batch axes come first, then the free ones of a and of b.
void write_dot_general(const ops::DotGeneral& op, NodeWriter& node) {
  std::string a(node.shape(0).size(), '\0'), b(node.shape(1).size(), '\0'), y;
  char next = 'a';
  const auto pair = [&](std::int64_t axis_of_a, std::int64_t axis_of_b) {
    a[node.shape(0).axis(axis_of_a)] = next;
    b[node.shape(1).axis(axis_of_b)] = next;
    return next++;
  };
  for (std::size_t k = 0; k < op.a_batch.size(); ++k) y += pair(op.a_batch[k], op.b_batch[k]);
  for (std::size_t k = 0; k < op.a_contract.size(); ++k) pair(op.a_contract[k], op.b_contract[k]);
  for (std::string* term : {&a, &b})
    for (char& letter : *term)
      if (letter == '\0') y += letter = next++;
  node.add("Einsum").text("equation", cat(a, ',', b, "->", y));
}

}  // namespace

std::span<const Writer> products_writers() {
  static constexpr Writer table[] = {
      writer<ops::DotGeneral, write_dot_general>,
      writer<ops::Einsum, write_einsum>,
      writer<ops::Gemm, write_gemm>,
      writer<ops::Matmul, write_matmul>,
  };
  return table;
}

}  // namespace plumb::ir::to_onnx
