// Elementwise kernels against loops written out: which element of an operand meets which, and where rows are cut.
#include "ref_cpu/kernels/elementwise.hpp"

#include <gtest/gtest.h>

#include <complex>

#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/where.hpp"
#include "tests/ref_cpu/run_one.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ref_cpu::elementwise_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;

/// Numbers by which elements can be told apart.
Tensor counted(const Shape& shape, std::int32_t first) {
  Tensor x({DType::i32, shape});
  for (std::int32_t value = first; std::int32_t & element : x.as<std::int32_t>()) element = value++;
  return x;
}

/// Where element number `e` of `all` comes from in an operand of this shape.
std::size_t source(const Shape& shape, const Shape& all, std::int64_t e) {
  const auto strides = ir::broadcast_strides(shape, all);
  std::int64_t at = 0;
  for (std::size_t axis = all.size(); axis-- > 0; e /= all[axis]) at += e % all[axis] * strides[axis];
  return static_cast<std::size_t>(at);
}

struct Operands {
  Shape a, b, cond, all;
};

class Elementwise : public ::testing::TestWithParam<Operands> {};

TEST_P(Elementwise, OperandsMeetAsTheyBroadcast) {
  const Operands& n = GetParam();
  const Tensor a = counted(n.a, 1), b = counted(n.b, 1000000);
  const Tensor sums = run_one(ir::ops::Binary{ir::ops::BinaryFunction::add}, {a, b});
  Tensor cond({DType::boolean, n.cond});
  for (std::size_t i = 0; bool& element : cond.as<bool>()) element = i++ % 3 != 0;
  const Tensor selected = run_one(ir::ops::Where{}, {cond, a, b});
  const auto pairs = ir::broadcast(n.a, n.b);
  ASSERT_EQ(sums.shape(), pairs);
  ASSERT_EQ(selected.shape(), n.all);
  for (std::int64_t e = 0; e < pairs.elements(); ++e)
    ASSERT_EQ(sums.as<std::int32_t>()[static_cast<std::size_t>(e)],
              a.as<std::int32_t>()[source(n.a, pairs, e)] + b.as<std::int32_t>()[source(n.b, pairs, e)])
        << "element " << e << " of " << pairs;
  for (std::int64_t e = 0; e < n.all.elements(); ++e) {
    const bool is_a = cond.as<bool>()[source(n.cond, n.all, e)];
    ASSERT_EQ(selected.as<std::int32_t>()[static_cast<std::size_t>(e)],
              is_a ? a.as<std::int32_t>()[source(n.a, n.all, e)] : b.as<std::int32_t>()[source(n.b, n.all, e)])
        << "element " << e << " of " << n.all;
  }
}

// Threads take 2^14 elements each, so that long rows are cut within.
INSTANTIATE_TEST_SUITE_P(, Elementwise,
                         ::testing::Values(Operands{{}, {}, {}, {}}, Operands{{3, 5}, {5}, {3, 1}, {3, 5}},
                                           Operands{{3, 1}, {1, 5}, {}, {3, 5}}, Operands{{1, 1}, {1}, {4, 1}, {4, 1}},
                                           Operands{{0, 3}, {3}, {1, 3}, {0, 3}},
                                           Operands{{2, 1, 3, 1, 2}, {4, 1, 5, 1}, {2, 4, 3, 5, 2}, {2, 4, 3, 5, 2}},
                                           Operands{{5, 20011}, {5, 1}, {20011}, {5, 20011}},
                                           Operands{{1}, {40009}, {1}, {40009}},
                                           Operands{{3, 7001}, {3, 7001}, {1, 7001}, {3, 7001}},
                                           Operands{{20011, 3}, {20011, 1}, {3}, {20011, 3}}));

TEST(ElementTypes, AnOperandReadAsAnotherTypeIsRefused) {
  const Tensor x = counted({4}, 1);
  Tensor y({DType::i32, {4}});
  Call call{{x.view()}, {y.view()}};
  EXPECT_NE(tests::message_of([&] { kernels::elementwise<std::int32_t, float>(call, [](float v) { return v; }); }), "");
}

/// A product that is fused with the difference behind it leaves what the other one lost by being rounded.
template <class T>
void expect_real_part_of_nothing(T root) {
  using Z = std::complex<T>;
  const std::vector<Z> z(37, Z(root, root));
  const Tensor x = Tensor::of<Z>({37}, z);
  const Tensor y = run_one(ir::ops::Binary{ir::ops::BinaryFunction::multiply}, {x, x});
  for (const Z& square : y.as<Z>()) EXPECT_EQ(square, Z(0, 2 * (root * root)));
}

TEST(Complex, ProductsOfPartsAreRoundedEachByItself) {
  expect_real_part_of_nothing(1 + 0x1p-30);
  expect_real_part_of_nothing(1 + 0x1p-15f);
}

TEST(Cast, EveryTypeToEveryOther) {
  constexpr std::array all = {DType::boolean, DType::u8,  DType::i8,   DType::u16, DType::i16, DType::i32, DType::u32,
                              DType::i64,     DType::f16, DType::bf16, DType::f32, DType::f64, DType::c64, DType::c128};
  for (const DType from : all) {
    const Tensor x = tests::noise({from, {(1 << 16) + 77}});  // threads take 2^16
    for (const DType to : all) {
      if (ir::is_complex(from) && !ir::is_complex(to)) continue;  // the op refuses those
      const Tensor y = run_one(ir::ops::Cast{to}, {x}), expected = ir::convert(x, to);
      ASSERT_EQ(y.type(), expected.type());
      EXPECT_TRUE(std::ranges::equal(y.bytes(), expected.bytes())) << from << " to " << to;
    }
  }
}

}  // namespace
}  // namespace plumb::ref_cpu::elementwise_test
