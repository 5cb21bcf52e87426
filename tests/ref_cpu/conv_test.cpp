#include "ir/ops/conv.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "ir/convert.hpp"
#include "tests/ref_cpu/run_one.hpp"

namespace plumb::ref_cpu::conv_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;

Tensor whole_numbers(DType dtype, const Shape& shape, unsigned seed) {
  Tensor tensor({dtype, shape});
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> number(-3, 3);
  ir::visit_float(dtype, [&]<class T>(T) {
    for (T& x : tensor.as<T>()) x = ir::convert_value<T>(number(random));
  });
  return tensor;
}

ir::ops::Conv conv(std::vector<std::int64_t> strides, std::vector<std::int64_t> dilations,
                   std::vector<std::int64_t> pads, std::int64_t group = 1, bool has_bias = true) {
  return {std::move(strides), std::move(dilations), std::move(pads), group, has_bias};
}

/// The formula, term by term, on f64 tensors.
double by_definition(const ir::ops::Conv& op, const std::vector<Tensor>& in, const Shape& y, std::int64_t element) {
  const auto &x = in[0].shape(), &w = in[1].shape();
  const auto axes = op.axes(x, w);
  const auto sx = x.strides(), sw = w.strides(), sy = y.strides();
  const std::int64_t n = element / sy[0], m = element / sy[1] % y[1];
  double sum = op.has_bias ? in[2].as<double>()[static_cast<std::size_t>(m)] : 0;
  const std::int64_t taps = sw[1];
  for (std::int64_t c = 0; c < w[1]; ++c)
    for (std::int64_t t = 0; t < taps; ++t) {
      std::int64_t at = n * sx[0] + (m * op.group / w[0] * w[1] + c) * sx[1];
      bool outside = false;
      for (std::size_t a = 0; a < axes.size(); ++a) {
        const std::int64_t tap = t / sw[a + 2] % w[a + 2], o = element / sy[a + 2] % y[a + 2];
        const std::int64_t i = o * axes[a].stride - axes[a].pad_begin + tap * axes[a].dilation;
        outside = outside || i < 0 || i >= x[a + 2];
        at += i * sx[a + 2];
      }
      if (!outside)
        sum += in[1].as<double>()[static_cast<std::size_t>(m * sw[0] + c * sw[1] + t)] *
               in[0].as<double>()[static_cast<std::size_t>(at)];
    }
  return sum;
}

struct Case {
  Shape x, w;
  ir::ops::Conv op;
};

/// Whole numbers in every dtype against the formula: sums are exact, whichever way they are made.
class ExactConv : public ::testing::TestWithParam<Case> {};

