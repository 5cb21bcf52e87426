// Sums that are made many at once are those that are made one by one, in every bit (verdict.md V80).
#include "parity/profile/emulator.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "ir/kernels/sum_orders.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/raw/philox.hpp"
#include "parity/element/terms/terms.hpp"
#include "tests/support/emulated_device.hpp"

namespace plumb::parity::emulator_test {
namespace {

using profile::Known;
using profile::Levels;
using profile::Products;

/// Numbers of an operand: ordinary ones, far apart, tiny or few, zeros of both signs and, rarely, what is not finite.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : seed_(seed) {}

  ir::Tensor tensor(ir::DType dtype, const ir::Shape& shape, int range, bool is_wild) {
    ir::Tensor x({ir::DType::f32, shape});
    for (float& number : x.as<float>()) number = next(range, is_wild);
    return ir::convert(ir::convert(x, dtype), ir::DType::f32);  // the numbers of that dtype
  }

 private:
  float next(int range, bool is_wild) {
    const ir::raw::PhiloxWords words = ir::raw::philox_block(seed_, 1, 2, block_++);
    const float sign = (words[0] & 1) != 0 ? -1.0F : 1.0F;
    if (words[1] % 11 == 0) return sign * 0.0F;
    if (is_wild && words[1] % 1009 == 1) return sign * INFINITY;
    if (is_wild && words[1] % 1009 == 2) return NAN;
    if (words[1] % 11 == 3) return sign;  // many equal ones tie
    const int exponent = range == 0 ? 0 : static_cast<int>(words[2] % static_cast<unsigned>(2 * range)) - range;
    return sign * std::ldexp(1.0F + static_cast<float>(words[3] >> 9) * 0x1p-23F, exponent);
  }

  std::uint64_t seed_, block_ = 0;
};

std::uint32_t bits_of(float x) { return std::isnan(x) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(x); }

/// Whether this profile's sums are made many at once.
bool expect_same(const Products& products, const Levels& levels, std::uint64_t seed) {
  constexpr std::int64_t rows = 2, terms = 35, columns = 33;  // more columns than are made at once
  const profile::ProductEmulator emulator(products, levels);
  const int far = products.operands == ir::DType::f16 ? 14 : 120;
  for (const int range : {0, 9, far}) {
    Numbers numbers(seed + static_cast<std::uint64_t>(range));
    const ir::Tensor a = numbers.tensor(products.operands, {rows, terms}, range, range == far);
    const ir::Tensor b = numbers.tensor(products.operands, {columns, terms}, range, range == far);
    const ir::TensorView operands[] = {a, b};
    const auto many = profile::emulate(ir::ops::Matmul{.transpose_a = false, .transpose_b = true, .output_dtype = {}},
                                       operands, {ir::DType::f32, {rows, columns}}, products, {.levels = levels});
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const auto line = [&](const ir::Tensor& x, std::int64_t n) {
        return x.as<float>().subspan(static_cast<std::size_t>(n * terms), terms);
      };
      const float one = emulator.dot(line(a, i / columns), line(b, i % columns));
      const float other = many->as<float>()[static_cast<std::size_t>(i)];
      if (bits_of(one) == bits_of(other)) continue;
      ADD_FAILURE() << "element " << i << " is " << other << ", alone " << one << " of\n"
                    << profile::to_toml({.products = {products}});
      return true;
    }
  }
  return emulator.makes_many();
}

/// Every profile that tests of the probe know (tests/parity/profile/probe/products_test.cpp).
std::vector<Products> profiles_of_the_probe() {
  std::vector<Products> all;
  for (const int block : {1, 2, 4, 8, 16})
    for (const auto& [bits, extra] :
         {std::pair{11, Products::every_bit}, {24, Products::every_bit}, {24, 0}, {24, 1}, {24, 2}, {24, 3}})
      for (const profile::Rounding rounding : {profile::Rounding::nearest, profile::Rounding::truncating})
        for (const ir::DType dtype : {ir::DType::f16, ir::DType::f32})
          for (const profile::Subnormals subnormals : {profile::Subnormals::kept, profile::Subnormals::flushed})
            for (const Known fused : {Known::yes, Known::no})
              for (const Known normalized : {Known::yes, Known::no})
                all.push_back({.unit = ir::SumUnit::matrix,
                               .operands = dtype,
                               .operand_bits = dtype == ir::DType::f16 ? 11 : 24,
                               .exact_products = fused,
                               .accumulator_bits = bits,
                               .extra_bits = extra,
                               .normalized = normalized,
                               .rounding = rounding,
                               .block = block,
                               .subnormals = subnormals});
  return all;
}

TEST(Emulator, VectorIsScalar) {
  std::size_t many = 0;
  const auto all = profiles_of_the_probe();
  for (const Products& products : all) {
    many += expect_same(products, profile::one_chain(), many + 1);
    if (HasFailure()) return;
  }
  EXPECT_GE(2 * many, all.size());  // the test says something
}

