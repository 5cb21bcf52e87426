// Asks a sample of an output whether it would notice operands with half of their bits, or a missing term.
// Optimised: it loops over elements or terms.
#include "parity/checks/samples/sensitivity.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "ir/cost.hpp"
#include "parity/checks/samples/slice.hpp"
#include "parity/compare/scan.hpp"
#include "parity/core/float_format.hpp"
#include "parity/element/terms/median_term.hpp"
#include "parity/settle/feeds.hpp"
#include "parity/settle/replay.hpp"
#include "parity/settle/settle_rows.hpp"
#include "parity/settle/summing.hpp"

namespace plumb::parity::checks::samples {
namespace {

constexpr std::size_t least_sample = 8, sample_size = 32, entries_of_slice = 8;
constexpr int most_tries = 6;           // Slices are evaluated so often at most.
constexpr double cheap_flops = 0x1p14;  // A node up to this is evaluated whole, without looking for a slice.
constexpr double most_flops = 0x1p22;   // A node up to this is evaluated whole where no slice can be had.

/// The bits that F1 leaves of an operand.
int bits_left(ir::DType operand, ir::DType result) {
  const auto bits = [](ir::DType dtype) { return core::float_format(dtype).fraction_bits + 1; };
  return std::min(bits(operand), bits(result)) / 2;
}

/// Whether an element would differ: by more than its limit or, where it is correctly rounded, at all.
class Notice {
 public:
  Notice(const ir::Tensor& truth, const compare::Allowed& allowed, ir::DType dtype)
      : truth_(truth.as<double>()), allowed_(allowed), limit_(allowed, dtype), dtype_(dtype) {}

  bool operator()(std::size_t i, double faulty) const {
    const double y = truth_[i];
    const double stored = rounded_to(dtype_, faulty);
    if (is_rounded()) return stored != rounded_to(dtype_, y);
    return !(std::abs(stored - y) <= limit_.at(std::abs(y), i));
  }
  /// Whether an element is more than 100 times as large as its limit.
  bool is_telling(std::size_t i) const {
    const double size = std::abs(truth_[i]);
    if (!std::isfinite(size) || limit_.is_apart(i)) return false;
    return is_rounded() ? size > 0 : size > 100 * limit_.at(size, i);
  }
  bool is_rounded() const { return allowed_.rule != compare::Allowed::Rule::within; }
  ir::DType dtype() const { return dtype_; }

 private:
  const std::span<const double> truth_;
  const compare::Allowed& allowed_;
  const compare::Limit limit_;
  const ir::DType dtype_;
};

/// Whether the kernel's own order of adding gives the very bits of a sum.
class Replays {
 public:
  Replays(const settle::Subject& subject, ir::DType dtype, const ir::TensorView& got)
      : sums_(subject.sums), dtype_(dtype), got_(got) {}
  bool operator()(std::size_t i, const element::terms::ElementSum& sum) const {
    if (sums_.size() != 1) return false;
    return settle::equals_replay(sum, sums_[0], dtype_, numbers_at(got_, {&i, 1}).front()).value_or(false);
  }

 private:
  const std::span<const ir::Sum> sums_;
  const ir::DType dtype_;
  const ir::TensorView got_;
};

/// Collects a sum: its terms one after the other, then what is behind it.
class Total {
 public:
  explicit Total(const element::terms::ElementSum& sum) : sum_(sum) {}
  /// `made`: what becomes of a term.
  template <class Made>
  double of(const Made& made) const {
    double total = 0;
    for (const element::terms::Product& term : sum_.terms) total += made(term);
    total = total * sum_.scale / sum_.divisor;
    for (const element::terms::Product& term : sum_.added) total += made(term);
    return total;
  }

