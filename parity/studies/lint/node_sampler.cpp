// Draws operands and asks the definitions of ops for elements: typical ones, some with an operand at a likely extreme,
// some with operands at the ends of their ranges.
// Optimised: it loops over elements or terms.
#include "parity/studies/lint/node_sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "ir/loops.hpp"
#include "parity/core/float_format.hpp"
#include "parity/element/oracle.hpp"
#include "parity/element/stored.hpp"
#include "parity/element/tape.hpp"

namespace plumb::parity::studies::lint {
namespace {

using element::Number;
using element::Real;

// A node costs about so many reads of operands, whatever its sums are, within the numbers of elements below.
constexpr double work_of_typical = 20'000, work_of_corners = 10'000;
constexpr double least_typical = 20, most_typical = 64, least_corners = 10;
constexpr std::int64_t most_reads = 100'000;  ///< by one element; one that wants more has no answer
constexpr std::size_t fewest_answers = 4;     ///< less say nothing
constexpr std::uint64_t pushed_elements = 8, pushed_rounds = 1000;
constexpr int most_depth = 5;       ///< nodes before an operand that are computed with it
constexpr double most_cone = 512;   ///< reads of an element of which operands are still computed
constexpr std::uint64_t modes = 6;  ///< ways in which a corner has a value: see corner_of()
constexpr double e_to_this_is_finite = 88;

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9E37'79B9'7F4A'7C15;
  x = (x ^ (x >> 30)) * 0xBF58'476D'1CE4'E5B9;
  x = (x ^ (x >> 27)) * 0x94D0'49BB'1331'11EB;
  return x ^ (x >> 31);
}
std::uint64_t mixed(std::uint64_t a, std::uint64_t b, std::uint64_t c) { return mixed(mixed(mixed(a) ^ b) ^ c); }

Number number(const Drawn& x) { return {Real(x.re), Real(x.im)}; }

/// The number without what is uncertain of it: here it stands for any near it.
Number certain(const Number& x) { return {Real(x.re.value), Real(x.im.value)}; }

bool is_finite(const Number& x) { return std::isfinite(x.re.value) && std::isfinite(x.im.value); }

std::uint32_t& of(Tally& tally, bool is_typical, bool is_pushed) {
  return is_typical ? tally.typical : is_pushed ? tally.pushed : tally.corner;
}

/// From here on a number of this dtype is not stored.
double limit_of(ir::DType dtype) {
  if (ir::is_float(dtype) || ir::is_complex(dtype)) return core::float_format(dtype).overflow();
  return std::numeric_limits<double>::infinity();
}

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

}  // namespace

std::optional<Level> Tally::level(const Tally& all) const {
  const bool is_always = typical + pushed + corner == all.typical + all.pushed + all.corner;
  if (typical + pushed + corner == 0) return std::nullopt;
  if (is_always) return Level::sure;
  return typical + pushed > 0 ? Level::likely : Level::possible;
}

NodeSampler::NodeSampler(const ir::Graph& graph, const std::vector<ValueEstimate>& values)
    : graph_(graph), values_(values) {}

NodeSampler::Cone& NodeSampler::cone(const ir::Node& node, int depth, double work) {
  const auto [found, is_new] = cones_.try_emplace({&node, depth});
  Cone& made = found->second;
  if (!is_new) return made;
  made.work = work;
  made.depth = depth;
  made.elements = static_cast<double>(graph_.type(node.outputs.front()).shape.elements());
  for (const ir::Value v : node.inputs)
    made.operands.push_back({&graph_.type(v), [this, v, &made, is_computed = computes(v, made)](std::int64_t index) {
                               return read(v, index, made, is_computed);
                             }});
  return made;
}

/// How often a cone's element computes elements of an operand: one that several share, as the maximum of a row, once.
double NodeSampler::share_of(ir::Value value, const Cone& at) const {
  const auto elements = static_cast<double>(graph_.type(value).shape.elements());
  return std::max(1.0, at.work * std::min(1.0, elements / std::max(at.elements, 1.0)));
}

/// Whether elements of an operand are computed as they are read: where that is not much work.
bool NodeSampler::computes(ir::Value value, const Cone& at) const {
  if (at.depth <= 0 || graph_.is_source(value) || !values_[value].is_known || values_[value].numbers) return false;
  const auto reads = reads_of_.find(&graph_.nodes()[*graph_.producer(value)]);
  return reads != reads_of_.end() && share_of(value, at) * reads->second <= most_cone;
}

