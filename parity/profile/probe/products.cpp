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

/// Numbers whose products are normal where a subnormal operand, or a subnormal sum, is not made 0.
struct SubnormalDots {
  explicit SubnormalDots(const core::FloatFormat& format)
      : is_f16(format.min_exponent == -14), below(format.min_exponent - 2), up(is_f16 ? 10 : 126) {
    set(dots[0], below, up);
    set(dots[1], -10, -10);
    set(dots[2], is_f16 ? 0 : -70, is_f16 ? 0 : -65);
  }
  static void set(Dot& dot, int a, int b) {
    dot.a[0] = std::ldexp(1.0f, a);
    dot.b[0] = std::ldexp(1.0f, b);
  }

  bool is_f16;
  int below, up;
  std::vector<Dot> dots = {Dot(1), Dot(1), Dot(1)};  ///< a subnormal operand; sums that f16, and f32, has as subnormals
};

/// The inquiry into one kernel, of three rounds: what is multiplied and how lanes share out the terms; where sums begin
/// and what an accumulator holds; how it rounds.
class ProductInquiry final : public Finding<Products> {
 public:
  ProductInquiry(bool is_host, ir::DType operands, ProductShape shape)
      : is_host_(is_host), format_(core::float_format(operands)), shape_(shape) {
    found_.operands = operands;
  }

  std::vector<core::Trial> ask() override;
  void hear(std::vector<core::TrialEnd> ends) override;
  std::optional<Products> found() const override { return is_found_ ? std::optional(found_) : std::nullopt; }

 private:
  std::vector<std::vector<Dot>> dots_of_round() const;
  void note_unit(const DotSums& sums);
  void end(bool is_found);
  void hear_first();
  void hear_second();
  void hear_third();
  std::span<const float> sums(std::size_t experiment) const { return got_[experiment].sums; }
  void find_lanes(std::span<const float> got);
  void find_chunk(std::span<const float> got);
  void find_operand_bits(std::span<const float> got);
  void find_accumulator_bits(std::span<const float> got);
  void find_subnormals(std::span<const float> got);
  std::vector<int> groups() const;
  std::vector<Products> hypotheses() const;
  Levels levels() const;
  void find_arithmetic(std::span<const float> got);
  void confirm();

  const bool is_host_;
  const core::FloatFormat format_;
  const ProductShape shape_;
  Products found_;
  int round_ = 0;  ///< rounds that were asked
  bool is_over_ = false, is_found_ = false;
  std::vector<std::vector<Dot>> asked_;  ///< the experiments of this round
  std::vector<DotSums> got_;             ///< their sums
  DotSums long_sums_;                    ///< sums of many random terms
  int lanes_ = 0;                        ///< sums side by side, each of every lanes-th term; 0: unknown
  int chunk_ = 0;                        ///< terms of a lane before a new sum begins; 0: none was seen to begin
  bool has_unit_ = false;
  bool is_mixed_ = false;  ///< not every experiment was computed by the unit of the first
  std::vector<Products> survivors_;
};

std::vector<std::vector<Dot>> ProductInquiry::dots_of_round() const {
  if (round_ == 0) return {{Dot(1)}, operand_dots(format_.fraction_bits), lane_dots()};
  if (round_ == 1)
    return {chunk_dots(lanes_), accumulator_dots(lanes_), SubnormalDots(format_).dots,
            long_dots(found_.operands, lanes_)};
  return {group_dots(found_.accumulator_bits, lanes_),
          arithmetic_dots(found_.operands, found_.accumulator_bits, lanes_)};
}

std::vector<core::Trial> ProductInquiry::ask() {
  std::vector<core::Trial> trials;
  if (is_over_) return trials;
  asked_ = dots_of_round();
  for (const std::vector<Dot>& dots : asked_) trials.push_back(product_trial(found_.operands, shape_, dots));
  return trials;
}

void ProductInquiry::hear(std::vector<core::TrialEnd> ends) {
  got_.clear();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].refused) return end(false);
    got_.push_back(sums_in(ends[i], shape_, asked_[i]));
    note_unit(got_.back());
  }
  ++round_;
  if (round_ == 1) return hear_first();
  if (round_ == 2) return hear_second();
  hear_third();
}

void ProductInquiry::end(bool is_found) {
  is_over_ = true;
  is_found_ = is_found;
}

void ProductInquiry::hear_first() {
  if (!got_[0].on_device && !is_host_) return end(false);
  find_operand_bits(sums(1));
  find_lanes(sums(2));
  if (lanes_ == 0) end(true);
}

void ProductInquiry::hear_second() {
  find_chunk(sums(0));
  find_accumulator_bits(sums(1));
  find_subnormals(sums(2));
  long_sums_ = std::move(got_[3]);
  if (found_.subnormals == Subnormals::unknown) end(true);
}

void ProductInquiry::hear_third() {
  find_arithmetic(sums(1));
  confirm();
  end(!is_mixed_);
}

