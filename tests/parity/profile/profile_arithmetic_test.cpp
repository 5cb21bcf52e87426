#include "parity/profile/profile_arithmetic.hpp"

#include <gtest/gtest.h>

#include "ir/ops/matmul.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/emulated_device.hpp"

namespace plumb::parity::profile_arithmetic_test {
namespace {

const std::vector<ir::Sum> by_matrix = {{.unit = ir::SumUnit::matrix}};

/// A matrix unit whose sums are f32.
profile::Products unit(profile::Rounding rounding, int block, int extra_bits) {
  return {.unit = ir::SumUnit::matrix,
          .operands = ir::DType::f16,
          .operand_bits = 11,
          .exact_products = profile::Known::yes,
          .accumulator_bits = 24,
          .extra_bits = extra_bits,
          .normalized = profile::Known::yes,
          .rounding = rounding,
          .block = block,
          .subnormals = profile::Subnormals::kept};
}

TEST(ProfileArithmetic, IsWhatTheUnitDoes) {
  const auto nearest = profile::arithmetic_of(unit(profile::Rounding::nearest, 8, profile::Products::every_bit));
  EXPECT_FALSE(nearest.truncates);
  EXPECT_EQ(nearest.accumulator, 0x1p-24);
  const auto cut = profile::arithmetic_of(unit(profile::Rounding::truncating, 16, profile::Products::every_bit));
  EXPECT_TRUE(cut.truncates);
  EXPECT_EQ(cut.accumulator, 0x1p-24);
  EXPECT_EQ(cut.block, 16);
  profile::Products half = unit(profile::Rounding::nearest, 1, profile::Products::every_bit);
  half.accumulator_bits = 11;
  EXPECT_EQ(profile::arithmetic_of(half).accumulator, 0x1p-11);
  half.exact_products = profile::Known::no;
  EXPECT_EQ(profile::arithmetic_of(half).accumulator, 0x1p-10);
}

TEST(ProfileArithmetic, CountsWhatTermsLoseWhenTheyAreAligned) {
  EXPECT_EQ(profile::arithmetic_of(unit(profile::Rounding::truncating, 16, 2)).block,
            5);  // 16 / (1 + 16/8)
  EXPECT_TRUE(profile::arithmetic_of(unit(profile::Rounding::nearest, 16, 2)).truncates);
  const auto wide = profile::arithmetic_of(unit(profile::Rounding::truncating, 4, 0));  // 6 places a block of 4 at most
  EXPECT_EQ(wide.block, 1);
  EXPECT_EQ(wide.accumulator, 1.5 * 0x1p-24);
}

TEST(ProfileArithmetic, OfWhatIsNotKnownIsTheSafeScale) {
  const auto is_safe = [](const bounds::Arithmetic& got) {
    const auto safe = bounds::safe_arithmetic(by_matrix);
    return got.truncates == safe.truncates && got.block == safe.block;
  };
  ASSERT_TRUE(bounds::safe_arithmetic(by_matrix).truncates);
  profile::Products products = unit(profile::Rounding::unknown, 16, profile::Products::every_bit);
  EXPECT_TRUE(is_safe(profile::arithmetic_of(products)));
  products = unit(profile::Rounding::nearest, 16, profile::Products::every_bit);
  products.extra_bits.reset();
  EXPECT_TRUE(is_safe(profile::arithmetic_of(products)));
  products = unit(profile::Rounding::truncating, 0, profile::Products::every_bit);
  products.accumulator_bits = 11;
  EXPECT_TRUE(is_safe(profile::arithmetic_of(products)));
  EXPECT_EQ(profile::arithmetic_of(products).accumulator, 0x1p-11);
  const profile::DeviceProfile other{.products = {unit(profile::Rounding::nearest, 1, profile::Products::every_bit)}};
  ir::Graph graph;
  graph.add("y", ir::ops::Matmul{},
            {graph.input("a", {ir::DType::bf16, {2, 3}}), graph.input("b", {ir::DType::bf16, {3, 2}})});
  EXPECT_TRUE(is_safe(profile::arithmetic_of(&other, by_matrix, graph)));
  EXPECT_TRUE(is_safe(profile::arithmetic_of(nullptr, by_matrix, graph)));
}

ir::Graph product_of(ir::DType dtype) {
  ir::Graph graph;
  graph.add("y", ir::ops::Matmul{}, {graph.input("a", {dtype, {2, 3}}), graph.input("b", {dtype, {3, 2}})});
  return graph;
}

/// A profile counts only for the unit kind and the dtypes that it was measured on.
TEST(ProfileArithmetic, CountsForTheUnitAndDtypesThatWereMeasured) {
  profile::Products sixteen = unit(profile::Rounding::truncating, 16, profile::Products::every_bit);
  const profile::DeviceProfile profile{.products = {sixteen}};
  const auto block = [&](const ir::Sum& sum, ir::DType operands) {
    return profile::arithmetic_of(&profile, {&sum, 1}, product_of(operands)).block;
  };
  EXPECT_EQ(block({.unit = ir::SumUnit::matrix}, ir::DType::f16), 16);
  EXPECT_EQ(block({.unit = ir::SumUnit::matrix}, ir::DType::bf16), 0);
  EXPECT_EQ(block({.unit = ir::SumUnit::matrix, .accumulator = ir::DType::f16}, ir::DType::f16), 1);
  EXPECT_EQ(block({.unit = ir::SumUnit::fma}, ir::DType::f16), 0);
  EXPECT_EQ(block({.unit = ir::SumUnit::matrix, .levels = {{16, ir::SumTake::run, ir::SumJoin::unit}, {}, {4}}},
                  ir::DType::f16),
            16);  // slices are a level: they change nothing of the unit
}

/// A kernel of which nothing is known may cut off narrow products; a unit that was measured is known.
TEST(ProfileArithmetic, OfAnUnknownUnitIsTheSafeScale) {
  EXPECT_TRUE(profile::unknown_arithmetic(nullptr, product_of(ir::DType::f16)).truncates);
  EXPECT_EQ(profile::unknown_arithmetic(nullptr, product_of(ir::DType::bf16)).cut(), 3);  // verdict.md V26
  EXPECT_FALSE(profile::unknown_arithmetic(nullptr, product_of(ir::DType::f32)).truncates);
  profile::Products nearest = unit(profile::Rounding::nearest, 1, profile::Products::every_bit);
  nearest.unit = ir::SumUnit::either;
  const profile::DeviceProfile profile{.products = {nearest}};
  EXPECT_FALSE(profile::unknown_arithmetic(&profile, product_of(nearest.operands)).truncates);
  EXPECT_TRUE(profile::unknown_arithmetic(&profile, product_of(ir::DType::bf16)).truncates);
}

TEST(ProfileArithmetic, OfSeveralSumsIsThatOfTheMatrixUnit) {
  const profile::DeviceProfile profile{
      .products = {unit(profile::Rounding::truncating, 16, profile::Products::every_bit)}};
  const std::vector<ir::Sum> attention = {{.of = ir::SumName::scores, .unit = ir::SumUnit::matrix},
                                          {.of = ir::SumName::row_sum},
                                          {.of = ir::SumName::values, .unit = ir::SumUnit::matrix}};
  EXPECT_EQ(profile::arithmetic_of(&profile, attention, product_of(ir::DType::f16)).block, 16);
  auto in_part_unknown = attention;
  in_part_unknown[2].accumulator = ir::DType::f16;
  const auto safe = profile::arithmetic_of(&profile, in_part_unknown, product_of(ir::DType::f16));
  EXPECT_EQ(safe.accumulator, 0x1p-10);
}

/// A product of 4 x K by K x 8 numbers in [0.5, 1), by a device, judged by a profile.
cases::NodeResult judged(const profile::Products& device, const profile::DeviceProfile* profile) {
  constexpr auto graph = R"({"format": "plumb.graph/1", "why": "long sums of one sign",
    "inputs": {"a": {"type": "f16[4, 2048]", "fill": {"distribution": "uniform", "low": 0.5, "high": 1}},
               "b": {"type": "f16[2048, 8]", "fill": {"distribution": "uniform", "low": 0.5, "high": 1}}},
    "params": {},
    "nodes": [{"label": "y", "op": "matmul", "inputs": ["a", "b"], "output_dtype": "f32"}], "results": ["y"]})";
  testing::EmulatedDevice emulated({.name = "unit", .products = {device}});
  ref_cpu::CpuExecutor reference;
  cases::Observer observer;
  return verify::verify(testing::make_case(graph), {.reference = reference, .candidate = &emulated, .profile = profile},
                        {}, observer)
      .nodes.at(0);
}

