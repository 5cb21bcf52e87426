// Optimised: it loops over elements or terms.
#include "parity/profile/emulator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "ir/attribute.hpp"
#include "ir/error.hpp"
#include "parity/core/float_format.hpp"
#include "parity/sums/element_limit.hpp"

namespace plumb::parity::profile {
namespace {

/// A finite double as significand 2^exponent.
struct Parts {
  std::int64_t significand;
  int exponent;
};

Parts parts_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int biased = static_cast<int>(bits >> 52 & 0x7FF);
  const auto fraction = static_cast<std::int64_t>(bits & ((std::uint64_t{1} << 52) - 1));
  const std::int64_t significand = biased == 0 ? fraction : fraction | std::int64_t{1} << 52;
  return {x < 0 ? -significand : significand, std::max(biased, 1) - 1075};
}

/// floor(log2 |x|) of a finite x that is not 0; products of floats are no subnormal doubles.
int exponent_of(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7FF) - 1023; }

/// x in units of 2^place, cut off toward 0.
Wide aligned(double x, int place) {
  const auto [significand, exponent] = parts_of(x);
  const int up = exponent - place;
  if (up >= 0) return static_cast<Wide>(significand) << up;
  if (up <= -63) return 0;
  return significand < 0 ? -(-significand >> -up) : significand >> -up;
}

int bit_length(Wide magnitude) {
  const auto high = static_cast<std::uint64_t>(magnitude >> 64), low = static_cast<std::uint64_t>(magnitude);
  return high != 0 ? 64 + std::bit_width(high) : std::bit_width(low);
}

/// How many levels, from the innermost on, the unit sums by itself: what it adds at once and, in order, all of these.
std::size_t unit_levels(const Levels& levels) {
  std::size_t count = 0;
  while (count < levels.size() && levels[count].join == ir::SumJoin::unit) ++count;
  return std::min(count + 1, levels.size());
}

/// Whether level `i`, one that is not the unit's own, says which of so many terms each of its items takes.
bool says_which_terms(const Levels& levels, std::size_t i, std::int64_t terms) {
  const ir::SumLevel& level = levels[i];
  if (level.join == ir::SumJoin::unit) return false;
  if (level.take == ir::SumTake::every) return level.count > 0;
  if (sums::capacity_of(levels, i) > 0) return true;
  return level.count > 0 && i + 1 == levels.size() && terms % level.count == 0;
}

}  // namespace

Levels one_chain() { return {ir::SumLevel{}}; }

Products plain_products(bool fused, Subnormals subnormals) {
  return {.unit = fused ? ir::SumUnit::fma : ir::SumUnit::separate,
          .operands = ir::DType::f32,
          .accumulator = ir::DType::f32,
          .operand_bits = 24,
          .exact_products = fused ? Known::yes : Known::no,
          .accumulator_bits = 24,
          .extra_bits = Products::every_bit,
          .normalized = Known::yes,
          .rounding = Rounding::nearest,
          .block = 1,
          .group = 0,
          .subnormals = subnormals == Subnormals::flushed ? Subnormals::flushed : Subnormals::kept};
}

bool is_replayable(const ir::Sum& sum, std::int64_t terms) {
  const Levels& levels = sum.levels;
  if (levels.empty() || sum.order != "contract" || sums::is_compensated(sum)) return false;
  const std::size_t own = unit_levels(levels);
  for (std::size_t i = 0; i < own; ++i)
    if (levels[i].take != ir::SumTake::run || levels[i].join == ir::SumJoin::pair) return false;
  for (std::size_t i = own; i < levels.size(); ++i)
    if (!says_which_terms(levels, i, terms)) return false;
  const std::int64_t most = sums::capacity_of(levels, levels.size());
  return most == 0 || most >= terms;
}

