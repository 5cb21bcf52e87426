#include "ir/ops/conv.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/op_check.hpp"

namespace plumb::conv_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::Conv;
using testing::check_op;
using testing::random_tensor;

struct Case {
  const char* what;
  Shape x, w;
  Conv op;
};

Conv conv(std::vector<std::int64_t> strides, std::vector<std::int64_t> dilations, std::vector<std::int64_t> pads,
          std::int64_t group = 1, bool has_bias = true) {
  return {std::move(strides), std::move(dilations), std::move(pads), group, has_bias};
}

class ConvOf : public ::testing::TestWithParam<DType> {};

TEST_P(ConvOf, AgreesOnEveryGeometry) {
  const Case cases[] = {
      {"one axis", {2, 3, 70}, {4, 3, 3}, conv({}, {}, {})},
      {"pointwise", {2, 30, 7, 5}, {40, 30, 1, 1}, conv({}, {}, {})},
      {"pointwise, whole pieces", {3, 32, 6, 12}, {40, 32, 1, 1}, conv({}, {}, {})},
      {"pointwise, filters for a product", {3, 24, 4, 6}, {101, 24, 1, 1}, conv({}, {}, {})},
      {"pointwise, one axis, one filter", {2, 24, 40}, {1, 24, 1}, conv({}, {}, {})},
      {"pointwise, three axes, groups", {2, 32, 2, 4, 8}, {194, 16, 1, 1, 1}, conv({}, {2, 2, 2}, {}, 2, false)},
      {"pointwise, groups with a bias", {2, 32, 16}, {6, 16, 1}, conv({}, {}, {}, 2)},
      {"pointwise by strides", {2, 32, 16, 8}, {20, 32, 1, 1}, conv({2, 1}, {}, {})},
      {"pointwise in padding", {2, 16, 6}, {17, 16, 1}, conv({2}, {}, {2, 3})},
      {"pointwise of no channel", {2, 0, 8}, {3, 0, 1}, conv({}, {}, {})},
      {"kernel as large as the image", {3, 2, 5, 6}, {33, 2, 5, 6}, conv({}, {}, {})},
      {"stride beyond the kernel", {2, 2, 21, 23}, {5, 2, 2, 3}, conv({5, 4}, {}, {})},
      {"asymmetric pads", {1, 2, 29, 18}, {3, 2, 3, 2}, conv({2, 1}, {2, 3}, {0, 1, 2, 3})},
      {"dilated kernel wider than the image", {8, 2, 3}, {9, 2, 3}, conv({}, {4}, {3, 4})},
      {"pads beyond the kernel", {2, 2, 3, 3}, {5, 2, 3, 3}, conv({2, 2}, {}, {5, 4, 3, 6})},
      {"depthwise", {2, 6, 9, 7}, {6, 1, 3, 3}, conv({}, {}, {1, 1, 1, 1}, 6)},
      {"two filters a channel", {1, 5, 6, 30}, {10, 1, 3, 5}, conv({2, 3}, {1, 2}, {1, 4, 0, 4}, 5, false)},
      {"groups", {2, 8, 6, 5}, {12, 2, 3, 3}, conv({}, {}, {1, 1, 1, 1}, 4)},
      {"one channel, many filters", {1, 1, 20, 20}, {7, 1, 3, 3}, conv({}, {}, {1, 1, 1, 1}, 1, false)},
      {"three axes", {1, 2, 4, 5, 6}, {13, 2, 2, 3, 2}, conv({2, 1, 2}, {1, 2, 1}, {1, 1, 0, 0, 1, 1})},
      {"three axes, depthwise", {1, 2, 4, 5, 6}, {2, 1, 3, 3, 3}, conv({}, {}, {1, 1, 1, 1, 1, 1}, 2)},
      {"many terms", {1, 70, 9, 9}, {5, 70, 3, 3}, conv({}, {}, {1, 1, 1, 1})},
      {"several tiles", {9, 3, 17, 19}, {65, 3, 3, 3}, conv({}, {}, {1, 1, 1, 1})},
      {"3 x 3", {2, 16, 13, 11}, {24, 16, 3, 3}, conv({}, {}, {1, 1, 1, 1})},
      {"3 x 3 by 2, tails everywhere", {3, 5, 19, 17}, {33, 5, 3, 3}, conv({2, 2}, {}, {1, 0, 2, 1})},
      {"a stem of 7 x 7 by 2", {2, 3, 31, 29}, {64, 3, 7, 7}, conv({2, 2}, {}, {3, 3, 3, 3}, 1, false)},
      {"dilated, steps of the image's own", {2, 9, 14, 15}, {17, 9, 3, 2}, conv({1, 3}, {3, 2}, {2, 0, 4, 1})},
      {"positions of one tile less one", {1, 8, 33}, {16, 8, 3}, conv({}, {}, {}, 1, false)},
      {"positions of one tile", {1, 8, 34}, {16, 8, 3}, conv({}, {}, {})},
      {"positions of one tile and one", {1, 8, 35}, {15, 8, 3}, conv({}, {}, {})},
      {"filters of one tile and one", {2, 4, 6, 6}, {33, 4, 2, 2}, conv({}, {}, {})},
      {"large enough for constant terms", {4, 32, 24, 24}, {48, 32, 3, 3}, conv({}, {}, {1, 1, 1, 1})},
      {"large, an odd number of terms", {3, 21, 35, 35}, {65, 21, 3, 3}, conv({}, {}, {1, 1, 1, 1})},
      {"one axis, large", {5, 24, 1100}, {40, 24, 5}, conv({}, {3}, {4, 2})},
      {"5 x 4, asymmetric pads, odd channels", {2, 19, 30, 21}, {37, 19, 5, 4}, conv({}, {}, {4, 0, 1, 5})},
      {"dilated, no padding, groups", {5, 32, 31, 27}, {48, 16, 3, 3}, conv({}, {2, 3}, {}, 2)},
      {"images of few lines, large", {70, 17, 5, 4}, {131, 17, 3, 2}, conv({}, {}, {1, 1, 1, 0}, 1, false)},
      {"groups of many filters", {2, 32, 9, 9}, {48, 16, 3, 3}, conv({}, {}, {1, 1, 1, 1}, 2)},
      {"a kernel of more coordinates than bits", {1, 2, 50}, {9, 2, 32}, conv({}, {}, {})},
      {"no image", {0, 2, 5}, {3, 2, 3}, conv({}, {}, {})},
      {"no filter", {2, 2, 5}, {0, 2, 3}, conv({}, {}, {})},
      {"nothing but padding", {1, 3, 0, 4}, {2, 3, 2, 2}, conv({}, {}, {1, 1, 1, 1})},
  };
  for (std::size_t k = 0; k < std::size(cases); ++k) {
    const Case& c = cases[k];
    if (!testing::takes_case(GetParam(), k)) continue;
    SCOPED_TRACE(c.what);
    const std::uint64_t seed = 3 * k + 1;
    std::vector<Tensor> in = {random_tensor({GetParam(), c.x}, seed), random_tensor({GetParam(), c.w}, seed + 1)};
    if (c.op.has_bias) in.push_back(random_tensor({GetParam(), {c.w[0]}}, seed + 2));
    check_op(c.op, in);
  }
}

