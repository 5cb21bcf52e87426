#include <limits>

#include "ir/ops/depth_to_space.hpp"
#include "ir/ops/im2col.hpp"
#include "ir/ops/pad.hpp"
#include "ir/ops/reverse.hpp"
#include "ir/ops/roll.hpp"
#include "ir/ops/space_to_depth.hpp"
#include "ir/ops/tile.hpp"
#include "tests/support/cases/moves.hpp"

namespace plumb::tests {
namespace {

using ir::DType;
using namespace ir::ops;
using Cases = std::vector<MovementCase>;

constexpr DType all_widths[] = {DType::boolean, DType::u8,  DType::i8,  DType::u16, DType::i16,
                                DType::i32,     DType::u32, DType::i64, DType::f16, DType::bf16,
                                DType::f32,     DType::f64, DType::c64, DType::c128};

Cases pads() {
  Cases cases = {
      {"pad_by_nothing", Pad{{0, 0, 0, 0}}, {{DType::f32, {3, 5}}}},
      {"pad_of_a_scalar", Pad{{}}, {{DType::f32, {}}}},
      {"pad_of_a_scalar_by_value", Pad{{}, PadMode::constant, true}, {{DType::f32, {}}, {DType::f32, {}}}},
      {"pad_nothing_into_something",
       Pad{{2, 0, 1, 3}, PadMode::constant, true},
       {{DType::f16, {0, 4}}, {DType::f16, {}}}},
      {"pad_crops_to_nothing", Pad{{-2, 0, -1, 0}}, {{DType::f32, {3, 5}}}},
      {"pad_crops_all_and_fills", Pad{{-3, 5}}, {{DType::f32, {3}}}},
      {"pad_crops_to_one_element", Pad{{-1, -2, -1, -2}}, {{DType::f32, {3, 5}}}},
      {"pad_crops_and_adds", Pad{{-1, 2, 3, -2}}, {{DType::f32, {5, 7}}}},
      {"pad_images", Pad{{0, 0, 1, 1, 0, 0, 1, 1}}, {{DType::f32, {2, 3, 17, 19}}}},
      {"pad_images_in_words", Pad{{0, 0, 1, 4, 0, 0, 1, 4}}, {{DType::f32, {2, 3, 17, 20}}}},
      {"pad_leading_axes", Pad{{1, 2, 0, 0, 3, 1, 0, 0}}, {{DType::f16, {2, 3, 4, 6}}}},
      {"pad_rank_eight",
       Pad{{1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1}},
       {{DType::u8, {2, 1, 3, 2, 1, 2, 1, 3}}}},
  };
  constexpr PadMode turned[] = {PadMode::reflect, PadMode::edge, PadMode::wrap};
  for (const PadMode mode : turned) {
    const auto name = ir::cat("pad_", ir::enum_name(mode));
    Cases some = {
        {name + "_images", Pad{{0, 0, 2, 3, 0, 0, 1, 0}, mode}, {{DType::f32, {2, 3, 17, 19}}}},
        {name + "_beyond_the_extent", Pad{{7, 11, 12, 5}, mode}, {{DType::i32, {2, 3}}}},
        {name + "_crops_and_adds", Pad{{-1, 4, 9, -2}, mode}, {{DType::bf16, {4, 5}}}},
        {name + "_crops_only", Pad{{-1, 0, 0, -2}, mode}, {{DType::f32, {4, 5}}}},
        {name + "_inner_axes_whole", Pad{{3, 0, 0, 2, 0, 0}, mode}, {{DType::f32, {3, 5, 8}}}},
        {name + "_outer_axes_whole", Pad{{0, 0, 3, 0, 0, 2}, mode}, {{DType::u8, {3, 5, 64}}}},
        {name + "_without_elements", Pad{{0, 1, 0, 1}, mode}, {{DType::f32, {0, 5}}}},
        {name + "_rank_eight",
         Pad{{0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0}, mode},
         {{DType::i16, {2, 2, 2, 2, 2, 2, 2, 3}}}},
        {name + "_long", Pad{{1001, 2003}, mode}, {{DType::i8, {70001}}}},
    };
    cases.insert(cases.end(), some.begin(), some.end());
  }
  for (const DType dtype : all_widths) {
    cases.push_back({ir::cat("pad_", dtype), Pad{{2, 1, 0, 3}}, {{dtype, {5, 7}}}});
    cases.push_back({ir::cat("pad_by_value_", dtype),
                     Pad{{1, 0, 2, 1, 3, 2}, PadMode::constant, true},
                     {{dtype, {3, 5, 4}}, {dtype, {}}}});
    cases.push_back({ir::cat("pad_by_value_in_words_", dtype),
                     Pad{{1, 16, 2, 32}, PadMode::constant, true},
                     {{dtype, {3, 48}}, {dtype, {}}}});
    cases.push_back({ir::cat("pad_reflect_", dtype), Pad{{2, 1, 0, 3}, PadMode::reflect}, {{dtype, {5, 7}}}});
  }
  return cases;
}

Cases tiles() {
  Cases cases = {
      {"tile_once", Tile{{1, 1}}, {{DType::f32, {3, 5}}}},
      {"tile_a_scalar", Tile{{}}, {{DType::f32, {}}}},
      {"tile_no_times", Tile{{2, 0}}, {{DType::f32, {3, 5}}}},
      {"tile_nothing", Tile{{2, 3}}, {{DType::f32, {3, 0}}}},
      {"tile_rows", Tile{{3, 1, 1}}, {{DType::f32, {2, 17, 19}}}},
      {"tile_columns", Tile{{1, 5}}, {{DType::f16, {31, 7}}}},
      {"tile_in_words", Tile{{2, 3}}, {{DType::f16, {5, 24}}}},
      {"tile_one_element", Tile{{70001}}, {{DType::u8, {1}}}},
      {"tile_unit_axes", Tile{{3, 1, 4}}, {{DType::i64, {1, 5, 1}}}},
      {"tile_rank_eight", Tile{{2, 1, 2, 1, 2, 3, 1, 2}}, {{DType::u8, {1, 2, 3, 1, 2, 1, 2, 3}}}},
  };
  for (const DType dtype : all_widths)
    cases.push_back({ir::cat("tile_", dtype), Tile{{2, 1, 3}}, {{dtype, {3, 5, 7}}}});
  return cases;
}

Cases turns() {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  Cases cases = {
      {"roll_nothing_along_nothing", Roll{{}, {}}, {{DType::f32, {3, 5}}}},
      {"roll_by_whole_turns", Roll{{6, -10}, {0, 1}}, {{DType::f32, {3, 5}}}},
      {"roll_repeated_axes_add_up", Roll{{2, 1, 2}, {0, -1, 0}}, {{DType::f32, {7, 5}}}},
      {"roll_far", Roll{{least, 1001}, {0, 1}}, {{DType::f32, {7, 5}}}},
      {"roll_an_axis_of_nothing", Roll{{2}, {0}}, {{DType::f32, {0, 5}}}},
      {"roll_rows", Roll{{-3}, {0}}, {{DType::f32, {17, 4, 2}}}},
      {"roll_windows", Roll{{-2, -2}, {1, 2}}, {{DType::f32, {2, 14, 14, 24}}}},
      {"roll_long", Roll{{12345}, {0}}, {{DType::u8, {70001}}}},
      {"roll_rank_eight", Roll{{1, 1, 1, 1}, {0, 2, 4, 7}}, {{DType::u8, {2, 1, 3, 2, 3, 2, 1, 5}}}},
      {"reverse_nothing", Reverse{{}}, {{DType::f32, {3, 5}}}},
      {"reverse_all", Reverse{{0, -1}}, {{DType::f32, {3, 5}}}},
      {"reverse_rows", Reverse{{0}}, {{DType::f32, {31, 16}}}},
      {"reverse_an_axis_of_nothing", Reverse{{0}}, {{DType::f32, {0, 5}}}},
      {"reverse_a_unit_axis", Reverse{{1}}, {{DType::f32, {3, 1, 5}}}},
      {"reverse_rank_eight", Reverse{{0, 2, 4, 7}}, {{DType::u8, {2, 1, 3, 2, 3, 2, 1, 5}}}},
  };
  for (const DType dtype : all_widths) {
    cases.push_back({ir::cat("roll_", dtype), Roll{{2, -3}, {0, 2}}, {{dtype, {3, 5, 7}}}});
    cases.push_back({ir::cat("reverse_", dtype), Reverse{{0, 2}}, {{dtype, {3, 5, 7}}}});
  }
  return cases;
}

Cases blocks() {
  Cases cases = {
      {"depth_to_space_by_one", DepthToSpace{1}, {{DType::f32, {2, 3, 5, 7}}}},
      {"depth_to_space_of_nothing", DepthToSpace{2}, {{DType::f32, {2, 4, 0, 7}}}},
      {"depth_to_space_three", DepthToSpace{3, DepthOrder::crd}, {{DType::f16, {1, 18, 5, 7}}}},
      {"depth_to_space_long_rows", DepthToSpace{2}, {{DType::f32, {1, 8, 3, 1031}}}},
      {"space_to_depth_by_one", SpaceToDepth{1}, {{DType::f32, {2, 3, 5, 7}}}},
      {"space_to_depth_of_nothing", SpaceToDepth{2}, {{DType::f32, {0, 4, 2, 6}}}},
      {"space_to_depth_three", SpaceToDepth{3}, {{DType::f16, {2, 5, 9, 12}}}},
      {"space_to_depth_long_rows", SpaceToDepth{2}, {{DType::f32, {1, 2, 4, 2062}}}},
  };
  for (const DType dtype : all_widths) {
    cases.push_back({ir::cat("depth_to_space_dcr_", dtype), DepthToSpace{2}, {{dtype, {2, 12, 3, 5}}}});
    cases.push_back(
        {ir::cat("depth_to_space_crd_", dtype), DepthToSpace{2, DepthOrder::crd}, {{dtype, {2, 12, 3, 5}}}});
    cases.push_back({ir::cat("space_to_depth_", dtype), SpaceToDepth{2}, {{dtype, {2, 3, 6, 10}}}});
  }
  return cases;
}

Cases windows() {
  const Im2col overlapping{.kernel_shape = {3, 2}, .strides = {1, 2}, .dilations = {2, 1}, .pads = {2, 0, 1, 1}};
  Cases cases = {
      {"im2col_one_axis", Im2col{.kernel_shape = {4}}, {{DType::f32, {2, 3, 31}}}},
      {"im2col_of_one_tap", Im2col{.kernel_shape = {1, 1}}, {{DType::f32, {2, 3, 5, 7}}}},
      {"im2col_three_axes",
       Im2col{.kernel_shape = {2, 3, 2}, .strides = {2, 1, 3}, .dilations = {1, 2, 3}, .pads = {0, 1, 1, 1, 0, 2}},
       {{DType::f32, {2, 3, 5, 6, 4}}}},
      {"im2col_gaps", Im2col{.kernel_shape = {2, 2}, .strides = {5, 3}}, {{DType::f16, {1, 3, 17, 13}}}},
      {"im2col_large_stride", Im2col{.kernel_shape = {2}, .strides = {2147483647}}, {{DType::f32, {1, 2, 3}}}},
      {"im2col_windows_in_the_pads",
       Im2col{.kernel_shape = {2, 2}, .pads = {5, 4, 3, 6}},
       {{DType::f32, {1, 2, 3, 2}}}},
      {"im2col_nothing_but_pads", Im2col{.kernel_shape = {2}, .pads = {1, 2}}, {{DType::f32, {1, 2, 0}}}},
      {"im2col_no_image", Im2col{.kernel_shape = {2}}, {{DType::f32, {0, 2, 3}}}},
      {"im2col_no_channel", Im2col{.kernel_shape = {2}}, {{DType::f32, {2, 0, 3}}}},
      {"im2col_long_rows", Im2col{.kernel_shape = {1, 3}, .pads = {0, 1, 0, 1}}, {{DType::f32, {1, 2, 3, 2063}}}},
  };
  for (const DType dtype : all_widths)
    cases.push_back({ir::cat("im2col_", dtype), overlapping, {{dtype, {2, 3, 7, 9}}}});
  return cases;
}

}  // namespace

std::vector<MovementCase> move_cases() {
  Cases all;
  for (const Cases& some : {pads(), tiles(), turns(), blocks(), windows()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace plumb::tests
