#include "parity/probe/products.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/parity/suspect.hpp"
#include "tests/support/emulated_device.hpp"

namespace plumb::parity::probe {
namespace {

/// What can be seen of a device: products that fit into the accumulator, or are cut off again at the same place, are
/// exact; terms that lose nothing are aligned in any way.
Products visible(Products p) {
  const bool cut_twice = p.rounding == Rounding::truncating && p.extra_bits == 0 && p.normalized == Known::yes;
  if (cut_twice || 2 * p.operand_bits <= p.accumulator_bits) p.exact_products = Known::yes;
  if (p.extra_bits == Products::every_bit) p.normalized = Known::yes;
  return p;
}

std::string difference(const Products& wanted, const Products& found) {
  const auto text = [](const Products& p) { return to_toml({.products = {p}}); };
  return "wanted " + text(wanted) + "\nfound " + text(found);
}

struct Accumulator {
  const char* name;
  int bits, extra;
};

void PrintTo(const Accumulator& accumulator, std::ostream* out) { *out << accumulator.name; }

/// Every block, accumulator, rounding, with and without subnormals and fma, of f16 and f32 operands.
class EmulatedProducts : public ::testing::TestWithParam<std::tuple<int, Accumulator, Rounding>> {};

TEST_P(EmulatedProducts, AreNamedRightly) {
  const auto [block, accumulator, rounding] = GetParam();
  for (const auto& [dtype, bits] : {std::pair{ir::DType::f16, 11}, {ir::DType::f32, 24}})
    for (const Subnormals subnormals : {Subnormals::kept, Subnormals::flushed})
      for (const Known fused : {Known::yes, Known::no})
        for (const Known normalized : {Known::yes, Known::no}) {
          const Products device = {.kernel = "unit",
                                   .operands = dtype,
                                   .operand_bits = bits,
                                   .exact_products = fused,
                                   .accumulator_bits = accumulator.bits,
                                   .extra_bits = accumulator.extra,
                                   .normalized = normalized,
                                   .rounding = rounding,
                                   .block = block,
                                   .chunk = 0,
                                   .lanes = 1,
                                   .subnormals = subnormals};
          testing::EmulatedDevice executor({.products = {device}});
          const auto found = probe_products(executor, false, dtype, {2, 2});
          ASSERT_TRUE(found);
          EXPECT_EQ(*found, visible(device)) << difference(visible(device), *found);
        }
}

INSTANTIATE_TEST_SUITE_P(Models, EmulatedProducts,
                         ::testing::Combine(::testing::Values(1, 2, 4, 8, 16),
                                            ::testing::Values(Accumulator{"f16", 11, Products::every_bit},
                                                              Accumulator{"f32", 24, Products::every_bit},
                                                              Accumulator{"f32_0", 24, 0}, Accumulator{"f32_1", 24, 1},
                                                              Accumulator{"f32_2", 24, 2}, Accumulator{"f32_3", 24, 3}),
                                            ::testing::Values(Rounding::nearest, Rounding::truncating)),
                         [](const auto& test) {
                           return "block" + std::to_string(std::get<0>(test.param)) + "_" +
                                  std::get<1>(test.param).name + "_" +
                                  std::string(ir::enum_name(std::get<2>(test.param)));
                         });

/// A device that is none of those above in one way.
Products odd(ir::DType operands, int Products::*member, int value) {
  const int bits = operands == ir::DType::f32 ? 24 : operands == ir::DType::f16 ? 11 : 8;
  Products one = {.kernel = "unit",
                  .operands = operands,
                  .operand_bits = bits,
                  .exact_products = Known::yes,
                  .accumulator_bits = 24,
                  .extra_bits = Products::every_bit,
                  .normalized = Known::yes,
                  .rounding = Rounding::nearest,
                  .block = 1,
                  .lanes = 1,
                  .subnormals = Subnormals::kept};
  one.*member = value;
  return one;
}

TEST(ProbeProducts, SeesWhereSumsBegin) {
  for (const Products& device : {odd(ir::DType::f32, &Products::lanes, 16), odd(ir::DType::f16, &Products::lanes, 64),
                                 odd(ir::DType::f32, &Products::chunk, 64), odd(ir::DType::bf16, &Products::chunk, 256),
                                 odd(ir::DType::f16, &Products::group, 8), odd(ir::DType::f32, &Products::group, 4)}) {
    testing::EmulatedDevice executor({.products = {device}});
    const auto found = probe_products(executor, false, device.operands, {2, 2});
    EXPECT_EQ(found, device) << difference(device, *found);
  }
}

TEST(ProbeProducts, SeesOperandsThatLoseBits) {
  for (const int bits : {8, 11, 16}) {
    const Products device = odd(ir::DType::f32, &Products::operand_bits, bits);
    testing::EmulatedDevice executor({.products = {device}});
    EXPECT_EQ(probe_products(executor, false, ir::DType::f32, {2, 2}), visible(device)) << bits;
  }
}

TEST(ProbeProducts, SaysThatItDoesNotKnowWhatFitsNoModel) {
  testing::Suspect executor;  // every sum ends one last place off
  executor.tamper = [](const ir::Node&, ir::Tensor& y) {
    for (float& x : y.as<float>()) x = std::nextafter(x, 1e30f);
  };
  const auto found = probe_products(executor, true, ir::DType::f32, {2, 2});
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_known());
  EXPECT_EQ(found->rounding, Rounding::unknown);
}

TEST(ProbeProducts, OfAHostInPlaceOfTheDeviceSayNothing) {
  testing::Suspect executor;
  executor.on_host = {"y"};
  EXPECT_FALSE(probe_products(executor, false, ir::DType::f32, {2, 2}));
}

}  // namespace
}  // namespace plumb::parity::probe