INSTANTIATE_TEST_SUITE_P(, ConvOf, ::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64),
                         [](const auto& test) { return std::string(ir::info(test.param).name); });

TEST(Conv, NoChannelLeavesTheBias) {
  testing::check_gpu(conv({}, {}, {}),
                     {Tensor({DType::f32, {1, 0, 3}}), Tensor({DType::f32, {2, 0, 2}}), Tensor::of<float>({2}, {3, 4})},
                     {Tensor::of<float>({1, 2, 2}, {3, 3, 4, 4})});
}

TEST(Conv, ATapOutsideTheImageStillMultipliesAZero) {
  const auto x = Tensor::of<float>({1, 1, 3}, {1, 1, 1});
  for (const std::int64_t filters : {1, 5}) {  // both kernels
    std::vector<float> w, y;
    for (std::int64_t m = 0; m < filters; ++m) {
      w.insert(w.end(), {INFINITY, 1});
      y.insert(y.end(), {NAN, INFINITY, INFINITY});
    }
    testing::check_gpu(conv({}, {}, {1, 0}, 1, false), {x, Tensor::of<float>({filters, 1, 2}, w)},
                       {Tensor::of<float>({1, filters, 3}, y)});
  }
}

TEST(Conv, HasMoreWorkgroupsThanOneDimensionHolds) {
  check_op(conv({}, {}, {}, 1, false),
           {random_tensor({DType::f32, {65537, 2, 2}}, 1), random_tensor({DType::f32, {2, 2, 2}}, 2)});
  check_op(conv({}, {}, {}, 1, false),
           {random_tensor({DType::f32, {1, 1, 65536 * 64 + 3}}, 1), random_tensor({DType::f32, {1, 1, 2}}, 2)});
}

}  // namespace
}  // namespace plumb::conv_test
