// The rules by which samples of a node's results become findings.
#include "parity/studies/lint/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ir/loops.hpp"
#include "parity/checks/exact/rule.hpp"
#include "parity/checks/exact/term_sum.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::studies::lint {
namespace {

using Numbers = std::vector<std::pair<std::string, double>>;

std::string_view name_of(ir::DType dtype) { return ir::info(dtype).name; }

bool is_rounded(ir::DType dtype) { return ir::is_float(dtype) || ir::is_complex(dtype); }

/// "2^-3", the power of two that brings `size` below half of `limit`.
std::string scale_below(double size, double limit) {
  if (!std::isfinite(size) || size > 0x1p500) return "a power of two";
  return fmt::format("2^-{}", std::max(1, static_cast<int>(std::ceil(std::log2(2 * size / limit)))));
}

Finding made(const Subject& subject, Kind kind, Level level, Numbers numbers, std::string text, std::string remedy) {
  return {kind,
          level,
          subject.graph.name(subject.value()),
          std::string(subject.node.op.function()),
          std::move(numbers),
          std::move(text),
          std::move(remedy)};
}

/// "log(-0.31)", of an element that reads few numbers.
std::string expression(const Subject& subject, const std::vector<double>& operands) {
  if (!subject.sample.is_pointwise || operands.empty() || operands.size() > 4) return "";
  std::vector<std::string> texts;
  for (const double x : operands) texts.push_back(fmt::format("{:.3g}", x));
  return fmt::format(", as {}({})", subject.node.op.function(), fmt::join(texts, ", "));
}

/// How sure it is that a number of these is beyond `limit`.
std::optional<Level> level_beyond(double limit, const ValueEstimate& numbers) {
  if (numbers.low >= limit || numbers.high <= -limit) return Level::sure;
  if (numbers.likely_size() >= limit) return numbers.numbers ? Level::sure : Level::likely;
  if (std::max(std::abs(numbers.low), std::abs(numbers.high)) >= limit) return Level::possible;
  return std::nullopt;
}

std::string overflow_text(Level level, const ValueEstimate& numbers, const ir::TensorType& type, double limit) {
  const std::string ends = fmt::format("; {} ends at {:.6g}", name_of(type.dtype), limit);
  if (level == Level::sure)
    return fmt::format("{}: {:.3g} to {:.3g}{}", numbers.numbers ? "numbers are beyond" : "every element is beyond",
                       numbers.low, numbers.high, ends);
  if (level == Level::likely)
    return fmt::format("{:.3g} to {:.3g} are to be expected of {} elements, of which {:.3g} is the root mean square{}",
                       numbers.likely_low, numbers.likely_high, type.shape.elements(), numbers.rms, ends);
  return fmt::format("{:.3g} to {:.3g} come of operands at the ends of their ranges{}", numbers.low, numbers.high,
                     ends);
}

Numbers numbers_of(const ValueEstimate& numbers, double limit) {
  return {{"low", numbers.low},
          {"high", numbers.high},
          {"likely_low", numbers.likely_low},
          {"likely_high", numbers.likely_high},
          {"rms", numbers.rms},
          {"limit", limit}};
}

std::string overflow_remedy(const ir::TensorType& type, double size, double limit) {
  const std::string scaled = "multiply an operand by " + scale_below(size, limit);
  return type.dtype == ir::DType::f16 ? scaled + ", or keep it in bf16 or f32" : scaled;
}

std::optional<Finding> overflow(const Subject& subject) {
  if (!is_rounded(subject.type().dtype)) return std::nullopt;
  const double limit = core::float_format(subject.type().dtype).overflow();
  const ValueEstimate& numbers = subject.estimate();
  // Elements may be beyond on either side of 0.
  const auto level = std::max(level_beyond(limit, numbers), subject.sample.beyond.level(subject.sample.asked));
  if (!level) return std::nullopt;
  const double ends = core::float_format(subject.type().dtype).largest();
  return made(subject, Kind::overflow, *level, numbers_of(numbers, ends),
              overflow_text(*level, numbers, subject.type(), ends),
              overflow_remedy(subject.type(),
                              *level == Level::possible ? std::max(std::abs(numbers.low), std::abs(numbers.high))
                                                        : numbers.likely_size(),
                              ends));
}

std::optional<Finding> domain(const Subject& subject) {
  const NodeSample& sample = subject.sample;
  const auto nan = sample.nan.level(sample.asked), pole = sample.pole.level(sample.asked);
  if (!nan && !pole) return std::nullopt;
  const bool is_nan = nan && (!pole || *nan >= *pole);
  const Tally& tally = is_nan ? sample.nan : sample.pole;
  const auto of = static_cast<double>(std::max<std::uint32_t>(sample.asked.typical, 1));
  const std::string how = expression(subject, is_nan ? sample.nan_operands : sample.pole_operands);
  const std::string_view what = is_nan ? "NaN" : "an infinity";
  const Level level = is_nan ? *nan : *pole;
  std::string text = level == Level::possible
                         ? fmt::format("{} comes of operands at the ends of their ranges{}", what, how)
                         : fmt::format("{} comes of finite operands{}", what, how);
  return made(subject, Kind::domain, level, {{"share", tally.typical / of}}, std::move(text),
              "keep the operand inside of the function's domain, by a maximum or an epsilon that its dtype has");
}

std::optional<Finding> masked_row(const Subject& subject) {
  const NodeSample& sample = subject.sample;
  auto level = sample.masked.level(sample.asked);
  if (!level) return std::nullopt;
  // Which rows see nothing is known where the mask is: then one is enough.
  const ir::Loops loops = ir::loops_of(subject.graph, subject.node);
  bool is_known = false;
  for (std::size_t i = 0; i < subject.node.inputs.size(); ++i) {
    const ir::Role role = loops.operand(i).role;
    const bool is_content = role == ir::Role::query || role == ir::Role::key || role == ir::Role::value;
    is_known |= !is_content && subject.values[subject.node.inputs[i]].numbers.has_value();
  }
  if (is_known && sample.masked.typical > 0) level = Level::sure;
  const auto of = static_cast<double>(std::max<std::uint32_t>(sample.asked.typical, 1));
  return made(subject, Kind::masked_row, *level, {{"share", sample.masked.typical / of}},
              "a row sees nothing: every score of it is masked",
              "let each row see one key at least, or select other numbers for such rows afterwards");
}

std::optional<Finding> subnormal(const Subject& subject) {
  if (!ir::is_float(subject.type().dtype)) return std::nullopt;
  const double least = core::float_format(subject.type().dtype).smallest_normal();
  double few = 0, numbers = 0;
  for (const Drawn& x : subject.sample.typical) {
    numbers += x.re != 0 ? 1 : 0;
    few += x.re != 0 && std::abs(x.re) < least ? 1 : 0;
  }
  const double share = numbers > 0 ? few / numbers : 0;
  const auto count = static_cast<double>(subject.sample.typical.size());
  if (share < 0.5 || numbers < count / 4) return std::nullopt;
  const double most = std::max(std::abs(subject.sample.low), std::abs(subject.sample.high));
  return made(
      subject, Kind::subnormal, most < least ? Level::sure : Level::likely,
      {{"share", share}, {"rms", subject.estimate().rms}, {"smallest_normal", least}},
      fmt::format("{:.0f} % of the numbers are below {:.3g}, the smallest normal one of {}: digits are lost, and "
                  "devices may make them 0",
                  100 * share, least, name_of(subject.type().dtype)),
      "scale up before, and down where the dtype has the range");
}

/// Half of the significand's bits are lost where relative errors of operands that were rounded grow by so much.
std::optional<Finding> cancellation(const Subject& subject) {
  std::vector<double> conditions = subject.sample.conditions;
  if (conditions.size() < 4) return std::nullopt;
  int bits = 0;
  for (const ir::Value v : subject.node.inputs) {
    const ir::DType dtype = subject.graph.type(v).dtype;
    if (!ir::is_float(dtype) || subject.values[v].grain) continue;
    const int own = core::float_format(dtype).fraction_bits + 1;
    bits = bits == 0 ? own : std::min(bits, own);
  }
  std::ranges::nth_element(conditions, conditions.begin() + static_cast<std::ptrdiff_t>(conditions.size() / 2));
  const double median = conditions[conditions.size() / 2];
  if (bits == 0 || median < std::exp2(bits / 2.0)) return std::nullopt;
  return made(subject, Kind::cancellation, Level::likely, {{"condition", median}, {"bits", bits}},
              fmt::format("relative errors of the operands grow {:.3g} times, which leaves {:.0f} of {} bits", median,
                          std::max(0.0, bits - std::log2(median)), bits),
              "subtract what the operands have in common before they are rounded, or keep them in a wider dtype");
}

std::optional<Finding> integer_overflow(const Subject& subject) {
  if (subject.as_reals == nullptr || !ir::is_integer(subject.type().dtype)) return std::nullopt;
  double least = 0, most = 0;
  ir::visit_integer(subject.type().dtype, [&]<class T>(T) {
    least = static_cast<double>(std::numeric_limits<T>::min());
    most = static_cast<double>(std::numeric_limits<T>::max());
  });
  const NodeSample& reals = *subject.as_reals;
  const auto is_outside = [&](double low, double high) { return low < least || high > most; };
  if (!is_outside(reals.low, reals.high)) return std::nullopt;
  const bool is_sure = reals.low > most || reals.high < least;
  const bool is_likely = is_outside(reals.pushed_low, reals.pushed_high);
  const Level level = is_sure ? Level::sure : is_likely ? Level::likely : Level::possible;
  const double low = is_likely ? reals.pushed_low : reals.low, high = is_likely ? reals.pushed_high : reals.high;
  return made(subject, Kind::integer_overflow, level, {{"low", low}, {"high", high}, {"limit", most}},
              fmt::format("{:.6g} to {:.6g} would be the results; {} wraps beyond {:.6g} to {:.6g}", low, high,
                          name_of(subject.type().dtype), least, most),
              "compute it in a wider integer");
}

std::optional<Finding> saturated(const Subject& subject) {
  if (!subject.node.op.saturates() || !ir::is_float(subject.type().dtype)) return std::nullopt;
  const auto is_end = [&](double x) { return std::abs(stored(x, subject.type().dtype)) == 1; };
  const std::vector<Drawn>& typical = subject.sample.typical;
  const auto ends = static_cast<double>(std::ranges::count_if(typical, [&](const Drawn& x) { return is_end(x.re); }));
  const double share = ends / static_cast<double>(std::max<std::size_t>(typical.size(), 1));
  if (share < 0.5 || subject.type().shape.elements() == 1) return std::nullopt;
  const bool is_sure = share == 1 && is_end(subject.sample.low) && is_end(subject.sample.high);
  return made(subject, Kind::saturated, is_sure ? Level::sure : Level::likely, {{"share", share}},
              fmt::format("{:.0f} % of the elements are at an end of the function: what the operand is does not show",
                          100 * share),
              "scale the operand down: by the root of the number of terms, or by its own size");
}

/// A result that is the same for all operands, of an op that reads what it computes with and not where to look.
std::optional<Finding> vacuous(const Subject& subject) {
  const ir::DType dtype = subject.type().dtype;
  const std::vector<Drawn>& typical = subject.sample.typical;
  if (!ir::is_float(dtype) || typical.size() < 8) return std::nullopt;
  const ir::Loops loops = ir::loops_of(subject.graph, subject.node);
  bool varies = false;
  for (std::size_t i = 0; i < subject.node.inputs.size(); ++i) {
    if (loops.operand(i).role == ir::Role::index) return std::nullopt;
    const ValueEstimate& operand = subject.values[subject.node.inputs[i]];
    varies |= operand.varies() && !operand.numbers;  // a result of given numbers is what it is
  }
  const double first = stored(typical.front().re, dtype);
  const bool is_constant = std::ranges::all_of(typical, [&](const Drawn& x) { return stored(x.re, dtype) == first; });
  const double largest = core::float_format(dtype).largest();
  if (!varies || !is_constant || !std::isfinite(first) || std::abs(first) == largest) return std::nullopt;
  const bool is_sure = stored(subject.sample.low, dtype) == stored(subject.sample.high, dtype);
  // A line may have few elements that are unlike the others, which nobody asked for.
  const bool is_pushed_alike = stored(subject.sample.pushed_low, dtype) == stored(subject.sample.pushed_high, dtype);
  if (!is_sure && !(subject.sample.is_pointwise && is_pushed_alike)) return std::nullopt;
  return made(
      subject, Kind::vacuous, is_sure ? Level::sure : Level::likely, {{"value", first}},
      fmt::format("{} {:.6g}, whatever the operands are", is_sure ? "it is always" : "it is nearly always", first),
      "leave the node out, or see why its operands are as they are");
}

/// Whole numbers beyond those that a dtype has all of: in the accumulator of a sum, or where the result is stored.
std::optional<Finding> accumulator(const Subject& subject) {
  const ir::DType dtype = subject.type().dtype;
  const ValueEstimate& numbers = subject.estimate();
  if (!ir::is_float(dtype) || !numbers.grain || *numbers.grain < 0) return std::nullopt;
  ir::TensorTypes in, out;
  std::vector<checks::exact::Lattice> lattices;
  bool of_integers = false;
  for (const ir::Value v : subject.node.inputs) {
    in.push_back(subject.graph.type(v));
    of_integers |= ir::is_integer(in.back().dtype);
    const ValueEstimate& operand = subject.values[v];
    if (!operand.grain) return std::nullopt;
    lattices.push_back({*operand.grain, std::ldexp(operand.likely_size(), -*operand.grain), true});
  }
  for (const ir::Value v : subject.node.outputs) out.push_back(subject.graph.type(v));
  const auto rule = checks::exact::rule_of(subject.node.op, in, out);
  const bool sums = rule.arithmetic == checks::exact::Rule::Arithmetic::sums;
  const double likely = std::ldexp(numbers.likely_size(), -*numbers.grain);
  const double of_sum = std::exp2(core::float_format(core::compute_dtype(dtype)).fraction_bits + 1);
  const double of_result = std::exp2(core::float_format(dtype).fraction_bits + 1);
  const double terms = sums ? checks::exact::sum_of(rule.terms, lattices).steps : 0;
  const bool is_sum_lost = sums && terms > of_sum;
  if (!is_sum_lost && likely <= of_result) return std::nullopt;
  const bool is_likely = likely > of_sum || (likely > of_result && of_integers);
  const double lost = is_sum_lost ? of_sum : of_result, found = is_sum_lost ? terms : likely;
  const std::string step =
      *numbers.grain == 0 ? "whole numbers" : fmt::format("whole multiples of 2^{}", *numbers.grain);
  return made(subject, Kind::accumulator, is_likely ? Level::likely : Level::possible,
              {{"terms", terms}, {"likely", likely}, {"limit", lost}},
              fmt::format("{} up to {:.6g} {}; {} has all of these up to {:.6g}", step, found,
                          is_sum_lost ? "are added" : "are to be expected",
                          name_of(is_sum_lost ? core::compute_dtype(dtype) : dtype), lost),
              "count in integers, or in a wider dtype");
}

}  // namespace

