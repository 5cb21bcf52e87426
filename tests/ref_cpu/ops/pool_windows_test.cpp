// How many windows there are, and what each one sees and divides by, of every small geometry, by the text of the entry.
#include <gtest/gtest.h>

#include "ir/ops/pool.hpp"
#include "tests/ref_cpu/run_one.hpp"

namespace plumb::ref_cpu::pool_windows_test {
namespace {

using ir::Tensor;
using ir::ops::Pool;

struct Geometry {
  std::int64_t extent, kernel, stride, dilation, before, behind;
  bool ceil, counts_pads;

  std::int64_t span() const { return dilation * (kernel - 1) + 1; }
};

/// The average of ones in each window: what is inside over what counts, 0 where nothing does.
std::vector<double> averages(const Geometry& g) {
  std::vector<double> all;
  const std::int64_t free = g.extent + g.before + g.behind - g.span();
  for (std::int64_t start = -g.before;; start += g.stride) {
    const std::int64_t walked = start + g.before;
    const bool hangs_over = walked > free;
    // One window may hang over the end, where it is wanted; the last is left out then if it begins behind the image.
    if (hangs_over && (!g.ceil || walked - g.stride >= free)) return all;
    if (g.ceil && walked > 0 && walked >= free && walked >= g.extent + g.before) return all;
    double inside = 0, counted = 0;
    for (std::int64_t t = 0; t < g.kernel; ++t) {
      const std::int64_t place = start + t * g.dilation;
      inside += place >= 0 && place < g.extent;
      counted += g.counts_pads ? place < g.extent + g.behind : place >= 0 && place < g.extent;
    }
    all.push_back(inside == 0 ? 0 : inside / counted);
  }
}

void expect_averages(const Geometry& g) {
  const Pool op{.function = ir::ops::PoolFunction::average,
                .kernel_shape = {g.kernel},
                .strides = {g.stride},
                .dilations = {g.dilation},
                .pads = {g.before, g.behind},
                .ceil_mode = g.ceil,
                .count_include_pad = g.counts_pads};
  Tensor ones({ir::DType::f64, {1, 1, g.extent}});
  std::ranges::fill(ones.as<double>(), 1.0);
  const Tensor y = run_one(op, {ones}, 1);
  ASSERT_EQ(std::vector<double>(y.as<double>().begin(), y.as<double>().end()), averages(g))
      << g.extent << " elements, kernel " << g.kernel << ", stride " << g.stride << ", dilation " << g.dilation
      << ", pads " << g.before << " and " << g.behind << (g.ceil ? ", ceil" : "")
      << (g.counts_pads ? ", pads count" : "");
}

TEST(PoolWindows, OfEverySmallGeometry) {
  Geometry g{};
  for (g.extent = 1; g.extent <= 7; ++g.extent)
    for (g.kernel = 1; g.kernel <= 3; ++g.kernel)
      for (g.stride = 1; g.stride <= 4; ++g.stride)
        for (g.dilation = 1; g.dilation <= 2; ++g.dilation)
          for (g.before = 0; g.before <= 3; ++g.before)
            for (g.behind = 0; g.behind <= 3; ++g.behind) {
              if (g.span() > g.extent + g.before + g.behind) continue;
              for (const bool ceil : {false, true})
                for (const bool counts_pads : {false, true}) {
                  g.ceil = ceil;
                  g.counts_pads = counts_pads;
                  expect_averages(g);
                  if (HasFatalFailure()) return;
                }
            }
}

}  // namespace
}  // namespace plumb::ref_cpu::pool_windows_test
