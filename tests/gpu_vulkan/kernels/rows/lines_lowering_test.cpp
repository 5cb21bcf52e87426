// Lowering of reduce, softmax, the norms and attention, on devices that are made up.
#include <gtest/gtest.h>

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/softmax.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/gpu_vulkan/lowered.hpp"

namespace plumb::gpu_vulkan::lines_lowering_test {
namespace {

using ir::DType;
using ir::TensorType;
using ir::ops::Attention;
using ir::ops::LayerNorm;
using ir::ops::Reduce;
using ir::ops::Softmax;
using F = ir::ops::ReduceFunction;

plan::Schedule scheduled(const ir::Op& op, const std::vector<TensorType>& operands, const device::DeviceFacts& facts) {
  ir::Graph graph;
  std::vector<ir::Value> values;
  for (const auto& type : operands) values.push_back(graph.input(ir::cat("x", values.size()), type));
  graph.add_all("y", op, values);
  plan::Schedule schedule;
  std::vector<plan::Slot> slots;
  for (ir::Value v = 0; v < graph.value_count(); ++v) slots.push_back(schedule.slot(graph.type(v).bytes()));
  const plan::PlanOptions options;
  plan::Lowering lowering(graph, graph.nodes()[0], facts, options, slots, schedule.slot(16), schedule);
  plan::lower_op(op, lowering);
  return schedule;
}

std::string refusal(const ir::Op& op, const std::vector<TensorType>& operands, const device::DeviceFacts& facts) {
  try {
    scheduled(op, operands, facts);
  } catch (const ir::Unsupported& unsupported) {
    return unsupported.what();
  }
  return "";
}

std::size_t dispatches(const ir::Op& op, const ir::Shape& shape) {
  return scheduled(op, {{DType::f32, shape}}, testing::h200()).dispatches.size();
}

TEST(LinesLowering, FewLongLinesTakeTwoDispatches) {
  const LayerNorm norm{.has_scale = false, .has_bias = false};
  EXPECT_EQ(dispatches(Reduce{F::sum, {1}}, {1, 1'000'000}), 2u);
  EXPECT_EQ(dispatches(Reduce{F::sum, {0}}, {1'000'000, 1}), 2u);
  EXPECT_EQ(dispatches(Softmax{}, {2, 50257}), 2u);
  EXPECT_EQ(dispatches(norm, {2, 50257}), 2u);
  EXPECT_EQ(dispatches(Reduce{F::sum, {1}}, {4096, 50257}), 1u);
  EXPECT_EQ(dispatches(Softmax{}, {1536, 128}), 1u);
  EXPECT_EQ(dispatches(norm, {128, 768}), 1u);
}

TEST(LinesLowering, AWorkgroupTakesSeveralShortLines) {
  const auto groups = [](const ir::Shape& shape) {
    return scheduled(Softmax{}, {{DType::f32, shape}}, testing::h200()).dispatches.at(0).groups;
  };
  EXPECT_EQ(groups({256'000, 3}), (plan::Groups{1000, 1, 1}));
  EXPECT_EQ(groups({100'000, 4096}), (plan::Groups{50000, 2, 1}));  // a row of workgroups is folded
}

TEST(LinesLowering, RowsThatRegistersHoldAreReadOnce) {
  struct Seen {
    std::string shader;
    std::uint32_t lanes, units;
    bool packed, full;
    bool operator==(const Seen&) const = default;
  };
  const auto seen = [](DType dtype, const ir::Shape& shape, const device::DeviceFacts& facts) {
    const plan::Shader shader = scheduled(Softmax{}, {{dtype, shape}}, facts).dispatches.at(0).shader;
    const plan::Constants& of = shader.constants;
    return Seen{shader.name, of["lanes"], of["units"], of["is_packed"] != 0, of["is_full"] != 0};
  };
  EXPECT_EQ(seen(DType::f32, {4096, 16384}, testing::h200()), (Seen{"softmax_rows.f32", 512, 8, true, true}));
  EXPECT_EQ(seen(DType::f16, {4096, 1024}, testing::h200()), (Seen{"softmax_rows.f16", 32, 8, true, true}));
  EXPECT_EQ(seen(DType::f32, {4096, 768}, testing::h200()), (Seen{"softmax_rows.f32", 32, 6, true, true}));
  EXPECT_EQ(seen(DType::f32, {4096, 1001}, testing::h200()), (Seen{"softmax_rows.f32", 256, 4, false, false}));
  EXPECT_EQ(seen(DType::f32, {4096, 32768}, testing::h200()), (Seen{"softmax_rows.f32", 1024, 8, true, true}));
  EXPECT_EQ(seen(DType::f32, {4096, 1028}, testing::h200()), (Seen{"softmax_rows.f32", 128, 3, true, false}));
  EXPECT_EQ(seen(DType::f32, {4096, 1, 3}, testing::h200()), (Seen{"softmax_rows.f32", 1, 3, false, true}));
  EXPECT_EQ(seen(DType::f32, {4096, 128}, testing::lavapipe()), (Seen{"softmax_rows.f32", 8, 4, true, true}));
}

TEST(LinesLowering, PacksOfTermsOrOfOutputsAreReadAtOnce) {
  const auto packed = [](const ir::Shape& shape, std::int64_t axis) {
    const plan::Schedule schedule = scheduled(Reduce{F::sum, {axis}}, {{DType::f32, shape}}, testing::h200());
    return schedule.dispatches.at(0).shader.constants["packed"];
  };
  EXPECT_EQ(packed({4096, 16384}, 1), 1u);
  EXPECT_EQ(packed({4096, 16384}, 0), 2u);
  EXPECT_EQ(packed({4096, 16383}, 1), 0u);
  EXPECT_EQ(packed({4096, 16383}, 0), 0u);
  // Columns are cut into slices until a device is full.
  const auto first = scheduled(Reduce{F::sum, {0}}, {{DType::f32, {4096, 16384}}}, testing::h200()).dispatches.at(0);
  EXPECT_EQ(first.groups, (plan::Groups{512, 1, 1}));
}

TEST(LinesLowering, SaysWhyRowsAreNotHeld) {
  const auto why = [](const ir::Op& op, const ir::Shape& shape, const device::DeviceFacts& facts) {
    return lowered_node(op, {{DType::f32, shape}}, facts).choice.refusals.at(0);
  };
  EXPECT_EQ(why(Softmax{}, {4096, 32772}, testing::h200()),
            "rows: rows of 32772 elements do not fit into 1024 invocations");
  EXPECT_EQ(why(Softmax{}, {4096, 16384}, testing::lavapipe()),
            "rows: rows of 16384 elements do not fit into 256 invocations");
  EXPECT_EQ(why(Softmax{0}, {300, 300}, testing::h200()), "rows: neighbours are of different lines");
  EXPECT_EQ(why(Softmax{}, {2, 50257}, testing::h200()), "rows: 2 lines are too few not to be cut");
  EXPECT_EQ(why(Softmax{}, {300, 300}, testing::phone()), "rows: phone has no shuffles in subgroups of a known size");
}

TEST(LinesLowering, ServesF64ButNotInRowsThatAreHeld) {
  for (const F function : {F::sum, F::l2, F::log_sum, F::log_sum_exp})
    EXPECT_EQ(refusal(Reduce{function, {0}}, {{DType::f64, {3}}}, testing::h200()), "");
  const auto softmax = lowered_node(Softmax{}, {{DType::f64, {300, 300}}}, testing::h200());
  EXPECT_EQ(softmax.choice.refusals.at(0), "rows: rows are held in f32");
}

std::vector<TensorType> qkv(std::int64_t queries, std::int64_t width, DType dtype = DType::f32) {
  return {{dtype, {1, 2, queries, width}}, {dtype, {1, 2, 100, width}}, {dtype, {1, 2, 100, width}}};
}

TEST(AttentionLowering, LaysWorkgroupsOutByQueriesAndSharedMemory) {
  /// Rows and keys of a workgroup.
  const auto tile = [](std::int64_t queries, std::int64_t width, std::uint32_t shared) {
    device::DeviceFacts facts = testing::any_device();
    facts.shared_memory = shared;
    const auto constants =
        scheduled(Attention{}, qkv(queries, width, DType::bf16), facts).dispatches.at(0).shader.constants;
    return std::pair(constants["row_threads"] * constants["rows_each"],
                     constants["key_threads"] * constants["keys_each"]);
  };
  EXPECT_EQ(tile(128, 64, 48 << 10), std::pair(32u, 32u));
  EXPECT_EQ(tile(128, 256, 48 << 10), std::pair(16u, 16u));
  EXPECT_EQ(tile(128, 64, 16 << 10), std::pair(16u, 16u));
  EXPECT_EQ(tile(1, 64, 48 << 10), std::pair(1u, 64u));
}

/// An H200 by a driver without VK_NV_cooperative_matrix2.
device::DeviceFacts plain_h200() {
  device::DeviceFacts facts = testing::h200();
  facts.cooperative_conversions = false;
  return facts;
}

TEST(AttentionLowering, TakesCooperativeMatricesForF16) {
  const auto choice = [](std::int64_t width, const device::DeviceFacts& facts) {
    return lowered_node(Attention{}, qkv(128, width, DType::f16), facts).choice;
  };
  EXPECT_EQ(choice(64, testing::h200()).name, "coopmat_f16_converted");
  EXPECT_EQ(choice(256, testing::h200()).name, "coopmat_f16_converted");
  EXPECT_EQ(choice(64, plain_h200()).name, "coopmat_f16");
  EXPECT_EQ(choice(256, plain_h200()).name, "coopmat_f16");
  const auto why = [&](std::int64_t width, const device::DeviceFacts& facts) {
    return choice(width, facts).refusals.at(2);
  };
  EXPECT_EQ(why(60, testing::h200()), "coopmat_f16: heads are no multiples of 8 wide");
  device::DeviceFacts facts = plain_h200();
  facts.subgroup_shuffle = false;
  EXPECT_EQ(why(64, facts), "coopmat_f16: NVIDIA H200 has no shuffles in subgroups");
  facts = testing::h200();
  facts.shared_memory = 4 << 10;
  EXPECT_EQ(why(64, facts), "coopmat_f16: NVIDIA H200 has too little shared memory or too small workgroups");
  facts = testing::h200();
  for (device::CooperativeShape& shape : facts.cooperative_shapes) {
    shape.m = 8;
    shape.n = 8;
    shape.k = 8;
  }
  EXPECT_EQ(why(136, facts), "coopmat_f16: heads are wider than 16 matrices of 8x8");
  facts = testing::h200();
  facts.cooperative_shapes = {testing::f16_shape(16, 8, 16, DType::f32)};
  EXPECT_EQ(why(64, facts), "coopmat_f16: NVIDIA H200 has subgroups of 32 for 16x8x16");
}

TEST(AttentionLowering, SaysWhyMatricesDoNotChangeTheirUse) {
  const auto why = [](const device::DeviceFacts& facts, std::int64_t width = 64) {
    return lowered_node(Attention{}, qkv(128, width, DType::f16), facts).choice.refusals.at(1);
  };
  const auto without = [](const auto& change) {
    device::DeviceFacts facts = testing::h200();
    change(facts);
    return facts;
  };
  EXPECT_EQ(why(testing::h200(), 60), "coopmat_f16_converted: heads are no multiples of 8 wide");
  EXPECT_EQ(why(plain_h200()), "coopmat_f16_converted: NVIDIA H200 has no cooperative matrices that change their use");
  EXPECT_EQ(why(without([](device::DeviceFacts& f) { f.subgroup_ballot = false; })),
            "coopmat_f16_converted: NVIDIA H200 has no ballots in subgroups");
  EXPECT_EQ(why(without([](device::DeviceFacts& f) { f.rounds_to_even_f16 = false; })),
            "coopmat_f16_converted: NVIDIA H200 cannot be asked to round f16 to nearest even");
  EXPECT_EQ(why(without([](device::DeviceFacts& f) { f.specials_kept_f32 = false; })),
            "coopmat_f16_converted: NVIDIA H200 cannot be asked to keep NaN of f32");
  EXPECT_EQ(why(without([](device::DeviceFacts& f) { f.shared_memory = 4 << 10; })),
            "coopmat_f16_converted: NVIDIA H200 has too little shared memory or too small workgroups");
  const auto flat = [](device::DeviceFacts& f) { f.cooperative_shapes = {testing::f16_shape(16, 8, 16, DType::f32)}; };
  EXPECT_EQ(why(without(flat)), "coopmat_f16_converted: NVIDIA H200 has matrices of 16x8x16");
}

TEST(AttentionLowering, TakesCooperativeMatricesForBf16WhereTheyChangeTheirUse) {
  const auto choice = [](const device::DeviceFacts& facts) {
    return lowered_node(Attention{}, qkv(128, 64, DType::bf16), facts).choice;
  };
  EXPECT_EQ(choice(testing::h200()).name, "coopmat_bf16_converted");
  const auto made = scheduled(Attention{}, qkv(128, 64, DType::bf16), testing::h200()).dispatches;
  EXPECT_EQ(made.at(0).shader.name, "attention_coopmat2.bf16");
  EXPECT_EQ(choice(plain_h200()).name, "tiled");
  device::DeviceFacts facts = testing::h200();
  facts.rounds_to_even_f16 = false;  // rounded by the shader
  EXPECT_EQ(choice(facts).name, "coopmat_bf16_converted");
  facts.bfloat16 = false;
  EXPECT_EQ(choice(facts).refusals.at(1), "coopmat_bf16_converted: NVIDIA H200 has no bf16 in shaders");
}

TEST(AttentionLowering, LaysSubgroupsOutByQueriesAndSharedMemory) {
  /// Queries of a workgroup, keys of a block and the shader's own constant.
  const auto layout = [](std::int64_t queries, std::int64_t width, const device::DeviceFacts& facts, const char* shader,
                         const char* own) {
    const auto dispatch = scheduled(Attention{}, qkv(queries, width, DType::f16), facts).dispatches.at(0);
    EXPECT_EQ(dispatch.shader.name, shader);
    const auto& constants = dispatch.shader.constants;
    return std::tuple(constants["M"] * constants["subgroups"], constants["keys"], constants[own]);
  };
  const auto plain = [&](std::int64_t queries, std::int64_t width) {
    return layout(queries, width, plain_h200(), "attention_coopmat", "m_tiles");
  };
  EXPECT_EQ(plain(512, 64), std::tuple(64u, 32u, 1u));
  EXPECT_EQ(plain(512, 72), std::tuple(128u, 64u, 1u));
  EXPECT_EQ(plain(512, 128), std::tuple(128u, 64u, 1u));
  EXPECT_EQ(plain(512, 256), std::tuple(64u, 32u, 1u));
  EXPECT_EQ(plain(1, 128), std::tuple(32u, 16u, 1u));
  const auto converted = [&](std::int64_t queries, std::int64_t width) {
    return layout(queries, width, testing::h200(), "attention_coopmat2.f16", "buffers");
  };
  EXPECT_EQ(converted(512, 64), std::tuple(64u, 32u, 1u));
  EXPECT_EQ(converted(512, 72), std::tuple(64u, 32u, 1u));
  EXPECT_EQ(converted(512, 96), std::tuple(128u, 64u, 1u));
  EXPECT_EQ(converted(512, 128), std::tuple(128u, 32u, 2u));
  EXPECT_EQ(converted(512, 256), std::tuple(64u, 16u, 2u));
  EXPECT_EQ(converted(1, 128), std::tuple(32u, 16u, 1u));
}

TEST(AttentionLowering, TakesProductsForScoresWhereTheyAreNothingElse) {
  const auto is_plain = [](const Attention& op, std::vector<TensorType> operands) {
    return scheduled(op, operands, testing::h200()).dispatches.at(0).shader.constants["is_scaled_product"];
  };
  EXPECT_EQ(is_plain({}, qkv(64, 64, DType::f16)), 1u);
  EXPECT_EQ(is_plain({.causal = true}, qkv(64, 64, DType::f16)), 1u);
  EXPECT_EQ(is_plain({.softcap = 30}, qkv(64, 64, DType::f16)), 0u);
  EXPECT_EQ(is_plain({.scale = -1}, qkv(64, 64, DType::f16)), 0u);
  EXPECT_EQ(is_plain({.scale = 0}, qkv(64, 64, DType::f16)), 0u);
}

TEST(AttentionLowering, TakesRegisterTilesForF32) {
  const auto choice = [](std::int64_t queries, std::int64_t width, const device::DeviceFacts& facts) {
    return lowered_node(Attention{}, qkv(queries, width), facts).choice;
  };
  EXPECT_EQ(choice(128, 64, testing::h200()).name, "tiled_wide");
  EXPECT_EQ(choice(33, 252, testing::h200()).name, "tiled_wide");
  const auto why = [&](std::int64_t queries, std::int64_t width, const device::DeviceFacts& facts) {
    return choice(queries, width, facts).refusals.at(3);
  };
  EXPECT_EQ(why(128, 63, testing::h200()), "tiled_wide: heads are no multiples of 4 wide");
  EXPECT_EQ(why(31, 64, testing::h200()), "tiled_wide: a block of 32 queries would not be full");
  device::DeviceFacts facts = testing::h200();
  facts.subgroup_shuffle = false;
  EXPECT_EQ(why(128, 64, facts), "tiled_wide: NVIDIA H200 has no shuffles in subgroups");
  facts = testing::h200();
  facts.subgroup_size = 4;
  EXPECT_EQ(why(128, 64, facts), "tiled_wide: NVIDIA H200 has too small workgroups or too little shared memory");
}

std::vector<TensorType> few_queries(const Attention::Extents& n, DType dtype = DType::f16) {
  return {{dtype, {n.B, n.Hq, n.Sq, n.D}}, {dtype, {n.B, n.Hk, n.Sk, n.D}}, {dtype, {n.B, n.Hk, n.Sk, n.Dv}}};
}

TEST(AttentionLowering, CutsTheKeysOfFewQueriesIntoSlices) {
  /// Workgroups of the slices, slices of a head, and queries of a workgroup.
  const auto layout = [](const Attention::Extents& n) {
    const auto dispatches = scheduled(Attention{}, few_queries(n), testing::h200()).dispatches;
    EXPECT_EQ(dispatches.at(0).shader.name, "attention_split_kv.f16");
    EXPECT_EQ(dispatches.at(1).shader.name, "attention_combine.f16");
    return std::tuple(dispatches[0].groups[0], dispatches[1].shader.constants["most_splits"],
                      dispatches[0].shader.constants["rows"]);
  };
  EXPECT_EQ(layout({1, 32, 8, 1, 8192, 128, 128}), std::tuple(512u, 64u, 4u));
  EXPECT_EQ(layout({1, 32, 8, 1, 300, 128, 128}), std::tuple(24u, 3u, 4u));  // no slice is without keys
  EXPECT_EQ(layout({1, 1, 1, 1, 1 << 20, 128, 128}), std::tuple(128u, 128u, 1u));
  EXPECT_EQ(layout({64, 32, 8, 3, 8192, 128, 128}), std::tuple(1536u, 1u, 4u));  // 12 queries to a head, by 4
  EXPECT_EQ(layout({1, 32, 4, 1, 8192, 256, 256}), std::tuple(512u, 64u, 4u));   // 8 to a head, by 4
}

TEST(AttentionLowering, WhyKeysAreNotCut) {
  const auto why = [](const Attention::Extents& n, const device::DeviceFacts& facts = testing::h200()) {
    return lowered_node(Attention{}, few_queries(n), facts).choice.refusals.at(0);
  };
  EXPECT_EQ(why({1, 4, 4, 9, 1000, 64, 64}), "sliced: more than 8 queries");
  EXPECT_EQ(why({1, 4, 4, 1, 255, 64, 64}), "sliced: fewer than 256 keys");
  EXPECT_EQ(why({1, 4, 4, 1, 1000, 64, 60}), "sliced: heads are no multiples of 8 wide");
  device::DeviceFacts facts = testing::h200();
  facts.subgroup_size_control = false;
  EXPECT_EQ(why({1, 4, 4, 1, 1000, 64, 64}, facts), "sliced: NVIDIA H200 has no shuffles in subgroups");
}

TEST(AttentionLowering, RefusesHeadsThatNoTileHolds) {
  device::DeviceFacts facts = testing::h200();
  EXPECT_EQ(refusal(Attention{}, qkv(8, 600), facts),
            "heads are at most 576 wide here and values 512, D is 600, Dv is 600");
  facts.shared_memory = 4 << 10;
  EXPECT_EQ(refusal(Attention{}, qkv(8, 256), facts),
            "sliced: fewer than 256 keys; "
            "coopmat_f16_converted: operands are f32, it takes f16 and bf16; "
            "coopmat_f16: operands are f32, it takes f16; "
            "tiled_wide: a block of 32 queries would not be full; "
            "tiled: NVIDIA H200 has 4096 bytes of shared memory, too few for heads of 256");
  facts.storage8 = false;
  EXPECT_EQ(refusal(Attention{}, qkv(8, 64), facts), "NVIDIA H200 has no 8-bit elements in shaders, which read masks");
}

}  // namespace
}  // namespace plumb::gpu_vulkan::lines_lowering_test
