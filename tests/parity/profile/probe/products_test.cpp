#include "parity/profile/probe/products.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/parity/suspect.hpp"
#include "tests/support/emulated_device.hpp"

namespace plumb::parity::profile::probe::products_test {
namespace {

/// The visible properties of a device: products that fit into the accumulator, or are cut off again at the same place,
/// are exact; terms that lose nothing are aligned in any way.
profile::Products visible(profile::Products p) {
  const bool cut_twice =
      p.rounding == profile::Rounding::truncating && p.extra_bits == 0 && p.normalized == profile::Known::yes;
  if (cut_twice || 2 * p.operand_bits <= p.accumulator_bits) p.exact_products = profile::Known::yes;
  if (p.extra_bits == profile::Products::every_bit) p.normalized = profile::Known::yes;
  return p;
}

std::string difference(const profile::Products& wanted, const profile::Products& found) {
  const auto text = [](const profile::Products& p) { return profile::to_toml({.products = {p}}); };
  return "wanted " + text(wanted) + "\nfound " + text(found);
}

struct Accumulator {
  const char* name;
  int bits, extra;
};

void PrintTo(const Accumulator& accumulator, std::ostream* out) { *out << accumulator.name; }

/// Every block, accumulator, rounding, with and without subnormals and fma, of f16 and f32 operands.
class EmulatedProducts : public ::testing::TestWithParam<std::tuple<int, Accumulator, profile::Rounding>> {};

TEST_P(EmulatedProducts, AreNamedRightly) {
  const auto [block, accumulator, rounding] = GetParam();
  for (const auto& [dtype, bits] : {std::pair{ir::DType::f16, 11}, {ir::DType::f32, 24}})
    for (const profile::Subnormals subnormals : {profile::Subnormals::kept, profile::Subnormals::flushed})
      for (const profile::Known fused : {profile::Known::yes, profile::Known::no})
        for (const profile::Known normalized : {profile::Known::yes, profile::Known::no}) {
          const profile::Products device = {.unit = ir::SumUnit::matrix,
                                            .operands = dtype,
                                            .operand_bits = bits,
                                            .exact_products = fused,
                                            .accumulator_bits = accumulator.bits,
                                            .extra_bits = accumulator.extra,
                                            .normalized = normalized,
                                            .rounding = rounding,
                                            .block = block,
                                            .subnormals = subnormals};
          testing::EmulatedDevice executor({.products = {device}});
          const auto found = profile::probe::probe_products(executor, false, dtype, {2, 2});
          ASSERT_TRUE(found);
          EXPECT_EQ(*found, visible(device)) << difference(visible(device), *found);
        }
}

INSTANTIATE_TEST_SUITE_P(Models, EmulatedProducts,
                         ::testing::Combine(::testing::Values(1, 2, 4, 8, 16),
                                            ::testing::Values(Accumulator{"f16", 11, profile::Products::every_bit},
                                                              Accumulator{"f32", 24, profile::Products::every_bit},
                                                              Accumulator{"f32_0", 24, 0}, Accumulator{"f32_1", 24, 1},
                                                              Accumulator{"f32_2", 24, 2}, Accumulator{"f32_3", 24, 3}),
                                            ::testing::Values(profile::Rounding::nearest,
                                                              profile::Rounding::truncating)),
                         [](const auto& test) {
                           return "block" + std::to_string(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param).name + "_" +
                                  std::string(ir::enum_name(std::get<2>(test.param)));
                         });

/// A device that is none of those above in one way.
profile::Products odd(ir::DType operands, int profile::Products::*member, int value) {
  const int bits = operands == ir::DType::f32 ? 24 : operands == ir::DType::f16 ? 11 : 8;
  profile::Products one = {.unit = ir::SumUnit::fma,
                           .operands = operands,
                           .operand_bits = bits,
                           .exact_products = profile::Known::yes,
                           .accumulator_bits = 24,
                           .extra_bits = profile::Products::every_bit,
                           .normalized = profile::Known::yes,
                           .rounding = profile::Rounding::nearest,
                           .block = 1,
                           .subnormals = profile::Subnormals::kept};
  one.*member = value;
  return one;
}

TEST(ProbeProducts, SeesWhereSumsBegin) {
  for (const profile::Products& device :
       {odd(ir::DType::f16, &profile::Products::group, 8), odd(ir::DType::f32, &profile::Products::group, 4)}) {
    testing::EmulatedDevice executor({.products = {device}});
    const auto found = profile::probe::probe_products(executor, false, device.operands, {2, 2});
    EXPECT_EQ(found, device) << difference(device, *found);
  }
}

profile::Levels in_lanes(std::int64_t count) { return {{}, {count, ir::SumTake::every, ir::SumJoin::pair}}; }
profile::Levels in_chunks(std::int64_t count) { return {{count}, {}}; }

TEST(ProbeProducts, SeesTheUnitThroughTheLevelsOfItsKernel) {
  for (const auto& [operands, levels] : {std::pair{ir::DType::f32, in_lanes(16)},
                                         {ir::DType::f16, in_lanes(64)},
                                         {ir::DType::f32, in_chunks(64)},
                                         {ir::DType::bf16, in_chunks(256)}}) {
    const profile::Products device = odd(operands, &profile::Products::block, 1);
    testing::EmulatedDevice executor({.products = {device}}, levels);
    for (const profile::Levels& published : {levels, profile::Levels{}}) {  // whether it says so or not
      executor.published = published;
      const auto found = profile::probe::probe_products(executor, false, operands, {2, 2});
      EXPECT_EQ(found, device) << difference(device, *found);
    }
  }
}

TEST(ProbeProducts, OfAKernelThatDoesNotAddAsItSaysAreUnknown) {
  const profile::Products device = odd(ir::DType::f32, &profile::Products::block, 1);
  testing::EmulatedDevice executor({.products = {device}}, in_chunks(64));
  executor.published = in_chunks(32);
  const auto found = profile::probe::probe_products(executor, false, ir::DType::f32, {2, 2});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_known());
}

TEST(ProbeProducts, AreNamedByTheUnitAndNeverByTheKernel) {
  profile::Products device = odd(ir::DType::f16, &profile::Products::block, 1);
  device.unit = ir::SumUnit::either;
  device.accumulator = ir::DType::f16;
  testing::EmulatedDevice executor({.products = {device}});
  executor.kernel = "coopmat_bf16_split4";
  EXPECT_EQ(profile::probe::probe_products(executor, false, ir::DType::f16, {2, 2}), device);
}

TEST(ProbeProducts, SeesOperandsThatLoseBits) {
  for (const int bits : {8, 11, 16}) {
    const profile::Products device = odd(ir::DType::f32, &profile::Products::operand_bits, bits);
    testing::EmulatedDevice executor({.products = {device}});
    EXPECT_EQ(profile::probe::probe_products(executor, false, ir::DType::f32, {2, 2}), visible(device)) << bits;
  }
}

TEST(ProbeProducts, SaysThatItDoesNotKnowWhatFitsNoModel) {
  testing::Suspect executor;  // every sum ends one last place off
  executor.tamper = [](const ir::Node&, ir::Tensor& y) {
    for (float& x : y.as<float>()) x = std::nextafter(x, 1e30f);
  };
  const auto found = profile::probe::probe_products(executor, true, ir::DType::f32, {2, 2});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_known());
  EXPECT_EQ(found->rounding, profile::Rounding::unknown);
}

TEST(ProbeProducts, OfAHostInPlaceOfTheDeviceSayNothing) {
  testing::Suspect executor;
  executor.on_host = {"y"};
  EXPECT_FALSE(profile::probe::probe_products(executor, false, ir::DType::f32, {2, 2}));
}

}  // namespace
}  // namespace plumb::parity::profile::probe::products_test
