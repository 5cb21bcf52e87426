// The numbers of each kind, for the operand that leads.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/adversarial/line.hpp"

namespace plumb::ir::adversarial {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One of four by the number of the line, so that a tensor has them all.
template <class T>
T by_line(const Line& line, const std::array<T, 4>& choices) {
  return choices[static_cast<std::size_t>(line.number % 4)];
}

/// All elements but the first are below half an ulp of it. Of f16 every other line is made for sums in f32: there the
/// first is as large as the least that f16 holds asks for.
void stagnating(Line& line) {
  const bool is_wide = line.range.digits == 11 && line.number % 2 == 1;
  const double first = is_wide ? 0x1p10 : 1, unit = is_wide ? 0x1p-14 : line.range.unit;
  for (std::size_t k = 0; k < line.x.size(); ++k) line.x[k] = k == 0 ? first : line.element(k).uniform(0.25, 1) * unit;
}

/// Every addition is rounded in the same direction.
void creeping(Line& line) {
  const std::int64_t numbers = std::int64_t{1} << std::min(line.range.digits - 3, 21);
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    const Draw draw = line.element(k);
    if (line.number % 2 == 1)
      line.x[k] = static_cast<double>(4 * draw.below(numbers) + 1);
    else
      line.x[k] = k == 0 ? 1 : draw.uniform(1.2, 1.4) * 2 * line.range.unit;
  }
}

/// Numbers near 1, negative where `is_negative` says so.
template <class IsNegative>
void near_one(Line& line, IsNegative is_negative) {
  be_near_one(line);
  for (std::size_t k = 0; k < line.x.size(); ++k)
    if (is_negative(k)) line.x[k] = -line.x[k];
}

void risen_fallen(Line& line) {
  near_one(line, [half = (line.x.size() + 1) / 2](std::size_t k) { return k >= half; });
}

void wave(Line& line) {
  const std::int64_t period = line.terms < 2 ? 2 : 2 + line.own().below(line.terms - 1);
  const auto half = static_cast<std::size_t>(period / 2);
  near_one(line, [half](std::size_t k) { return k / half % 2 == 1; });
}

void alternating(Line& line) {
  const auto run = by_line<std::size_t>(line, {1, 16, 32, 64});
  near_one(line, [run](std::size_t k) { return k / run % 2 == 1; });
}

void sorted(Line& line) {
  be_normal(line);
  const auto size = [](double x) { return std::abs(x); };
  if (line.number % 2 == 0)
    std::ranges::sort(line.x);
  else
    std::ranges::sort(line.x, {}, size);
  if (line.number % 4 >= 2) std::ranges::reverse(line.x);
}

void few_valued(Line& line) {
  const auto levels = by_line<std::int64_t>(line, {2, 3, 16, 256});
  for (std::size_t k = 0; k < line.x.size(); ++k)
    line.x[k] = static_cast<double>(2 * line.element(k).below(levels) - (levels - 1));
}

void constant(Line& line) {
  const Draw draw = line.own();
  std::ranges::fill(line.x, draw.normal());
  if (line.number % 2 == 1 && !line.x.empty())
    line.x[static_cast<std::size_t>(draw.below(static_cast<std::int64_t>(line.x.size())))] *= 1000;
}

void cancelling(Line& line) {
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    const Draw pair = line.element(k / 2 * 2);
    const bool is_pair = pair.coin() && k / 2 * 2 + 1 < line.x.size();
    const double apart = std::ldexp(1.0, -1 - static_cast<int>(pair.below(line.range.digits - 1)));
    line.x[k] = !is_pair     ? line.element(k).normal() * 0x1p-10
                : k % 2 == 0 ? pair.normal()
                             : -pair.normal() * (1 + apart);
  }
}

void scaled_lines(Line& line) {
  const auto scale = static_cast<int>(line.own().below(2 * line.range.most_scale + 1)) - line.range.most_scale;
  be_normal(line);
  for (double& x : line.x) x = std::ldexp(x, scale);
}

void outliers(Line& line) {
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    const Draw draw = line.element(k);
    line.x[k] = draw.normal() * (draw.below(100) == 0 ? 1000 : 1);
  }
}

/// The first is 2^25 times the others, or, of scores, its exponential is.
void tiny_sink(Line& line) {
  const double first = line.range.digits == 11 ? 0x1p10 : 1;
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    const double near = line.element(k).uniform(0.9, 1.1);
    if (line.is_score)
      line.x[k] = k == 0 ? 0 : (-25 * 0.6931471805599453 - 0.1 * near) * line.share;
    else
      line.x[k] = k == 0 ? first : near * first * 0x1p-25;
  }
}

