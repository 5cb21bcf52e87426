#include "ir/ops/pool.hpp"

#include <cmath>
#include <limits>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/kernels/spatial.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::PoolFunction;

/// line(plane, line of it, what the line's results are kept in) over all lines of y, in parallel.
template <class C, class Line>
void for_each_line(const kernels::Windows& w, std::int64_t planes, const Line& line) {
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 16) / (w.positions[2] * w.taps() + 1));
  parallel_for(planes * w.lines(), grain, [&](std::int64_t i, std::int64_t end) {
    ScratchVector<C> results(static_cast<std::size_t>(w.positions[2]));
    for (; i < end; ++i) line(i / w.lines(), i % w.lines(), results.data());
  });
}

template <class T>
constexpr T lowest() {
  if constexpr (std::numeric_limits<T>::has_infinity) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}

/// Whether v takes the place of the best so far: the first of equals stays, the first NaN for good.
template <class C>
bool beats(C v, C best) {
  return (v > best) | ((v != v) & (best == best));
}

template <class C>
void maxima(const kernels::Windows& w, const C* image, std::int64_t line, C* best) {
  std::fill_n(best, w.positions[2], lowest<C>());
  kernels::for_each_tap(w, line, [&](ir::kernels::IndexRange range, std::int64_t at) {
    kernels::for_strided(range, w.axes[2].stride, [best, source = image + at](std::int64_t o, std::int64_t i) {
      best[o] = beats(source[i], best[o]) ? source[i] : best[o];
    });
  });
}

/// The maxima, and where in the image they are; -1 where no tap is.
template <class C>
void maxima_and_places(const kernels::Windows& w, const C* image, std::int64_t line, C* best, std::int64_t* place) {
  std::fill_n(best, w.positions[2], lowest<C>());
  std::fill_n(place, w.positions[2], -1);
  kernels::for_each_tap(w, line, [&](ir::kernels::IndexRange range, std::int64_t at) {
    kernels::for_strided(range, w.axes[2].stride, [=](std::int64_t o, std::int64_t i) {
      if (place[o] >= 0 && !beats(image[at + i], best[o])) return;
      best[o] = image[at + i];
      place[o] = at + i;
    });
  });
}

/// sums[o] = Σ term(o, x) over the taps, in chunks of 256.
template <class C, class Term>
void sum_of_taps(const kernels::Windows& w, const C* image, std::int64_t line, C* sums, const Term& term) {
  const std::int64_t count = w.positions[2];
  ScratchVector<C> held(static_cast<std::size_t>(count));
  C* const chunk = held.data();
  std::fill_n(sums, count, C{0});
  const auto flush = [&] {
    for (std::int64_t o = 0; o < count; ++o) {
      sums[o] += chunk[o];
      chunk[o] = 0;
    }
  };
  std::int64_t taps = 0;
  kernels::for_each_tap(w, line, [&](ir::kernels::IndexRange range, std::int64_t at) {
    kernels::for_strided(range, w.axes[2].stride, [chunk, &term, source = image + at](std::int64_t o, std::int64_t i) {
      chunk[o] += term(o, source[i]);
    });
    if (++taps % 256 == 0) flush();
  });
  flush();
}

/// How many taps an average at each position of an axis divides by.
ScratchVector<std::int64_t> divisors(const ir::kernels::Window& axis, std::int64_t positions, bool with_pads) {
  ScratchVector<std::int64_t> counts;
  counts.reserve(static_cast<std::size_t>(positions));
  for (std::int64_t o = 0; o < positions; ++o)
    counts.push_back(
        (with_pads ? axis.taps_within(o, -axis.pad_begin, axis.extent + axis.pad_end) : axis.taps_inside(o)).count());
  return counts;
}

template <class C>
void averages(const kernels::Windows& w, const std::array<ScratchVector<std::int64_t>, 3>& taps, std::int64_t line,
              C* sums) {
  const std::int64_t across = taps[0][static_cast<std::size_t>(line / w.positions[1])] *
                              taps[1][static_cast<std::size_t>(line % w.positions[1])];
  for (std::size_t o = 0; o < taps[2].size(); ++o)
    sums[o] = across * taps[2][o] == 0 ? C{0} : sums[o] / static_cast<C>(across * taps[2][o]);
}

