// Sums as matrix units make them, many side by side: a term is cut off by adding what pushes its last places out of
// f64, and what is cut off so is added exactly.
#include "parity/compare/elements/unit_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "parity/compare/elements/kernels.hpp"
#include "parity/core/lanes.hpp"

namespace plumb::parity::compare::elements {
namespace {

using core::f64x8;
using core::i64x8;

constexpr std::size_t groups = sums_at_once / core::lanes;
constexpr int lowest_exponent = -400;  // below any product of two f32, 2^-298

[[gnu::always_inline]] inline void set_all(f64x8& x, double value) { x = value - f64x8{}; }

/// 2^exponent, of exponents that f64 has.
[[gnu::always_inline]] inline void set_power(f64x8& x, const i64x8& exponent) {
  x = reinterpret_cast<f64x8>((exponent + 1023) << 52);
}

/// floor(log2 |x|); far below any product of 0.
[[gnu::always_inline]] inline void set_exponent(i64x8& exponent, const f64x8& x) {
  exponent = (reinterpret_cast<i64x8>(x) >> 52 & 0x7FF) - 1023;
}

[[gnu::always_inline]] inline void raise(i64x8& most, const i64x8& other) { most = most < other ? other : most; }

/// The sign of one number given to the size of another.
[[gnu::always_inline]] inline void set_sign(f64x8& size, const f64x8& of) {
  size = reinterpret_cast<f64x8>(reinterpret_cast<i64x8>(size) | (reinterpret_cast<i64x8>(of) & INT64_MIN));
}

/// x cut off toward 0 at a multiple of `unit`, 2^52 of which are `push`.
[[gnu::always_inline]] inline void cut_off(f64x8& x, const f64x8& unit, const f64x8& push) {
  f64x8 size;
  core::set_magnitude(size, x);
  f64x8 kept = (size + push) - push;
  kept = kept > size ? kept - unit : kept;
  set_sign(kept, x);
  x = kept;
}

/// Eight sums of the unit. Its rules for products are known when it is compiled, as one product takes few instructions.
template <bool fuses, bool is_normalized>
class EightSums {
 public:
  EightSums(const UnitRules& rules, const UnitOperands& operands, std::size_t first)
      : rules_(rules), operands_(operands), first_(first), least_(rules.min_exponent - (rules.bits - 1)) {}

  void add(const UnitTerms& of) {
    std::size_t in_block = 0, in_group = 0;
    i64x8 top = i64x8{} + lowest_exponent;
    f64x8 part = {}, total = {};
    for (std::size_t k = of.begin; k < of.end; k += of.step) {
      const bool is_last = k + of.step >= of.end;
      take(k, products_[in_block], top);
      ++in_block;
      ++in_group;
      const bool ends_group = rules_.group > 0 && in_group >= rules_.group;
      if (in_block < rules_.block && !ends_group && !is_last) continue;
      add_block(in_block, top, part);
      in_block = 0;
      top = i64x8{} + lowest_exponent;
      if (rules_.group == 0 || (!ends_group && !is_last)) continue;
      products_[0] = part;
      i64x8 of_part;
      set_exponent(of_part, part);
      raise(of_part, i64x8{} + lowest_exponent);
      add_block(1, of_part, total);
      part = f64x8{};
      in_group = 0;
    }
    sums_ = rules_.group == 0 ? part : total;
  }

  void write(UnitResults& results) const {
    for (std::size_t l = 0; l < core::lanes; ++l) {
      results.sums[first_ + l] = static_cast<float>(sums_[l]);
      results.overflowed[first_ + l] = overflowed_[l] != 0;
    }
  }

 private:
  /// The product of term k, and its exponent where it is larger.
  [[gnu::always_inline]] void take(std::size_t k, f64x8& product, i64x8& top) {
    f64x8 column;
    core::load(column, operands_.columns + k * sums_at_once + first_);
    product = operands_.row[k] * column;
    if constexpr (!fuses) {
      i64x8 exponent;
      set_exponent(exponent, product);
      round(product, exponent - 52);
    }
    i64x8 exponent;
    if constexpr (is_normalized) {
      set_exponent(exponent, product);
    } else {
      std::memcpy(&exponent, operands_.column_exponents + k * sums_at_once + first_, sizeof exponent);
      exponent += operands_.row_exponents[k];
      exponent = product == 0 ? i64x8{} + lowest_exponent : exponent;
    }
    raise(top, exponent);
  }

  /// Adds what is in products_ to a sum, all aligned to the largest.
  void add_block(std::size_t count, i64x8 top, f64x8& sum) {
    const i64x8 has_none = top == lowest_exponent;
    i64x8 of_sum;
    set_exponent(of_sum, sum);
    raise(top, of_sum);
    const i64x8 place = top - (rules_.bits - 1) - rules_.extra_bits;
    f64x8 unit, push;
    set_power(unit, place);
    set_power(push, place + 52);
    f64x8 all = sum;
    cut_off(all, unit, push);
    for (std::size_t t = 0; t < count; ++t) {
      f64x8 term = products_[t];
      cut_off(term, unit, push);
      all += term;
    }
    round(all, place);
    sum = has_none ? sum : all;  // which keeps the sign of a sum that is 0
  }