void saturated(Line& line) {
  for (std::size_t k = 0; k < line.x.size(); ++k) line.x[k] = line.element(k).normal() * 1e4 * line.share;
}

/// Where there are no scores, what is masked is 0.
void masked(Line& line) {
  be_normal(line);
  const double low = line.is_score ? -1e9 : 0, none = line.is_score ? -infinity : 0;
  const auto kept = static_cast<std::size_t>(line.own().below(static_cast<std::int64_t>(line.x.size())));
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    const std::array masks = {line.element(k).coin() ? low : line.x[k], low, none, k == kept ? line.x[k] : none};
    line.x[k] = by_line(line, masks);
  }
}

void far_line(Line& line) {
  be_normal(line);
  if (line.number % 64 == 0)
    for (double& x : line.x) x += line.range.far;
}

void equal_lines(Line& line) {
  for (std::size_t k = 0; k < line.x.size(); ++k)
    line.x[k] = line.number % 4 == 1 ? line.own().normal() : line.of_first_line(k).normal();
}

void ties(Line& line) {
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    const std::int64_t drawn = line.element(k).below(8) - 4;
    line.x[k] = static_cast<double>(drawn) + (line.number % 2 == 0 ? 0.5 : 0);
  }
}

/// A number whose exponent is uniform in [low, high).
double with_exponent(const Draw& draw, int low, int high) {
  const auto exponent = low + static_cast<int>(draw.below(high - low));
  return std::copysign(std::ldexp(draw.uniform(1, 2), exponent), draw.normal());
}

void subnormal(Line& line) {
  for (std::size_t k = 0; k < line.x.size(); ++k)
    line.x[k] = with_exponent(line.element(k), line.range.tiny_low, line.range.tiny_high);
}

/// Every other line sums to about the largest number.
void huge(Line& line) {
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    const Draw draw = line.element(k);
    line.x[k] = line.number % 2 == 0 ? with_exponent(draw, line.range.huge_low, line.range.huge_high)
                                     : line.range.largest / static_cast<double>(line.terms) * draw.uniform(0.9, 1.1);
  }
}

/// The first line has one of each as far as it is long enough.
void specials(Line& line) {
  const std::array numbers = {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, -0.0};
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    const Draw draw = line.element(k);
    const std::int64_t drawn = draw.below(4000);
    line.x[k] = drawn < 4 ? numbers[static_cast<std::size_t>(drawn)] : draw.normal();
  }
  if (line.number != 0 || line.x.empty()) return;
  const std::size_t first = static_cast<std::size_t>(line.own().below(4));
  line.x[line.x.size() / 2] = numbers[first];
}

constexpr std::array<void (*)(Line&), 21> leading = {
    stagnating, creeping,    risen_fallen, wave,      alternating, sorted,    few_valued,
    constant,   cancelling,  scaled_lines, outliers,  tiny_sink,   saturated, masked,
    far_line,   equal_lines, ties,         subnormal, huge,        specials,  be_normal};

}  // namespace

void lead(AdversarialKind kind, Line& line) { leading[static_cast<std::size_t>(kind)](line); }

void follow(AdversarialKind kind, Line& line) {
  switch (kind) {
    case AdversarialKind::stagnating:
    case AdversarialKind::creeping:
    case AdversarialKind::cancelling:
    case AdversarialKind::tiny_sink:
      std::ranges::fill(line.x, 1);
      return;
    case AdversarialKind::few_valued: {
      const auto levels = by_line<std::int64_t>(line, {2, 16, 2, 2});
      for (std::size_t k = 0; k < line.x.size(); ++k) {
        const std::int64_t drawn = line.element(k).below(levels);
        line.x[k] = static_cast<double>(line.number % 4 == 2 ? drawn : 2 * drawn - (levels - 1));
      }
      return;
    }
    case AdversarialKind::huge:
      for (std::size_t k = 0; k < line.x.size(); ++k) line.x[k] = line.element(k).uniform(0.5, 1);
      return;
    case AdversarialKind::risen_fallen:
    case AdversarialKind::wave:
    case AdversarialKind::alternating:
    case AdversarialKind::sorted:
      return be_near_one(line);
    case AdversarialKind::constant:
    case AdversarialKind::scaled_lines:
    case AdversarialKind::outliers:
    case AdversarialKind::equal_lines:
    case AdversarialKind::ties:
      return lead(kind, line);
    default:
      return be_normal(line);
  }
}

}  // namespace plumb::ir::adversarial
