// Prompts of any length on a device, by a few graphs that are compiled for larger ones.
#include "tests/support/prompts.hpp"

#include "tests/gpu_vulkan/device.hpp"

namespace plumb::gpu_vulkan::prompts_test {
namespace {

class PromptsOnDevice : public testing::OnDevice {};

TEST_F(PromptsOnDevice, TakeFourCompiles) {
  plumb::testing::expect_four_compiles_for_all_prompts(*testing::any_executor());
}

TEST_F(PromptsOnDevice, GiveLogitsThatAgreeInAndOutOfTheirBucket) {
  plumb::testing::expect_buckets_within_limits(*testing::any_executor(), {1, 31, 32, 33, 77, 128, 200});
}

}  // namespace
}  // namespace plumb::gpu_vulkan::prompts_test