TEST(ProfileArithmetic, OfTheDeviceItselfLetsItPass) {
  for (const auto& [block, extra_bits] : {std::pair{4, 0}, {8, 1}, {16, 2}, {16, profile::Products::every_bit}}) {
    const profile::Products cut = unit(profile::Rounding::truncating, block, extra_bits);
    const profile::DeviceProfile profile{.products = {cut}};
    const cases::NodeResult result = judged(cut, &profile);
    EXPECT_EQ(result.verdict, core::Verdict::passed) << block << ' ' << extra_bits << ": " << result.why;
    EXPECT_GT(result.local.ratio(), 0.05) << block << ' ' << extra_bits;
  }
}

TEST(ProfileArithmetic, OfABetterDeviceFindsTheCutOffs) {
  const profile::DeviceProfile profile{
      .products = {unit(profile::Rounding::nearest, 16, profile::Products::every_bit)}};
  EXPECT_EQ(judged(profile.products[0], &profile).verdict, core::Verdict::passed);
  EXPECT_EQ(judged(unit(profile::Rounding::truncating, 4, profile::Products::every_bit), &profile).verdict,
            core::Verdict::failed);
  EXPECT_EQ(judged(unit(profile::Rounding::truncating, 4, profile::Products::every_bit), nullptr).verdict,
            core::Verdict::passed);
}

TEST(ProfileArithmetic, LetsNarrowSumsBeNarrow) {
  profile::Products half = unit(profile::Rounding::nearest, 1, profile::Products::every_bit);
  half.accumulator_bits = 11;
  const profile::DeviceProfile profile{.products = {half}};
  EXPECT_EQ(judged(half, nullptr).verdict, core::Verdict::failed);
  const cases::NodeResult result = judged(half, &profile);
  EXPECT_EQ(result.verdict, core::Verdict::mistrusted) << result.why;  // such sums of 2048 terms say little
  EXPECT_LE(result.local.ratio(), 1);
}

}  // namespace
}  // namespace plumb::parity::profile_arithmetic_test
