// Tokens drawn row by row (ops.md B.4): a ranking where something is cut off it, weights as integers, and the first
// token up to which their sum exceeds what was drawn.
#include "ir/ops/sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/raw/philox.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/exponential.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::Sample;
__extension__ typedef unsigned __int128 DoubleWord;

/// The settings of all rows.
template <class C>
struct Drawing {
  C temperature;
  std::int64_t top_k;  ///< 0: all
  std::uint32_t least, share;
  bool is_cut_by_share;
};

template <class C>
Drawing<C> drawing_of(const Sample& op, ir::DType dtype, std::int64_t tokens) {
  const std::uint32_t share = op.kept_share(dtype);
  return {static_cast<C>(Sample::real(dtype, op.temperature)), op.top_k < tokens ? op.top_k : 0, op.least_weight(dtype),
          share, share < 1u << 24};
}

/// One row: logits over the temperature, weights, and the tokens that are kept.
template <class C>
struct Line {
  ScratchVector<C> z;
  ScratchVector<std::uint64_t> weight;
  ScratchVector<std::int64_t> kept;

  explicit Line(std::size_t tokens) : z(tokens), weight(tokens) { kept.reserve(tokens); }

  std::uint64_t weight_at(std::int64_t token) const { return weight[static_cast<std::size_t>(token)]; }
  /// The likelier token comes first, of equals the lower one.
  bool comes_first(std::int64_t a, std::int64_t b) const {
    const C x = z[static_cast<std::size_t>(a)], y = z[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::int64_t token : kept) sum += weight_at(token);
    return sum;
  }
};

template <class C>
void weigh(Line<C>& line, C top) {
  for (std::size_t j = 0; j < line.z.size(); ++j) {
    if (std::isinf(top))
      line.weight[j] = line.z[j] == top ? std::uint64_t{1} << 30 : 0;
    else
      line.weight[j] = static_cast<std::uint64_t>(kernels::exp_nonpositive(line.z[j] - top) * C(0x1p30));
  }
}

/// Leaves the tokens that may be drawn, by index.
template <class C>
void cut(const Drawing<C>& how, Line<C>& line) {
  auto& kept = line.kept;
  kept.resize(line.z.size());
  std::iota(kept.begin(), kept.end(), std::int64_t{0});
  const auto comes_first = [&](std::int64_t a, std::int64_t b) { return line.comes_first(a, b); };
  if (how.top_k > 0) {
    std::nth_element(kept.begin(), kept.begin() + how.top_k, kept.end(), comes_first);
    kept.resize(static_cast<std::size_t>(how.top_k));
  }
  if (how.least > 0) std::erase_if(kept, [&](std::int64_t token) { return line.weight_at(token) < how.least; });
  if (how.is_cut_by_share) {
    std::sort(kept.begin(), kept.end(), comes_first);
    const auto wanted = static_cast<std::uint64_t>(DoubleWord{line.total()} * how.share >> 24);
    std::size_t count = 0;
    for (std::uint64_t sum = 0; count < kept.size() && (count == 0 || sum < wanted); ++count)
      sum += line.weight_at(kept[count]);
    kept.resize(count);
  }
  if (how.top_k > 0 || how.is_cut_by_share) std::sort(kept.begin(), kept.end());
}

template <class C>
std::int64_t drawn(const Line<C>& line, const ir::raw::PhiloxWords& words) {
  const std::uint64_t word = std::uint64_t{words[0]} << 32 | words[1];
  const auto r = static_cast<std::uint64_t>(DoubleWord{word} * line.total() >> 64);
  std::uint64_t sum = 0;
  for (const std::int64_t token : line.kept) {
    sum += line.weight_at(token);
    if (sum > r) return token;
  }
  return line.kept.back();  // the sum of all is more than r
}

/// The first of the largest, and NaN before any.
template <class C>
std::int64_t likeliest(const ScratchVector<C>& logits) {
  std::size_t best = 0;
  for (std::size_t j = 1; j < logits.size() && !std::isnan(logits[best]); ++j)
    if (std::isnan(logits[j]) || logits[j] > logits[best]) best = j;
  return static_cast<std::int64_t>(best);
}

void put(const ir::MutableView& y, std::int64_t row, std::int64_t token) {
  ir::visit_index(
      y.dtype(), [&]<class Index>(Index) { y.as<Index>()[static_cast<std::size_t>(row)] = static_cast<Index>(token); });
}

template <class T>
void draw_rows(const Sample& op, Call& call) {
  using C = ir::compute_t<T>;
  const auto logits = call.in(0).as<T>();
  const auto& y = call.out(0);
  const auto tokens = static_cast<std::size_t>(call.in(0).shape().back());
  const Drawing<C> how = drawing_of<C>(op, call.in(0).dtype(), static_cast<std::int64_t>(tokens));
  const std::uint32_t offset = op.has_offset ? call.in(1).as<std::uint32_t>()[0] : 0;
  const auto grain = std::max<std::int64_t>(1, 4096 / static_cast<std::int64_t>(tokens));
  parallel_for(y.elements(), grain, [&](std::int64_t row, std::int64_t end) {
    Line<C> line(tokens);
    for (; row < end; ++row) {
      const std::size_t first = static_cast<std::size_t>(row) * tokens;
      C top = -std::numeric_limits<C>::infinity();
      for (std::size_t j = 0; j < tokens; ++j) {
        const auto logit = static_cast<C>(logits[first + j]);
        line.z[j] = how.temperature > 0 ? logit / how.temperature : logit;
        if (how.temperature > 0 && std::isnan(logit))
          ir::fail("logits[", first + j, "] is nan, which has no probability");
        top = std::max(top, line.z[j]);
      }
      if (how.temperature == 0) {
        put(y, row, likeliest(line.z));
        continue;
      }
      ir::require(top > -std::numeric_limits<C>::infinity(), "row ", row, " of logits has no token above -inf");
      weigh(line, top);
      cut(how, line);
      const auto words =
          ir::raw::philox_block(static_cast<std::uint64_t>(op.seed), static_cast<std::uint32_t>(op.stream), offset,
                                static_cast<std::uint64_t>(row));
      put(y, row, drawn(line, words));
    }
  });
}

}  // namespace

void run(const Sample& op, Call& call) {
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) { draw_rows<T>(op, call); });
}

}  // namespace plumb::ref_cpu
