#include "ir/ops/histogram.hpp"

#include <gtest/gtest.h>

#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::histogram_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Histogram;

void check(const Histogram& op, const Tensor& x, const std::vector<std::int64_t>& counts) {
  const Tensor y = Tensor::of<std::int64_t>({op.bins}, counts);
  testing::check_cpu(op, {x}, {y});
  testing::check_gpu(op, {x}, {y});
}

/// One bin after the other, each element by itself.
void check_against_search(Histogram op, const Tensor& x) {
  SCOPED_TRACE(ir::cat(x.type(), " bins ", op.bins));
  const std::vector<double> edges = op.edges(x.dtype());
  std::vector<std::int64_t> counts(static_cast<std::size_t>(op.bins), 0);
  ir::visit_number(x.dtype(), [&]<class T>(T) {
    for (const T element : x.as<T>()) {
      const auto value = static_cast<long double>(static_cast<ir::compute_t<T>>(element));
      if (!(value >= edges.front() && value <= edges.back())) continue;
      std::size_t bin = 0;
      while (bin + 1 < counts.size() && edges[bin + 1] <= value) ++bin;
      ++counts[bin];
    }
  });
  check(op, x, counts);
  op.index_dtype = DType::i32;
  const std::vector<std::int32_t> narrow(counts.begin(), counts.end());
  testing::check_gpu(op, {x}, {Tensor::of<std::int32_t>({op.bins}, narrow)});
}

TEST(Histogram, EveryDtype) {
  for (const DType dtype : {DType::u8, DType::i8, DType::u16, DType::i16, DType::i32, DType::u32, DType::i64,
                            DType::f16, DType::bf16, DType::f32, DType::f64}) {
    check_against_search({11, -100.5, 99.7}, tests::noise({dtype, {3, 331}}));
    check_against_search({7, -1.3, 1.1}, testing::random_tensor({dtype, {1009}}, 3));
  }
}

TEST(Histogram, Shapes) {
  check({3, 0, 1}, Tensor({DType::f32, {0, 5}}), {0, 0, 0});
  check({1, 0, 1}, Tensor::of<float>({}, {0.5f}), {1});
  check_against_search({2049, -3, 3}, testing::random_tensor({DType::f32, {20011}}, 1));
  check_against_search({10, -3, 3}, testing::random_tensor({DType::f32, {2, 50021}}, 2));
}

TEST(Histogram, NumbersBesideAnEdge) {
  // Thirds are no numbers of either type; the neighbours of each are told apart.
  std::vector<float> beside;
  for (const double edge : Histogram{3, 0, 1}.edges(DType::f32)) {
    const auto near = static_cast<float>(edge);
    for (const float x : {std::nextafter(near, -1.0f), near, std::nextafter(near, 2.0f)}) beside.push_back(x);
  }
  check_against_search({3, 0, 1}, Tensor::of<float>({12}, beside));
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  check({2, -1, 1}, Tensor::of<float>({6}, {inf, -inf, nan, -0.0f, 1, -1}), {1, 2});
}

/// The width of the interval is no double: every edge is max or, as that times 0, none at all.
TEST(Histogram, AnIntervalWiderThanTheLargestDouble) {
  check({3, -1.5e308, 1.5e308}, Tensor::of<double>({4}, {-1.5e308, 0, 1e308, 1.5e308}), {0, 0, 1});
}

TEST(Histogram, IntegersBeyondDoubles) {
  constexpr std::int64_t big = std::int64_t{1} << 53;
  check({2, 0x1p53, 0x1p53 + 4}, Tensor::of<std::int64_t>({5}, {big - 1, big, big + 1, big + 3, big + 5}), {2, 1});
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  check({2, -0x1p64, 0x1p64}, Tensor::of<std::int64_t>({3}, {least, 0, most}), {1, 2});
  check({2, 0x1p63, 0x1p64}, Tensor::of<std::int64_t>({2}, {least, most}), {0, 0});
  check({4, -10, 300}, Tensor::of<std::uint8_t>({3}, {0, 255, 100}), {1, 1, 0, 1});
  check({1, -20, -10}, Tensor::of<std::uint8_t>({2}, {0, 255}), {0});
}

/// The interval is checked as it is computed with, like the graph that the truth is made of.
TEST(Histogram, AnIntervalThatItsDtypeCannotHoldIsRefused) {
  for (const Histogram& op : {Histogram{2, 0, 1e300}, Histogram{2, 1, 1 + 1e-12}}) {
    const ir::TensorType narrow[] = {{DType::f16, {3}}}, wide[] = {{DType::f64, {3}}}, whole[] = {{DType::i32, {3}}};
    EXPECT_THROW(op.infer(narrow), ir::Error) << op.max;
    EXPECT_NO_THROW(op.infer(wide)) << op.max;
    EXPECT_NO_THROW(op.infer(whole)) << op.max;
  }
}

/// ops.md K.2.
TEST(Histogram, WhatTheContractListsByHand) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  check({4, 0, 1}, Tensor::of<float>({9}, {0, -0.0f, 0.1f, 0.25f, 0.5f, 1, 1.0001f, nan, -0.1f}), {3, 1, 1, 1});
  check({10, 0, 1}, Tensor::of<float>({2}, {0.3f, 0.7f}), {0, 0, 0, 1, 0, 0, 1, 0, 0, 0});
  constexpr std::int64_t big = std::int64_t{1} << 53;
  check({2, 0x1p53, 0x1p53 + 4}, Tensor::of<std::int64_t>({2}, {big + 1, big + 2}), {1, 1});
}

}  // namespace
}  // namespace plumb::histogram_test