Number NodeSampler::read_root(std::size_t operand, ir::Value value, std::int64_t index, bool is_computed) {
  const Number x = read(value, index, *root_, is_computed);
  const double re = static_cast<double>(x.re.value), im = static_cast<double>(x.im.value);
  if (reads_.counts[operand]++ == 0) {
    reads_.first[operand] = re;
    reads_.first_at[operand] = index;
  } else {
    reads_.is_pointwise &= index == reads_.first_at[operand];
  }
  reads_.has_nan |= std::isnan(re) || std::isnan(im);
  reads_.has_infinity |= std::isinf(re) || std::isinf(im);
  reads_.has_zero |= re == 0 && im == 0;
  if (std::isfinite(re)) reads_.largest = std::max(reads_.largest, std::abs(re));
  if (is_recorded_ && ir::is_float(graph_.type(value).dtype))
    return {element::Recording::tape()->operand(operand, index, x.re.value)};
  return x;
}

Number NodeSampler::read(ir::Value value, std::int64_t index, const Cone& at, bool is_computed) {
  if (--work_left_ < 0) throw element::NoAnswer{};
  if (pushed_ && pushed_->value == value && pushed_->index == index) return {Real(pushed_->number)};
  const ValueEstimate& known = values_[value];
  if (known.numbers) {
    const Number x = element::number_of(*known.numbers, index);
    const ir::DType dtype = graph_.type(value).dtype;
    return {Real(stored(static_cast<double>(x.re.value), dtype)), Real(stored(static_cast<double>(x.im.value), dtype))};
  }
  const auto made = is_computed ? computed(value, index, at) : std::nullopt;
  return made ? *made : number(drawn(value, index));
}

/// The element as its own node computes it: so operands that come from the same numbers keep what they have to do with
/// one another, as a maximum with the numbers that it is the maximum of. Nothing where that is no number of the dtype.
std::optional<Number> NodeSampler::computed(ir::Value value, std::int64_t index, const Cone& at) {
  const ir::Node& maker = graph_.nodes()[*graph_.producer(value)];
  auto& known = known_[value];
  if (const auto found = known.find(index); found != known.end()) return found->second;
  const auto k = std::ranges::find(maker.outputs, value) - maker.outputs.begin();
  const ir::TensorType& type = graph_.type(value);
  const Cone& before = cone(maker, at.depth - 1, share_of(value, at) * std::max(reads_of_.at(&maker), 1.0));
  try {
    const Number y =
        certain(element::element_of(maker.op, element::Call(before.operands, type, static_cast<std::size_t>(k),
                                                            element::position_of(index, type.shape))));
    if (!is_finite(y) || std::abs(static_cast<double>(y.re.value)) >= limit_of(type.dtype)) return std::nullopt;
    known_[value].emplace(index, y);
    return y;
  } catch (const element::NoAnswer&) {
    return std::nullopt;
  }
}

Drawn NodeSampler::drawn(ir::Value value, std::int64_t index) {
  const ValueEstimate& known = values_[value];
  if (draw_ == Draw::corner) {
    const double re = corner_of(value, index);
    return {re, ir::is_complex(graph_.type(value).dtype) ? re : 0};
  }
  return known.pool[mixed(value, static_cast<std::uint64_t>(index), round_) % known.pool.size()];
}

/// The end of a value's range that the corner has for it. Corners are numbered: of each of the first values that an
/// element reads the number says which of these it is, of later ones by chance.
double NodeSampler::corner_of(ir::Value value, std::int64_t index) {
  const ValueEstimate& known = values_[value];
  const std::size_t slot = slots_.try_emplace(value, slots_.size()).first->second;
  const bool is_first = first_of_.try_emplace(value, index).first->second == index;
  const std::uint64_t mode = slot < 3 ? round_ / power(modes, slot) % modes : mixed(round_, slot, 0) % modes;
  switch (mode) {
    case 0:
      return known.low;
    case 1:
      return known.high;
    case 2:
      return is_first ? known.high : known.low;
    case 3:
      return is_first ? known.low : known.high;
    case 4:
      return std::clamp(0.0, known.low, known.high);
    default:
      return mixed(value, static_cast<std::uint64_t>(index), round_) % 2 == 0 ? known.low : known.high;
  }
}

/// Elements that are asked for: both ends, which padding and masks make peculiar, and others by chance.
std::int64_t NodeSampler::position(std::uint64_t round) const {
  const std::int64_t count = out_->shape.elements();
  if (round < 2) return round == 0 ? 0 : count - 1;
  return static_cast<std::int64_t>(mixed(node_->outputs[0], round, 1) % static_cast<std::uint64_t>(count));
}

std::optional<Number> NodeSampler::element_at(std::int64_t index) {
  const std::size_t operands = node_->inputs.size();
  reads_ = {.counts = std::vector<std::int64_t>(operands),
            .first = std::vector<double>(operands),
            .first_at = std::vector<std::int64_t>(operands)};
  work_left_ = most_reads;
  known_.clear();
  first_of_.clear();
  std::optional<Number> y;
  try {
    y = element::element_of(node_->op,
                            element::Call(root_->operands, *out_, output_, element::position_of(index, out_->shape)));
  } catch (const element::NoAnswer&) {
  }
  spent_ += most_reads - work_left_;
  return y;
}