ProductEmulator::ProductEmulator(const Products& products, const Levels& levels) : products_(products) {
  ir::require(products.is_known(), "the profile does not say all about products of ", products.operands, " by ",
              ir::enum_name(products.unit), " in ", products.accumulator);
  for (std::size_t i = unit_levels(levels); i < levels.size(); ++i) {
    outer_.push_back(levels[i]);
    capacities_.push_back(static_cast<std::size_t>(sums::capacity_of(levels, i)));
    ir::require(levels[i].count > 0 || capacities_.back() > 0, "level ", i, " does not say which terms its items take");
  }
  const auto wider = [&](int bits) { return products.accumulator_bits > bits; };
  const core::FloatFormat range = core::float_format(wider(24)   ? ir::DType::f64
                                                     : wider(11) ? ir::DType::f32
                                                     : wider(10) ? ir::DType::f16
                                                                 : ir::DType::bf16);
  accumulator_ = {products.accumulator_bits, range.min_exponent, range.max_exponent};
  const core::FloatFormat operands = core::float_format(products.operands);
  operand_min_exponent_ = operands.min_exponent;
  extra_bits_ = *products.extra_bits;
  group_ = products.group > 0 ? static_cast<std::size_t>(products.group) : std::numeric_limits<std::size_t>::max();
  flushes_ = products.subnormals == Subnormals::flushed;
  cuts_operands_ = products.operand_bits < operands.fraction_bits + 1;
  is_plain_ = products.block == 1 && extra_bits_ == Products::every_bit && products.accumulator_bits == 24 &&
              products.rounding == Rounding::nearest && !cuts_operands_;
  rules_ = {.is_plain = is_plain_,
            .fuses = products.exact_products == Known::yes,
            .is_normalized = products.normalized != Known::no,
            .rounds_to_nearest = products.rounding == Rounding::nearest,
            .flushes = flushes_,
            .bits = accumulator_.bits,
            .extra_bits = extra_bits_,
            .min_exponent = accumulator_.min_exponent,
            .max_exponent = accumulator_.max_exponent,
            .block = static_cast<std::size_t>(products.block),
            .group = static_cast<std::size_t>(std::max(products.group, 0))};
  makes_many_ = compare::elements::has_room(rules_);
}

float ProductEmulator::operand(float x) const {
  if (flushes_ && std::abs(x) < std::ldexp(1.0f, operand_min_exponent_)) return 0;
  if (!cuts_operands_ || !std::isfinite(x)) return x;
  const auto lost = static_cast<std::uint32_t>(24 - products_.operand_bits);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) >> lost << lost);
}

float ProductEmulator::kept(float x) const {
  return flushes_ && std::abs(x) < std::ldexp(1.0f, accumulator_.min_exponent) ? std::copysign(0.0f, x) : x;
}

double ProductEmulator::rounded(Wide significand, int exponent) const {
  const bool negative = significand < 0;
  Wide magnitude = negative ? -significand : significand;
  const int least = accumulator_.min_exponent - (accumulator_.bits - 1);
  const int drop = std::max(bit_length(magnitude) - accumulator_.bits, least - exponent);
  if (drop >= 127) return 0;
  if (drop > 0) {
    const Wide rest = magnitude & ((Wide{1} << drop) - 1), half = Wide{1} << (drop - 1);
    magnitude >>= drop;
    exponent += drop;
    const bool up = rest > half || (rest == half && (magnitude & 1) != 0);
    if (up && products_.rounding == Rounding::nearest) ++magnitude;
  }
  // Now of at most bits + 1 bits, so that it is a double.
  const int shift = std::max(bit_length(magnitude) - 53, 0);
  double value = std::ldexp(static_cast<double>(static_cast<std::int64_t>(magnitude >> shift)), exponent + shift);
  if (value >= std::ldexp(1.0, accumulator_.max_exponent) * 2) value = std::numeric_limits<double>::infinity();
  if (flushes_ && value < std::ldexp(1.0, accumulator_.min_exponent)) value = 0;
  return negative ? -value : value;
}

ProductEmulator::Term ProductEmulator::product(float a, float b) const {
  a = operand(a);
  b = operand(b);
  Term term{static_cast<double>(a) * static_cast<double>(b)};  // exact: 48 bits
  if (term.value == 0 || !std::isfinite(term.value)) return term;
  if (products_.exact_products == Known::no) {
    const auto [significand, exponent] = parts_of(term.value);
    term.value = rounded(significand, exponent);
    if (term.value == 0 || !std::isfinite(term.value)) return term;
  }
  term.exponent = products_.normalized == Known::no ? place_of(a) + place_of(b) : exponent_of(term.value);
  return term;
}

/// By what an operand that is not 0 counts where products are not normalized.
int ProductEmulator::place_of(float x) const {
  return std::max(exponent_of(static_cast<double>(x)), operand_min_exponent_);
}

