#include <gtest/gtest.h>

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/ops/einsum.hpp"
#include "tests/gpu_vulkan/lowered.hpp"

// Which dispatches an einsum becomes, on a device that is made up: no GPU is needed.
namespace plumb::gpu_vulkan::contraction_lowering_test {
namespace {

using ir::DType;
using Names = std::vector<std::string>;

Names shaders(const char* equation, const std::vector<ir::Shape>& shapes, DType dtype = DType::f32) {
  ir::Graph graph;
  std::vector<ir::Value> values;
  for (const auto& shape : shapes) values.push_back(graph.input(ir::cat("x", values.size()), {dtype, shape}));
  graph.add("y", ir::ops::Einsum{equation}, values);
  device::DeviceFacts facts = modern();
  facts.storage8 = true;
  plan::Schedule schedule;
  std::vector<plan::Slot> slots;
  for (ir::Value v = 0; v < graph.value_count(); ++v) slots.push_back(schedule.slot(graph.type(v).bytes()));
  const plan::PlanOptions options;
  plan::Lowering lowering(graph, graph.nodes()[0], facts, options, slots, schedule.slot(16), schedule);
  plan::lower_op(graph.nodes()[0].op, lowering);
  Names names;
  for (const plan::Dispatch& dispatch : schedule.dispatches) names.push_back(dispatch.shader.name);
  return names;
}

TEST(Contraction, ReadsMatricesInPlace) {
  const Names one = {"matmul.f32"};
  EXPECT_EQ(shaders("ij,jk->ik", {{20, 30}, {30, 40}}), one);
  EXPECT_EQ(shaders("ji,kj->ki", {{30, 20}, {40, 30}}), one);
  EXPECT_EQ(shaders("bqhd,bkhd->bhqk", {{2, 20, 3, 16}, {2, 30, 3, 16}}), Names{"matmul_wide"});
  EXPECT_EQ(shaders("ijab,abk->ijk", {{4, 5, 6, 7}, {6, 7, 30}}), one);
  EXPECT_EQ(shaders("ij,jk->ik", {{20, 30}, {30, 40}}, DType::f16), Names{"matmul_cooperative.f16"});
}

TEST(Contraction, CopiesWhatIsNoMatrix) {
  EXPECT_EQ(shaders("iajb,abk->ijk", {{4, 6, 5, 7}, {6, 7, 30}}), (Names{"strided_copy.w4", "matmul.f32"}));
  EXPECT_EQ(shaders("bhqk,bkhd->bqhd", {{2, 3, 20, 30}, {2, 30, 3, 16}}), (Names{"matmul.f32", "strided_copy.w16"}));
  EXPECT_EQ(shaders("iij,jk->ik", {{20, 20, 30}, {30, 40}}), Names{"matmul.f32"});  // the diagonal is a stride
}

TEST(Contraction, MultipliesWhereNothingIsSummed) {
  EXPECT_EQ(shaders("ij,i->ij", {{20, 30}, {20}}), Names{"binary.f32"});
  EXPECT_EQ(shaders("i,j->ij", {{20}, {30}}, DType::f16), Names{"binary.f16"});
}

TEST(Contraction, SumsInPlaceWhereTheResultIsInOrder) {
  EXPECT_EQ(shaders("ijk->ik", {{20, 30, 40}}), Names{"reduce.f32"});
  EXPECT_EQ(shaders("ijk->ki", {{20, 30, 40}}).size(), 2u);
}

TEST(Contraction, SixteenBitStepsAreComputedInF32) {
  EXPECT_EQ(shaders("ij,jk,kl->il", {{20, 30}, {30, 40}, {40, 20}}, DType::bf16),
            (Names{"cast.w32", "cast.w32", "cast.w32", "matmul.f32", "matmul_wide", "cast.w32"}));
}

}  // namespace
}  // namespace plumb::gpu_vulkan::contraction_lowering_test
