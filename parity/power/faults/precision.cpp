// Too few bits: of operands, of products made in pieces, of accumulators, of functions inside of an op.

#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/ops/attention.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/unary.hpp"
#include "parity/core/float_format.hpp"
#include "parity/core/parallel.hpp"
#include "parity/element/terms/terms.hpp"
#include "parity/power/faults/fault.hpp"
#include "parity/power/faults/slices.hpp"

namespace plumb::parity::power::faults {
namespace {

constexpr ir::DTypes narrow_sums = ir::DType::f32 | ir::DType::f16 | ir::DType::bf16;

/// To so many bits of significand, to nearest (Veltkamp's way).
template <int bits>
double to_bits(double x) {
  const double c = x * (std::ldexp(1.0, 53 - bits) + 1), rounded = c - (c - x);
  return std::isfinite(rounded) ? rounded : x;
}

template <int bits>
std::optional<Numbers> operands_of(const Site& site) {
  if (site.type.dtype != ir::DType::f32) return {};
  return round_operands(site, ir::DType::f32, to_bits<bits>);
}

/// Products of two operands of f32, each split into a high and a low part, without the product of the low parts:
/// (h + l)(h' + l') - l l'.
template <class Round>
std::optional<Numbers> in_three_products(const Site& site, Round round) {
  if (!multiplies_two(site) || site.type.dtype != ir::DType::f32) return {};
  auto kept = site.inputs(), low = kept;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    Numbers both = numbers_of(kept[k]), rest = both;
    for (std::size_t i = 0; i < both.size(); ++i) {
      const double high = round(both[i]);
      rest[i] = k < 2 ? round(both[i] - high) : 0;
      if (k < 2) both[i] = high + rest[i];
    }
    low[k] = tensor_of(low[k].type(), rest);
    if (k < 2) kept[k] = tensor_of(kept[k].type(), both);
  }
  Numbers result = site.truth_of(kept);
  const Numbers lost = site.truth_of(low);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] -= lost[i];
  return site.carried(std::move(result));
}

std::optional<Numbers> bf16x3_products(const Site& site) {
  return in_three_products(site, [](double x) { return static_cast<double>(ir::bf16(x)); });
}
std::optional<Numbers> tf32x3_products(const Site& site) { return in_three_products(site, to_bits<11>); }

/// How the terms of a kernel's sum are shared out, as far as faults care: lanes take every n-th, in chunks.
struct Order {
  std::size_t lanes = 1, chunk = 0;  ///< 0: all that there are
};

Order order_of(const Site& site) {
  Order order;
  if (site.sums.empty()) return order;
  for (const ir::SumLevel& level : site.sums.front().levels)
    if (level.take == ir::SumTake::every && level.count > 0) order.lanes = static_cast<std::size_t>(level.count);
  const auto& levels = site.sums.front().levels;
  if (levels.size() > 1 && levels.front().take == ir::SumTake::run && levels.front().count > 0)
    order.chunk = static_cast<std::size_t>(levels.front().count);
  return order;
}

/// Σ of the terms in an accumulator that `round` rounds.
template <class Round>
double added(const std::vector<element::terms::Product>& terms, const Order& order, Round round) {
  double sum = 0;
  for (std::size_t lane = 0; lane < order.lanes; ++lane) {
    double of_lane = 0, of_chunk = 0;
    std::size_t in_chunk = 0;
    for (std::size_t k = lane; k < terms.size(); k += order.lanes) {
      of_chunk = round(of_chunk + terms[k].value());
      if (++in_chunk == order.chunk) {
        of_lane = round(of_lane + of_chunk);
        of_chunk = 0;
        in_chunk = 0;
      }
    }
    sum = round(sum + round(of_lane + of_chunk));
  }
  return sum;
}

/// The result of a bare sum whose accumulator is rounded otherwise after every term, from the terms of each element by
/// the definition of the op. Nothing for outputs of which that would take too long.
template <class Round>
std::optional<Numbers> accumulated_in(const Site& site, Round round) {
  constexpr std::size_t most_terms = std::size_t{1} << 25;
  if (site.op() == nullptr || site.output != 0 || !narrow_sums.contains(site.type.dtype)) return {};
  std::vector<ir::Tensor> wide;
  for (const Operand& one : site.operands) {
    if (!ir::is_float(one.now.dtype())) return {};
    wide.push_back(ir::convert(one.now, ir::DType::f64));
  }
  std::vector<element::terms::Operand> operands;
  for (const ir::Value v : site.segment.graph.nodes().front().inputs)
    operands.push_back({wide[v].as<double>(), wide[v].shape()});
  const auto walker = element::terms::find_walker(*site.op(), operands, site.type.shape);
  if (!walker || site.elements() == 0) return {};
  element::terms::ElementSum first;
  (*walker)(0, first);
  if (first.terms.size() < 2 || first.terms.size() > most_terms / site.elements()) return {};
  const Order order = order_of(site);
  Numbers faulty = site.got;
  constexpr std::size_t piece = 64;
  const std::size_t pieces = (faulty.size() + piece - 1) / piece;
  core::for_each_piece(pieces, core::workers_for(pieces), [&](std::size_t n, std::size_t) {
    for (std::size_t i = n * piece; i < std::min(faulty.size(), (n + 1) * piece); ++i) {
      element::terms::ElementSum sum;
      (*walker)(static_cast<std::int64_t>(i), sum);
      if (!sum.inner.empty()) continue;
      double result = sum.scale * added(sum.terms, order, round) / sum.divisor;
      for (const element::terms::Product& one : sum.added) result += one.value();
      if (std::isfinite(result)) faulty[i] = result;
    }
  });
  return faulty;
}