/// (Σ |x|^p)^(1/p), of which the largest magnitude is taken out so that no power leaves the range.
template <class C>
void norms(const kernels::Windows& w, std::int64_t p, const C* image, std::int64_t line, C* sums) {
  const auto exponent = static_cast<C>(p);
  ScratchVector<C> peaks(static_cast<std::size_t>(w.positions[2]), C{0});
  kernels::for_each_tap(w, line, [&](ir::kernels::IndexRange range, std::int64_t at) {
    kernels::for_strided(range, w.axes[2].stride, [&peaks, source = image + at](std::int64_t o, std::int64_t i) {
      C& peak = peaks[static_cast<std::size_t>(o)];
      if (beats(std::abs(source[i]), peak)) peak = std::abs(source[i]);
    });
  });
  sum_of_taps(w, image, line, sums, [&](std::int64_t o, C x) {
    const C ratio = std::abs(x) / peaks[static_cast<std::size_t>(o)];
    return p == 1 ? ratio : p == 2 ? ratio * ratio : std::pow(ratio, exponent);
  });
  for (std::size_t o = 0; o < peaks.size(); ++o) {
    const C root = p == 1 ? sums[o] : p == 2 ? std::sqrt(sums[o]) : std::pow(sums[o], 1 / exponent);
    const bool as_it_is = peaks[o] == 0 || !std::isfinite(peaks[o]);
    sums[o] = as_it_is ? peaks[o] : peaks[o] * root;
  }
}

template <class T>
void pool_max(const ir::ops::Pool& op, const kernels::Windows& w, std::int64_t planes, const ir::compute_t<T>* x,
              Call& call) {
  using C = ir::compute_t<T>;
  T* const y = call.out(0).as<T>().data();
  std::int64_t* const indices = op.with_indices ? call.out(1).as<std::int64_t>().data() : nullptr;
  const std::int64_t along = w.positions[2];
  for_each_line<C>(w, planes, [&](std::int64_t plane, std::int64_t line, C* best) {
    const C* const image = x + plane * w.image();
    const std::int64_t at = (plane * w.lines() + line) * along;
    if (indices == nullptr) {
      maxima(w, image, line, best);
    } else {
      maxima_and_places(w, image, line, best, indices + at);
      for (std::int64_t o = at; o < at + along; ++o)
        if (indices[o] >= 0) indices[o] += plane * w.image();
    }
    std::transform(best, best + along, y + at, [](C v) { return static_cast<T>(v); });
  });
}

template <class T>
void pool_sums(const ir::ops::Pool& op, const kernels::Windows& w, std::int64_t planes, const ir::compute_t<T>* x,
               T* y) {
  using C = ir::compute_t<T>;
  std::array<ScratchVector<std::int64_t>, 3> taps;
  if (op.function == PoolFunction::average)
    for (std::size_t a = 0; a < 3; ++a) taps[a] = divisors(w.axes[a], w.positions[a], op.count_include_pad);
  for_each_line<C>(w, planes, [&](std::int64_t plane, std::int64_t line, C* sums) {
    const C* const image = x + plane * w.image();
    if (op.function == PoolFunction::lp)
      norms(w, op.p, image, line, sums);
    else
      sum_of_taps(w, image, line, sums, [](std::int64_t, C v) { return v; });
    if (op.function == PoolFunction::average) averages(w, taps, line, sums);
    std::transform(sums, sums + w.positions[2], y + (plane * w.lines() + line) * w.positions[2],
                   [](C v) { return static_cast<T>(v); });
  });
}

template <class T>
void pool(const ir::ops::Pool& op, Call& call) {
  const ir::Shape& x = call.in(0).shape();
  const auto& w = call.kept([&] { return kernels::Windows(op.axes(x), call.out(0).shape()); });
  const kernels::Computed<T> values(call.in(0));
  if (op.function == PoolFunction::max) return pool_max<T>(op, w, x[0] * x[1], values.data(), call);
  if constexpr (ir::is_float(ir::dtype_of<T>))
    pool_sums<T>(op, w, x[0] * x[1], values.data(), call.out(0).as<T>().data());
}

}  // namespace

void run(const ir::ops::Pool& op, Call& call) {
  ir::visit_number(call.in(0).dtype(), [&]<class T>(T) { pool<T>(op, call); });
}

}  // namespace plumb::ref_cpu
