// Says which products leave the range in some order, by the logarithms of their factors.
#include "parity/settle/ranges/product_range.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "ir/ops/cumulative.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/passes/widen.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::settle {
namespace {

/// The op that sums what this one multiplies, whose terms are the factors.
std::optional<ir::Op> sum_of_factors(const ir::Op& op) {
  if (op.is<ir::ops::Reduce>()) {
    auto reduce = op.as<ir::ops::Reduce>();
    if (reduce.function != ir::ops::ReduceFunction::product) return std::nullopt;
    reduce.function = ir::ops::ReduceFunction::sum;
    return reduce;
  }
  if (op.is<ir::ops::Cumulative>()) {
    auto cumulative = op.as<ir::ops::Cumulative>();
    if (cumulative.function != ir::ops::CumulativeFunction::product) return std::nullopt;
    cumulative.function = ir::ops::CumulativeFunction::sum;
    return cumulative;
  }
  return std::nullopt;
}

/// Whether the product of some of the factors, given by their logarithms, is in [from, to). Of more factors than are
/// tried out it is taken for granted.
bool some_product_is_within(const std::vector<double>& factors, double from, double to) {
  constexpr std::size_t most = 12;
  if (factors.size() > most) return true;
  std::vector<double> products = {0};
  for (const double factor : factors)
    for (std::size_t i = 0, count = products.size(); i < count; ++i) products.push_back(products[i] + factor);
  return std::ranges::any_of(products, [&](double product) { return product >= from && product < to; });
}

ir::Tensor moduli(const ir::TensorView& z) {
  const ir::Tensor wide = ir::convert(z, ir::DType::c128);
  ir::Tensor sizes({ir::DType::f64, z.shape()});
  std::ranges::transform(wide.as<std::complex<double>>(), sizes.as<double>().begin(),
                         [](const std::complex<double>& one) { return std::abs(one); });
  return sizes;
}

}  // namespace

std::optional<ProductRange> ProductRange::of(const Subject& subject, std::size_t k) {
  const ir::Graph& graph = subject.segment.graph;
  if (graph.nodes().size() != 1 || k != 0) return std::nullopt;
  const ir::Node& node = graph.nodes().front();
  const ir::TensorType& y = graph.type(node.outputs[0]);
  const auto sum = sum_of_factors(node.op);
  const bool is_complex = ir::is_complex(y.dtype);
  if (!sum || !(ir::is_float(y.dtype) || is_complex)) return std::nullopt;
  ProductRange range;
  range.is_complex_ = is_complex;
  const ir::TensorView& x = subject.inputs[node.inputs[0]];
  range.operands_.push_back(is_complex ? moduli(x) : ir::passes::widen(x));
  const std::vector<element::terms::Operand> operands = {
      {range.operands_[0].as<double>(), graph.type(node.inputs[0]).shape}};
  range.walker_ = element::terms::find_walker(*sum, operands, y.shape);
  const core::FloatFormat format = core::float_format(core::compute_dtype(y.dtype));
  range.overflow_ = format.max_exponent + 1;
  range.smallest_normal_ = format.min_exponent;
  range.least_ = format.min_exponent - format.fraction_bits - 1;
  range.vanishing_ = subject.manner.flushes_subnormals ? range.smallest_normal_ : range.least_;
  return range.walker_ ? std::optional(std::move(range)) : std::nullopt;
}

bool ProductRange::explains(std::size_t i, double got) const {
  element::terms::ElementSum factors;
  (*walker_)(static_cast<std::int64_t>(i), factors);
  double above = 0, below = 0;  // logarithms, which the roundings of the products move by a margin
  double margin = 0x1p-20;
  bool has_zero = false, has_infinity = false, is_negative = false;
  std::vector<double> logarithms;
  for (const double factor : factors.values()) {
    if (std::isnan(factor)) return false;
    is_negative ^= std::signbit(factor);
    has_zero |= factor == 0;
    has_infinity |= std::isinf(factor);
    if (factor == 0 || std::isinf(factor)) continue;
    const double logarithm = std::log2(std::abs(factor));
    (logarithm > 0 ? above : below) += logarithm;
    margin += 0x1p-20;
    if (logarithm != 0) logarithms.push_back(logarithm);
  }
  const bool may_overflow = has_infinity || above + margin >= overflow_;
  const bool may_vanish = has_zero || below - margin <= vanishing_;
  // A part is a sum of two products of parts, which an infinity leaves no number.
  if (is_complex_ && !std::isfinite(got)) return has_infinity || above + 1 + margin >= overflow_;
  // The factors above 1 alone enlarge what is subnormal; storing the product may double it once more.
  const bool is_too_large = std::log2(std::abs(got)) > above + smallest_normal_ + 1 + margin;
  const bool may_be_other = !is_too_large && has_small_product(logarithms, below, margin);
  if (is_complex_) return !has_infinity && (may_vanish || may_be_other);
  if (std::isnan(got)) return may_overflow && may_vanish;
  if (is_negative != std::signbit(got)) return false;
  if (std::isinf(got)) return may_overflow && !has_zero;
  if (got == 0) return may_vanish && !has_infinity;
  return !has_zero && !has_infinity && may_be_other;
}

bool ProductRange::has_small_product(const std::vector<double>& factors, double below, double margin) const {
  if (below - margin > smallest_normal_) return false;
  return some_product_is_within(factors, least_ - margin, smallest_normal_ + margin);
}

}  // namespace plumb::parity::settle
