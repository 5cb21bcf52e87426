#include "ir/ops/einsum.hpp"

#include <gtest/gtest.h>

#include "ir/ops/dot_general.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::einsum_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::DotGeneral;
using ir::ops::Einsum;
using testing::check_op;
using testing::random_tensor;

struct Case {
  const char* equation;
  std::vector<Shape> operands;
};

const Case cases[] = {
    {"ij,jk->ik", {{37, 70}, {70, 33}}},
    {"ij,jk", {{5, 7}, {7, 3}}},
    {"ij,kj->ik", {{37, 70}, {33, 70}}},
    {"ji,jk->ki", {{70, 37}, {70, 33}}},  // operands change places
    {"...ij,...jk->...ik", {{2, 1, 5, 7}, {3, 7, 6}}},
    {"bqhd,bkhd->bhqk", {{2, 19, 3, 16}, {2, 23, 3, 16}}},  // attention, read in place
    {"bhqk,bkhd->bqhd", {{2, 3, 19, 23}, {2, 23, 3, 16}}},  // the result is copied
    {"bij,jk->bik", {{3, 5, 7}, {7, 9}}},                   // one product of all rows
    {"aibj,jbk->kia", {{3, 5, 7, 4}, {4, 7, 6}}},           // summed in an order of neither
    {"ijk,kji->", {{3, 5, 7}, {7, 5, 3}}},
    {"i,i", {{1031}, {1031}}},
    {"a,b->ab", {{37}, {41}}},
    {"ij,ij->ij", {{5, 9}, {5, 9}}},
    {"ij,i->ji", {{5, 9}, {5}}},
    {"ij,...->...ij", {{5, 9}, {}}},
    {"ii->i", {{7, 7}}},
    {"ii", {{67, 67}}},
    {"iji->ji", {{4, 5, 4}}},
    {"ij->", {{37, 300}}},
    {"ij->j", {{37, 300}}},
    {"ijk->ki", {{3, 5, 7}}},
    {"ba", {{3, 5}}},
    {"...i->i...", {{3, 5, 7}}},
    {"i j, jk -> i k", {{5, 7}, {7, 3}}},
    {"ij,jk->k", {{5, 7}, {7, 3}}},       // i is of one operand only
    {"iij,jk->ik", {{5, 5, 7}, {7, 3}}},  // a diagonal
    {"ij,jk,kl->il", {{5, 7}, {7, 3}, {3, 4}}},
    {"a,a,a->a", {{37}, {37}, {37}}},
    {"ab,bc,b->ac", {{3, 5}, {5, 4}, {5}}},  // b stays until the last
    {"i,j,k,l->ljki", {{2}, {3}, {5}, {7}}},
    {",ij->ji", {{}, {3, 5}}},
    {"ij,jk->ik", {{5, 0}, {0, 3}}},  // an empty sum
    {"ab,bc,cd->ad", {{3, 2}, {2, 0}, {0, 4}}},
    {"ij,jk->ik", {{0, 3}, {3, 2}}},  // an empty result
    {"ij,jk->ik", {{1, 1}, {1, 1}}},
    {"abcdefgh,hgfedcba->aceg", {{2, 1, 2, 3, 2, 1, 2, 2}, {2, 2, 1, 2, 3, 2, 1, 2}}},
    {"abcdefxy,fedcbayz->abcdefxz",
     {{2, 3, 2, 3, 2, 3, 2, 2}, {3, 2, 3, 2, 3, 2, 2, 2}}},  // more batch axes than are pushed
};

class EinsumOf : public ::testing::TestWithParam<DType> {};

TEST_P(EinsumOf, MeetsTheTruth) {
  std::uint64_t seed = 1;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.equation);
    std::vector<Tensor> operands;
    for (const Shape& shape : c.operands) operands.push_back(random_tensor({GetParam(), shape}, seed++));
    check_op(Einsum{c.equation}, operands);
  }
}