bool NodeSampler::evaluate(NodeSample& made, std::int64_t index, Draw draw) {
  if (spent_ > most_spent_) return false;
  draw_ = draw;
  const auto y = element_at(index);
  if (!y) return false;
  take(made, certain(*y));
  return true;
}

void NodeSampler::take(NodeSample& made, const Number& y) {
  const bool is_typical = draw_ == Draw::typical, is_pushed = draw_ == Draw::pushed;
  const auto count = [&](Tally& tally) { ++of(tally, is_typical, is_pushed); };
  count(made.asked);
  made.reads = std::max(made.reads, static_cast<double>(most_reads - work_left_));
  made.is_pointwise &= reads_.is_pointwise;
  for (std::size_t i = 0; i < roles_.size(); ++i)
    if (roles_[i] == ir::Role::value && reads_.counts[i] == 0) count(made.masked);
  const bool is_of_scores = !roles_.empty() && roles_.front() == ir::Role::score;
  if (!is_finite(y) && !reads_.has_nan) {
    const bool is_nan = std::isnan(y.re.value) || std::isnan(y.im.value);
    const bool is_pole = !reads_.has_infinity && (reads_.has_zero || reads_.largest <= e_to_this_is_finite);
    if (is_nan && is_of_scores && reads_.has_infinity) return count(made.masked);
    if (is_nan && made.nan_operands.empty()) made.nan_operands = reads_.first;
    if (is_nan) return count(made.nan);
    if (is_pole && made.pole_operands.empty()) made.pole_operands = reads_.first;
    if (is_pole) return count(made.pole);
  }
  if (!std::isnan(y.re.value) && !std::isnan(y.im.value)) take_number(made, y);
}

/// A result that is a number, or infinite as an operand was.
void NodeSampler::take_number(NodeSample& made, const Number& y) {
  constexpr long double most = std::numeric_limits<double>::max();
  const bool is_handed_on = reads_.has_infinity && !is_finite(y);
  const auto bounded = [&](const Real& x) {
    return static_cast<double>(is_handed_on ? x.value : std::clamp(x.value, -most, most));
  };
  const double re = bounded(y.re), im = bounded(y.im);
  const bool has_im = ir::is_complex(out_->dtype);
  if (draw_ == Draw::typical) made.typical.push_back({re, im});
  if (is_handed_on) return;  // ranges are of finite numbers: an infinity that is fed, as by a mask, is meant
  // No number that f64 has is beyond its own limit.
  if (!is_finite(y) || std::max(std::abs(re), std::abs(im)) >= limit_)
    ++of(made.beyond, draw_ == Draw::typical, draw_ == Draw::pushed);
  made.low = std::min({made.low, re, has_im ? im : re});
  made.high = std::max({made.high, re, has_im ? im : re});
  if (draw_ == Draw::corner) return;
  made.pushed_low = std::min({made.pushed_low, re, has_im ? im : re});
  made.pushed_high = std::max({made.pushed_high, re, has_im ? im : re});
}

void NodeSampler::measure(NodeSample& made) {
  // The first element says how much an element costs.
  round_ = 0;
  evaluate(made, position(0), Draw::typical);
  const auto wanted =
      static_cast<std::size_t>(std::clamp(work_of_typical / std::max(made.reads, 1.0), least_typical, most_typical));
  for (std::uint64_t tried = 1; tried < 2 * wanted && made.typical.size() < wanted; ++tried) {
    round_ = tried;
    evaluate(made, position(tried), Draw::typical);
    if (tried >= wanted / 2 && made.asked.typical == 0) return;
  }
}

/// One operand's element at either of its likely extremes, all others as they typically are: for ops by element, whose
/// results are extreme where an operand is.
void NodeSampler::push(NodeSample& made) {
  if (!made.is_pointwise) return;
  draw_ = Draw::typical;
  for (std::uint64_t k = 0; k < pushed_elements; ++k) {
    round_ = pushed_rounds + k;
    if (!element_at(position(round_))) continue;
    const std::vector<std::int64_t> read_at = reads_.first_at;
    for (std::size_t i = 0; i < node_->inputs.size(); ++i) {
      const ValueEstimate& known = values_[node_->inputs[i]];
      if (known.numbers || !known.is_known || !known.varies()) continue;
      for (const double end : {known.likely_low, known.likely_high}) {
        pushed_ = Pushed{node_->inputs[i], read_at[i], end};
        evaluate(made, position(round_), Draw::pushed);
      }
    }
    pushed_.reset();
    draw_ = Draw::typical;
  }
}