 private:
  const element::terms::ElementSum& sum_;
};

bool is_other_than_0(const element::terms::Product& term) { return term.value() != 0; }

/// The sum without its term of median size, of those that are not 0.
double without_median(const element::terms::ElementSum& sum) {
  const std::optional<std::size_t> place = element::terms::median_term(sum.values());
  const element::terms::Product* const missing = place ? &sum.terms[*place] : nullptr;
  return Total(sum).of([&](const element::terms::Product& term) { return &term == missing ? 0 : term.value(); });
}

/// The sum of factors that lost bits; nothing where none did.
std::optional<double> of_fewer_bits(const element::terms::ElementSum& sum, int bits) {
  bool differs = false;
  const double total = Total(sum).of([&](const element::terms::Product& term) {
    const double a = core::with_bits(term.a, bits), b = core::with_bits(term.b, bits);
    differs |= a != term.a || b != term.b;
    return a * b;
  });
  return differs ? std::optional(total) : std::nullopt;
}

/// The answer of a node's sums. Sums that have, bit for bit, the result of the kernel's own order are not held to a
/// limit alone.
struct SumsAsked {
  cases::Sensitivity found;
  bool all_replayed = true;
};

SumsAsked of_sums(const settle::Summing& bare, const std::vector<std::size_t>& sample, int bits, const Notice& notices,
                  const Replays& replays) {
  SumsAsked asked;
  std::uint64_t noticed = 0;
  for (const std::size_t i : sample) {
    const element::terms::ElementSum sum = bare.at(i);
    const std::optional<double> f1 = of_fewer_bits(sum, bits);
    const bool has_f2 = std::ranges::any_of(sum.terms, is_other_than_0);
    if (!f1 && !has_f2) continue;
    ++asked.found.sampled;
    const bool is_noticed = (f1 && notices(i, *f1)) || (has_f2 && notices(i, without_median(sum)));
    noticed += is_noticed;
    if (!is_noticed && asked.all_replayed) asked.all_replayed = replays(i, sum);
  }
  const auto count = static_cast<double>(asked.found.sampled);
  if (asked.found.sampled > 0) asked.found.share = static_cast<double>(noticed) / count;
  return asked;
}

/// A part of the segment that is cheap to evaluate: a few entries of an axis, the longest first.
std::optional<Slice> cheap_part(const settle::Subject& subject, std::size_t k, const ir::Tensor& truth, Draws& draws) {
  double flops = 0;
  for (const ir::Node& node : subject.segment.graph.nodes()) flops += ir::cost_of(subject.segment.graph, node).flops;
  const auto size = static_cast<double>(truth.elements());
  const double work = std::max(flops, size);
  if (work <= cheap_flops) return whole_of(subject, k);
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < truth.shape().size(); ++axis)
    if (truth.shape()[axis] > static_cast<std::int64_t>(entries_of_slice)) axes.push_back(axis);
  std::ranges::stable_sort(axes, std::greater<>(), [&](std::size_t axis) { return truth.shape()[axis]; });
  for (const std::size_t axis : axes) {
    const auto entries = draws.some(entries_of_slice, static_cast<std::size_t>(truth.shape()[axis]));
    if (auto slice = slice_of(subject, k, axis, entries, truth, most_tries)) return slice;
  }
  if (work <= most_flops) return whole_of(subject, k);
  return std::nullopt;
}

/// The operands of a slice with half of their bits; nothing where that changes none.
std::optional<std::vector<ir::Tensor>> with_fewer_bits(const settle::Subject& subject, const Slice& slice,
                                                       ir::DType dtype) {
  std::vector<ir::Tensor> fed = slice.fed;
  bool differs = false;
  for (std::size_t i = 0; i < fed.size(); ++i) {
    const ir::DType of_operand = subject.segment.graph.type(i).dtype;
    if (!ir::is_float(of_operand)) continue;
    const int bits = bits_left(of_operand, dtype);
    for (double& x : fed[i].as<double>()) {
      const double less = core::with_bits(x, bits);
      differs |= less != x && !std::isnan(x);
      x = less;
    }
  }
  return differs ? std::optional(std::move(fed)) : std::nullopt;
}

/// The slice with real attributes off by what half of their bits may lose; nothing where there are none, or where the
/// op takes no other numbers. An element that shows a bound, as silence does the floor of its logarithm, is made of
/// that alone.
std::optional<Slice> with_attributes_off(const Slice& slice, ir::DType dtype) {
  Slice other = slice;
  core::Segment& segment = other.segment;
  if (segment.graph.nodes().size() != 1) return std::nullopt;
  const ir::Node& node = segment.graph.nodes().front();
  ir::Attributes attributes = node.op.attributes();
  bool differs = false;
  for (auto& [name, value] : attributes)
    if (double* const x = std::get_if<double>(&value); x != nullptr && *x != 0)
      *x *= 1 + std::ldexp(1.0, -bits_left(dtype, dtype)), differs = true;
  if (!differs) return std::nullopt;
  ir::Graph graph;
  for (std::size_t i = 0; i < segment.graph.inputs().size(); ++i)
    graph.input(segment.graph.inputs()[i], segment.graph.type(i));
  try {
    graph.add_all(node.label, node.op.schema().read(attributes), node.inputs);
  } catch (const ir::Error&) {
    return std::nullopt;
  }
  segment.graph = std::move(graph);
  return other;
}

/// The operands of a slice of an op with sums, without one element of median size in every line of the first; nothing
/// for other segments.
std::optional<std::vector<ir::Tensor>> with_terms_missing(const Slice& slice) {
  const bool has_sums =
      slice.segment.graph.nodes().size() == 1 && (slice.segment.judged.error_class == ir::ErrorClass::dot ||
                                                  slice.segment.judged.error_class == ir::ErrorClass::comp);
  if (!has_sums || slice.fed.empty() || slice.fed[0].dtype() != ir::DType::f64) return std::nullopt;
  std::vector<ir::Tensor> fed = slice.fed;
  const auto numbers = fed[0].as<double>();
  const ir::Shape& shape = fed[0].shape();
  const std::size_t length = shape.empty() ? 1 : static_cast<std::size_t>(shape[shape.size() - 1]);
  for (std::size_t first = 0; first < numbers.size(); first += length) {
    std::vector<std::size_t> line(length);
    std::iota(line.begin(), line.end(), first);
    if (const auto missing = element::terms::median_term(numbers, std::move(line))) numbers[*missing] = 0;
  }
  return fed;
}

/// Elements of ops with sums inside: softmax, attention, logarithms of sums of exponentials. An operand without one of
/// its elements is no such sum without a term: of exponentials near 1 it may be the very same.
class InsideSums {
 public:
  InsideSums(const settle::Subject& subject, std::size_t k) : subject_(subject), may_have_rows_(k == 0) {}

