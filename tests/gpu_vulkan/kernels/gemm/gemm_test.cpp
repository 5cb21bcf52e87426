#include "gpu_vulkan/kernels/gemm/gemm.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "tests/gpu_vulkan/lowered.hpp"

// Which kernel a product gets, on devices that are made up: no GPU is needed.
namespace plumb::gpu_vulkan::gemm_test {
namespace {

using ir::DType;
using ir::ops::Gemm;
using ir::ops::Matmul;

Lowered square(DType dtype, const device::DeviceFacts& facts, std::int64_t n = 101) {
  return lowered(Matmul{}, {{dtype, {n, n}}, {dtype, {n, n}}}, facts);
}

TEST(Gemm, TakesCooperativeMatricesForF16WhereTheDeviceHasThem) {
  const auto [choice, dispatch] = square(DType::f16, modern());
  EXPECT_EQ(choice.name, "coopmat_f16");
  EXPECT_TRUE(choice.refusals.empty());
  EXPECT_EQ(dispatch.shader.name, "matmul_cooperative.f16");
  EXPECT_EQ(dispatch.shader.subgroup_size, 32u);
  const plan::Constants& constants = dispatch.shader.constants;
  EXPECT_EQ(std::tuple(constants["M"], constants["N"], constants["K"]),
            std::tuple(16u, 16u, 16u));  // the largest of those that sum in f32
}

TEST(Gemm, TakesThoseOfBf16WhereTheDeviceHasThem) {
  device::DeviceFacts facts = modern();
  facts.bfloat16 = facts.rounds_to_even_f16 = true;
  facts.cooperative_shapes.push_back({16, 16, 32, DType::bf16, DType::bf16, DType::f32, DType::f32});
  const auto [choice, dispatch] = square(DType::bf16, facts);
  EXPECT_EQ(choice.name, "coopmat_bf16");
  EXPECT_EQ(dispatch.shader.name, "matmul_cooperative.bf16");
  EXPECT_EQ(dispatch.shader.constants["K"], 32u);  // the shape of bf16, not that of f16
  EXPECT_EQ(square(DType::bf16, facts, 512).dispatch.shader.name, "matmul_cooperative.bf16_fixed");
  EXPECT_EQ(square(DType::f16, facts).choice.name, "coopmat_f16");
}

TEST(Gemm, KeepsTheF32SumsOfF16OperandsWhenAsked) {
  const auto [choice, dispatch] =
      lowered(Matmul{false, false, DType::f32}, {{DType::f16, {5, 5}}, {DType::f16, {5, 5}}}, modern());
  EXPECT_EQ(choice.name, "coopmat_f16");
  EXPECT_EQ(dispatch.shader.name, "matmul_cooperative.f16_f32");
}

TEST(Gemm, SumsInF16OnlyWhereThatIsAllowed) {
  const device::DeviceFacts facts = modern();
  const ir::TensorTypes halves(2, {DType::f16, {256, 256}});
  const Matmul allows{.output_dtype = DType::f32, .accumulator = DType::f16};
  const auto [choice, dispatch] = lowered(allows, halves, facts);
  EXPECT_EQ(choice.name, "coopmat_f16acc16");
  EXPECT_EQ(dispatch.shader.name, "matmul_cooperative.f16acc16_f32_fixed");
  EXPECT_EQ(lowered(Matmul{.output_dtype = DType::f32}, halves, facts).choice.name, "coopmat_f16");
  const auto [rounded, stored] = lowered(Matmul{.output_dtype = {}, .accumulator = DType::f16}, halves, facts);
  EXPECT_EQ(rounded.name, "coopmat_f16acc16");
  EXPECT_EQ(stored.shader.name, "matmul_cooperative.f16acc16_fixed");
  device::DeviceFacts other = facts;
  std::erase_if(other.cooperative_shapes, [](const device::CooperativeShape& s) { return s.c == DType::f16; });
  const auto without = lowered(allows, halves, other).choice;
  EXPECT_EQ(without.name, "coopmat_f16");
  EXPECT_NE(without.refusals.at(0).find("lists no cooperative matrices of f16 summed in f16"), std::string::npos);
}

TEST(Gemm, SaysWhyItTakesNoCooperativeMatrices) {
  const auto refusal = [](DType dtype, const device::DeviceFacts& facts) {
    const auto [choice, dispatch] = square(dtype, facts);
    EXPECT_EQ(choice.name, "tiled");
    EXPECT_EQ(choice.refusals.size(), 3u);
    return choice.refusals.at(0);
  };
  const auto without = [](auto take_away) {
    device::DeviceFacts facts = modern();
    take_away(facts);
    return facts;
  };
  EXPECT_EQ(refusal(DType::f32, modern()), "coopmat_f16: operands are f32, it takes f16 and bf16");
  EXPECT_EQ(refusal(DType::bf16, modern()), "coopmat_bf16: Modern has no bf16 in shaders");
  EXPECT_EQ(refusal(DType::bf16, without([](device::DeviceFacts& f) { f.bfloat16 = true; })),
            "coopmat_bf16: Modern lists no cooperative matrices of bf16 summed in f32");
  EXPECT_EQ(refusal(DType::f16, without([](device::DeviceFacts& f) { f.cooperative_shapes.clear(); })),
            "coopmat_f16: Modern lists no cooperative matrices of f16 summed in f32");
  EXPECT_EQ(refusal(DType::f16, without([](device::DeviceFacts& f) { f.cooperative_shapes.resize(1); })),
            "coopmat_f16: Modern lists no cooperative matrices of f16 summed in f32");  // f16 sums only
  EXPECT_EQ(refusal(DType::f16, without([](device::DeviceFacts& f) { f.float16 = false; })),
            "coopmat_f16: Modern has no f16 arithmetic in shaders");
  EXPECT_EQ(refusal(DType::f16, without([](device::DeviceFacts& f) { f.vulkan_memory_model = false; })),
            "coopmat_f16: Modern has no Vulkan memory model");
  EXPECT_EQ(refusal(DType::f16, without([](device::DeviceFacts& f) { f.subgroup_size_control = false; })),
            "coopmat_f16: Modern cannot promise full subgroups");
  device::DeviceFacts small = without([](device::DeviceFacts& f) { f.cooperative_shapes = {{64, 64, 64}}; });
  small.shared_memory = 16 << 10;
  EXPECT_EQ(refusal(DType::f16, small),
            "coopmat_f16: Modern has too little shared memory or too small workgroups for 64x64x64");
}

TEST(Gemm, RefusesWhatTheDeviceCannotHold) {
  const auto reason = [](DType dtype, device::DeviceFacts facts) {
    facts.storage16 = facts.float64 = facts.int64 = false;
    try {
      square(dtype, facts);
    } catch (const ir::Unsupported& unsupported) {
      return std::string(unsupported.what());
    }
    return std::string();
  };
  EXPECT_EQ(reason(DType::f16, modern()), "Modern has no f16 in shaders");
  EXPECT_EQ(reason(DType::f64, modern()), "Modern has no f64 in shaders");
  EXPECT_EQ(reason(DType::c128, modern()), "Modern has no c128 in shaders");
  EXPECT_EQ(reason(DType::i64, modern()), "Modern has no i64 in shaders");
  EXPECT_EQ(reason(DType::c64, modern()), "");
}

TEST(Gemm, ReadsTheMatrixOfARowOrColumnInOrder) {
  const auto constants = [](const Matmul& op, const ir::Shape& a, const ir::Shape& b) {
    const auto [choice, dispatch] = lowered(op, {{DType::f16, a}, {DType::f16, b}}, modern());
    EXPECT_EQ(choice.name, "vector");
    EXPECT_EQ(choice.refusals.size(), 1u);
    EXPECT_EQ(dispatch.shader.name, "matmul_vector.f16");
    const plan::Constants& of = dispatch.shader.constants;
    return std::tuple(of["elements"], of["lanes"], of["lanes_first"]);
  };
  const std::tuple along_lines(2u, 64u, 1u), across_lines(16u, 16u, 0u);
  EXPECT_EQ(constants({}, {70, 300}, {300, 1}), along_lines);
  EXPECT_EQ(constants({true, false, {}}, {300, 70}, {300, 1}), across_lines);
  EXPECT_EQ(constants({}, {1, 300}, {300, 70}), across_lines);
  EXPECT_EQ(constants({false, true, {}}, {1, 300}, {70, 300}), along_lines);
}

TEST(Gemm, UsesLargerTilesOnlyWhereManyAreLeft) {
  const auto rows = [](std::int64_t n) { return square(DType::i32, modern(), n).dispatch.shader.constants["rows"]; };
  EXPECT_EQ(rows(8), 8u);
  EXPECT_EQ(rows(9), 32u);
  EXPECT_EQ(rows(64 * 12), 64u);
  EXPECT_EQ(rows(128 * 12), 128u);
  const auto many = lowered(Matmul{}, {{DType::i32, {200, 64, 64}}, {DType::i32, {200, 64, 64}}}, modern());
  EXPECT_EQ(many.dispatch.shader.constants["rows"], 128u);
  EXPECT_EQ(many.dispatch.groups, (plan::Groups{200, 1, 1}));
}

TEST(Gemm, ManyMatricesByOneAreOneProduct) {
  const auto groups = [](bool transpose_a, const ir::Shape& b) {
    return lowered(Matmul{transpose_a, false, {}}, {{DType::f32, {5, 6, 10, 10}}, {DType::f32, b}}, modern())
        .dispatch.groups[0];
  };
  EXPECT_EQ(groups(false, {10, 10}), 10u);        // 300 rows in tiles of 32
  EXPECT_EQ(groups(false, {1, 1, 10, 10}), 10u);  //
  EXPECT_EQ(groups(true, {10, 10}), 30u);         // columns of a do not join
  EXPECT_EQ(groups(false, {6, 10, 10}), 30u);
}

TEST(Gemm, ReadsSixteenBytesAtATimeWhereLinesAllowIt) {
  const auto kernel = [](DType dtype, const ir::Shape& a, const ir::Shape& b, const Matmul& op = {}) {
    return lowered(op, {{dtype, a}, {dtype, b}}, modern()).choice.name;
  };
  EXPECT_EQ(kernel(DType::f32, {100, 52}, {52, 20}), "tiled_wide");
  EXPECT_EQ(kernel(DType::f32, {99, 52}, {52, 20}), "tiled_wide");  // rows are no lines
  EXPECT_EQ(kernel(DType::f32, {52, 99}, {52, 20}, {true, false, {}}), "tiled");
  EXPECT_EQ(kernel(DType::f32, {100, 53}, {53, 20}), "tiled");
  EXPECT_EQ(kernel(DType::f32, {100, 52}, {52, 21}), "tiled");
  EXPECT_EQ(kernel(DType::f32, {100, 52}, {21, 52}, {false, true, {}}), "tiled_wide");
  EXPECT_EQ(kernel(DType::f64, {100, 52}, {52, 20}), "tiled");
  EXPECT_EQ(kernel(DType::f16, {1, 53}, {53, 24}), "vector_wide");
  EXPECT_EQ(kernel(DType::f16, {1, 53}, {53, 20}), "vector");
  EXPECT_EQ(kernel(DType::f32, {1, 53}, {53, 20}), "vector_wide");
  EXPECT_EQ(kernel(DType::bf16, {1, 56}, {53, 56}, {false, true, {}}), "vector_wide");
  EXPECT_EQ(kernel(DType::f32, {20, 52}, {52, 1}), "vector_wide");
  EXPECT_EQ(kernel(DType::f32, {20, 53}, {53, 1}), "vector");
  EXPECT_EQ(kernel(DType::i32, {1, 52}, {52, 20}), "vector");
}

TEST(Gemm, SplitsTheTermsOfF32ProductsWithFewTiles) {
  const auto node = [](std::int64_t m, std::int64_t k, std::int64_t n, ir::Shape batch = {}) {
    ir::Shape a = batch;
    a.push_back(m);
    a.push_back(k);
    return lowered_node(Matmul{}, {{DType::f32, a}, {DType::f32, {k, n}}}, modern());
  };
  const LoweredNode split = node(512, 3072, 768);
  EXPECT_EQ(split.choice.name, "tiled_wide_split4");
  ASSERT_EQ(split.schedule.dispatches.size(), 2u);
  const plan::Dispatch &products = split.schedule.dispatches[0], &sum = split.schedule.dispatches[1];
  EXPECT_EQ(products.shader.name, "matmul_wide");
  EXPECT_EQ(products.groups.at(0), 4u * 8 * 12);
  EXPECT_EQ(products.shader.constants["FIXED_K"], 768u);  // K of a slice
  EXPECT_EQ(sum.shader,
            (plan::Shader{"matmul_slices.f32", {{"invocations", 128u}, {"slices", 4u}, {"is_packed", true}}}));
  EXPECT_EQ(sum.reads.at(0), products.writes.at(0));
  EXPECT_EQ(split.schedule.slots.at(sum.reads.at(0)).bytes, 4u * 4 * 512 * 768);
  EXPECT_EQ(node(512, 768, 3072).choice.name, "tiled_wide");  // tiles enough
  EXPECT_EQ(node(512, 252, 768).choice.name, "tiled_wide");   // too few terms
  EXPECT_EQ(node(64, 1028, 64).choice.name, "tiled_wide");    // slices would begin in the middle of 16 bytes
  EXPECT_EQ(node(64, 1024, 64).choice.name, "tiled_wide_split8");
  EXPECT_EQ(node(16, 4096, 4096).choice.name, "tiled_wide_split4");
}

TEST(Gemm, SplitsTheTermsOfCooperativeProductsWithFewTiles) {
  const auto node = [](std::int64_t m, std::int64_t k, std::int64_t n, std::string tile = "") {
    return lowered_node(Matmul{}, {{DType::f16, {m, k}}, {DType::f16, {k, n}}}, modern(), {.tile = std::move(tile)});
  };
  const LoweredNode split = node(512, 3072, 768);
  EXPECT_EQ(split.choice.name, "coopmat_f16_split8");
  ASSERT_EQ(split.schedule.dispatches.size(), 2u);
  const plan::Dispatch &products = split.schedule.dispatches[0], &sum = split.schedule.dispatches[1];
  EXPECT_EQ(products.shader.name, "matmul_cooperative.f16_f32_fixed");
  EXPECT_EQ(products.groups.at(0), 8u * 4 * 4);           // tiles of 128 x 192
  EXPECT_EQ(products.shader.constants["FIXED_K"], 384u);  // K of a slice
  EXPECT_EQ(sum.shader.constants, (plan::Constants{{"invocations", 128u}, {"slices", 8u}, {"is_packed", true}}));
  EXPECT_EQ(split.schedule.slots.at(sum.reads.at(0)).bytes, 8u * 4 * 512 * 768);
  const auto kernel = [&](auto... size) { return node(size...).choice.name; };
  EXPECT_EQ(kernel(2048, 3072, 768), "coopmat_f16_split2");
  EXPECT_EQ(kernel(128, 3072, 768), "coopmat_f16_split4");  // tiles of 64 x 64
  EXPECT_EQ(kernel(32, 4096, 4096), "coopmat_f16_split2");  // tiles of 32 x 64
  EXPECT_EQ(kernel(4096, 3072, 768), "coopmat_f16");        // tiles enough
  EXPECT_EQ(kernel(512, 2048, 512), "coopmat_f16");         // too few terms
  EXPECT_EQ(kernel(64, 11008, 4096), "coopmat_f16");        // too many for two slices
  EXPECT_EQ(kernel(512, 3080, 768), "coopmat_f16");         // slices would end in the middle of a tile
  EXPECT_EQ(kernel(512, 3073, 768), "coopmat_f16");
  EXPECT_EQ(kernel(512, 3072, 768, "64x64x128"), "coopmat_f16");  // a tile was asked for
}

TEST(Gemm, TakesTheTilesOfWhichThereAreEnough) {
  using Sizes = std::vector<std::uint32_t>;  // subgroups and matrices of each by rows and columns, and matrices deep
  const auto sizes = [](std::int64_t m, std::int64_t k, std::int64_t n) {
    const auto constants =
        lowered(Matmul{}, {{DType::f16, {m, k}}, {DType::f16, {k, n}}}, modern()).dispatch.shader.constants;
    return Sizes{constants["subgroups_m"], constants["subgroups_n"], constants["fragments_m"], constants["fragments_n"],
                 constants["fragments_k"]};
  };
  EXPECT_EQ(sizes(2048, 2048, 2048), (Sizes{2, 2, 4, 4, 2}));
  EXPECT_EQ(sizes(4096, 768, 3072), (Sizes{2, 4, 4, 3, 4}));  // 512 of 128 x 192
  EXPECT_EQ(sizes(4096, 768, 768), (Sizes{2, 4, 4, 3, 4}));   // 128 of them run at one time
  EXPECT_EQ(sizes(3072, 768, 1024), (Sizes{2, 2, 4, 3, 2}));  // 144, which do not; 264 of 128 x 96, 192 of 128 x 128
  EXPECT_EQ(sizes(512, 768, 3072), (Sizes{4, 2, 2, 3, 4}));
  EXPECT_EQ(sizes(512, 768, 2304), (Sizes{2, 3, 2, 3, 6}));    // 128 of 64 x 144
  EXPECT_EQ(sizes(1024, 1024, 1024), (Sizes{2, 2, 2, 2, 8}));  // 8 of them across would reach beyond the columns
  EXPECT_EQ(sizes(512, 2048, 768), (Sizes{2, 2, 2, 2, 8}));
  EXPECT_EQ(sizes(512, 512, 512), (Sizes{2, 2, 1, 2, 8}));
  EXPECT_EQ(sizes(128, 512, 128), (Sizes{2, 2, 1, 1, 8}));
  EXPECT_EQ(sizes(513, 3073, 769), (Sizes{2, 2, 1, 1, 4}));  // element by element
}

TEST(Gemm, ReadsALargeMatrixOnceForAFewRows) {
  const auto kernel = [](DType dtype, const ir::Shape& a, const ir::Shape& b, const Matmul& op = {}) {
    return lowered_node(op, {{dtype, a}, {dtype, b}}, modern()).choice.name;
  };
  EXPECT_EQ(kernel(DType::f16, {8, 512}, {512, 512}), "vector_wide");
  EXPECT_EQ(kernel(DType::f32, {2, 512}, {512, 512}, {false, true, {}}), "vector_wide");
  EXPECT_EQ(kernel(DType::f16, {9, 512}, {512, 512}), "coopmat_f16");
  EXPECT_EQ(kernel(DType::f32, {8, 512}, {512, 508}), "tiled_wide_split4");  // small
  EXPECT_EQ(kernel(DType::f32, {8, 516}, {516, 512}), "tiled_wide");
  EXPECT_EQ(kernel(DType::f32, {512, 8}, {512, 512}, {true, false, {}}), "tiled_wide_split4");
  device::DeviceFacts facts = modern();
  facts.shared_memory = 16 << 10;
  for (const std::uint32_t size : {4u, 8u, 16u, 64u}) {  // sums of every lane must fit
    facts.subgroup_size = size;
    const auto constants =
        lowered(Matmul{}, {{DType::f16, {8, 512}}, {DType::f16, {512, 8192}}}, facts).dispatch.shader.constants;
    const std::uint32_t across = constants["across"], lanes = constants["lanes"],
                        parts = lanes / std::max(1u, size / across);
    EXPECT_LE(parts * 8 * across * 8 * 4, facts.shared_memory) << size;
    EXPECT_GE(parts, 1u) << size;
    EXPECT_EQ(across * lanes % size, 0u) << size;
  }
}

TEST(Gemm, GivesLargeProductsAPipelineOfTheirOwn) {
  const auto shader = [](std::int64_t n) {
    device::DeviceFacts facts = modern();
    facts.rounds_to_even_f16 = true;
    return lowered(Matmul{}, {{DType::f16, {n, n}}, {DType::f16, {n, n}}}, facts).dispatch.shader;
  };
  EXPECT_EQ(shader(248).name, "matmul_cooperative.f16_rte");
  EXPECT_EQ(shader(248), shader(240));
  EXPECT_EQ(shader(256).name, "matmul_cooperative.f16_rte_fixed");
  EXPECT_EQ(shader(256).constants["FIXED_K"], 256u);
}

TEST(Gemm, FitsTheLeastThatVulkanPromises) {
  device::DeviceFacts facts = modern();
  facts.shared_memory = 16 << 10;
  facts.max_invocations = 128;
  for (const DType dtype : {DType::f32, DType::f16, DType::c128, DType::f64})
    for (const std::int64_t n : {5, 100, 101, 2000}) {
      const auto [choice, dispatch] = square(dtype, facts, n);
      EXPECT_LE(dispatch.shader.constants["invocations"], 128u) << dtype << " " << n;
    }
}

TEST(Gemm, GemmSharesTheKernelsAndTheirPipelines) {
  Gemm op;
  op.alpha = 2;
  op.has_c = true;
  const ir::TensorType type = {DType::f16, {40, 40}};
  const auto [choice, dispatch] = lowered(op, {type, type, {DType::f16, {40}}}, modern());
  EXPECT_EQ(choice.name, "coopmat_f16");
  EXPECT_EQ(dispatch.shader, lowered(Matmul{}, {type, type}, modern()).dispatch.shader);
  std::uint32_t flags = 0;
  std::memcpy(&flags, dispatch.push.bytes().data() + 4 * sizeof(flags), sizeof(flags));
  EXPECT_EQ(flags, 4u + 8u);  // scaled, with c
  EXPECT_EQ(dispatch.reads.size(), 3u);
}

}  // namespace
}  // namespace plumb::gpu_vulkan::gemm_test