std::vector<Finding> findings_of(const Subject& subject) {
  std::vector<Finding> found;
  for (const auto look :
       {overflow, accumulator, subnormal, domain, cancellation, integer_overflow, saturated, vacuous, masked_row})
    if (auto one = look(subject)) found.push_back(std::move(*one));
  return found;
}

std::vector<Finding> findings_of_source(const ir::Graph& graph, ir::Value source, const ValueEstimate& estimate) {
  const ir::TensorType& type = graph.type(source);
  if (!is_rounded(type.dtype) || !estimate.is_known || type.shape.elements() == 0) return {};
  const std::string what = source < graph.inputs().size() ? "input" : "param";
  std::vector<Finding> found;
  const core::FloatFormat format = core::float_format(type.dtype);
  const double limit = format.overflow(), ends = format.largest();
  const auto level = level_beyond(limit, estimate);
  if (level)
    found.push_back({Kind::overflow, *level, graph.name(source), what, numbers_of(estimate, ends),
                     fmt::format("it has {:.3g} to {:.3g}; {} ends at {:.6g}", estimate.likely_low,
                                 estimate.likely_high, name_of(type.dtype), ends),
                     "use numbers that the dtype has, as -inf for masks"});
  const double most = std::max(std::abs(estimate.low), std::abs(estimate.high));
  if (ir::is_float(type.dtype) && most > 0 && most < format.smallest_normal())
    found.push_back({Kind::subnormal,
                     Level::sure,
                     graph.name(source),
                     what,
                     {{"largest", most}, {"smallest_normal", format.smallest_normal()}},
                     fmt::format("all of it is below {:.3g}, the smallest normal number of {}: devices may make it 0",
                                 format.smallest_normal(), name_of(type.dtype)),
                     "use a number that the dtype has"});
  return found;
}

Finding unused(const ir::Graph& graph, ir::Value source) {
  return {Kind::unused_input,
          Level::sure,
          graph.name(source),
          source < graph.inputs().size() ? "input" : "param",
          {},
          "no result depends on it",
          "leave it out"};
}

}  // namespace plumb::parity::studies::lint