  /// Whether an element would differ without a term of any of its sums; false where nothing is known of that.
  bool notice(std::size_t i, double truth, const Notice& notices) {
    if (may_have_rows_ && !was_asked_) rows_ = settle::shared_rows(subject_, 0, settle::widened_feeds(subject_));
    was_asked_ = true;
    if (!rows_) return false;
    const auto index = static_cast<std::int64_t>(i);
    const auto faulty = rows_->make(rows_->number_of[i])->results_without_terms(index, truth);
    return !faulty.empty() && std::ranges::all_of(faulty, [&](double one) { return notices(i, one); });
  }

 private:
  const settle::Subject& subject_;
  const bool may_have_rows_;
  bool was_asked_ = false;
  std::optional<settle::SharedRows> rows_;
};

cases::Sensitivity of_slice(const settle::Subject& subject, std::size_t k, const Slice& slice, const ir::Tensor& truth,
                            const Notice& notices, Draws& draws) {
  cases::Sensitivity found;
  const auto f1 = with_fewer_bits(subject, slice, notices.dtype());
  if (!f1) return found;
  const ir::Tensor of_f1 = output_of(subject, slice, k, *f1);
  const auto bounds_off = notices.is_rounded() ? std::nullopt : with_attributes_off(slice, notices.dtype());
  const ir::Tensor of_bounds = bounds_off ? output_of(subject, *bounds_off, k, slice.fed) : of_f1;
  std::optional<ir::Tensor> of_f2;  // evaluated where the first fault is not noticed; empty where it is not there
  const auto notices_f2 = [&](std::size_t i, std::size_t at) {
    if (!of_f2) {
      const auto f2 = with_terms_missing(slice);
      of_f2 = f2 ? output_of(subject, slice, k, *f2) : ir::Tensor();
    }
    return of_f2->elements() > 0 && notices(i, std::as_const(*of_f2).as<double>()[at]);
  };
  InsideSums inside(subject, k);
  std::vector<std::size_t> telling;
  for (std::size_t n = 0; n < slice.kept.size(); ++n)
    if (notices.is_telling(slice.kept[n])) telling.push_back(n);
  std::uint64_t noticed = 0;
  for (const std::size_t n : draws.some(2 * sample_size, telling.size())) {
    const std::size_t at = telling[n], i = slice.kept[at];
    // A sum or product of two numbers that F1 leaves as they are was not asked.
    const bool is_asked = !notices.is_rounded() || of_f1.as<double>()[at] != truth.as<double>()[i];
    if (!is_asked) continue;
    ++found.sampled;
    noticed += notices(i, of_f1.as<double>()[at]) || notices(i, of_bounds.as<double>()[at]) || notices_f2(i, at) ||
               inside.notice(i, truth.as<double>()[i], notices);
  }
  if (found.sampled > 0) found.share = static_cast<double>(noticed) / static_cast<double>(found.sampled);
  return found;
}

/// F3, of results that are moved, selected or integers: how many differ from another element, drawn at random.
cases::Sensitivity of_places(const ir::Tensor& truth, Draws& draws) {
  cases::Sensitivity found{.is_figure = true};
  const auto count = static_cast<std::size_t>(truth.elements());
  if (count < 2) return found;
  const std::size_t width = ir::info(truth.dtype()).bytes;
  const auto bits = [&](std::size_t i) { return truth.bytes().subspan(i * width, width); };
  std::uint64_t differ = 0;
  for (; found.sampled < sample_size; ++found.sampled) {
    const std::size_t one = draws.below(count), other = (one + 1 + draws.below(count - 1)) % count;
    differ += !std::ranges::equal(bits(one), bits(other));
  }
  found.share = static_cast<double>(differ) / static_cast<double>(found.sampled);
  return found;
}

}  // namespace

