#include "ir/ops/resize.hpp"

#include <algorithm>

#include "ir/convert.hpp"
#include "ir/kernels/resize_taps.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

/// The resampling along one axis of what the passes before gave.
struct Pass {
  std::size_t axis;
  ir::kernels::ResizeTaps taps;
  ir::Lines lines = {};
};

template <class T>
T extrapolated(double value) {
  if constexpr (ir::is_float(ir::dtype_of<T>))
    return static_cast<T>(static_cast<ir::compute_t<T>>(value));
  else
    return ir::convert_value<T>(value);
}

/// y where the source lies outside along some axis.
template <class T>
void extrapolate(const ir::ops::Resize& op, const std::vector<Pass>& passes, const ir::MutableView& y) {
  const auto value = extrapolated<T>(op.extrapolation_value);
  for (const Pass& pass : passes) {
    if (!pass.taps.has_outside()) continue;
    const auto lines = ir::along(y.shape(), static_cast<std::int64_t>(pass.axis));
    for (std::int64_t outer = 0; outer < lines.outer; ++outer)
      for (std::int64_t i = 0; i < lines.length; ++i)
        if (pass.taps.is_outside(i))
          std::fill_n(y.as<T>().data() + (outer * lines.length + i) * lines.inner, lines.inner, value);
  }
}

/// Rows of `inner` neighbours along one axis: row(to, i) makes row i of line `to / outputs` of y.
void for_each_row(const ir::Lines& from, std::int64_t outputs, std::int64_t cost,
                  FunctionRef<void(std::int64_t outer, std::int64_t i)> row) {
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 15) / (from.inner * cost + 1));
  parallel_for(from.outer * outputs, grain, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end; ++begin) row(begin / outputs, begin % outputs);
  });
}

template <class T>
ScratchVector<T> moved(const Pass& pass, std::span<const T> x) {
  const ir::Lines& lines = pass.lines;
  const std::int64_t outputs = pass.taps.outputs();
  ScratchVector<T> y(static_cast<std::size_t>(lines.outer * outputs * lines.inner));
  for_each_row(lines, outputs, 1, [&](std::int64_t outer, std::int64_t i) {
    if (pass.taps.is_outside(i)) return;
    const auto tap = static_cast<std::size_t>(pass.taps.first[static_cast<std::size_t>(i)]);
    const T* const from = x.data() + (outer * lines.length + pass.taps.index[tap]) * lines.inner;
    std::copy_n(from, lines.inner, y.data() + (outer * outputs + i) * lines.inner);
  });
  return y;
}

template <class C>
ScratchVector<C> weighted(const Pass& pass, std::span<const C> x) {
  const auto& taps = pass.taps;
  const ir::Lines& lines = pass.lines;
  const std::int64_t outputs = taps.outputs();
  ScratchVector<C> y(static_cast<std::size_t>(lines.outer * outputs * lines.inner), C{0});
  const auto most = static_cast<std::int64_t>(taps.index.size()) / outputs;
  for_each_row(lines, outputs, most, [&](std::int64_t outer, std::int64_t i) {
    C* const row = y.data() + (outer * outputs + i) * lines.inner;
    for (auto t = static_cast<std::size_t>(taps.first[static_cast<std::size_t>(i)]);
         t < static_cast<std::size_t>(taps.first[static_cast<std::size_t>(i) + 1]); ++t) {
      const C weight = static_cast<C>(taps.weight[t]);
      if (weight == 0) continue;  // otherwise 0 times infinity would make a NaN
      const C* const from = x.data() + (outer * lines.length + taps.index[t]) * lines.inner;
      for (std::int64_t k = 0; k < lines.inner; ++k) row[k] += weight * from[k];
    }
  });
  return y;
}

/// Runs step(pass, x) along one axis after the other, each on the result of the one before.
template <class T, class Step>
ScratchVector<T> in_passes(const std::vector<Pass>& passes, std::span<const T> x, const Step& step) {
  ScratchVector<T> held(passes.empty() ? x.begin() : x.end(), x.end());
  for (const Pass& pass : passes) held = step(pass, &pass == &passes.front() ? x : std::span<const T>(held));
  return held;
}

/// The axes along which something happens, those that shrink first.
std::vector<Pass> passes_of(const ir::ops::Resize& op, const ir::TensorType& x) {
  std::vector<Pass> passes;
  for (std::size_t k = 0; k < op.axes.size(); ++k) {
    const std::size_t axis = x.shape.axis(op.axes[k]);
    Pass pass{axis, ir::kernels::resize_taps(op, k, x.dtype, x.shape[axis]), {}};
    if (!pass.taps.is_identity(x.shape[axis])) passes.push_back(std::move(pass));
  }
  std::ranges::stable_sort(passes, {}, [&](const Pass& pass) {
    return static_cast<double>(pass.taps.outputs()) / static_cast<double>(x.shape[pass.axis]);
  });
  ir::Shape shape = x.shape;
  for (Pass& pass : passes) {
    pass.lines = ir::along(shape, static_cast<std::int64_t>(pass.axis));
    shape[pass.axis] = pass.taps.outputs();
  }
  return passes;
}

}  // namespace

void run(const ir::ops::Resize& op, Call& call) {
  const ir::TensorView& x = call.in(0);
  const std::vector<Pass>& passes = call.kept([&] { return passes_of(op, x.type()); });
  const auto finish = [&]<class T>(T, const auto& values) {
    std::ranges::transform(values, call.out(0).as<T>().begin(), [](auto v) { return static_cast<T>(v); });
    extrapolate<T>(op, passes, call.out(0));
  };
  const auto move = [&]<class T>(T) {
    if constexpr (std::is_same_v<T, bool>) {  // no vector of bool
      const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(x.bytes().data()),
                                                x.bytes().size());
      finish(T{}, in_passes(passes, bytes, moved<std::uint8_t>));
    } else {
      finish(T{}, in_passes(passes, x.as<T>(), moved<T>));
    }
  };
  if (op.mode == ir::ops::ResizeMode::nearest) return ir::visit_any(x.dtype(), move);
  ir::visit_float(x.dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Computed<T> computed(x);
    const std::span<const C> values(computed.data(), static_cast<std::size_t>(x.elements()));
    finish(T{}, in_passes(passes, values, weighted<C>));
  });
}

}  // namespace plumb::ref_cpu