TEST(Emulator, VectorIsScalarInLevelsGroupsAndOfFewerBits) {
  const Levels in_lanes = {{}, {4, ir::SumTake::every, ir::SumJoin::pair}}, in_chunks = {{8}, {}};
  const Levels both = {{8}, {}, {3, ir::SumTake::every, ir::SumJoin::pair}};
  for (const Levels& levels : {in_lanes, in_chunks, both})
    for (const int group : {0, 4, 16})
      for (const int lost : {0, 3})
        for (Products products :
             {testing::matrix_unit(ir::DType::f16, 11 - lost), testing::matrix_unit(ir::DType::bf16, 8 - lost),
              testing::matrix_unit(ir::DType::f32, 24 - lost)}) {
          products.group = group;
          EXPECT_TRUE(expect_same(products, levels, 7));
          products.block = 1;
          products.extra_bits = Products::every_bit;
          products.rounding = profile::Rounding::nearest;
          EXPECT_EQ(expect_same(products, levels, 8), lost == 0);  // chains of f32
          products.exact_products = Known::no;
          EXPECT_EQ(expect_same(products, levels, 9), lost == 0);
        }
}

/// The factors of one element of a convolution, from the walker that judges it, with zeros outside the image.
struct Element {
  std::vector<float> w, x;
};

Element element_of(const element::terms::Walker& walker, std::int64_t index, std::size_t terms) {
  element::terms::ElementSum sum;
  walker(index, sum);
  Element found{std::vector<float>(terms, 0.0F), std::vector<float>(terms, 0.0F)};
  for (std::size_t k = 0; k < sum.terms.size(); ++k) {
    const std::size_t at = sum.places.empty() ? k : sum.places[k];
    found.w[at] = static_cast<float>(sum.terms[k].a);
    found.x[at] = static_cast<float>(sum.terms[k].b);
  }
  return found;
}

/// Blocks of channels, the taps of a block, its channels, with zeros up to whole blocks.
std::vector<float> taps_first(const std::vector<float>& terms, std::size_t channels, std::size_t block) {
  const std::size_t taps = terms.size() / channels;
  std::vector<float> moved;
  for (std::size_t first = 0; first < channels; first += block)
    for (std::size_t t = 0; t < taps; ++t)
      for (std::size_t c = first; c < first + block; ++c) moved.push_back(c < channels ? terms[c * taps + t] : 0.0F);
  return moved;
}

TEST(Emulator, ConvolutionsAreTheProductsOfTheirDefinition) {
  const ir::ops::Conv op{.strides = {1, 2}, .dilations = {2, 1}, .pads = {1, 2, 0, 1}, .group = 2};
  Numbers numbers(7);
  const ir::Tensor x = numbers.tensor(ir::DType::f16, {2, 10, 6, 7}, 9, false);
  const ir::Tensor w = numbers.tensor(ir::DType::f16, {6, 5, 2, 3}, 9, false);
  const ir::Shape y = op.infer(ir::TensorTypes{x.type(), w.type()})[0].shape;
  const ir::TensorView operands[] = {x, w};
  const ir::Tensor wide[] = {ir::convert(x, ir::DType::f64), ir::convert(w, ir::DType::f64)};
  const element::terms::Operand read[] = {{wide[0].as<double>(), x.shape()}, {wide[1].as<double>(), w.shape()}};
  const auto walker = element::terms::find_walker(op, read, y);
  Products in_groups = testing::matrix_unit(ir::DType::f16, 11);
  in_groups.block = 1;
  in_groups.group = 8;
  in_groups.extra_bits = Products::every_bit;
  in_groups.rounding = profile::Rounding::nearest;
  in_groups.normalized = profile::Known::yes;
  const Levels chain = profile::one_chain();
  for (const Products& products : {testing::matrix_unit(ir::DType::f16, 11), in_groups})
    for (const std::size_t block : {0, 4, 16}) {
      const std::string order = block == 0 ? "contract" : ir::kernels::taps_first(static_cast<std::int64_t>(block));
      const auto many =
          profile::emulate(op, operands, {ir::DType::f32, y}, products, {.levels = chain, .order = order});
      const profile::ProductEmulator emulator(products, chain);
      for (std::int64_t i = 0; i < y.elements(); ++i) {
        Element one = element_of(*walker, i, 30);
        if (block > 0) one = {taps_first(one.w, 5, block), taps_first(one.x, 5, block)};
        ASSERT_EQ(bits_of(emulator.dot(one.w, one.x)), bits_of(many->as<float>()[static_cast<std::size_t>(i)]))
            << i << ' ' << order;
      }
    }
}

TEST(Emulator, SubnormalsAreFlushedOneByOneAndManyAtOnce) {
  for (const bool fused : {false, true}) {
    const Products flushing = profile::plain_products(fused, profile::Subnormals::flushed);
    const profile::ProductEmulator emulator(flushing, profile::one_chain());
    ASSERT_TRUE(emulator.makes_many());
    EXPECT_TRUE(expect_same(flushing, {{3}, {}}, 5));
    const std::vector<float> a = {0x1p-100F, 0x1p-140F, 1.0F}, b = {0x1p-30F, 1.0F, 0x1p-126F};
    EXPECT_EQ(emulator.dot(a, b), 0x1p-126F);  // a product that is subnormal, an operand that is
    const profile::ProductEmulator keeps(profile::plain_products(fused), profile::one_chain());
    EXPECT_EQ(keeps.dot(a, b), 0x1p-126F + 0x1p-130F + 0x1p-140F);
  }
}

}  // namespace
}  // namespace plumb::parity::emulator_test