TEST_P(ExactConv, FollowsTheFormulaInEveryDtype) {
  const Case& c = GetParam();
  std::vector<Tensor> in = {whole_numbers(DType::f64, c.x, 1), whole_numbers(DType::f64, c.w, 2)};
  if (c.op.has_bias) in.push_back(whole_numbers(DType::f64, {c.w[0]}, 3));
  const Tensor y = run_one(c.op, in);
  for (std::int64_t i = 0; i < y.elements(); ++i)
    ASSERT_EQ(y.as<double>()[static_cast<std::size_t>(i)], by_definition(c.op, in, y.shape(), i)) << "element " << i;
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    std::vector<Tensor> narrow;
    for (const Tensor& x : in) narrow.push_back(ir::convert(x, dtype));
    const Tensor rounded = ir::convert(y, dtype);  // sums are exact in f32
    EXPECT_TRUE(std::ranges::equal(run_one(c.op, narrow).bytes(), rounded.bytes())) << dtype;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , ExactConv,
    ::testing::Values(
        Case{{2, 3, 7}, {4, 3, 3}, conv({}, {}, {})},                                //
        Case{{2, 3, 7, 5}, {4, 3, 1, 1}, conv({}, {}, {})},                          // a matrix product
        Case{{1, 2, 5, 6}, {3, 2, 5, 6}, conv({}, {}, {})},                          // the kernel is the image
        Case{{1, 2, 11, 13}, {3, 2, 2, 3}, conv({5, 4}, {}, {})},                    // stride beyond the kernel
        Case{{1, 2, 9, 8}, {3, 2, 3, 2}, conv({2, 1}, {2, 3}, {0, 1, 2, 3})},        // asymmetric pads
        Case{{1, 2, 3}, {2, 2, 3}, conv({}, {4}, {3, 4})},                           // wider than the image
        Case{{1, 2, 3, 3}, {2, 2, 3, 3}, conv({2, 2}, {}, {5, 4, 3, 6})},            // pads beyond the kernel
        Case{{2, 6, 9, 7}, {6, 1, 3, 3}, conv({}, {}, {1, 1, 1, 1}, 6)},             // depthwise
        Case{{1, 5, 6, 300}, {10, 1, 3, 5}, conv({2, 3}, {1, 2}, {1, 4, 0, 4}, 5)},  // two filters a channel
        Case{{2, 8, 6, 5}, {12, 2, 3, 3}, conv({}, {}, {1, 1, 1, 1}, 4)},            // groups
        Case{{1, 1, 20, 20}, {7, 1, 3, 3}, conv({}, {}, {1, 1, 1, 1})},              // one channel
        Case{{1, 2, 4, 5, 6}, {3, 2, 2, 3, 2}, conv({2, 1, 2}, {1, 2, 1}, {1, 1, 0, 0, 1, 1})},
        Case{{1, 2, 4, 5, 6}, {2, 1, 3, 3, 3}, conv({}, {}, {1, 1, 1, 1, 1, 1}, 2, false)},
        Case{{0, 2, 5}, {3, 2, 3}, conv({}, {}, {})}, Case{{2, 2, 5}, {0, 2, 3}, conv({}, {}, {})},
        Case{{2, 0, 5}, {3, 0, 3}, conv({}, {}, {})},                         // an empty sum: the bias
        Case{{1, 3, 0, 4}, {2, 3, 2, 2}, conv({}, {}, {1, 1, 1, 1})},         // nothing but padding
        Case{{1, 20, 24, 40}, {70, 20, 3, 3}, conv({}, {}, {1, 1, 1, 1})}));  // many panels

INSTANTIATE_TEST_SUITE_P(
    AtTheEdgesOfTiles, ExactConv,
    ::testing::Values(Case{{1, 3, 47}, {7, 3, 1}, conv({}, {}, {})},                        // 8 filters by 48 positions
                      Case{{1, 3, 48}, {8, 3, 1}, conv({}, {}, {}, 1, false)},              //
                      Case{{1, 3, 49}, {9, 3, 1}, conv({}, {}, {})},                        //
                      Case{{1, 2, 31, 13}, {31, 2, 3, 3}, conv({}, {}, {1, 1, 1, 1})},      // a task less one,
                      Case{{1, 2, 24, 16}, {32, 2, 1, 1}, conv({}, {}, {})},                // one,
                      Case{{1, 2, 35, 11}, {33, 2, 3, 3}, conv({}, {}, {1, 1, 1, 1})},      // and one more
                      Case{{1, 1, 14, 15}, {17, 1, 7, 7}, conv({2, 2}, {}, {3, 3, 3, 3})},  // the first of a ResNet
                      Case{{1, 85, 3, 13}, {9, 85, 1, 3}, conv({}, {}, {0, 1, 0, 1})},      // 255 terms,
                      Case{{1, 256, 3, 5}, {9, 256, 1, 1}, conv({}, {}, {}, 1, false)},     // 256,
                      Case{{1, 257, 9}, {33, 257, 1}, conv({}, {}, {})},                    // 257,
                      Case{{1, 171, 5, 5}, {23, 171, 3, 3}, conv({}, {}, {1, 1, 1, 1})},    // and seven parts of 256
                      Case{{1, 16, 9, 9}, {32, 16, 1, 1}, conv({2, 2}, {}, {})},            // a projection
                      Case{{2, 34, 9, 8}, {22, 17, 3, 2}, conv({2, 1}, {2, 3}, {0, 1, 2, 3}, 2)},
                      Case{{1, 2, 9}, {8, 2, 3}, conv({}, {4}, {3, 4})},             // dilated beyond x
                      Case{{1, 2, 3, 3}, {8, 2, 3, 3}, conv({}, {}, {5, 4, 3, 6})},  // pads beyond it
                      Case{{1, 2, 1, 2}, {8, 2, 1, 1}, conv({60, 60}, {}, {300, 300, 300, 300})},
                      Case{{2, 3, 5, 6, 7}, {19, 3, 2, 3, 2}, conv({2, 1, 2}, {1, 2, 1}, {1, 1, 0, 0, 1, 1})},
                      Case{{0, 3, 9}, {9, 3, 3}, conv({}, {}, {})}, Case{{1, 0, 9}, {9, 0, 3}, conv({}, {}, {})},
                      Case{{1, 3, 0, 9}, {9, 3, 2, 2}, conv({}, {}, {1, 1, 1, 1})}));

