#include "parity/exact/rule.hpp"

#include <bit>
#include <functional>
#include <map>
#include <set>

#include "ir/ops/activation.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/cumulative.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/pool.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/unary.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::exact {
namespace {

namespace ops = ir::ops;
using Arithmetic = Rule::Arithmetic;
using RuleOf = std::function<Rule(const ir::Op&, ir::Types in, ir::Types out)>;

Rule rounds(std::string why) { return {.arithmetic = Arithmetic::rounds, .why = std::move(why)}; }

/// Elementwise: each element is the sum of these.
Rule adds(std::vector<Term> terms) { return {.arithmetic = Arithmetic::sums, .terms = std::move(terms)}; }

/// A sum over `count` products, of which the op itself, on absolute values, gives the size.
Rule adds_up(const ir::Op& op, std::vector<Term> terms) {
  return {.arithmetic = Arithmetic::sums, .terms = std::move(terms), .sums_of = op};
}

std::int64_t terms_of(const ir::Op& op, ir::Types in, ir::Types out) {
  return std::max<std::int64_t>(op.schema().cost(op, in, out).contraction, 1);
}

/// The sum over a divisor; nothing but a power of two keeps it exact.
Rule mean(ir::Op sum, std::int64_t divisor) {
  if (!std::has_single_bit(static_cast<std::uint64_t>(divisor)))
    return rounds(ir::cat("divides by ", divisor, ", which is no power of two"));
  Rule rule = adds_up(sum, {{.operands = {0}, .count = divisor}});
  rule.divisor = divisor;
  return rule;
}

Rule product(const ir::Op& op, ir::Types in, ir::Types out) {
  std::vector<Term> terms = {{.operands = {0, 1}, .count = terms_of(op, in, out)}};
  if (in.size() > 2) terms.push_back({.operands = {2}});
  return adds_up(op, terms);
}

Rule gemm(const ir::Op& op, ir::Types in, ir::Types out) {
  ops::Gemm sizes = op.as<ops::Gemm>();
  std::vector<Term> terms = {{.operands = {0, 1}, .count = terms_of(op, in, out), .factor = sizes.alpha}};
  if (sizes.has_c) terms.push_back({.operands = {2}, .factor = sizes.beta});
  sizes.alpha = std::abs(sizes.alpha), sizes.beta = std::abs(sizes.beta);
  return adds_up(sizes, terms);
}

/// The labels that an einsum sums are summed of single operands first: what comes in between is
/// bounded by the product of all that is counted here, not by the terms of the result.
Rule einsum(const ir::Op& op, ir::Types in, ir::Types) {
  Term term{.operands = {}};
  for (std::size_t i = 0; i < in.size(); ++i) term.operands.push_back(i);
  for (const ir::kernels::EinsumStep& step : op.as<ops::Einsum>().plan(in).steps) {
    std::map<ir::kernels::Label, std::int64_t> summed;
    for (const ir::kernels::EinsumTerm& part : step.terms)
      for (const ir::kernels::Label label : part.view.labels) summed[label] = part.view.extent(label);
    for (const ir::kernels::Label label : step.result) summed.erase(label);
    for (const auto& [label, extent] : summed) term.count *= extent;
  }
  return adds({term});
}

Rule reduce(const ir::Op& op, ir::Types in, ir::Types out) {
  const auto count = terms_of(op, in, out);
  ops::Reduce sum = op.as<ops::Reduce>();
  switch (sum.function) {
    case ops::ReduceFunction::sum:
    case ops::ReduceFunction::l1:
      return adds_up(op, {{.operands = {0}, .count = count}});
    case ops::ReduceFunction::sum_square:
      return adds_up(op, {{.operands = {0, 0}, .count = count}});
    case ops::ReduceFunction::mean:
      return mean(sum, count);
    case ops::ReduceFunction::product:
      return rounds("the size of a partial product says nothing of the next");
    default:
      return rounds("roots and logarithms are rounded");
  }
}

Rule cumulative(const ir::Op& op, ir::Types in, ir::Types out) {
  if (op.as<ops::Cumulative>().function == ops::CumulativeFunction::product)
    return rounds("the size of a partial product says nothing of the next");
  return adds_up(op, {{.operands = {0}, .count = terms_of(op, in, out)}});
}

Rule pool(const ir::Op& op, ir::Types in, ir::Types out) {
  const auto& pool = op.as<ops::Pool>();
  const auto taps = terms_of(op, in, out);
  if (pool.function == ops::PoolFunction::sum) return adds_up(op, {{.operands = {0}, .count = taps}});
  if (pool.function == ops::PoolFunction::lp) return rounds("roots are rounded");
  const bool at_edges = std::ranges::any_of(pool.pads, [](std::int64_t pad) { return pad != 0; }) || pool.ceil_mode;
  if (at_edges) return rounds("windows at the edges divide by other numbers than those inside");
  return mean(op, taps);
}

Rule unary(const ir::Op& op, ir::Types, ir::Types) {
  if (op.as<ops::Unary>().function == ops::UnaryFunction::square) return adds({{.operands = {0, 0}}});
  return rounds(ir::cat(ir::enum_name(op.as<ops::Unary>().function), " is rounded"));
}

Rule binary(const ir::Op& op, ir::Types, ir::Types) {
  const auto function = op.as<ops::Binary>().function;
  switch (function) {
    case ops::BinaryFunction::add:
    case ops::BinaryFunction::subtract:
    case ops::BinaryFunction::mod:  // a - b floor(a / b), no larger than b
      return adds({{.operands = {0}}, {.operands = {1}}});
    case ops::BinaryFunction::multiply:
      return adds({{.operands = {0, 1}}});
    default:
      return rounds(ir::cat(ir::enum_name(function), " is rounded"));
  }
}

Rule activation(const ir::Op& op, ir::Types in, ir::Types) {
  const auto& a = op.as<ops::Activation>();
  const bool is_narrow = core::compute_dtype(in[0].dtype) == ir::DType::f32;
  const auto constant = [&](double x) { return is_narrow ? static_cast<double>(static_cast<float>(x)) : x; };
  if (a.function == ops::ActivationFunction::leaky_relu)
    return adds({{.operands = {0}}, {.operands = {0}, .factor = constant(a.alpha)}});
  if (a.function == ops::ActivationFunction::shrink)
    return adds({{.operands = {0}}, {.operands = {}, .factor = constant(a.beta)}});
  return rounds(ir::cat(ir::enum_name(a.function), " is rounded"));
}

/// Ops that are not `bits` or `exact` already.
const std::map<std::string_view, RuleOf>& rules() {
  const auto sum_of = [](std::size_t x) {
    return [x](const ir::Op& op, ir::Types in, ir::Types out) {
      return adds_up(op, {{.operands = {x}, .count = terms_of(op, in, out)}});
    };
  };
  const auto scatter = [](const ir::Op& op, ir::Types in, ir::Types out) {
    if (op.error_class() != ir::ErrorClass::dot)
      return rounds("the size of a partial product says nothing of the next");
    return adds_up(op, {{.operands = {0}}, {.operands = {2}, .count = terms_of(op, in, out)}});
  };
  const auto elementwise = [](std::vector<Term> terms) {
    return [terms = std::move(terms)](const ir::Op&, ir::Types, ir::Types) { return adds(terms); };
  };
  const auto no = [](const char* why) { return [why](const ir::Op&, ir::Types, ir::Types) { return rounds(why); }; };
  static const std::map<std::string_view, RuleOf> table = {
      {"activation", activation},
      {"affine_grid", no("positions are divided by extents")},
      {"attention", no("exponentials and a division are rounded")},
      {"batch_norm", no("a root and a division are rounded")},
      {"binary", binary},
      {"col2im", sum_of(0)},
      {"conv", product},
      {"conv_transpose", product},
      {"cumulative", cumulative},
      {"dot_general", product},
      {"einsum", einsum},
      {"fma", elementwise({{.operands = {0, 1}}, {.operands = {2}}})},
      {"gemm", gemm},
      {"grid_sample", no("positions and weights are rounded")},
      {"group_norm", no("a root and a division are rounded")},
      {"instance_norm", no("a root and a division are rounded")},
      {"layer_norm", no("a root and a division are rounded")},
      {"log_softmax", no("exponentials and logarithms are rounded")},
      {"lp_norm", no("a root and a division are rounded")},
      {"lrn", no("a power and a division are rounded")},
      {"matmul", product},
      {"mean_variance_norm", no("a root and a division are rounded")},
      {"pool", pool},
      {"prelu", elementwise({{.operands = {0}}, {.operands = {0, 1}}})},
      {"reduce", reduce},
      {"resize", no("weights are rounded")},
      {"rms_norm", no("a root and a division are rounded")},
      {"rope", elementwise({{.operands = {0}}, {.operands = {0, 1}}, {.operands = {0, 2}}})},
      {"scatter_add", sum_of(0)},
      {"scatter_elements", scatter},
      {"scatter_nd", scatter},
      {"softmax", no("exponentials and a division are rounded")},
      {"unary", unary},
  };
  return table;
}

bool any_complex(ir::Types types) {
  return std::ranges::any_of(types, [](const ir::TensorType& type) { return ir::is_complex(type.dtype); });
}
bool any_float(ir::Types types) {
  return std::ranges::any_of(types, [](const ir::TensorType& type) { return ir::is_float(type.dtype); });
}

}  // namespace

Rule rule_of(const ir::Op& op, ir::Types in, ir::Types out) {
  const ir::ErrorClass error_class = op.error_class();
  if (error_class == ir::ErrorClass::bits || error_class == ir::ErrorClass::exact) return {};
  if (any_complex(in) || any_complex(out)) return rounds("complex arithmetic is not analysed");
  if (!any_float(in) && !any_float(out)) return {};
  const auto found = rules().find(op.name());
  if (found != rules().end()) return found->second(op, in, out);
  return rounds(ir::cat("no rule says that ", op.name(), " is exact"));
}

}  // namespace plumb::parity::exact