double ProductEmulator::add_block(std::span<const Term> terms, double sum) const {
  int top = std::numeric_limits<int>::min();
  double plain = sum;
  for (const Term& term : terms) {
    plain += term.value;
    if (term.value != 0) top = std::max(top, term.exponent);
  }
  if (!std::isfinite(plain)) return plain;
  if (top == std::numeric_limits<int>::min()) return sum;
  if (sum != 0) top = std::max(top, exponent_of(sum));
  const int place = top - (accumulator_.bits - 1) - extra_bits_;
  Wide total = aligned(sum, place);
  for (const Term& term : terms) total += aligned(term.value, place);
  return rounded(total, place);
}

double ProductEmulator::sum(std::span<const float> a, std::span<const float> b, Terms of) const {
  const auto block = static_cast<std::size_t>(products_.block);
  std::vector<Term> terms;
  terms.reserve(block);
  double total = 0, part = 0;
  std::size_t in_group = 0;
  for (std::size_t k = of.begin; k < of.end; k += of.step) {
    const bool is_last = k + of.step >= of.end;
    terms.push_back(product(a[k], b[k]));
    ++in_group;
    if (terms.size() < block && in_group < group_ && !is_last) continue;
    part = add_block(terms, part);
    terms.clear();
    if (products_.group == 0 || (in_group < group_ && !is_last)) continue;
    const Term whole{part, part == 0 || !std::isfinite(part) ? 0 : exponent_of(part)};
    total = add_block({&whole, 1}, total);
    part = 0;
    in_group = 0;
  }
  return products_.group == 0 ? part : total;
}

float ProductEmulator::plain_sum(std::span<const float> a, std::span<const float> b, Terms of) const {
  const std::size_t step = of.step;
  const std::size_t length = group_ < (of.end - of.begin) / step ? group_ * step : of.end - of.begin;
  float total = 0;
  for (std::size_t first = of.begin; first < of.end; first += length) {
    const std::size_t last = std::min(first + length, of.end);
    float part = products_.group == 0 ? total : 0;
    if (products_.exact_products == Known::yes)
      for (std::size_t k = first; k < last; k += step) part = kept(std::fma(operand(a[k]), operand(b[k]), part));
    else
      for (std::size_t k = first; k < last; k += step) {
        const double exact = static_cast<double>(operand(a[k])) * static_cast<double>(operand(b[k]));
        part = kept(part + kept(static_cast<float>(exact)));
      }
    total = products_.group == 0 ? part : kept(total + part);
  }
  return total;
}

float ProductEmulator::level_sum(std::span<const float> a, std::span<const float> b, Terms of,
                                 std::size_t level) const {
  if (of.count() == 0) return 0;
  if (level == 0) return is_plain_ ? plain_sum(a, b, of) : static_cast<float>(sum(a, b, of));
  const ir::SumLevel& joined = outer_[level - 1];
  std::vector<float> items;
  if (joined.take == ir::SumTake::every) {
    const auto count = static_cast<std::size_t>(joined.count);
    for (std::size_t i = 0; i < count; ++i)
      items.push_back(level_sum(a, b, {of.begin + i * of.step, of.end, of.step * count}, level - 1));
  } else {
    const std::size_t length = run_of(of, level);
    for (std::size_t begin = of.begin; begin < of.end; begin += length)
      items.push_back(level_sum(a, b, {begin, std::min(begin + length, of.end), of.step}, level - 1));
  }
  const auto added = [this](float x, float y) { return kept(x + y); };
  if (joined.join == ir::SumJoin::chain) return std::accumulate(items.begin(), items.end(), 0.0f, added);
  items.resize(std::bit_ceil(items.size()), 0.0f);
  for (std::size_t upper = items.size() / 2; upper > 0; upper /= 2)
    for (std::size_t i = 0; i < upper; ++i) items[i] = added(items[i], items[i + upper]);
  return items[0];
}

/// The distance from the first term of an item to that of the next, where items take runs.
std::size_t ProductEmulator::run_of(Terms of, std::size_t level) const {
  const std::size_t capacity = capacities_[level - 1];
  return (capacity > 0 ? capacity : of.count() / static_cast<std::size_t>(outer_[level - 1].count)) * of.step;
}

float ProductEmulator::dot(std::span<const float> a, std::span<const float> b) const {
  return level_sum(a, b, {0, a.size(), 1}, outer_.size());
}

}  // namespace plumb::parity::profile
