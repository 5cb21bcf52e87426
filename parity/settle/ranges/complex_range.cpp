// Says which parts of complex numbers may leave the range, by the real terms that they sum.
#include "parity/settle/ranges/complex_range.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "ir/ops/binary.hpp"
#include "ir/ops/unary.hpp"
#include "ir/passes/widen.hpp"
#include "parity/compare/scan.hpp"
#include "parity/core/float_format.hpp"
#include "parity/settle/ranges/product_range.hpp"
#include "parity/sums/element_limit.hpp"

namespace plumb::parity::settle {
namespace {

using Part = ComplexSums::Part;

/// The real parts of complex numbers, or their imaginary ones.
ir::Tensor part_of(const ir::TensorView& z, Part part) {
  const ir::Tensor wide = ir::convert(z, ir::DType::c128);
  ir::Tensor parts({ir::DType::f64, z.shape()});
  const auto to = parts.as<double>();
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::complex<double> one = wide.as<std::complex<double>>()[i];
    to[i] = part == Part::real ? one.real() : one.imag();
  }
  return parts;
}

/// The product of two elements that meet by broadcasting.
element::terms::Walker product_of_elements(const element::terms::Operand& a, const element::terms::Operand& b,
                                           const ir::Shape& y) {
  const auto element = [y](const element::terms::Operand& x, std::int64_t index) {
    std::vector<std::int64_t> at = element::terms::position_of(index, y);
    at.erase(at.begin(), at.end() - static_cast<std::ptrdiff_t>(x.shape.size()));
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      if (x.shape[axis] == 1) at[axis] = 0;
    return x.values[static_cast<std::size_t>(element::terms::index_of(at, x.shape))];
  };
  return element::terms::Walker(
      [=](std::int64_t index, element::terms::ElementSum& sum) { sum.add(element(a, index), element(b, index)); });
}

/// The modulus that limits are in proportion to: a NaN or infinite part has no influence on the other (verdict.md V36).
double modulus_of(const std::complex<double>& z) {
  if (!std::isfinite(z.real())) return std::abs(z.imag());
  return std::isfinite(z.imag()) ? std::abs(z) : std::abs(z.real());
}

bool multiplies_elements(const ir::Op& op) {
  if (op.is<ir::ops::Unary>()) return op.as<ir::ops::Unary>().function == ir::ops::UnaryFunction::square;
  return op.is<ir::ops::Binary>() && op.as<ir::ops::Binary>().function == ir::ops::BinaryFunction::multiply;
}

/// One part of an element, as it is compared: what is allowed it besides.
struct PartLimit {
  const compare::Limit& limit;
  double overflow;  ///< from here on a number rounds to an infinity

  bool passes(std::size_t i, double y, double c, double magnitude) const {
    if (std::isnan(y) || std::isnan(c)) return std::isnan(y) && std::isnan(c);
    if (c == y) return true;
    const double most = limit.at(magnitude, i);
    if (!std::isfinite(most)) return false;
    if (std::isfinite(y) && std::isfinite(c)) return std::abs(c - y) <= most;
    return std::isfinite(y) && std::abs(y) + most >= overflow && std::signbit(c) == std::signbit(y);
  }
};

/// Excuses for a part that does not pass: an order of its sum or product, or a modulus of the truth, beyond the range.
class Excuses {
 public:
  Excuses(const Subject& subject, std::size_t k)
      : computed_(core::compute_dtype(subject.segment.graph.type(subject.segment.outputs.at(k)).dtype)),
        sums_(ComplexSums::of(subject, k)),
        product_(ProductRange::of(subject, k)) {}

  bool any() const { return sums_ || product_; }

  bool excuse(std::size_t i, Part part, double y, double c, bool has_limit) const {
    if (product_) return product_->explains(i, c);
    const bool is_f64 = computed_ == ir::DType::f64;
    if (is_f64 && !has_limit && std::isfinite(y)) return true;  // the modulus of the truth leaves the range itself
    const element::terms::ElementSum sum = sums_->at(i, part);
    const auto is_finite = [](const element::terms::Product& term) {
      return std::isfinite(term.a) && std::isfinite(term.b);
    };
    if (!std::ranges::all_of(sum.terms, is_finite)) return false;  // no matter of an order
    return (is_f64 || !std::isfinite(c)) && sums::overflows_in_some_order(sum, computed_);
  }

