// Probes how products are summed: experiments narrow down hypotheses, and the emulator confirms what is left.
#include "parity/profile/probe/products.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "parity/core/float_format.hpp"
#include "parity/profile/emulator.hpp"
#include "parity/profile/probe/experiments.hpp"

namespace plumb::parity::profile::probe {
namespace {

constexpr std::array blocks = {1, 2, 4, 8, 16, 32};
constexpr std::array extras = {0, 1, 2, 3, 4, 5, 6, 7, 8, Products::every_bit};

/// The state of the probe of one kernel.
class ProductProbe {
 public:
  ProductProbe(ir::Executor& executor, ir::DType operands, ProductShape shape)
      : executor_(executor), format_(core::float_format(operands)), shape_(shape) {
    found_.operands = operands;
  }

  std::optional<Products> run(bool is_host);

 private:
  DotSums run(std::span<const Dot> dots);
  std::vector<float> sums(std::span<const Dot> dots) { return run(dots).sums; }
  float sum(float a, float b);
  void find_lanes();
  void find_chunk();
  void find_operand_bits();
  void find_accumulator_bits();
  void find_subnormals();
  std::vector<int> groups();
  std::vector<Products> hypotheses();
  Levels levels() const;
  void find_arithmetic();
  void confirm();

  ir::Executor& executor_;
  core::FloatFormat format_;
  ProductShape shape_;
  Products found_;
  int lanes_ = 0;  ///< sums side by side, each of every lanes-th term; 0: unknown
  int chunk_ = 0;  ///< terms of a lane before a new sum begins; 0: none was seen to begin
  bool has_run_ = false;
  bool is_mixed_ = false;  ///< not every experiment was computed by the unit of the first
  std::vector<Products> survivors_;
};

/// Runs an experiment. A unit that is published names what is probed; without one nobody knows which it is.
DotSums ProductProbe::run(std::span<const Dot> dots) {
  DotSums made = run_dots(executor_, found_.operands, shape_, dots);
  const ir::Sum unnamed{.unit = ir::SumUnit::either}, sum = made.published.value_or(unnamed);
  is_mixed_ |= has_run_ && (sum.unit != found_.unit || sum.accumulator != found_.accumulator);
  has_run_ = true;
  found_.unit = sum.unit;
  found_.accumulator = sum.accumulator;
  return made;
}

float ProductProbe::sum(float a, float b) {
  Dot dot(1);
  dot.a[0] = a;
  dot.b[0] = b;
  return sums({&dot, 1})[0];
}

void ProductProbe::find_lanes() {
  const auto got = sums(lane_dots());
  const float alone = std::ldexp(1.0f, small);
  std::size_t apart = 0;
  while (apart < got.size() && got[apart] == alone) ++apart;
  const bool rest =
      std::all_of(got.begin() + static_cast<std::ptrdiff_t>(apart), got.end(), [](float sum) { return sum == 0; });
  if (rest && apart < got.size()) lanes_ = lane_steps[apart];
}

void ProductProbe::find_chunk() {
  const auto got = sums(chunk_dots(lanes_));
  const auto begins = std::ranges::find(got, std::ldexp(1.0f, small));
  if (begins != got.end()) chunk_ = chunk_steps[static_cast<std::size_t>(begins - got.begin())];
}

/// How many bits of a number arrive; where the accumulator shows no more than that many, it cannot be told.
void ProductProbe::find_operand_bits() {
  const auto got = sums(operand_dots(format_.fraction_bits));
  int seen = 1;
  for (int j = 1; j <= format_.fraction_bits; ++j, ++seen) {
    const float number = 1.0f + std::ldexp(1.0f, -j);
    const auto at = static_cast<std::size_t>(2 * (j - 1));
    if (got[at] != number || got[at + 1] != number) break;
  }
  found_.operand_bits = seen;
}

void ProductProbe::find_accumulator_bits() {
  const auto got = sums(accumulator_dots(lanes_));
  int kept = 0;
  while (kept < most_accumulator_bits && got[static_cast<std::size_t>(kept)] > 0) ++kept;
  found_.accumulator_bits = kept < most_accumulator_bits ? kept + 1 : 53;
}

/// Tries a subnormal operand whose product is normal; then normal operands whose sum is subnormal in the
/// accumulator, where there are such.
void ProductProbe::find_subnormals() {
  const auto power = [](int exponent) { return std::ldexp(1.0f, exponent); };
  const auto seen = [](float got, float kept) {
    return got == kept ? Subnormals::kept : got == 0 ? Subnormals::flushed : Subnormals::unknown;
  };
  const bool is_f16 = format_.min_exponent == -14;
  const int below = format_.min_exponent - 2, up = is_f16 ? 10 : 126;
  const Subnormals in = seen(sum(power(below), power(up)), power(below + up));
  Subnormals out = in;
  if (found_.accumulator_bits == 11)
    out = seen(sum(power(-10), power(-10)), power(-20));
  else if (!is_f16)
    out = seen(sum(power(-70), power(-65)), power(-135));
  if (in == out) found_.subnormals = in;
}

/// How many terms may be added to each other before they are added to the sum so far.
std::vector<int> ProductProbe::groups() {
  const auto got = sums(group_dots(found_.accumulator_bits, lanes_));
  std::vector<int> found = {0};
  for (std::size_t half = 0; half < got.size(); half += group_steps.size()) {
    const auto begin = got.begin() + static_cast<std::ptrdiff_t>(half), end = begin + group_steps.size();
    const auto lost = std::find(begin, end, std::ldexp(1.0f, 12));
    const bool rest = std::all_of(lost, end, [&](float sum) { return sum == *lost; });
    if (lost != end && lost != begin && rest) found.push_back(group_steps[static_cast<std::size_t>(lost - begin)]);
  }
  return found;
}

/// Whether what these products give is what simpler ones give: products that fit into the accumulator, or are cut
/// off again at the same place, are as good as exact; where no bit is lost, it is all the same how terms are aligned.
bool is_redundant(const Products& p) {
  const bool cut_twice = p.rounding == Rounding::truncating && p.extra_bits == 0 && p.normalized == Known::yes;
  if (p.exact_products == Known::no && (cut_twice || 2 * p.operand_bits <= p.accumulator_bits)) return true;
  return p.normalized == Known::no && p.extra_bits == Products::every_bit;
}

/// All that the model allows beside what is known.
std::vector<Products> ProductProbe::hypotheses() {
  std::vector<Products> all = {found_};
  const auto vary = [&all](auto member, const auto& values) {
    std::vector<Products> more;
    for (Products one : all)
      for (const auto value : values) {
        one.*member = value;
        more.push_back(one);
      }
    all = std::move(more);
  };
  std::vector<int> operand_bits = {found_.operand_bits};
  if (found_.operand_bits <= format_.fraction_bits && found_.operand_bits >= found_.accumulator_bits)
    operand_bits.push_back(format_.fraction_bits + 1);
  vary(&Products::operand_bits, operand_bits);
  vary(&Products::exact_products, std::array{Known::yes, Known::no});
  vary(&Products::extra_bits, extras);
  vary(&Products::normalized, std::array{Known::yes, Known::no});
  vary(&Products::rounding, std::array{Rounding::nearest, Rounding::truncating});
  vary(&Products::block, blocks);
  vary(&Products::group, groups());
  std::erase_if(all, [](const Products& p) { return is_redundant(p) || p.group % p.block != 0; });
  return all;
}

bool replays(const Products& products, const Levels& levels, std::span<const Dot> dots, std::span<const float> sums) {
  const ProductEmulator emulator(products, levels);
  for (std::size_t i = 0; i < dots.size(); ++i)
    if (emulator.dot(dots[i].a, dots[i].b) != sums[i]) return false;
  return true;
}

/// The properties on which all remaining models agree; the others are unknown.
Products common(const std::vector<Products>& all) {
  Products one = all.front();
  for (const Products& other : all) {
    if (other.operand_bits != one.operand_bits) one.operand_bits = 0;
    if (other.exact_products != one.exact_products) one.exact_products = Known::unknown;
    if (other.extra_bits != one.extra_bits) one.extra_bits = {};
    if (other.normalized != one.normalized) one.normalized = Known::unknown;
    if (other.rounding != one.rounding) one.rounding = Rounding::unknown;
    if (other.block != one.block || other.group != one.group) one.block = 0;
  }
  return one;
}

void ProductProbe::find_arithmetic() {
  const auto dots = arithmetic_dots(found_.operands, found_.accumulator_bits, lanes_);
  const auto got = sums(dots);
  survivors_ = hypotheses();
  std::erase_if(survivors_, [&](const Products& one) { return !replays(one, levels(), dots, got); });
  if (!survivors_.empty())
    found_ = common(survivors_);
  else if (found_.operand_bits <= format_.fraction_bits && found_.operand_bits >= found_.accumulator_bits)
    found_.operand_bits = 0;
}

/// The levels that were seen.
Levels ProductProbe::levels() const {
  Levels seen = {{.count = chunk_}};
  if (chunk_ > 0) seen.push_back({});
  if (lanes_ > 1) seen.push_back({.count = lanes_, .take = ir::SumTake::every, .join = ir::SumJoin::pair});
  return seen;
}

/// Sums of many terms must come out right, too: in the levels that the kernel publishes for so many or, where it
/// publishes none that can be replayed, in those that were seen with few terms.
void ProductProbe::confirm() {
  if (survivors_.empty()) return;
  std::vector<Dot> dots = long_dots(found_.operands, lanes_);
  const DotSums got = run(dots);
  const bool is_published = got.published && is_replayable(*got.published, got.terms);
  const Levels order = is_published ? got.published->levels : levels();
  for (Dot& dot : dots) {
    dot.a.resize(static_cast<std::size_t>(got.terms), 0.0f);
    dot.b.resize(static_cast<std::size_t>(got.terms), 0.0f);
  }
  const auto holds = [&](const Products& one) { return replays(one, order, dots, got.sums); };
  if (std::ranges::none_of(survivors_, holds)) found_.block = 0;
}

std::optional<Products> ProductProbe::run(bool is_host) {
  const Dot one(1);
  if (!run({&one, 1}).on_device && !is_host) return std::nullopt;
  find_operand_bits();
  find_lanes();
  if (lanes_ == 0) return found_;
  find_chunk();
  find_accumulator_bits();
  find_subnormals();
  if (found_.subnormals == Subnormals::unknown) return found_;
  find_arithmetic();
  confirm();
  if (is_mixed_) return std::nullopt;
  return found_;
}

}  // namespace

std::optional<Products> probe_products(ir::Executor& executor, bool is_host, ir::DType operands,
                                       ProductShape shape) try {
  return ProductProbe(executor, operands, shape).run(is_host);
} catch (const ir::Unsupported&) {
  return std::nullopt;
}

}  // namespace plumb::parity::profile::probe
