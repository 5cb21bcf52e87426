// Attention by blocks of queries whose scores fit a cache; a key that is not allowed has no influence, NaN or not.
#include "ir/ops/attention.hpp"

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/exponential.hpp"
#include "ref_cpu/kernels/fold.hpp"
#include "ref_cpu/kernels/strides.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/published_sums.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::Attention;

template <class C>
using Matrix = Eigen::Matrix<C, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class C>
using Panel = Eigen::Map<const Matrix<C>, Eigen::Unaligned, Eigen::OuterStride<>>;

template <class C>
using Mapped = Eigen::Map<Matrix<C>, Eigen::AlignedMax>;

/// A matrix in scratch, once it is given a size.
template <class C>
struct Held {
  ScratchRoom<C> values = {};
  Mapped<C> matrix{nullptr, 0, 0};

  Held() = default;
  Held(std::int64_t rows, std::int64_t columns) { resize(rows, columns); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  void resize(std::int64_t rows, std::int64_t columns) {
    values.resize(static_cast<std::size_t>(rows * columns));
    new (&matrix) Mapped<C>(values.data(), rows, columns);
  }
};

/// The rows of one head in q, k, v or y.
template <class T>
struct Rows {
  T* data;
  std::int64_t stride, columns;
};

/// Head h of batch element b of a tensor with `heads` heads of `length` rows.
template <class T>
Rows<T> rows_of(const Attention& op, std::span<T> x, std::int64_t heads, std::int64_t length, std::int64_t columns,
                std::int64_t b, std::int64_t h) {
  if (op.layout == ir::ops::AttentionLayout::bhsd)
    return {x.data() + (b * heads + h) * length * columns, columns, columns};
  return {x.data() + (b * length * heads + h) * columns, heads * columns, columns};
}

/// Rows [begin, end) in the compute type: in place when they are stored in it, else in `own`.
template <class T, class C>
Panel<C> panel(const Rows<const T>& rows, std::int64_t begin, std::int64_t end, Held<C>& held) {
  const T* const data = rows.data + begin * rows.stride;
  if constexpr (std::is_same_v<T, C>) {
    return {data, end - begin, rows.columns, Eigen::OuterStride<>(rows.stride)};
  } else {
    held.resize(end - begin, rows.columns);
    auto& own = held.matrix;
    for (std::int64_t r = 0; r < own.rows(); ++r)
      for (std::int64_t c = 0; c < own.cols(); ++c) own(r, c) = static_cast<C>(data[r * rows.stride + c]);
    return {own.data(), own.rows(), own.cols(), Eigen::OuterStride<>(own.cols())};
  }
}

/// y = a b, or a bᵀ; of f32 in the order that gemm::sum_of_floats() publishes. Eigen would allocate what it packs.
template <class A, class B, class C>
void multiply(const A& a, const B& b, bool transposed, Mapped<C>& y) {
  const gemm::Matrix<const C> left{a.data(), a.rows(), a.cols(), a.outerStride()};
  const gemm::Matrix<const C> right{b.data(), b.rows(), b.cols(), b.outerStride()};
  gemm::multiply(left, transposed ? right.transposed() : right, gemm::row_major(y.data(), y.rows(), y.cols()));
}

/// Keys [begin, end).
struct Keys {
  std::int64_t begin, end;
};

/// The keys that query i may see by length, causality and windows; mask and bias
/// may take more away. Neither end decreases with i.
Keys keys_of(const Attention& op, const Attention::Extents& n, std::int64_t length, std::int64_t i) {
  constexpr auto far = std::int64_t{1} << 61;  // beyond every extent, and sums of two still fit
  const std::int64_t position = op.query_offset ? std::clamp(*op.query_offset, -far, far) + i : length - n.Sq + i;
  Keys keys{0, length};
  if (op.causal) keys.end = std::min(keys.end, position + 1);
  if (op.right_window_size >= 0) keys.end = std::min(keys.end, position + std::min(op.right_window_size, far) + 1);
  if (op.left_window_size >= 0)
    keys.begin = std::clamp<std::int64_t>(position - std::min(op.left_window_size, far), 0, length);
  keys.end = std::max(keys.end, keys.begin);
  return keys;
}

/// An operand that broadcasts to the scores, [B, Hq, Sq, Sk].
template <class T>
struct PerScore {
  std::span<const T> values = {};
  kernels::Strides strides = {};
  bool is_present = false;