void NodeSampler::turn_corners(NodeSample& made) {
  const std::set<ir::Value> operands(node_->inputs.begin(), node_->inputs.end());
  const std::uint64_t all = power(modes, std::clamp<std::uint64_t>(operands.size(), 1, 3));
  const auto wanted = static_cast<std::uint64_t>(
      std::clamp(work_of_corners / std::max(made.reads, 1.0), least_corners, std::max(least_corners, double(all))));
  slots_.clear();
  const auto turn = [&](std::uint64_t corner) {
    round_ = corner;
    evaluate(made, corner % 2 == 0 ? 0 : position(corner + 2), Draw::corner);
  };
  constexpr std::array first = {std::uint64_t{0}, std::uint64_t{1}, modes,     modes + 1,     1 + modes + modes * modes,
                                std::uint64_t{2}, std::uint64_t{4}, 4 * modes, 5 + 5 * modes, 2 + 2 * modes};
  for (const std::uint64_t corner : first) turn(corner);
  // The others in an order in which neighbours differ in several values: the step has no factor in common with `all`.
  for (std::uint64_t k = first.size(), at = 0; k < wanted; ++k) {
    at = (at + modes + 1) % all;
    turn(at);
  }
}

/// Turns to output `k` of a node whose operands are of these types; `depth` nodes before them are computed with them.
void NodeSampler::begin(const ir::Node& node, std::size_t k, ir::TensorTypes in, const ir::TensorType& out, int depth) {
  node_ = &node;
  out_ = &out;
  output_ = k;
  limit_ = limit_of(out.dtype);
  spent_ = 0;
  cones_.clear();
  slots_.clear();
  const ir::Loops loops = ir::loops_of(graph_, node);
  roles_.clear();
  for (std::size_t i = 0; i < node.inputs.size(); ++i) roles_.push_back(loops.operand(i).role);
  Cone& root = cones_[{&node, depth}];
  root.types = std::move(in);
  root.depth = depth;
  root.elements = static_cast<double>(out.shape.elements());
  if (const auto reads = reads_of_.find(&node); reads != reads_of_.end()) root.work = std::max(reads->second, 1.0);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ir::Value v = node.inputs[i];
    root.operands.push_back({&root.types[i], [this, i, v, is_computed = computes(v, root)](std::int64_t index) {
                               return read_root(i, v, index, is_computed);
                             }});
  }
  root_ = &root;
}

/// Elements of the output that begin() turned to.
std::optional<NodeSample> NodeSampler::sampled() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  NodeSample made{
      .low = infinity, .high = -infinity, .pushed_low = infinity, .pushed_high = -infinity, .is_pointwise = true};
  measure(made);
  if (made.asked.typical < fewest_answers) return std::nullopt;
  push(made);
  spent_ = 0;
  turn_corners(made);
  if (made.low > made.high) made.low = made.high = 0;
  if (made.pushed_low > made.pushed_high) made.pushed_low = made.pushed_high = 0;
  return made;
}

std::optional<NodeSample> NodeSampler::sample(const ir::Node& node, std::size_t k) {
  const ir::TensorType& out = graph_.type(node.outputs[k]);
  if (out.shape.elements() == 0) return std::nullopt;
  ir::TensorTypes in;
  for (const ir::Value v : node.inputs) in.push_back(graph_.type(v));
  ir::TensorTypes outs;
  for (const ir::Value v : node.outputs) outs.push_back(graph_.type(v));
  if (node.op.schema().cost(node.op, in, outs).contraction > most_reads) return std::nullopt;
  if (!reads_of_.contains(&node)) {
    // An element of which no operand is computed says how many of them it reads.
    begin(node, k, in, out, 0);
    draw_ = Draw::typical;
    round_ = 0;
    if (element_at(out.shape.elements() - 1)) reads_of_.emplace(&node, static_cast<double>(most_reads - work_left_));
  }
  begin(node, k, std::move(in), out, most_depth);
  auto made = sampled();
  if (made) weigh_conditions(*made);
  return made;
}

std::optional<NodeSample> NodeSampler::sample_as_reals(const ir::Node& node, std::size_t k) {
  ir::TensorTypes in;
  bool has_integer = false;
  for (const ir::Value v : node.inputs) {
    in.push_back(graph_.type(v));
    if (!ir::is_integer(in.back().dtype)) continue;
    in.back().dtype = ir::DType::f64;
    has_integer = true;
  }
  ir::TensorTypes out;
  try {
    if (has_integer) out = ir::infer(node.op, in);
  } catch (const ir::Error&) {
    return std::nullopt;
  }
  if (k >= out.size() || out[k].dtype != ir::DType::f64 || out[k].shape.elements() == 0) return std::nullopt;
  begin(node, k, std::move(in), out[k], 0);
  return sampled();
}

}  // namespace plumb::parity::studies::lint