INSTANTIATE_TEST_SUITE_P(, EinsumOf,
                         ::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32, DType::i64),
                         [](const auto& test) { return std::string(ir::info(test.param).name); });

TEST(Einsum, ByHand) {
  const Tensor a = Tensor::of<float>({2, 2}, {1, 2, 3, 4}), b = Tensor::of<float>({2}, {10, 100});
  const auto both = [](const char* equation, const std::vector<Tensor>& in, const Tensor& y) {
    testing::check_cpu(Einsum{equation}, in, {y});
    testing::check_gpu(Einsum{equation}, in, {y});
  };
  both("ii", {a}, Tensor::of<float>({}, {5}));
  both("ij,i->j", {a, b}, Tensor::of<float>({2}, {310, 420}));
  both("ij,i->ij", {a, b}, Tensor::of<float>({2, 2}, {10, 20, 300, 400}));
  both("Ba,a->aB", {a, b}, Tensor::of<float>({2, 2}, {10, 30, 200, 400}));
  both("bA", {a}, Tensor::of<float>({2, 2}, {1, 3, 2, 4}));  // capitals come first
}

TEST(Einsum, SixteenBitIntermediatesAreNotRounded) {
  // 300·300 overflows f16; a third operand brings it back.
  const auto f16 = [](Shape shape, const std::vector<double>& values) {
    return ir::convert(Tensor::of<double>(std::move(shape), values), DType::f16);
  };
  const std::vector<Tensor> in = {f16({2}, {300, 1}), f16({2}, {300, 2}), f16({2}, {0.5, 3})};
  testing::check_cpu(Einsum{"i,i,i->i"}, in, {f16({2}, {45000, 6})});
  testing::check_gpu(Einsum{"i,i,i->i"}, in, {f16({2}, {45000, 6})});
}

struct Dot {
  Shape a, b;
  DotGeneral op;
};

class DotGeneralOf : public ::testing::TestWithParam<DType> {};

TEST_P(DotGeneralOf, MeetsTheTruth) {
  const Dot dots[] = {
      {{37, 70}, {70, 33}, {{}, {}, {1}, {0}}},
      {{70, 37}, {33, 70}, {{}, {}, {0}, {-1}}},
      {{3, 5, 7}, {7, 3, 4}, {{0}, {1}, {2}, {0}}},
      {{5, 3, 7}, {7, 4, 3}, {{1}, {2}, {-1}, {0}}},
      {{2, 3, 5, 7}, {7, 3, 5, 4}, {{}, {}, {2, 1, 3}, {2, 1, 0}}},
      {{2, 3, 5}, {3, 2}, {{1, 0}, {0, 1}, {}, {}}},  // nothing is summed
      {{3, 4}, {5}, {{}, {}, {}, {}}},                // an outer product
      {{3, 4}, {3, 4}, {{0}, {0}, {1}, {1}}},         // one number a batch
      {{17}, {17}, {{}, {}, {0}, {0}}},
      {{3, 0}, {0, 4}, {{}, {}, {1}, {0}}},
      {{1, 1, 6}, {6, 1}, {{}, {}, {2}, {0}}},
      {{2, 2, 2, 2, 2, 2, 2, 3}, {2, 2, 2, 2, 2, 2, 2, 3}, {{0, 1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1, 0}, {7}, {7}}},
  };
  std::uint64_t seed = 100;
  for (const Dot& dot : dots) {
    SCOPED_TRACE(ir::cat(dot.a, " and ", dot.b));
    check_op(dot.op, {random_tensor({GetParam(), dot.a}, seed), random_tensor({GetParam(), dot.b}, seed + 1)});
    seed += 2;
  }
}

INSTANTIATE_TEST_SUITE_P(, DotGeneralOf,
                         ::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32, DType::u32,
                                           DType::i64, DType::c64, DType::c128),
                         [](const auto& test) { return std::string(ir::info(test.param).name); });

}  // namespace
}  // namespace plumb::einsum_test