  PerScore() = default;
  PerScore(const ir::TensorView& operand, const ir::Shape& scores)
      : values(operand.as<T>()), strides(kernels::strides_within(operand.shape(), scores)), is_present(true) {}
  bool present() const { return is_present; }
  T at(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const { return *row(b, h, i, j).data; }

  struct Row {
    const T* data;
    std::int64_t stride;
  };
  /// The elements of query i from key j on.
  Row row(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    return {values.data() + b * strides[0] + h * strides[1] + i * strides[2] + j * strides[3], strides[3]};
  }
};

template <class T>
class Kernel {
 public:
  using C = ir::compute_t<T>;

  Kernel(const Attention& op, Call& call)
      : op_(op),
        n_(op.extents(call.in(0).shape(), call.in(1).shape(), call.in(2).shape())),
        q_(call.in(0).as<T>()),
        k_(call.in(1)),
        v_(call.in(2)),
        y_(call.out(0).as<T>()),
        scale_(static_cast<C>(op.scale.value_or(1 / std::sqrt(static_cast<double>(n_.D))))) {
    const ir::Shape& scores = call.kept([&] { return ir::Shape{n_.B, n_.Hq, n_.Sq, n_.Sk}; });
    if (op.has_mask) mask_ = PerScore<bool>(call.in(3), scores);
    if (op.has_bias) bias_ = PerScore<T>(call.in(op.bias_at()), scores);
    lengths_.assign(static_cast<std::size_t>(n_.B), n_.Sk);
    if (op.has_kv_lengths) read_lengths(call.in(op.lengths_at()));
    if (op.has_sinks) sinks_ = call.in(op.sinks_at()).as<T>();
  }

  /// Every head, in blocks of queries whose scores fit a cache.
  void run() const {
    const std::int64_t rows = std::clamp<std::int64_t>((1 << 18) / std::max<std::int64_t>(1, n_.Sk), 1, 64);
    const std::int64_t blocks = (n_.Sq + rows - 1) / rows;
    parallel_for(n_.B * n_.Hq * blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t task = begin; task < end; ++task) {
        const std::int64_t head = task / blocks, first = task % blocks * rows;
        run_block(head / n_.Hq, head % n_.Hq, first, std::min(n_.Sq, first + rows));
      }
    });
  }

 private:
  void read_lengths(const ir::TensorView& lengths) {
    ir::visit_index(lengths.dtype(), [&]<class X>(X) {
      const auto given = lengths.as<X>();
      for (std::size_t b = 0; b < given.size(); ++b)
        lengths_[b] = std::clamp<std::int64_t>(static_cast<std::int64_t>(given[b]), 0, n_.Sk);
    });
  }

  Keys keys(std::int64_t b, std::int64_t i) const { return keys_of(op_, n_, lengths_[static_cast<std::size_t>(b)], i); }

  /// Whether mask and bias let query i see key j.
  bool allowed(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    return (!mask_.present() || mask_.at(b, h, i, j)) &&
           (!bias_.present() || static_cast<C>(bias_.at(b, h, i, j)) != -std::numeric_limits<C>::infinity());
  }

  void run_block(std::int64_t b, std::int64_t h, std::int64_t first, std::int64_t last) const {
    const Rows<T> y = rows_of(op_, y_, n_.Hq, n_.Sq, n_.Dv, b, h);
    const Keys seen{keys(b, first).begin, keys(b, last - 1).end};
    if (seen.begin >= seen.end) {
      for (std::int64_t i = first; i < last; ++i) std::fill_n(y.data + i * y.stride, n_.Dv, T{});
      return;
    }
    Held<C> own_q, own_k, own_v;
    const std::int64_t kv_head = h / (n_.Hq / n_.Hk);
    const auto q = panel(rows_of(op_, q_, n_.Hq, n_.Sq, n_.D, b, h), first, last, own_q);
    const auto k = seen_rows(k_, n_.D, b, kv_head, seen, own_k);
    const auto v = seen_rows(v_, n_.Dv, b, kv_head, seen, own_v);
    Held<C> held_weights(last - first, seen.end - seen.begin), held_sums(last - first, n_.Dv);
    auto &weights = held_weights.matrix, &sums = held_sums.matrix;
    multiply(q, k, true, weights);
    ScratchVector<C> totals;
    totals.reserve(static_cast<std::size_t>(last - first));
    bool whole = true;  // no key of the block is hidden from any of its queries
    for (std::int64_t i = first; i < last; ++i)
      totals.push_back(to_weights(b, h, i, seen, weights.row(i - first).data(), whole));
    if (whole || v.allFinite())
      multiply(weights, v, false, sums);
    else
      sum_allowed(b, h, first, seen, weights, v, sums);
    for (std::int64_t i = first; i < last; ++i)
      for (std::int64_t d = 0; d < n_.Dv; ++d)
        y.data[i * y.stride + d] = static_cast<T>(sums(i - first, d) / totals[static_cast<std::size_t>(i - first)]);
  }

