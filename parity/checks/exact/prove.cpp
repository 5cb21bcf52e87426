// Proves, from operands at hand, that every order of an op's sums gives the same bits: all partial sums are exact.
#include "parity/checks/exact/prove.hpp"

#include <cmath>

#include "ir/passes/widen.hpp"
#include "parity/checks/exact/lattice.hpp"
#include "parity/checks/exact/term_sum.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::checks::exact {
namespace {

ir::TensorTypes types_of(const std::vector<ir::Tensor>& tensors) {
  ir::TensorTypes types;
  for (const ir::Tensor& x : tensors) types.push_back(x.type());
  return types;
}

std::vector<ir::Tensor> run_widened(ir::Executor& executor, const ir::Op& op, const std::vector<ir::Tensor>& operands) {
  std::vector<ir::Tensor> wide;
  for (const ir::Tensor& x : operands) wide.push_back(ir::passes::widen(x));
  const ir::Graph graph = ir::passes::widen(ir::graph_of(op, types_of(operands)));
  return ir::run_op(executor, graph.nodes().front().op, wide);
}

/// The absolute values of the floats among these.
std::vector<ir::Tensor> sizes_of(std::vector<ir::Tensor> tensors) {
  for (ir::Tensor& x : tensors)
    if (ir::is_float(x.dtype()))
      ir::visit_float(x.dtype(), [&]<class T>(T) {
        for (T& value : x.as<T>()) {
          if constexpr (std::is_floating_point_v<T>)
            value = std::abs(value);
          else
            value = T::from_bits(value.bits & 0x7FFF);
        }
      });
  return tensors;
}

double largest(const ir::Tensor& x) {
  double most = 0;
  for (const double value : x.as<double>()) most = std::max(most, value);
  return most;
}

/// The accumulator of an output's dtype.
struct Accumulator {
  int bits, least_exponent, greatest_exponent;

  explicit Accumulator(ir::DType dtype) {
    const core::FloatFormat format = core::float_format(core::compute_dtype(dtype));
    const bool as_truth = format.fraction_bits == 52;  // the truth is no wider, and the sizes are sums, too
    bits = as_truth ? 52 : format.fraction_bits + 1;
    least_exponent = format.min_exponent;
    greatest_exponent = format.max_exponent;
  }
  bool holds(const TermSum& sum, std::int64_t divisor) const {
    const int finest = sum.grain - static_cast<int>(std::lround(std::log2(static_cast<double>(divisor))));
    return sum.finite && sum.steps <= std::ldexp(1.0, bits) && finest >= least_exponent &&
           sum.grain + bits < greatest_exponent;
  }
};

int bits_of(double steps) { return steps < 1 ? 0 : std::ilogb(steps) + 1; }

core::Proof impossible(std::string why) { return {core::Exactness::impossible, std::move(why)}; }

std::string too_many(const TermSum& sum, const Accumulator& accumulator) {
  if (!sum.finite) return "an operand is not finite";
  return ir::cat("a sum may need ", bits_of(sum.steps), " bits, the accumulator has ", accumulator.bits);
}

/// The dtype of the sums among results: that of the first which are reals.
ir::DType dtype_of_sums(ir::Types out) {
  for (const ir::TensorType& type : out)
    if (ir::unit_roundoff(type.dtype) > 0) return type.dtype;
  return out.front().dtype;
}

Outcome prove_sums(const ir::Op& op, const Rule& rule, const std::vector<ir::Tensor>& operands, ir::Types out,
                   ir::Executor& reference) {
  const Accumulator accumulator(dtype_of_sums(out));
  std::vector<Lattice> lattices;
  for (const ir::Tensor& x : operands) lattices.push_back(lattice_of(x));
  TermSum sum = sum_of(rule.terms, lattices);
  if (!accumulator.holds(sum, rule.divisor) && sum.finite && rule.sums_of) {
    const auto sizes = run_widened(reference, *rule.sums_of, sizes_of(operands));
    sum.steps = std::ldexp(largest(sizes.at(0)) * static_cast<double>(rule.divisor), -sum.grain);
  }
  if (!accumulator.holds(sum, rule.divisor)) return {impossible(too_many(sum, accumulator))};
  auto truths = run_widened(reference, op, operands);
  for (std::size_t k = 0; k < out.size(); ++k)
    if (ir::unit_roundoff(out[k].dtype) > 0 && !fits(truths.at(k), out[k].dtype))
      return {impossible(ir::cat("a result is no ", ir::info(out[k].dtype).name, ": it would be rounded"))};
  Outcome proved{
      {core::Exactness::proved, ir::cat("sums need ", bits_of(sum.steps), " of ", accumulator.bits, " bits")}};
  for (std::size_t k = 0; k < out.size(); ++k) proved.outputs.push_back(ir::convert(truths[k], out[k].dtype));
  return proved;
}

}  // namespace

Outcome prove(const ir::Op& op, const std::vector<ir::Tensor>& operands, ir::Executor& reference) {
  const ir::TensorTypes in = types_of(operands), out = ir::infer(op, in);
  const Rule rule = rule_of(op, in, out);
  if (rule.arithmetic == Rule::Arithmetic::rounds) return {impossible(rule.why)};
  if (rule.arithmetic == Rule::Arithmetic::sums) return prove_sums(op, rule, operands, out, reference);
  return {{core::Exactness::proved, "selects, compares or wraps"}, ir::run_op(reference, op, operands)};
}

}  // namespace plumb::parity::checks::exact