  /// Rounds multiples of 2^place to the accumulator's format.
  [[gnu::always_inline]] void round(f64x8& x, const i64x8& place) {
    f64x8 size, unit, push;
    core::set_magnitude(size, x);
    i64x8 last;
    set_exponent(last, x);
    last -= rules_.bits - 1;
    raise(last, i64x8{} + least_);
    set_power(unit, last);
    set_power(push, last + 52);
    f64x8 kept = (size + push) - push;
    if (!rules_.rounds_to_nearest) kept = kept > size ? kept - unit : kept;
    f64x8 zero = {};
    if (rules_.flushes) {
      f64x8 smallest;
      set_all(smallest, std::ldexp(1.0, rules_.min_exponent));
      kept = kept < smallest ? zero : kept;
    }
    f64x8 beyond;
    set_all(beyond, std::ldexp(1.0, rules_.max_exponent) * 2);
    overflowed_ |= kept >= beyond;
    const f64x8 negative = -kept;
    f64x8 rounded = x < zero ? negative : kept;
    // A number that is smaller by far than any of that format has no sign left.
    rounded = last - place >= 127 ? zero : rounded;
    x = rounded;
  }

  const UnitRules& rules_;
  const UnitOperands& operands_;
  const std::size_t first_;
  const int least_;
  std::array<f64x8, UnitRules::largest_block> products_;
  f64x8 sums_ = {};
  i64x8 overflowed_ = {};
};

/// x, or a zero of its sign where it is subnormal and these are flushed.
template <bool flushes>
[[gnu::always_inline]] inline float kept(float x) {
  if constexpr (!flushes) return x;
  return std::abs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0F, x) : x;
}

/// A chain of f32, or one of chains of `group` terms.
template <bool fuses, bool flushes>
void plain_sums(const UnitRules& rules, const UnitOperands& operands, const UnitTerms& of, float* sums) {
  const std::size_t count = (of.end - of.begin) / of.step;
  const std::size_t length = rules.group > 0 && rules.group < count ? rules.group * of.step : of.end - of.begin;
  std::array<float, sums_at_once> total = {}, part = {};
  for (std::size_t first = of.begin; first < of.end; first += length) {
    const std::size_t last = std::min(first + length, of.end);
    if (rules.group > 0) part = {};
    for (std::size_t k = first; k < last; k += of.step) {
      const float a = operands.plain_row[k];
      const float* const b = operands.plain_columns + k * sums_at_once;
      for (std::size_t c = 0; c < sums_at_once; ++c)
        if constexpr (fuses)
          part[c] = kept<flushes>(__builtin_fmaf(a, b[c], part[c]));
        else
          part[c] = kept<flushes>(part[c] + kept<flushes>(a * b[c]));
    }
    if (rules.group > 0)
      for (std::size_t c = 0; c < sums_at_once; ++c) total[c] = kept<flushes>(total[c] + part[c]);
  }
  std::ranges::copy(rules.group > 0 ? total : part, sums);
}

}  // namespace

bool has_room(const UnitRules& rules) {
  if (rules.is_plain) return true;
  if (rules.block == 0 || rules.block > UnitRules::largest_block || rules.extra_bits > 20 || rules.bits > 24)
    return false;
  int more = 3;  // a product may be 4 times what its operands' exponents say; the sum so far is another term
  for (std::size_t n = rules.block; n > 0; n /= 2) ++more;
  return rules.bits + rules.extra_bits + more <= 51;
}

void unit_sums(const UnitRules& rules, const UnitOperands& operands, const UnitTerms& terms, UnitResults& results) {
  if (rules.is_plain) {
    results.overflowed = {};
    const auto make = rules.fuses ? (rules.flushes ? plain_sums<true, true> : plain_sums<true, false>)
                                  : (rules.flushes ? plain_sums<false, true> : plain_sums<false, false>);
    return make(rules, operands, terms, results.sums.data());
  }
  const auto make = [&]<bool fuses, bool is_normalized>(std::bool_constant<fuses>, std::bool_constant<is_normalized>) {
    for (std::size_t group = 0; group < groups; ++group) {
      EightSums<fuses, is_normalized> sums(rules, operands, group * core::lanes);
      sums.add(terms);
      sums.write(results);
    }
  };
  if (rules.fuses)
    rules.is_normalized ? make(std::true_type{}, std::true_type{}) : make(std::true_type{}, std::false_type{});
  else
    rules.is_normalized ? make(std::false_type{}, std::true_type{}) : make(std::false_type{}, std::false_type{});
}

}  // namespace plumb::parity::compare::elements