TEST(Conv, ATapOutsideTheImageStillMultipliesAZero) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto x = Tensor::of<float>({1, 1, 9}, std::vector<float>(9, 1));
  for (const std::int64_t filters : {1, 5, 9}) {  // every algorithm
    std::vector<float> kernel;
    for (std::int64_t m = 0; m < filters; ++m) kernel.insert(kernel.end(), {inf, 1});
    const Tensor y = run_one(conv({}, {}, {1, 0}, 1, false), {x, Tensor::of<float>({filters, 1, 2}, kernel)});
    EXPECT_TRUE(std::isnan(y.as<float>()[0])) << filters;
    EXPECT_EQ(y.as<float>()[1], inf) << filters;
  }
}

Tensor normal(Shape shape, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> number;
  Tensor x({DType::f32, std::move(shape)});
  for (float& value : x.as<float>()) value = number(random);
  return x;
}

TEST(Conv, InF32IsWithinTheBoundOfADotProductOfF64) {
  const Case cases[] = {{{1, 3, 41, 37}, {13, 3, 7, 7}, conv({2, 2}, {}, {3, 3, 3, 3}, 1, false)},
                        {{1, 131, 7, 7}, {67, 131, 3, 3}, conv({}, {}, {1, 1, 1, 1}, 1, false)},
                        {{2, 38, 9, 11}, {26, 19, 3, 3}, conv({}, {2, 2}, {2, 2, 2, 2}, 2, false)},
                        {{1, 131, 7, 7}, {5, 131, 3, 3}, conv({}, {}, {1, 1, 1, 1}, 1, false)}};
  for (const Case& c : cases) {
    std::vector<Tensor> in = {normal(c.x, 1), normal(c.w, 2)};
    const Tensor y = run_one(c.op, in);
    for (Tensor& x : in) x = ir::convert(x, DType::f64);
    const Tensor truth = run_one(c.op, in);
    for (Tensor& tensor : in)
      for (double& x : tensor.as<double>()) x = std::abs(x);
    const Tensor magnitude = run_one(c.op, in);
    for (std::size_t i = 0; i < y.as<float>().size(); ++i) {
      const double limit = static_cast<double>(c.w.elements() / c.w[0] + 1) * 0x1p-24 * magnitude.as<double>()[i];
      ASSERT_LE(std::abs(y.as<float>()[i] - truth.as<double>()[i]), limit) << "element " << i << " of " << y.shape();
    }
  }
}

TEST(Conv, TheBitsDoNotDependOnTheThreads) {
  const Case cases[] = {{{2, 17, 33, 29}, {21, 17, 3, 3}, conv({}, {}, {1, 1, 1, 1}, 1, false)},
                        {{1, 70, 13, 11}, {150, 70, 3, 3}, conv({}, {}, {1, 1, 1, 1}, 1, false)},
                        {{2, 17, 33, 29}, {7, 17, 3, 3}, conv({}, {}, {1, 1, 1, 1}, 1, false)},
                        {{2, 17, 33, 29}, {17, 1, 3, 3}, conv({}, {}, {1, 1, 1, 1}, 17, false)}};
  for (const Case& c : cases) {
    const std::vector<Tensor> in = {normal(c.x, 5), normal(c.w, 6)};
    const Tensor once = run_one(c.op, in, 1);
    for (const int threads : {2, 7, 16})
      EXPECT_TRUE(std::ranges::equal(run_one(c.op, in, threads).bytes(), once.bytes())) << threads << " threads";
  }
}

}  // namespace
}  // namespace plumb::ref_cpu::conv_test