  /// The rows of k or v that some query sees, which a cache may hold in fewer digits than q has.
  Panel<C> seen_rows(const ir::TensorView& x, std::int64_t width, std::int64_t b, std::int64_t kv_head,
                     const Keys& seen, Held<C>& held) const {
    const auto stored_as = [&]<class S>(S) {
      return panel(rows_of(op_, x.as<S>(), n_.Hk, n_.Sk, width, b, kv_head), seen.begin, seen.end, held);
    };
    if constexpr (std::is_same_v<T, float>) {
      if (x.dtype() == ir::DType::f16) return stored_as(ir::f16{});
      if (x.dtype() == ir::DType::bf16) return stored_as(ir::bf16{});
    }
    return stored_as(T{});
  }

  /// Turns row i of q·kᵀ over the keys `seen` into exp(s - max s), 0 where a key is
  /// not allowed. Returns their sum and that of the sink, 1 when there is no key.
  C to_weights(std::int64_t b, std::int64_t h, std::int64_t i, const Keys& seen, C* row, bool& whole) const {
    const Keys mine = keys(b, i);
    if (mine.begin >= mine.end) {
      whole = false;
      std::fill_n(row, seen.end - seen.begin, C{0});
      return 1;
    }
    std::fill(row, row + (mine.begin - seen.begin), C{0});
    std::fill(row + (mine.end - seen.begin), row + (seen.end - seen.begin), C{0});
    C* const s = row + (mine.begin - seen.begin);
    const std::int64_t count = mine.end - mine.begin;
    for (std::int64_t j = 0; j < count; ++j) s[j] *= scale_;
    if (op_.softcap > 0) saturate(s, count);
    const std::int64_t hidden = mask_.present() || bias_.present() ? bias_and_mask(b, h, i, mine, s) : 0;
    whole = whole && hidden == 0 && mine.begin == seen.begin && mine.end == seen.end;
    if (hidden == count) {
      std::fill_n(s, count, C{0});
      return 1;
    }
    const C peak = kernels::largest(s, count, -std::numeric_limits<C>::infinity());
    const C sink =
        sinks_.empty() ? -std::numeric_limits<C>::infinity() : static_cast<C>(sinks_[static_cast<std::size_t>(h)]);
    const C origin = origin_of(peak, sink);
    for (std::int64_t j = 0; j < count; ++j) s[j] = kernels::exp_nonpositive(s[j] - origin);
    const C of_keys = kernels::sum(count, [s](std::int64_t j) { return s[j]; });
    if (sinks_.empty()) return of_keys;
    return of_keys + (sink > origin ? std::exp(sink - origin) : kernels::exp_nonpositive(sink - origin));
  }

  /// The number that is subtracted from the scores of a row: the largest, sink included. Far below a sink large values
  /// may still matter; there it is less by as much as the exponential of a sink has room for, or weights would be
  /// subnormal.
  static C origin_of(C peak, C sink) {
    constexpr C room = std::is_same_v<C, double> ? 700 : 85;
    if (!(sink > peak)) return peak;
    return std::isfinite(sink) && sink - room > peak ? sink - room : sink;
  }

  void saturate(C* s, std::int64_t count) const {
    const C cap = static_cast<C>(op_.softcap);
    for (std::int64_t j = 0; j < count; ++j) s[j] = cap * std::tanh(s[j] / cap);
  }

