// Lines of neighbours are transformed where they lie; others are taken together, so that memory is read in runs.
#include "ref_cpu/transforms/lines.hpp"

#include <algorithm>

#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu::transforms {
namespace {

template <class T>
class Lines {
 public:
  Lines(Kind kind, std::int64_t length, double scale, LinesOf<const T> x, LinesOf<T> y)
      : kind_(kind),
        length_(length),
        scale_(static_cast<T>(scale)),
        x_(x),
        y_(y),
        // No more than fit a cache, no fewer than a run of 64 bytes wants.
        together_(std::min(x.lines.inner, std::clamp<std::int64_t>((std::int64_t{1} << 15) / length, 8, 32))),
        across_((x.lines.inner + together_ - 1) / together_) {}

  void run() const {
    const std::int64_t grain = std::max<std::int64_t>(1, 16384 / (length_ * together_));
    parallel_for(x_.lines.outer * across_, grain, [&](std::int64_t begin, std::int64_t end) {
      LineTransform<T> transform(kind_, length_);
      if (x_.lines.inner == 1) return run_whole(transform, begin, end);
      ScratchVector<T> from(static_cast<std::size_t>(together_ * transform.inputs()));
      ScratchVector<T> to(static_cast<std::size_t>(together_ * transform.outputs()));
      for (std::int64_t block = begin; block < end; ++block) run_block(transform, block, from.data(), to.data());
    });
  }

 private:
  void run_line(LineTransform<T>& transform, const T* x, T* y) const {
    transform.run(x, y);
    if (scale_ == 1) return;
    for (std::int64_t i = 0; i < transform.outputs(); ++i) y[i] *= scale_;
  }

  void run_whole(LineTransform<T>& transform, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t line = begin; line < end; ++line)
      run_line(transform, x_.data + line * transform.inputs(), y_.data + line * transform.outputs());
  }

  void run_block(LineTransform<T>& transform, std::int64_t block, T* from, T* to) const {
    const std::int64_t column = block % across_ * together_, width = std::min(together_, x_.lines.inner - column);
    const auto start = [&](const ir::Lines& lines) { return block / across_ * lines.length * lines.inner + column; };
    const T* const x = x_.data + start(x_.lines) * x_.numbers;
    for (std::int64_t k = 0; k < x_.lines.length; ++k)
      for (std::int64_t c = 0; c < width; ++c)
        for (std::int64_t part = 0; part < x_.numbers; ++part)
          from[c * transform.inputs() + k * x_.numbers + part] = x[(k * x_.lines.inner + c) * x_.numbers + part];
    for (std::int64_t c = 0; c < width; ++c)
      run_line(transform, from + c * transform.inputs(), to + c * transform.outputs());
    T* const y = y_.data + start(y_.lines) * y_.numbers;
    for (std::int64_t k = 0; k < y_.lines.length; ++k)
      for (std::int64_t c = 0; c < width; ++c)
        for (std::int64_t part = 0; part < y_.numbers; ++part)
          y[(k * y_.lines.inner + c) * y_.numbers + part] = to[c * transform.outputs() + k * y_.numbers + part];
  }

  const Kind kind_;
  const std::int64_t length_;
  const T scale_;
  const LinesOf<const T> x_;
  const LinesOf<T> y_;
  const std::int64_t together_, across_;
};

}  // namespace

template <class T>
void transform_lines(Kind kind, std::int64_t length, double scale, LinesOf<const T> x, LinesOf<T> y) {
  Lines<T>(kind, length, scale, x, y).run();
}

template void transform_lines(Kind, std::int64_t, double, LinesOf<const float>, LinesOf<float>);
template void transform_lines(Kind, std::int64_t, double, LinesOf<const double>, LinesOf<double>);

}  // namespace plumb::ref_cpu::transforms
