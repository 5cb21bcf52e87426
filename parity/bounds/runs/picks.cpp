// Which elements of a line may be its largest, or the k-th of it, where each may be off by so much.
#include <algorithm>
#include <cmath>

#include "ir/ops/arg_reduce.hpp"
#include "ir/ops/hardmax.hpp"
#include "ir/ops/sort.hpp"
#include "ir/ops/top_k.hpp"
#include "parity/bounds/runs/choices.hpp"
#include "parity/bounds/runs/indices.hpp"
#include "parity/bounds/runs/rows.hpp"

namespace plumb::parity::bounds::runs {
namespace {

/// The elements of a line, the largest first where the largest are wanted: what each is, and may be.
struct Line : Between {
  std::vector<double> truth;
  bool has_nan = false;  ///< the truth or an end has
};

/// All lines of an operand along an axis.
class LinesOf {
 public:
  LinesOf(const Wavering& x, std::int64_t axis, bool wants_largest)
      : lines_(ir::along(x.truth.shape(), axis)), sign_(wants_largest ? 1 : -1) {
    truth_ = ir::convert(x.truth, ir::DType::f64);
    low_ = high_ = truth_;
    if (x.admissible) {
      const auto ends = x.admissible->ends();
      low_ = ir::convert(ends.first, ir::DType::f64);
      high_ = ir::convert(ends.second, ir::DType::f64);
    }
    if (!x.limit) return;
    const auto limit = x.limit->as<double>();
    for (std::size_t i = 0; i < limit.size(); ++i)
      if (limit[i] > 0) {
        low_.as<double>()[i] -= limit[i];
        high_.as<double>()[i] += limit[i];
      }
  }

  const ir::Lines& lines() const { return lines_; }
  Line at(std::int64_t number) const {
    Line line;
    for (std::int64_t k = 0; k < lines_.length; ++k) {
      const std::size_t i = lines_.at(number, k);
      const double low = sign_ * low_.as<double>()[i], high = sign_ * high_.as<double>()[i];
      line.truth.push_back(sign_ * truth_.as<double>()[i]);
      line.low.push_back(std::min(low, high));
      line.high.push_back(std::max(low, high));
      line.has_nan |= std::isnan(line.truth.back()) || std::isnan(low) || std::isnan(high);
    }
    return line;
  }

 private:
  ir::Lines lines_;
  double sign_;
  ir::Tensor truth_, low_, high_;
};

/// A line in order of its truth, in which the candidates of a place lie close together.
class Ranked {
 public:
  explicit Ranked(const Line& line) : line_(line), order_(all_of(line)) {
    std::ranges::sort(order_, std::less<>(), [&](std::int64_t j) { return line.truth[static_cast<std::size_t>(j)]; });
    for (const std::int64_t j : order_) truth_.push_back(line.truth[static_cast<std::size_t>(j)]);
    for (std::size_t j = 0; j < line.size(); ++j)
      most_off_ = std::max({most_off_, line.high[j] - line.truth[j], line.truth[j] - line.low[j]});
  }

  std::vector<std::int64_t> candidates(double least, double most) const {
    const auto first = std::ranges::lower_bound(truth_, least - most_off_) - truth_.begin();
    const auto last = std::ranges::upper_bound(truth_, most + most_off_) - truth_.begin();
    const auto among =
        std::span(order_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
    return candidates_among(line_, among, least, most);
  }

 private:
  const Line& line_;
  std::vector<std::int64_t> order_;
  std::vector<double> truth_;
  double most_off_ = 0;
};

Choice extremes_of_lines(const ir::ops::ArgReduce& op, const Wavering& x, const ir::Tensor& truth) {
  const LinesOf all(x, op.axis, op.function == ir::ops::ArgReduceFunction::max);
  Indices indices(truth);
  for (std::int64_t number = 0; number < all.lines().count(); ++number) {
    const Line line = all.at(number);
    if (line.has_nan) continue;
    indices.set(static_cast<std::size_t>(number), largest_of(line));
  }
  return indices.choice();
}

/// Which elements an operand's lines have in order.
struct Order {
  std::int64_t count;  ///< as many of them are given
  bool is_sorted;      ///< else these come in the order of their indices
};

/// The k-th of lines, or any of the first where these are not in order.
Choice order_of_lines(const LinesOf& all, const Order& order, const ir::Tensor& truth) {
  Indices indices(truth);
  ir::Lines out = all.lines();
  out.length = order.count;
  for (std::int64_t number = 0; order.count > 0 && number < all.lines().count(); ++number) {
    const Line line = all.at(number);
    if (line.has_nan || line.low == line.high) continue;
    const std::vector<double> low = descending(line.low), high = descending(line.high);
    const Ranked ranked(line);
    for (std::int64_t k = 0; k < order.count; ++k) {
      const auto last = static_cast<std::size_t>(order.is_sorted ? k : order.count - 1);
      const std::size_t first = order.is_sorted ? last : 0;
      indices.set(out.at(number, k), ranked.candidates(low[last], high[first]));
    }
  }
  return indices.choice();
}

Choice ones_of_lines(const ir::ops::Hardmax& op, const Wavering& x, const ir::Tensor& truth) {
  const LinesOf all(x, op.axis, true);
  const bool is_float = truth.dtype() == ir::DType::f64;
  if (!is_float) return {};
  ir::Tensor low = truth, high = truth;
  for (std::int64_t number = 0; number < all.lines().count(); ++number) {
    const Line line = all.at(number);
    if (line.has_nan) continue;
    for (const std::int64_t k : largest_of(line)) {
      low.as<double>()[all.lines().at(number, k)] = 0;
      high.as<double>()[all.lines().at(number, k)] = 1;
    }
  }
  std::vector<bool> open = differs(low, high);
  if (std::ranges::find(open, true) == open.end()) return {};
  Choice made;
  made.extremes = std::pair{low, high};
  made.admissible = between(std::move(low), std::move(high), std::move(open));
  return made;
}

}  // namespace

bool picks(const ir::Op& op) {
  return op.is<ir::ops::ArgReduce>() || op.is<ir::ops::TopK>() || op.is<ir::ops::Sort>() || op.is<ir::ops::Hardmax>();
}

std::vector<Choice> picks_of(const ir::Op& op, const Wavering& x, std::span<const ir::Tensor> truths) {
  std::vector<Choice> found(truths.size());
  if (x.truth.dtype() == ir::DType::boolean) return found;
  if (op.is<ir::ops::ArgReduce>()) found[0] = extremes_of_lines(op.as<ir::ops::ArgReduce>(), x, truths[0]);
  if (op.is<ir::ops::Hardmax>()) found[0] = ones_of_lines(op.as<ir::ops::Hardmax>(), x, truths[0]);
  if (op.is<ir::ops::TopK>()) {
    const auto& top = op.as<ir::ops::TopK>();
    found[1] = order_of_lines(LinesOf(x, top.axis, top.largest), {top.k, top.sorted}, truths[1]);
  }
  if (op.is<ir::ops::Sort>()) {
    const auto& sort = op.as<ir::ops::Sort>();
    const LinesOf all(x, sort.axis, sort.descending);
    found[1] = order_of_lines(all, {all.lines().length, true}, truths[1]);
  }
  return found;
}

}  // namespace plumb::parity::bounds::runs