  /// Adds the bias to the scores s of the keys `mine`, and hides the keys that are
  /// not allowed. Returns how many.
  std::int64_t bias_and_mask(std::int64_t b, std::int64_t h, std::int64_t i, const Keys& mine, C* s) const {
    constexpr C hide = -std::numeric_limits<C>::infinity();
    const std::int64_t count = mine.end - mine.begin;
    std::int64_t hidden = 0;
    if (bias_.present()) {
      const auto row = bias_.row(b, h, i, mine.begin);
      for (std::int64_t j = 0; j < count; ++j) {
        const C added = static_cast<C>(row.data[j * row.stride]);
        hidden += added == hide;
        s[j] = added == hide ? hide : s[j] + added;  // a NaN score is hidden, too
      }
    }
    if (mask_.present()) {
      const auto row = mask_.row(b, h, i, mine.begin);
      for (std::int64_t j = 0; j < count; ++j) {
        const bool shown = row.data[j * row.stride];
        hidden += !shown;
        s[j] = shown ? s[j] : hide;
      }
    }
    return bias_.present() && mask_.present() ? count_hidden(b, h, i, mine) : hidden;
  }

  /// How many keys mask or bias hide, where a key may be hidden by both.
  std::int64_t count_hidden(std::int64_t b, std::int64_t h, std::int64_t i, const Keys& mine) const {
    std::int64_t hidden = 0;
    for (std::int64_t j = mine.begin; j < mine.end; ++j) hidden += !allowed(b, h, i, j);
    return hidden;
  }

  /// sums = weights·v over the allowed keys only: a weight of 0 does not remove a NaN in v.
  void sum_allowed(std::int64_t b, std::int64_t h, std::int64_t first, const Keys& seen, const Mapped<C>& weights,
                   const Panel<C>& v, Mapped<C>& sums) const {
    Held<C> held_shown(v.rows(), v.cols()), held_row(1, weights.cols()), held_sum(1, n_.Dv);
    auto &shown = held_shown.matrix, &row = held_row.matrix, &sum = held_sum.matrix;
    for (std::int64_t r = 0; r < weights.rows(); ++r) {
      const Keys mine = keys(b, first + r);
      shown = v;
      row = weights.row(r);
      for (std::int64_t j = seen.begin; j < seen.end; ++j)
        if (j < mine.begin || j >= mine.end || !allowed(b, h, first + r, j)) shown.row(j - seen.begin).setZero();
      multiply(row, shown, false, sum);
      sums.row(r) = sum;
    }
  }

  const Attention& op_;
  Attention::Extents n_;
  std::span<const T> q_;
  const ir::TensorView &k_, &v_;
  std::span<T> y_;
  C scale_;
  PerScore<bool> mask_;
  PerScore<T> bias_;
  ScratchVector<std::int64_t> lengths_;  ///< keys in use, by batch element
  std::span<const T> sinks_ = {};        ///< by head of q; empty where the node has none
};

}  // namespace

/// Rows that see different keys add their weights in trees of different sizes, which no one record says.
std::vector<ir::Sum> published_sums(const Attention& op, ir::Types in) {
  const bool sees_all = !op.causal && op.left_window_size < 0 && op.right_window_size < 0 && !op.has_kv_lengths;
  if (!adds_in_f32(in[0].dtype) || !sees_all) return {};
  const std::int64_t keys = op.extents(in[0].shape, in[1].shape, in[2].shape).Sk;
  ir::Sum scores = gemm::sum_of_floats(), values = scores;
  scores.of = ir::SumName::scores;
  scores.is_rounded = true;
  scores.epilogue = {ir::SumStep::scale};
  if (op.softcap > 0) scores.epilogue.push_back(ir::SumStep::softcap);
  if (op.has_bias) scores.epilogue.push_back(ir::SumStep::bias);
  values.of = ir::SumName::values;
  values.is_rounded = true;
  values.epilogue = {ir::SumStep::division};
  return {scores, {.of = ir::SumName::row_sum, .levels = kernels::fold_levels(keys), .is_rounded = true}, values};
}

void run(const Attention& op, Call& call) {
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) { Kernel<T>(op, call).run(); });
}

}  // namespace plumb::ref_cpu
