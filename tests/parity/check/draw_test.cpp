// Shapes drawn for every op: which can be drawn, that they are accepted, bounded, and of the kinds that they should be.
#include "parity/check/draw.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <set>

#include "ir/op_list.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/gru.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/softmax.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/noise.hpp"

namespace plumb::parity::check::draw_test {
namespace {

using ir::Attributes;
using Whole = std::vector<std::int64_t>;

/// Attributes without which ops cannot be read, or accept nothing.
const std::map<std::string_view, Attributes>& needed() {
  static const std::map<std::string_view, Attributes> all = {
      {"activation", {{"function", "elu"}}},
      {"affine_grid", {{"output_shape", Whole{3, 5}}}},
      {"axial_rope_2d", {{"width", std::int64_t{9}}, {"height", std::int64_t{7}}, {"head_dim", std::int64_t{8}}}},
      {"binary", {{"function", "add"}}},
      {"bitcast", {{"to", "i32"}}},
      {"cast", {{"to", "f16"}}},
      {"classify", {{"function", "is_nan"}}},
      {"col2im", {{"image_shape", Whole{5, 7}}, {"kernel_shape", Whole{2, 3}}}},
      {"compare", {{"function", "less"}}},
      {"complex_part", {{"function", "abs"}}},
      {"concat", {{"axis", std::int64_t{1}}}},
      {"constant", {{"dtype", "u8"}, {"shape", Whole{1}}, {"data", ir::Bytes(1)}}},
      {"depth_to_space", {{"block", std::int64_t{2}}}},
      {"dequant_grouped_matmul", {{"format", "uint4"}, {"block_size", std::int64_t{16}}, {"has_scales", true}}},
      {"dequant_matmul", {{"format", "uint4"}, {"block_size", std::int64_t{16}}, {"has_scales", true}}},
      {"dequantize", {{"format", "uint4"}, {"block_size", std::int64_t{16}}, {"has_scales", true}}},
      {"dot_general",
       {{"a_batch", Whole{0}}, {"b_batch", Whole{0}}, {"a_contract", Whole{2}}, {"b_contract", Whole{-1}}}},
      {"dynamic_slice", {{"sizes", Whole{2, 3}}}},
      {"einsum", {{"equation", "...ij,jk->...ik"}}},
      {"expand", {{"shape", Whole{4, 1, 6}}}},
      {"frame", {{"size", std::int64_t{400}}, {"hop", std::int64_t{160}}}},
      {"group_norm", {{"num_groups", std::int64_t{3}}}},
      {"histogram", {{"bins", std::int64_t{7}}, {"min", -1.0}, {"max", 1.0}}},
      {"im2col", {{"kernel_shape", Whole{2, 3}}}},
      {"lrn", {{"size", std::int64_t{5}}}},
      {"max_unpool", {{"inferred_shape", Whole{6, 8}}}},
      {"mean_variance_norm", {{"axes", Whole{0, 2}}}},
      {"one_hot", {{"depth", std::int64_t{9}}}},
      {"overlap_add", {{"hop", std::int64_t{4}}, {"length", std::int64_t{64}}}},
      {"pad", {{"pads", Whole{1, 2, 0, 3}}}},
      {"pool", {{"kernel_shape", Whole{2, 3}}}},
      {"quantize_blocks", {{"format", "q8_0"}}},
      {"random", {{"shape", Whole{3, 5}}}},
      {"range", {{"start", 0.0}, {"delta", 1.0}, {"count", std::int64_t{9}}}},
      {"reduce", {{"function", "sum"}, {"axes", Whole{1}}}},
      {"reshape", {{"shape", Whole{3, -1, 4}}}},
      {"resize", {{"axes", Whole{2, 3}}, {"sizes", Whole{5, 7}}}},
      {"reverse", {{"axes", Whole{1}}}},
      {"roll", {{"shifts", Whole{2, -1}}, {"axes", Whole{0, 1}}}},
      {"scatter_add", {{"size", std::int64_t{20}}}},
      {"slice", {{"axes", Whole{1}}, {"starts", Whole{90}}, {"sizes", Whole{30}}, {"steps", Whole{-3}}}},
      {"space_to_depth", {{"block", std::int64_t{3}}}},
      {"split", {{"axis", std::int64_t{1}}, {"sizes", Whole{3, 5}}}},
      {"tile", {{"repeats", Whole{2, 3}}}},
      {"top_k", {{"k", std::int64_t{100}}}},
      {"transpose", {{"permutation", Whole{2, 0, 1}}}},
      {"umap_knn", {{"k", std::int64_t{5}}}},
      {"unary", {{"function", "exp"}}},
      {"welch_peaks", {{"k", std::int64_t{2}}, {"fft_length", std::int64_t{64}}}},
      {"window", {{"function", "hann"}, {"size", std::int64_t{9}}}},
  };
  return all;
}

ir::Op op_of(const ir::OpSchema& schema) {
  const auto found = needed().find(schema.name);
  return schema.read(found == needed().end() ? Attributes{} : found->second);
}

/// Ops with fewer shapes than a quick sweep has: those without operands have one, expand those that broadcast to its
/// own shape.
const std::set<std::string_view> scarce = {"constant", "expand", "random", "range", "window"};

double elements_of(const ir::TensorTypes& types) {
  double sum = 0;
  for (const ir::TensorType& type : types) sum += static_cast<double>(type.shape.elements());
  return sum;
}

bool has_extent(const std::vector<ir::TensorTypes>& drawn, std::int64_t least, std::int64_t most) {
  for (const ir::TensorTypes& types : drawn)
    for (const ir::TensorType& type : types)
      for (const std::int64_t extent : type.shape)
        if (least <= extent && extent <= most) return true;
  return false;
}

TEST(Draw, EveryOpHasShapes) {
  const ref_cpu::CpuExecutor cpu;
  std::set<std::string_view> few;
  for (const ir::OpSchema* schema : ir::all_schemas()) {
    if (!cpu.has_kernel(*schema)) continue;
    SCOPED_TRACE(schema->name);
    const ir::Op op = op_of(*schema);
    std::vector<ir::TensorTypes> drawn;
    EXPECT_NO_THROW(drawn = draw(op, {}, quick_count));
    EXPECT_FALSE(drawn.empty());
    if (drawn.size() < quick_count) few.insert(schema->name);
    for (const ir::TensorTypes& types : drawn) {
      EXPECT_NO_THROW(ir::infer(op, types));
      EXPECT_LE(elements_of(types), 0x1p20);
    }
  }
  EXPECT_EQ(few, scarce);
}

TEST(Draw, EveryOpHasShapesInOtherSeedsAndWithOptionalOperands) {
  const ref_cpu::CpuExecutor cpu;
  for (const ir::OpSchema* schema : ir::all_schemas()) {
    if (!cpu.has_kernel(*schema)) continue;
    SCOPED_TRACE(schema->name);
    Attributes all = op_of(*schema).attributes();
    for (const ir::Input& input : schema->inputs)
      if (!input.when.empty()) all.insert_or_assign(std::string(input.when), true);
    for (const std::uint64_t seed : {2u, 3u}) EXPECT_EQ(draw(schema->read(all), {.seed = seed}, 1).size(), 1u);
  }
}

TEST(Draw, NoAttributeIsNeededWithoutNeed) {
  for (const auto& [name, attributes] : needed())
    EXPECT_THROW(ir::find_schema(name)->read({}), ir::Error) << name << " has usual attributes: no need to give any";
}

TEST(Draw, IsTheSameForOneSeedAndAnotherForAnother) {
  const ir::Op op = ir::ops::Matmul{};
  EXPECT_EQ(draw(op, {.seed = 7}, 12), draw(op, {.seed = 7}, 12));
  EXPECT_NE(draw(op, {.seed = 7}, 12), draw(op, {.seed = 8}, 12));
}

TEST(Draw, AQuickSweepHasEveryKindOfExtents) {
  for (const ir::Op& op : {ir::Op(ir::ops::Softmax{}), ir::Op(ir::ops::Matmul{})}) {
    const auto drawn = draw(op, {}, quick_count);
    EXPECT_TRUE(has_extent(drawn, 0, 0)) << op.name();
    EXPECT_TRUE(has_extent(drawn, 1, 1)) << op.name();
    EXPECT_TRUE(has_extent(drawn, 15, 17)) << op.name();
    EXPECT_TRUE(has_extent(drawn, 63, 65)) << op.name();
    EXPECT_TRUE(has_extent(drawn, 255, 509)) << op.name();
    EXPECT_TRUE(has_extent(drawn, 65537, 65537)) << op.name();
  }
}

/// Each step of a network is judged by the one before: 65537 of them take minutes, and no grid has steps along an axis.
TEST(Draw, ARecurrenceHasManyRowsAndNoSuchNumberOfSteps) {
  const auto drawn = draw(ir::ops::Gru{}, {}, quick_count);
  EXPECT_TRUE(has_extent(drawn, 65537, 65537));
  for (const auto& types : drawn) EXPECT_LT(types[0].shape[0], 65537);
}

TEST(Draw, MultiplesAreKept) {
  const auto drawn = draw(ir::ops::Matmul{}, {.multiples = {{"K", 24}, {"N", 64}}}, quick_count);
  ASSERT_FALSE(drawn.empty());
  for (const ir::TensorTypes& types : drawn) {
    EXPECT_EQ(types[1].shape.end()[-2] % 24, 0);
    EXPECT_EQ(types[1].shape.back() % 64, 0);
  }
  for (const ir::TensorTypes& types : draw(ir::ops::Softmax{}, {.multiples = {{"last", 32}}}, quick_count))
    EXPECT_EQ(types[0].shape.back() % 32, 0);
}

TEST(Draw, MultiplesOfGroupsAreMultiplesOfBoth) {
  ir::ops::Conv grouped;
  grouped.group = 3;
  for (const ir::TensorTypes& types : draw(grouped, {.multiples = {{"C", 4}}}, 6)) EXPECT_EQ(types[0].shape[1] % 12, 0);
}

TEST(Draw, TransposedOperandsFit) {
  ir::ops::Matmul transposed;
  transposed.transpose_a = transposed.transpose_b = true;
  for (const ir::TensorTypes& types : draw(transposed, {}, 6))
    EXPECT_EQ(types[0].shape.end()[-2], types[1].shape.back());
}

TEST(Draw, UnknownLettersAndDtypesAreRefusedByName) {
  EXPECT_THAT(tests::message_of([] {
                draw(ir::ops::Matmul{}, {.multiples = {{"Q", 4}}}, 1);
              }),
              ::testing::HasSubstr("matmul has no extent 'Q'"));
  EXPECT_THAT(tests::message_of([] {
                draw(ir::ops::Softmax{}, {.multiples = {{"lst", 4}}}, 1);
              }),
              ::testing::HasSubstr("did you mean last?"));
  EXPECT_THAT(tests::message_of([] { draw(ir::ops::Softmax{}, {.dtype = ir::DType::i32}, 1); }),
              ::testing::HasSubstr("softmax has no operand of dtype i32: x takes f16"));
}

TEST(Draw, AnOpThatAcceptsNothingSaysWhy) {
  ir::ops::Conv odd;
  odd.pads = {1, 2, 3};
  const std::string text = tests::message_of([&] { draw(odd, {}, 1); });
  EXPECT_THAT(text, ::testing::HasSubstr("give the type of each operand by --in. Of the last ones it says: "));
}

TEST(Draw, HostileAttributesEndInARefusalAndNotInWork) {
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  for (const auto& [name, attributes] : std::vector<std::pair<std::string_view, Attributes>>{
           {"softmax", {{"axis", huge}}},
           {"frame", {{"size", huge}, {"hop", std::int64_t{1}}}},
           {"top_k", {{"k", huge}}},
           {"split", {{"axis", std::int64_t{0}}, {"sizes", Whole{huge, huge, huge}}}},
           {"reshape", {{"shape", Whole{huge, huge}}}},
           {"expand", {{"shape", Whole{huge}}}},
           {"slice", {{"axes", Whole{0}}, {"starts", Whole{huge}}, {"sizes", Whole{huge}}, {"steps", Whole{huge}}}},
           {"dynamic_slice", {{"sizes", Whole{huge}}}},
           {"rope", {{"rotary_dim", huge}, {"offset", huge}}},
           {"col2im", {{"image_shape", Whole{huge, 7}}, {"kernel_shape", Whole{huge, 3}}}},
           {"space_to_depth", {{"block", huge}}},
           {"irfft", {{"n", huge}}},
           {"einsum", {{"equation", "i$,j->"}}},
           {"transpose", {{"permutation", Whole(40, 0)}}},
           {"welch_peaks", {{"k", huge}, {"fft_length", huge}}}}) {
    SCOPED_TRACE(name);
    EXPECT_THROW(draw(ir::find_schema(name)->read(attributes), {}, 1), ir::Error);
  }
}

}  // namespace
}  // namespace plumb::parity::check::draw_test