template <int bits>
std::optional<Numbers> accumulator_of(const Site& site) {
  return accumulated_in(site, to_bits<bits>);
}

std::optional<Numbers> sums_cut_off(const Site& site) { return accumulated_in(site, core::truncated_to_f32); }

/// A sum that carries no second number, of a kernel that says that it does.
std::optional<Numbers> lost_compensation(const Site& site) {
  bool is_compensated = false;
  for (const ir::Sum& sum : site.sums)
    for (const ir::SumLevel& level : sum.levels) is_compensated = is_compensated || level.compensated;
  if (!is_compensated) return {};
  return accumulated_in(site, to_bits<24>);
}

/// e^x that is off by up to 2^-bits of itself.
template <int bits>
std::optional<Numbers> coarse_exp(const Site& site) {
  using ir::ops::UnaryFunction;
  const auto off = [](double x) { return 1 + std::ldexp(noise(x), -bits); };
  if (const auto* op = site.as<ir::ops::Unary>()) {
    const bool is_sigmoid = op->function == UnaryFunction::sigmoid, is_silu = op->function == UnaryFunction::silu;
    if (op->function != UnaryFunction::exp && !is_sigmoid && !is_silu) return {};
    const Numbers x = numbers_of(site.operands.front().now);
    Numbers faulty = site.truth;
    for (std::size_t i = 0; i < faulty.size(); ++i) {
      const double y = is_sigmoid || is_silu ? 1 / (1 + std::exp(-x[i]) * off(x[i])) : faulty[i] * off(x[i]);
      faulty[i] = is_silu ? x[i] * y : y;
    }
    return site.carried(std::move(faulty));
  }
  const auto* softmax = site.as<ir::ops::Softmax>();
  if (softmax == nullptr || site.elements() == 0) return {};
  const Numbers x = numbers_of(site.operands.front().now);
  const ir::Lines lines = ir::along(site.type.shape, softmax->axis);
  Numbers faulty = site.truth;
  for (std::int64_t line = 0; line < lines.count(); ++line) {
    double sum = 0;
    for (std::int64_t k = 0; k < lines.length; ++k) sum += faulty[lines.at(line, k)] *= off(x[lines.at(line, k)]);
    for (std::int64_t k = 0; k < lines.length; ++k) faulty[lines.at(line, k)] /= sum;
  }
  return site.carried(std::move(faulty));
}

/// A quotient that is off by up to 2^-bits of itself.
template <int bits>
std::optional<Numbers> coarse_division(const Site& site) {
  using ir::ops::BinaryFunction, ir::ops::UnaryFunction;
  const auto* binary = site.as<ir::ops::Binary>();
  const auto* unary = site.as<ir::ops::Unary>();
  const bool divides =
      (binary != nullptr && binary->function == BinaryFunction::divide) ||
      (unary != nullptr && (unary->function == UnaryFunction::reciprocal || unary->function == UnaryFunction::sigmoid ||
                            unary->function == UnaryFunction::silu)) ||
      site.as<ir::ops::Softmax>() != nullptr || site.as<ir::ops::Attention>() != nullptr;
  if (!divides || !ir::is_float(site.type.dtype)) return {};
  Numbers faulty = site.got;
  for (double& y : faulty) y *= 1 + std::ldexp(noise(y), -bits);
  return faulty;
}

constexpr auto products = "products, convolutions, attention in f32";
constexpr auto bare_sums = "bare sums of at most 2^25 terms in all";
constexpr auto exponentials = "softmax, exp, sigmoid, silu";
constexpr auto quotients = "divide, reciprocal, sigmoid, silu, softmax, attention";

constexpr Fault of_precision[] = {
    {"operands_22_bits", "operands have 22 bits", products, false, operands_of<22>},
    {"operands_20_bits", "operands have 20 bits", products, false, operands_of<20>},
    {"operands_18_bits", "operands have 18 bits", products, false, operands_of<18>},
    {"operands_16_bits", "operands have 16 bits", products, false, operands_of<16>},
    {"operands_14_bits", "operands have 14 bits", products, true, operands_of<14>},
    {"operands_12_bits", "operands have 12 bits", products, true, operands_of<12>},
    {"bf16x3_products", "three products of two bf16 each", "products of two operands in f32", false, bf16x3_products},
    {"tf32x3_products", "three products of two tf32 each", "products of two operands in f32", false, tf32x3_products},
    {"accumulator_23_bits", "the accumulator has 23 bits", bare_sums, false, accumulator_of<23>},
    {"accumulator_22_bits", "the accumulator has 22 bits", bare_sums, false, accumulator_of<22>},
    {"accumulator_20_bits", "the accumulator has 20 bits", bare_sums, false, accumulator_of<20>},
    {"sums_cut_off", "every addition is cut off to f32", bare_sums, false, sums_cut_off},
    {"lost_compensation", "a compensated sum is a plain one", bare_sums, false, lost_compensation},
    {"exp_14_bits", "e^x is off by up to 2^-14 of itself", exponentials, true, coarse_exp<14>},
    {"exp_18_bits", "e^x is off by up to 2^-18 of itself", exponentials, false, coarse_exp<18>},
    {"division_14_bits", "quotients are off by up to 2^-14 of themselves", quotients, true, coarse_division<14>},
    {"division_18_bits", "quotients are off by up to 2^-18 of themselves", quotients, false, coarse_division<18>},
};

}  // namespace

std::span<const Fault> faults_of_precision() { return of_precision; }

}  // namespace plumb::parity::power::faults
