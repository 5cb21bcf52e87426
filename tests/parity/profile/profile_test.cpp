#include "parity/profile/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/error.hpp"
#include "parity/profile/profile_file.hpp"
#include "tests/support/emulated_device.hpp"

namespace plumb::parity::profile_test {
namespace {

using ::testing::HasSubstr;

profile::DeviceProfile example() {
  profile::DeviceProfile profile{.name = "A \"quoted\" device\\\n", .driver = "driver 1.2", .uuid = "6a0c"};
  profile.products.push_back(testing::matrix_unit(ir::DType::f16, 11));
  profile.products.push_back({.unit = ir::SumUnit::fma, .operands = ir::DType::f32});
  profile.subnormals.push_back({ir::DType::f32, profile::Subnormals::kept, profile::Subnormals::flushed});
  profile.fma.push_back({ir::DType::f32, profile::FmaKind::fused});
  profile.functions.push_back({"exp", ir::DType::f16, 0.5, -0.0, 65536, true});
  profile.functions.push_back({"log", ir::DType::f32, std::numeric_limits<double>::infinity(), 0x1p-149, 10, false});
  return profile;
}

TEST(Profile, IsWhatItsFileSays) {
  const profile::DeviceProfile profile = example();
  const profile::DeviceProfile read = profile::parse_profile(profile::to_toml(profile), "p.toml");
  EXPECT_EQ(read, profile);
  EXPECT_EQ(profile::to_toml(read), profile::to_toml(profile));
  EXPECT_TRUE(std::signbit(read.functions[0].at));
}

TEST(Profile, NumbersOfOneDigitAreToml) {
  for (const double at : {1e-5, 0x1p-1074, 1e20, -3e300, 2.0, 0.0, 1.5e-7, -std::numeric_limits<double>::infinity()}) {
    profile::DeviceProfile profile = example();
    profile.functions.push_back({"tanh", ir::DType::f64, 1.0, at, 10, false});
    EXPECT_EQ(profile::parse_profile(profile::to_toml(profile), "p.toml"), profile) << at;
  }
}

TEST(Profile, HashIsThatOfTheContent) {
  const profile::DeviceProfile profile = example();
  profile::DeviceProfile other = profile;
  EXPECT_EQ(other.sha256(), profile.sha256());
  other.products[0].block = 8;
  EXPECT_NE(other.sha256(), profile.sha256());
  other = profile;
  other.products[1].extra_bits = 0;  // unknown is not none
  EXPECT_NE(other.sha256(), profile.sha256());
}

TEST(Profile, IsAskedByUnitAndDtypes) {
  const profile::DeviceProfile profile = example();
  const ir::Sum matrix{.unit = ir::SumUnit::matrix}, fma{.unit = ir::SumUnit::fma};
  EXPECT_EQ(profile.products_of(matrix, ir::DType::f16).block, 16);
  EXPECT_EQ(profile.products_of(matrix, ir::DType::bf16).block, 0);
  EXPECT_EQ(profile.products_of(fma, ir::DType::f16).block, 0);
  EXPECT_EQ(profile.products_of({.unit = ir::SumUnit::matrix, .accumulator = ir::DType::f16}, ir::DType::f16).block, 0);
  EXPECT_TRUE(profile.products_of(matrix, ir::DType::f16).is_known());
  EXPECT_FALSE(profile.products_of(fma, ir::DType::f32).is_known());
  EXPECT_EQ(profile.subnormals_of(ir::DType::f32).out, profile::Subnormals::flushed);
  EXPECT_EQ(profile.subnormals_of(ir::DType::f64).out, profile::Subnormals::unknown);
  EXPECT_EQ(profile.fma_of(ir::DType::f32), profile::FmaKind::fused);
  EXPECT_EQ(profile.fma_of(ir::DType::f16), profile::FmaKind::unknown);
  EXPECT_EQ(profile.max_ulp_of("exp", ir::DType::f16), 0.5);
  EXPECT_EQ(profile.max_ulp_of("exp", ir::DType::f32), std::nullopt);
}

TEST(Profile, WhatIsNotKnownGetsTheSafeScale) {
  EXPECT_EQ(profile::safe_profile().products_of({}, ir::DType::f32).unit_roundoff(), 0x1p-23);
  EXPECT_EQ((profile::Products{.accumulator_bits = 24, .rounding = profile::Rounding::nearest}.unit_roundoff()),
            0x1p-24);
  EXPECT_EQ((profile::Products{.accumulator_bits = 24, .rounding = profile::Rounding::truncating}.unit_roundoff()),
            0x1p-23);
  EXPECT_EQ((profile::Products{.accumulator_bits = 11, .rounding = profile::Rounding::nearest}.unit_roundoff()),
            0x1p-11);
}

/// [[sum]] is found by its kernel's name, else by its place; a file of the version before has none, and is read.
TEST(Profile, KnowsHowKernelsWereSeenToAdd) {
  const std::vector<ir::TensorType> place = {{ir::DType::f32, {2, 300}}, {ir::DType::f32, {300, 4}}};
  const std::vector<ir::TensorType> other = {{ir::DType::f32, {3, 300}}, {ir::DType::f32, {300, 4}}};
  profile::DeviceProfile profile = example();
  profile.sums = {
      {.op = "matmul", .operands = place, .sum = {.unit = ir::SumUnit::fma, .levels = {{.count = 256}, {}}}},
      {.op = "matmul", .operands = other, .kernel = "k", .sum = {.levels = {{}}}}};
  const std::string text = profile::to_toml(profile);
  EXPECT_THAT(text, HasSubstr("operands = [\"f32[2, 300]\", \"f32[300, 4]\"]"));
  EXPECT_EQ(profile::parse_profile(text, "p.toml"), profile);
  EXPECT_EQ(profile.sum_of("", "matmul", place), &profile.sums[0]);
  EXPECT_EQ(profile.sum_of("k", "matmul", place), &profile.sums[1]);
  EXPECT_EQ(profile.sum_of("", "gemm", place), nullptr);
  std::string before = profile::to_toml(example());
  before.replace(before.find("profile/3"), 9, "profile/2");
  EXPECT_EQ(profile::parse_profile(before, "p.toml"), example());
  std::string mixed = text;
  mixed.replace(mixed.find("profile/3"), 9, "profile/2");
  EXPECT_THROW(profile::parse_profile(mixed, "p.toml"), ir::Error);
  std::string vast = text;
  vast.replace(vast.find("256"), 3, "99999999");
  EXPECT_THROW(profile::parse_profile(vast, "p.toml"), ir::Error);
}

std::string refusal(const std::string& text) {
  try {
    profile::parse_profile(text, "p.toml");
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "accepted";
}

/// The example with one piece of its text replaced.
std::string refused(const std::string& piece, const std::string& by) {
  std::string text = profile::to_toml(example());
  const auto at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return refusal(text.replace(at, piece.size(), by));
}

TEST(Profile, RefusesWithTheLineWhatItDoesNotUnderstand) {
  EXPECT_THAT(refusal(""), HasSubstr("p.toml:1: profile: wanted schema"));
  EXPECT_THAT(refusal("schema = \n"), HasSubstr("p.toml:1: no TOML"));
  EXPECT_THAT(refusal("[[[x]]]"), HasSubstr("p.toml:1: no TOML"));
  EXPECT_THAT(refusal("schema = \"plumb-profile/4\""), HasSubstr("wanted \"plumb-profile/3\""));
  EXPECT_THAT(refusal(std::string((1 << 20) + 1, ' ')), HasSubstr("at most 1048576 bytes"));
  EXPECT_THAT(refused("[device]", "[devices]"), HasSubstr("p.toml:4: profile: wanted one of schema"));
  EXPECT_THAT(refused("uuid", "id"), HasSubstr("[device]: wanted one of name, driver, uuid, found 'id'"));
  EXPECT_THAT(refused("block = 16", "block = -1"),
              HasSubstr("p.toml:19: [[product]] 1.block: wanted an integer from 0 to 1048576"));
  EXPECT_THAT(refused("block = 16\n", ""), HasSubstr("[[product]] 1: wanted block"));
  EXPECT_THAT(refused("extra_bits = 2", "extra_bits = 65"), HasSubstr("wanted an integer from 0 to 64"));
  EXPECT_THAT(refused("extra_bits = 2", "extra_bits = \"2\""), HasSubstr("wanted an integer"));
  EXPECT_THAT(refused("\"truncating\"", "\"up\""), HasSubstr("wanted one of unknown, nearest, truncating, found 'up'"));
  EXPECT_THAT(refused("operands = \"f32\"", "operands = \"i32\""), HasSubstr("wanted f16, bf16, f32 or f64"));
  EXPECT_THAT(refused("unit = \"fma\"\noperands = \"f32\"", "unit = \"matrix\"\noperands = \"f16\""),
              HasSubstr("product of f16 by matrix in f32 is described twice"));
  EXPECT_THAT(refused("unit = \"fma\"", "unit = \"tiled\""),
              HasSubstr("wanted one of fma, separate, either, matrix, found 'tiled'"));
  EXPECT_THAT(refused("accumulator = \"f32\"\n", ""), HasSubstr("[[product]] 1: wanted accumulator"));
  EXPECT_THAT(refused("[[fma]]", "[fma]"), HasSubstr("fma: wanted [[fma]]"));
  EXPECT_THAT(refused("name = \"exp\"", "name = \"exq\""), HasSubstr("'exq' is no function of unary"));
  EXPECT_THAT(refused("max_ulp = 0.5", "max_ulp = -1"), HasSubstr("wanted a number >= 0"));
  EXPECT_THAT(refused("max_ulp = 0.5", "max_ulp = nan"), HasSubstr("wanted a number"));
  EXPECT_THAT(refused("exhaustive = true", "exhaustive = 1"), HasSubstr("wanted true or false"));
}

TEST(Profile, OfAnEarlierPlumbIsToBeMeasuredAgain) {
  EXPECT_THAT(refusal("schema = \"plumb-profile/1\"\nsha256 = \"6e45\"\n[[product]]\nkernel = \"coopmat_f16\"\n"),
              "p.toml:1: schema: this profile is of an earlier plumb, which knew units by the names of kernels; run "
              "plumb probe again");
}

TEST(Profile, RefusesContentThatIsNotThatOfItsHash) {
  EXPECT_THAT(refused("block = 16", "block = 8"), HasSubstr("p.toml:2: sha256: the content was changed"));
}

}  // namespace
}  // namespace plumb::parity::profile_test
