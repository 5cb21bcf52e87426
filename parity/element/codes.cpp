// Sums of products of codes less their zero points, in whole numbers.
// Optimised: it loops over elements or terms.
#include "parity/element/codes.hpp"

#include <algorithm>

namespace plumb::parity::element {
namespace {

std::uint64_t as_bits(std::int64_t x) { return static_cast<std::uint64_t>(x); }

std::int64_t zero_of(const std::optional<std::size_t>& operand, const Call& call,
                     Number (*element)(const Call&, std::size_t)) {
  return operand ? whole(element(call, *operand)) : 0;
}

}  // namespace

Number of_row(const Call& call, std::size_t operand) {
  Position at = call.at();
  if (call.in(operand).size() == 1) std::swap(at[at.size() - 1], at[at.size() - 2]);  // one a row, or one for all
  return call.stretched(operand, at);
}

Number of_column(const Call& call, std::size_t operand) { return call.stretched(operand); }

Number of_filter(const Call& call, std::size_t operand) {
  const ir::Shape& shape = call.in(operand);
  return call.number(operand, shape.empty() || shape[0] == 1 ? 0 : call.at(1));
}

std::uint64_t product_of_codes(const Call& call, const CodeOperands& of) {
  const std::size_t rank = call.at().size();
  const std::int64_t a_zero = zero_of(of.a_zero, call, of_row), b_zero = zero_of(of.b_zero, call, of_column);
  const std::int64_t terms = call.in(of.a).back(), step = call.in(of.b).back();
  Position in_a = call.at(), in_b = call.at();
  in_a[rank - 1] = 0;
  in_b[rank - 2] = 0;
  std::uint64_t sum = 0;
  if (terms == 0) return sum;
  const std::int64_t first_a = call.stretched_index(of.a, in_a), first_b = call.stretched_index(of.b, in_b);
  for (std::int64_t k = 0; k < terms; ++k)
    sum += as_bits((whole(call.number(of.a, first_a + k)) - a_zero) *
                   (whole(call.number(of.b, first_b + k * step)) - b_zero));
  return sum;
}

std::uint64_t convolution_of_codes(const Call& call, const CodeOperands& of, const ConvolutionOf& by) {
  const ir::Shape &x = call.in(of.a), &w = call.in(of.b);
  const std::int64_t x_zero = of.a_zero ? whole(call.number(*of.a_zero, 0)) : 0;
  const std::int64_t w_zero = zero_of(of.b_zero, call, of_filter);
  const std::int64_t m = call.at(1), group = m * by.group / w[0];
  const std::vector<std::int64_t> box(w.begin() + 1, w.end());
  std::uint64_t sum = 0;
  for_each(box, [&](const Position& tap) {
    Position in_x = {call.at(0), group * w[1] + tap[0]}, in_w = {m};
    in_w.insert(in_w.end(), tap.begin(), tap.end());
    for (std::size_t i = 0; i + 2 < x.size(); ++i) {
      const std::int64_t begin = call.at(2 + i) * entry(by.strides, i, 1) - entry(by.pads, i, 0);
      in_x.push_back(begin + tap[1 + i] * entry(by.dilations, i, 1));
      if (in_x.back() < 0 || in_x.back() >= x[2 + i]) return;
    }
    sum += as_bits((call.whole(of.a, in_x) - x_zero) * (call.whole(of.b, in_w) - w_zero));
  });
  return sum;
}

Number requantized(const Call& call, Number sum, Real left, Real right, Real y_scale, Number y_zero) {
  const bool is_signed = ir::is_signed(call.dtype_out());
  const long double least = is_signed ? -128 : 0, most = is_signed ? 127 : 255, zero = y_zero.re.value;
  const Real real = sum.re * (left * right / y_scale);
  if (std::isnan(real.value)) return {Real(zero)};
  constexpr long double far = 1024;  // beyond all codes, whatever the zero point is
  if (real.value - real.off > far) return {Real(most)};
  if (real.value + real.off < -far) return {Real(least)};
  const Real rounded = apply_steps([](long double x) { return std::nearbyint(x); }, real);
  return {Real(std::min(std::max(rounded.value + zero, least), most))};
}

}  // namespace plumb::parity::element
