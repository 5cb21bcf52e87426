#include <algorithm>
#include <set>

#include "gpu_vulkan/cache/calibration_file.hpp"
#include "gpu_vulkan/calibrate/calibrate.hpp"
#include "ir/ops/matmul.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/support/temporary_folder.hpp"

namespace plumb::gpu_vulkan::calibration_test {
namespace {

using ir::DType;

device::Calibration sample() {
  return {.host_to_device = 2.5e10,
          .device_to_host = 1.25e10,
          .device_copy = 4e12,
          .submit_microseconds = 12.5,
          .rates = {{"matmul_wide", 4.8e13}},
          .products = {{"matmul_wide", {512, 768, 3072}, {{"64x64x16", 21.5}, {"128x128x16", 30}}}}};
}

std::string why_refused(std::string_view text) try {
  cache::calibration_of(text, "c.txt", testing::h200());
  return "";
} catch (const ir::Error& error) {
  return error.what();
}

TEST(CalibrationFile, KeepsWhatWasMeasured) {
  const device::DeviceFacts facts = testing::h200();
  EXPECT_EQ(cache::calibration_of(cache::to_text(sample(), facts), "c.txt", facts), sample());
  EXPECT_EQ(cache::calibration_of(cache::to_text({}, facts), "c.txt", facts), device::Calibration{});
}

TEST(CalibrationFile, SaysWhichLineIsWrong) {
  const std::string good = cache::to_text(sample(), testing::h200());
  const auto with = [&](std::string_view line) { return why_refused(good + std::string(line)); };
  EXPECT_EQ(with(""), "");
  EXPECT_EQ(why_refused(""), "c.txt: says not which device it is of: wanted a line 'key'");
  EXPECT_EQ(why_refused("something"), "c.txt:1: wanted 'plumbline-calibration 1'");
  EXPECT_EQ(with("colour blue"),
            "c.txt:10: wanted device, key, host_to_device, device_to_host, device_copy, submit, "
            "rate or product, found 'colour'");
  EXPECT_EQ(with("submit fast"), "c.txt:10: wanted microseconds, a number above 0, found 'fast'");
  EXPECT_EQ(with("submit -1"), "c.txt:10: wanted microseconds, a number above 0, found '-1'");
  EXPECT_EQ(with("submit nan"), "c.txt:10: wanted microseconds, a number above 0, found 'nan'");
  EXPECT_EQ(with("submit inf"), "c.txt:10: wanted microseconds, a number above 0, found 'inf'");
  EXPECT_EQ(with("submit 1 2"), "c.txt:10: '2' is too much");
  EXPECT_EQ(with("product wide 1 2 3"), "c.txt:10: wanted batches");
  EXPECT_EQ(with("product wide 1 2 3 4"), "c.txt:10: wanted a tile");
  EXPECT_EQ(with("product wide 1 2 3 4 8x8x8"), "c.txt:10: wanted microseconds");
  EXPECT_EQ(with("product  1"), "c.txt:10: wanted a kernel, found two blanks");
  EXPECT_EQ(with("product wide 9223372036854775808 2 3 4 t 1"),
            "c.txt:10: wanted m, a number above 0, found '9223372036854775808'");
}

TEST(CalibrationFile, OfAnotherDeviceIsRefusedWhereItIsNamed) {
  const tests::TemporaryFolder folder;
  const auto path = folder.path / "c.txt";
  cache::store_calibration(path, sample(), testing::rdna3());
  EXPECT_EQ(cache::load_calibration(path.string(), testing::rdna3()), sample());
  EXPECT_THROW(cache::load_calibration(path.string(), testing::h200()), ir::Error);
  EXPECT_THROW(cache::load_calibration((folder.path / "none.txt").string(), testing::h200()), ir::Error);
  EXPECT_EQ(cache::load_calibration("off", testing::h200()), device::Calibration{});
  EXPECT_THROW(cache::store_calibration(path / "below a file.txt", sample(), testing::h200()), ir::Error);
}

using CalibrateOnDevice = testing::OnDevice;

TEST_F(CalibrateOnDevice, MeasuresEveryTileAndIsFollowed) {
  std::size_t steps = 0;
  const calibrate::CalibrateEffort little{.warm_ms = 0,
                                          .budget_ms = 0,
                                          .longest_ms = 1e9,
                                          .largest = 128,
                                          .dtypes = {DType::f32, DType::bf16},  // f16's tiles take minutes to compile
                                          .transfer_bytes = 1 << 20};
  calibrate::Calibrator calibrator(device::options_from_environment());
  const device::Calibration made = calibrator.measure(
      little, [&](std::string_view, std::size_t done, std::size_t sizes) { steps += done < sizes ? 1 : 0; });
  EXPECT_GT(made.host_to_device, 0);
  EXPECT_GT(made.device_to_host, 0);
  EXPECT_GT(made.device_copy, 0);
  EXPECT_GT(made.submit_microseconds, 0);
  ASSERT_FALSE(made.products.empty());
  EXPECT_LE(made.products.size(), steps);
  for (const device::TileTimes& one : made.products) {
    EXPECT_TRUE(std::ranges::is_sorted(one.times, {}, &device::TileTime::microseconds)) << one.kernel;
    std::set<std::string> names;
    for (const device::TileTime& time : one.times) EXPECT_TRUE(names.insert(time.tile).second) << time.tile;
  }
  const tests::TemporaryFolder folder;
  const auto path = folder.path / "c.txt";
  cache::store_calibration(path, made, calibrator.facts());
  const auto follower = testing::executor_with([&](device::VulkanOptions& o) { o.calibration = path.string(); });
  ir::Graph graph;
  const ir::TensorType square = {DType::f32, {128, 128}};
  graph.returns(graph.add("y", ir::ops::Matmul{}, {graph.input("a", square), graph.input("b", square)}));
  const plan::Plan plan = follower->plan(graph, {graph.results()});
  EXPECT_NE(plan.nodes[0].reason.find("measured for 128x128x128"), std::string::npos) << plan.nodes[0].reason;
}

/// How long a product may take is no limit to transfers: a copy that took longer was said to have copied 0 GB/s.
TEST_F(CalibrateOnDevice, TimesCopiesHoweverLongTheyTake) {
  const calibrate::CalibrateEffort impatient{
      .warm_ms = 0, .budget_ms = 0, .longest_ms = 0, .largest = 32, .dtypes = {}, .transfer_bytes = 1 << 20};
  const device::Calibration made =
      calibrate::Calibrator(device::options_from_environment()).measure(impatient, [](auto&&...) {});
  EXPECT_GT(made.device_copy, 1e6);  // a megabyte a second
}

/// Whole numbers whose sums of products every type here holds exactly.
ir::Tensor whole_numbers(const ir::TensorType& type, int step) {
  ir::Tensor wide({DType::f64, type.shape});
  int at = 0;
  for (double& x : wide.as<double>()) x = (at += step) % 5 - 2;
  return ir::convert(wide, type.dtype);
}

/// The products of every tile that a device's kernels have, by whole numbers: none rounds.
void expect_exact(DType dtype, std::int64_t m, std::int64_t k, std::int64_t n) {
  ir::Graph graph;
  const ir::TensorType a = {dtype, {m, k}}, b = {dtype, {k, n}};
  graph.returns(graph.add("y", ir::ops::Matmul{}, {graph.input("a", a), graph.input("b", b)}));
  const ir::Feeds feeds = {{"a", whole_numbers(a, 3)}, {"b", whole_numbers(b, 7)}};
  const auto left = ir::convert(feeds.at("a"), DType::f64), right = ir::convert(feeds.at("b"), DType::f64);
  for (const char* tile : {"128x128x8", "128x128x16", "128x128x32", "128x128x64", "64x64x16", "64x64x64", "32x32x8",
                           "32x32x16", "32x32x32", "32x32x64", "64x64x32", "16x16x32"}) {
    const auto executor = testing::executor_with([&](device::VulkanOptions& o) { o.tile = tile; });
    if (!executor->facts().holds(dtype)) GTEST_SKIP() << "no " << dtype << " in shaders";
    const auto y = ir::convert(executor->run(graph, feeds, graph.results()).at(graph.results()[0]), DType::f64);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::int64_t t = 0; t < k; ++t)
          sum += left.as<double>()[static_cast<std::size_t>(i * k + t)] *
                 right.as<double>()[static_cast<std::size_t>(t * n + j)];
        ASSERT_EQ(y.as<double>()[static_cast<std::size_t>(i * n + j)], sum) << tile << " at " << i << ", " << j;
      }
  }
}

TEST_F(CalibrateOnDevice, EveryTileGivesTheSameExactProducts) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    expect_exact(dtype, 136, 72, 144);
    expect_exact(dtype, 67, 131, 33);
  }
}

}  // namespace
}  // namespace plumb::gpu_vulkan::calibration_test
