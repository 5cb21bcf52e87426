// The search for the order of summation on the device: what kernels publish is withheld, and found again.
#include <gtest/gtest.h>

#include "ir/ops/matmul.hpp"
#include "parity/profile/emulator.hpp"
#include "parity/profile/probe/product_lines.hpp"
#include "tests/support/gpu.hpp"

namespace plumb::tree_search_test {
namespace {

using parity::profile::is_replayable;
using parity::profile::ProductEmulator;
namespace core = parity::core;
namespace probe = parity::profile::probe;

probe::ProductPlace place_of(std::int64_t rows, std::int64_t terms, std::int64_t columns) {
  return {ir::ops::Matmul{}, {{ir::DType::f32, {rows, terms}}, {ir::DType::f32, {terms, columns}}}};
}

/// The kernel that the device takes for such a product, and how that says that it adds.
ir::NodeReport published(const probe::ProductPlace& place) {
  const auto lines = probe::ProductLines::of(place);
  const std::vector<float> ones(static_cast<std::size_t>(lines->terms()), 1.0f);
  return core::one_by_one(*testing::gpu().executor)({lines->trial(std::vector(1, ones), ones)})[0].nodes.at(0);
}

std::vector<float> masked(const ir::Sum& sum, std::size_t terms) {
  const std::vector<float> ones(terms, 1.0f);
  const ProductEmulator emulator(parity::profile::plain_products(true), sum.levels);
  std::vector<float> sums;
  for (const std::size_t at : {std::size_t{0}, terms / 3, terms - 1})
    for (std::size_t k = 0; k < terms; ++k) {
      std::vector<float> mask = ones;
      mask[at] = 0x1p60f;
      if (k != at) mask[k] = -0x1p60f;
      sums.push_back(emulator.dot(mask, ones));
    }
  return sums;
}

class TreeSearchOnDevice : public ::testing::TestWithParam<std::array<std::int64_t, 3>> {};

TEST_P(TreeSearchOnDevice, FindsWhatTheKernelPublishes) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  const auto [rows, terms, columns] = GetParam();
  const probe::ProductPlace place = place_of(rows, terms, columns);
  const ir::NodeReport kernel = published(place);
  if (kernel.placement != ir::Placement::gpu) GTEST_SKIP() << kernel.reason;
  ASSERT_EQ(kernel.sums.size(), 1u) << kernel.kernel;
  SCOPED_TRACE(kernel.kernel + ": " + ir::to_text(kernel.sums[0]));
  const auto found = probe::settled(*probe::inquire_tree(place), core::one_by_one(*testing::gpu().executor));
  if (!is_replayable(kernel.sums[0], terms)) GTEST_SKIP() << "the order of " << kernel.kernel << " is left open";
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kernel, kernel.kernel);
  const auto count = static_cast<std::size_t>(terms);
  EXPECT_EQ(masked(found->sum, count), masked(kernel.sums[0], count)) << ir::to_text(found->sum);
}

/// By tiles, by vectors of one row and one column, and in slices of many terms.
INSTANTIATE_TEST_SUITE_P(, TreeSearchOnDevice,
                         ::testing::Values(std::array<std::int64_t, 3>{64, 300, 64},
                                           std::array<std::int64_t, 3>{64, 512, 64},
                                           std::array<std::int64_t, 3>{1, 700, 64},
                                           std::array<std::int64_t, 3>{64, 700, 1},
                                           std::array<std::int64_t, 3>{16, 2048, 16}));

}  // namespace
}  // namespace plumb::tree_search_test