/// A unit that is published names what is probed; without one nobody knows which it is.
void ProductInquiry::note_unit(const DotSums& sums) {
  const ir::Sum unnamed{.unit = ir::SumUnit::either}, sum = sums.published.value_or(unnamed);
  is_mixed_ |= has_unit_ && (sum.unit != found_.unit || sum.accumulator != found_.accumulator);
  has_unit_ = true;
  found_.unit = sum.unit;
  found_.accumulator = sum.accumulator;
}

void ProductInquiry::find_lanes(std::span<const float> got) {
  const float alone = std::ldexp(1.0f, small);
  std::size_t apart = 0;
  while (apart < got.size() && got[apart] == alone) ++apart;
  const bool rest =
      std::all_of(got.begin() + static_cast<std::ptrdiff_t>(apart), got.end(), [](float sum) { return sum == 0; });
  if (rest && apart < got.size()) lanes_ = lane_steps[apart];
}

void ProductInquiry::find_chunk(std::span<const float> got) {
  const auto begins = std::ranges::find(got, std::ldexp(1.0f, small));
  if (begins != got.end()) chunk_ = chunk_steps[static_cast<std::size_t>(begins - got.begin())];
}

/// How many bits of a number arrive; where the accumulator shows no more than that many, it cannot be told.
void ProductInquiry::find_operand_bits(std::span<const float> got) {
  int seen = 1;
  for (int j = 1; j <= format_.fraction_bits; ++j, ++seen) {
    const float number = 1.0f + std::ldexp(1.0f, -j);
    const auto at = static_cast<std::size_t>(2 * (j - 1));
    if (got[at] != number || got[at + 1] != number) break;
  }
  found_.operand_bits = seen;
}

void ProductInquiry::find_accumulator_bits(std::span<const float> got) {
  int kept = 0;
  while (kept < most_accumulator_bits && got[static_cast<std::size_t>(kept)] > 0) ++kept;
  found_.accumulator_bits = kept < most_accumulator_bits ? kept + 1 : 53;
}

/// Tries a subnormal operand whose product is normal; then normal operands whose sum is subnormal in the
/// accumulator, where there are such.
void ProductInquiry::find_subnormals(std::span<const float> got) {
  const auto power = [](int exponent) { return std::ldexp(1.0f, exponent); };
  const auto seen = [](float sum, float kept) {
    return sum == kept ? Subnormals::kept : sum == 0 ? Subnormals::flushed : Subnormals::unknown;
  };
  const SubnormalDots asked(format_);
  const Subnormals in = seen(got[0], power(asked.below + asked.up));
  Subnormals out = in;
  if (found_.accumulator_bits == 11)
    out = seen(got[1], power(-20));
  else if (!asked.is_f16)
    out = seen(got[2], power(-135));
  if (in == out) found_.subnormals = in;
}

/// How many terms may be added to each other before they are added to the sum so far.
std::vector<int> ProductInquiry::groups() const {
  const std::span<const float> got = sums(0);
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
std::vector<Products> ProductInquiry::hypotheses() const {
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

void ProductInquiry::find_arithmetic(std::span<const float> got) {
  const std::vector<Dot>& dots = asked_[1];
  survivors_ = hypotheses();
  std::erase_if(survivors_, [&](const Products& one) { return !replays(one, levels(), dots, got); });
  if (!survivors_.empty())
    found_ = common(survivors_);
  else if (found_.operand_bits <= format_.fraction_bits && found_.operand_bits >= found_.accumulator_bits)
    found_.operand_bits = 0;
}

/// The levels that were seen.
Levels ProductInquiry::levels() const {
  Levels seen = {{.count = chunk_}};
  if (chunk_ > 0) seen.push_back({});
  if (lanes_ > 1) seen.push_back({.count = lanes_, .take = ir::SumTake::every, .join = ir::SumJoin::pair});
  return seen;
}

/// Sums of many terms must come out right, too: in the levels that the kernel publishes for so many or, where it
/// publishes none that can be replayed, in those that were seen with few terms.
void ProductInquiry::confirm() {
  if (survivors_.empty()) return;
  std::vector<Dot> dots = long_dots(found_.operands, lanes_);
  const DotSums& got = long_sums_;
  const bool is_published = got.published && is_replayable(*got.published, got.terms);
  const Levels order = is_published ? got.published->levels : levels();
  for (Dot& dot : dots) {
    dot.a.resize(static_cast<std::size_t>(got.terms), 0.0f);
    dot.b.resize(static_cast<std::size_t>(got.terms), 0.0f);
  }
  const auto holds = [&](const Products& one) { return replays(one, order, dots, got.sums); };
  if (std::ranges::none_of(survivors_, holds)) found_.block = 0;
}

}  // namespace

std::unique_ptr<Finding<Products>> inquire_products(bool is_host, ir::DType operands, ProductShape shape) {
  return std::make_unique<ProductInquiry>(is_host, operands, shape);
}

std::optional<Products> probe_products(ir::Executor& executor, bool is_host, ir::DType operands, ProductShape shape) {
  return settled(*inquire_products(is_host, operands, shape), core::one_by_one(executor));
}

}  // namespace plumb::parity::profile::probe
