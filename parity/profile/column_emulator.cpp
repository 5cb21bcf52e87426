// Many sums at once, of one row and columns side by side: what is the same for all of them is done once.
// Optimised: it loops over elements or terms.
#include <algorithm>
#include <bit>
#include <cmath>

#include "parity/compare/elements/kernels.hpp"
#include "parity/profile/emulator.hpp"

namespace plumb::parity::profile {
namespace {

using Sums = ProductEmulator::Sums;
constexpr std::size_t at_once = ProductEmulator::at_once;
constexpr std::int64_t of_zero = -1'000'000;

void add(const ProductEmulator& emulator, Sums& to, const Sums& other) {
  for (std::size_t c = 0; c < at_once; ++c) {
    to.sums[c] = emulator.kept(to.sums[c] + other.sums[c]);
    to.overflowed[c] = to.overflowed[c] || other.overflowed[c];
  }
}

}  // namespace

ProductEmulator::Prepared ProductEmulator::prepared(std::span<const std::span<const float>> lines,
                                                    bool side_by_side) const {
  const std::size_t terms = lines.empty() ? 0 : lines[0].size(), width = side_by_side ? at_once : 1;
  Prepared made;
  made.is_finite.assign(width, true);
  if (rules_.is_plain) made.plain.assign(terms * width, 0.0F);
  if (!rules_.is_plain) made.numbers.assign(terms * width, 0.0);
  if (has_exponents()) made.exponents.assign(terms * width, of_zero);
  for (std::size_t line = 0; line < lines.size(); ++line)
    for (std::size_t k = 0; k < terms; ++k) set(made, k * width + line, line, lines[line][k]);
  return made;
}

void ProductEmulator::set(Prepared& lines, std::size_t at, std::size_t line, float number) const {
  const float x = operand(number);
  if (!std::isfinite(x)) lines.is_finite[line] = false;
  if (rules_.is_plain) lines.plain[at] = x;
  if (!rules_.is_plain) lines.numbers[at] = static_cast<double>(x);
  if (has_exponents()) lines.exponents[at] = x != 0 ? place_of(x) : of_zero;
}

void ProductEmulator::set_term(Prepared& columns, std::size_t k, std::span<const float> numbers) const {
  for (std::size_t c = 0; c < numbers.size(); ++c) set(columns, k * at_once + c, c, numbers[c]);
}

/// As level_sum(), whose order this is.
void ProductEmulator::level_sums(const compare::elements::UnitOperands& operands, Terms of, std::size_t level,
                                 Sums& sums) const {
  if (of.count() == 0) return void(sums = {});
  if (level == 0)
    return compare::elements::chosen_kernels().unit_sums(rules_, operands, {of.begin, of.end, of.step}, sums);
  const ir::SumLevel& joined = outer_[level - 1];
  const bool is_chain = joined.join == ir::SumJoin::chain;
  std::vector<Sums> items;
  Sums total = {};
  const auto take = [&](Terms terms) {
    Sums item = {};
    level_sums(operands, terms, level - 1, item);
    if (is_chain)
      add(*this, total, item);
    else
      items.push_back(item);
  };
  if (joined.take == ir::SumTake::every) {
    const auto count = static_cast<std::size_t>(joined.count);
    for (std::size_t i = 0; i < count; ++i) take({of.begin + i * of.step, of.end, of.step * count});
  } else {
    const std::size_t length = run_of(of, level);
    for (std::size_t begin = of.begin; begin < of.end; begin += length)
      take({begin, std::min(begin + length, of.end), of.step});
  }
  if (is_chain) return void(sums = total);
  items.resize(std::bit_ceil(items.size()), Sums{});
  for (std::size_t upper = items.size() / 2; upper > 0; upper /= 2)
    for (std::size_t i = 0; i < upper; ++i) add(*this, items[i], items[i + upper]);
  sums = items[0];
}

void ProductEmulator::dots(const Prepared& row, const Prepared& columns, Sums& sums) const {
  const std::size_t terms = std::max(row.plain.size(), row.numbers.size());
  level_sums({.row = row.numbers.data(),
              .columns = columns.numbers.data(),
              .row_exponents = row.exponents.data(),
              .column_exponents = columns.exponents.data(),
              .plain_row = row.plain.data(),
              .plain_columns = columns.plain.data()},
             {0, terms, 1}, outer_.size(), sums);
  if (rules_.is_plain) return;  // f32's own arithmetic, which has infinities and NaN as dot() has them
  for (std::size_t c = 0; c < at_once; ++c)
    sums.overflowed[c] = sums.overflowed[c] || !row.is_finite[0] || !columns.is_finite[c];
}

}  // namespace plumb::parity::profile