cases::Sensitivity sensitivity_of(const settle::Subject& subject, std::size_t k, const ir::Tensor& truth,
                                  const compare::Allowed& allowed, const ir::TensorView& got, Draws draws) {
  using Rule = compare::Allowed::Rule;
  const ir::DType dtype = subject.segment.graph.type(subject.segment.outputs.at(k)).dtype;
  if (allowed.rule == Rule::bits || allowed.rule == Rule::exact) return of_places(truth, draws);
  if (truth.dtype() != ir::DType::f64) return {};
  const Notice notices(truth, allowed, dtype);
  if (const auto bare = settle::find_bare_sum(subject, k)) {
    const ir::DType narrowest = subject.inputs.empty() ? dtype : subject.inputs[0].dtype();
    // As many as cost a 64th of the node's terms, within limits.
    const std::size_t count = std::clamp(static_cast<std::size_t>(truth.elements()) / 64, least_sample, sample_size);
    const auto sample = telling_sample(truth.as<double>(), allowed, dtype, count, draws);
    const Replays replays(subject, dtype, got);
    SumsAsked asked = of_sums(*bare, sample, bits_left(narrowest, dtype), notices, replays);
    asked.found.is_figure = asked.all_replayed;
    return asked.found;
  }
  const auto is_float = [](const ir::TensorView& x) { return ir::is_float(x.dtype()); };
  if (std::ranges::none_of(subject.inputs, is_float)) return {};
  const auto part = cheap_part(subject, k, truth, draws);
  if (!part) return {};
  return of_slice(subject, k, *part, truth, notices, draws);
}

}  // namespace plumb::parity::checks::samples