 private:
  ir::DType computed_;
  std::optional<ComplexSums> sums_;
  std::optional<ProductRange> product_;
};

}  // namespace

std::optional<ComplexSums> ComplexSums::of(const Subject& subject, std::size_t k) {
  const ir::Graph& graph = subject.segment.graph;
  if (graph.nodes().size() != 1 || k != 0) return std::nullopt;
  const ir::Node& node = graph.nodes().front();
  const auto is_complex = [&](ir::Value v) { return ir::is_complex(graph.type(v).dtype); };
  if (!is_complex(node.outputs[0]) || !std::ranges::all_of(node.inputs, is_complex)) return std::nullopt;
  ComplexSums sums;
  std::vector<ir::Value> inputs = node.inputs;
  const bool multiplies = multiplies_elements(node.op);
  if (multiplies && inputs.size() == 1) inputs.push_back(inputs[0]);
  if (inputs.empty() || inputs.size() > 2) return std::nullopt;
  for (const ir::Value v : inputs)
    for (const Part part : {Part::real, Part::imaginary}) sums.parts_.push_back(part_of(subject.inputs[v], part));
  const ir::Shape& y = graph.type(node.outputs[0]).shape;
  const auto operand = [&](std::size_t i, Part part) {
    const ir::Tensor& x = sums.parts_[2 * i + (part == Part::real ? 0 : 1)];
    return element::terms::Operand{std::as_const(x).as<double>(), x.shape()};
  };
  const auto add = [&](std::vector<Walk>& to, std::vector<element::terms::Operand> of, bool is_negated) {
    auto walker = multiplies ? product_of_elements(of[0], of[1], y) : element::terms::find_walker(node.op, of, y);
    if (walker) to.push_back({std::move(*walker), is_negated});
  };
  constexpr Part re = Part::real, im = Part::imaginary;
  if (inputs.size() == 1) {
    add(sums.real_, {operand(0, re)}, false);
    add(sums.imaginary_, {operand(0, im)}, false);
  } else {
    add(sums.real_, {operand(0, re), operand(1, re)}, false);
    add(sums.real_, {operand(0, im), operand(1, im)}, true);
    add(sums.imaginary_, {operand(0, re), operand(1, im)}, false);
    add(sums.imaginary_, {operand(0, im), operand(1, re)}, false);
  }
  return sums.real_.empty() ? std::nullopt : std::optional(std::move(sums));
}

element::terms::ElementSum ComplexSums::at(std::size_t i, Part part) const {
  element::terms::ElementSum all;
  for (const Walk& one : part == Part::real ? real_ : imaginary_) {
    element::terms::ElementSum sum;
    one.walker(static_cast<std::int64_t>(i), sum);
    for (element::terms::Product& term : sum.terms) {
      if (one.is_negated) term.a = -term.a;
      all.terms.push_back(term);
    }
    all.divisor = sum.divisor;
  }
  return all;
}

OutOfRange set_complex_out_of_range_apart(const Subject& subject, std::size_t k, const ir::Tensor& truth,
                                          const compare::Allowed& allowed, const ir::TensorView& got) {
  const Excuses excuses(subject, k);
  if (!excuses.any()) return {allowed};
  const compare::Limit limit(allowed, got.dtype());
  const PartLimit held{limit, core::float_format(got.dtype()).overflow()};
  const ir::Tensor came = ir::passes::widen(got);
  const auto y = truth.as<std::complex<double>>(), c = std::as_const(came).as<std::complex<double>>();
  std::vector<bool> apart(y.size(), false);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double modulus = modulus_of(y[i]);
    bool is_any = false, are_all = true;
    const auto look_at = [&](Part part, double of_truth, double of_got) {
      const double magnitude = allowed.by_part ? std::abs(of_truth) : modulus;
      if (held.passes(i, of_truth, of_got, magnitude)) return;
      const bool has_limit = std::isfinite(limit.at(magnitude, i));
      const bool is_excused = excuses.excuse(i, part, of_truth, of_got, has_limit);
      is_any |= is_excused;
      are_all &= is_excused;
    };
    look_at(Part::real, y[i].real(), c[i].real());
    look_at(Part::imaginary, y[i].imag(), c[i].imag());
    if (is_any && are_all) {
      apart[i] = true;
      ++count;
    }
  }
  return set_apart(allowed, got.shape(), std::move(apart), count);
}

}  // namespace plumb::parity::settle
