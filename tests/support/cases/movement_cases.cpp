#include <limits>

#include "ir/ops/concat.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/transpose.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests {
namespace {

using ir::DType;
using ir::TensorType;
using ir::ops::Concat;
using ir::ops::Expand;
using ir::ops::Gather;
using ir::ops::Reshape;
using ir::ops::Slice;
using ir::ops::Split;
using ir::ops::Transpose;
using Cases = std::vector<MovementCase>;

constexpr DType widths[] = {DType::boolean, DType::i8,  DType::bf16, DType::f16, DType::i32,
                            DType::f32,     DType::i64, DType::f64,  DType::c64, DType::c128};

std::string name_of(std::string_view what, DType dtype) { return ir::cat(what, '_', dtype); }

Cases reshapes() {
  return {
      {"reshape_leaves_an_extent_open", Reshape{{-1, 6}}, {{DType::f32, {3, 4, 5}}}},
      {"reshape_to_a_scalar", Reshape{{}}, {{DType::bf16, {1, 1}}}},
      {"reshape_to_rank_eight", Reshape{{1, 3, 1, 2, 1, 2, 1, 1}}, {{DType::boolean, {12}}}},
      {"reshape_of_nothing", Reshape{{5, 0}}, {{DType::c128, {0, 7}}}},
  };
}

Cases transposes() {
  Cases cases = {
      {"transpose_identity", Transpose{{0, 1}}, {{DType::f32, {3, 5}}}},
      {"transpose_rank_zero", Transpose{{}}, {{DType::f32, {}}}},
      {"transpose_rank_one", Transpose{{0}}, {{DType::u8, {13}}}},
      {"transpose_moves_only_unit_axes", Transpose{{1, 0, 3, 2}}, {{DType::f32, {1, 5, 7, 1}}}},
      {"transpose_rank_six", Transpose{{3, 5, 0, 2, 4, 1}}, {{DType::bf16, {2, 3, 1, 2, 5, 3}}}},
      {"transpose_rank_eight_reversed", Transpose{{7, 6, 5, 4, 3, 2, 1, 0}}, {{DType::u8, {2, 3, 2, 1, 3, 2, 5, 2}}}},
      {"transpose_heads", Transpose{{0, 2, 1, 3}}, {{DType::f32, {2, 17, 3, 64}}}},
      {"transpose_heads_of_25", Transpose{{0, 2, 1, 3}}, {{DType::f16, {2, 11, 8, 25}}}},
      {"transpose_keys", Transpose{{0, 2, 3, 1}}, {{DType::f32, {2, 37, 3, 25}}}},
      {"transpose_two_long_axes_apart", Transpose{{3, 1, 2, 0}}, {{DType::f32, {35, 2, 3, 34}}}},
      {"transpose_a_batch_of_blocks", Transpose{{2, 3, 0, 1}}, {{DType::i32, {3, 65, 2, 34}}}},
      {"transpose_thin", Transpose{{1, 0}}, {{DType::f32, {2, 1031}}}},
      {"transpose_tall", Transpose{{1, 0}}, {{DType::f32, {1031, 3}}}},
      {"transpose_pairs", Transpose{{1, 0, 2}}, {{DType::f32, {67, 35, 2}}}},
      {"transpose_fours", Transpose{{1, 0, 2}}, {{DType::f32, {33, 35, 4}}}},
      {"transpose_no_rows", Transpose{{1, 2, 0}}, {{DType::f32, {0, 3, 2}}}},
      {"transpose_no_columns", Transpose{{1, 2, 0}}, {{DType::f32, {4, 3, 0}}}},
      {"transpose_tile_less_one", Transpose{{1, 0}}, {{DType::f32, {31, 31}}}},
      {"transpose_one_tile", Transpose{{1, 0}}, {{DType::f32, {32, 32}}}},
      {"transpose_tile_and_one", Transpose{{1, 0}}, {{DType::f32, {33, 33}}}},
  };
  for (const DType dtype : widths)
    cases.push_back({name_of("transpose", dtype), Transpose{{1, 2, 0}}, {{dtype, {67, 5, 19}}}});
  return cases;
}

Cases expands() {
  Cases cases = {
      {"expand_to_itself", Expand{{3, 5}}, {{DType::f32, {3, 5}}}},
      {"expand_scalar_to_scalar", Expand{{}}, {{DType::f32, {}}}},
      {"expand_scalar", Expand{{3, 1009}}, {{DType::c128, {}}}},
      {"expand_leading", Expand{{4, 3, 5}}, {{DType::f32, {3, 5}}}},
      {"expand_leading_by_one", Expand{{1, 3, 5}}, {{DType::f32, {3, 5}}}},
      {"expand_trailing", Expand{{3, 7}}, {{DType::i64, {3, 1}}}},
      {"expand_a_middle_axis", Expand{{2, 19, 3, 20}}, {{DType::f32, {2, 19, 1, 20}}}},
      {"expand_alternate_axes", Expand{{3, 2, 3, 2, 3, 2, 1, 2}}, {{DType::f16, {3, 1, 3, 1, 3, 1, 1, 1}}}},
      {"expand_one_to_none", Expand{{0, 3}}, {{DType::f32, {1, 3}}}},
      {"expand_none_stays_none", Expand{{2, 0}}, {{DType::f32, {0}}}},
  };
  for (const DType dtype : widths) cases.push_back({name_of("expand", dtype), Expand{{5, 7, 3}}, {{dtype, {5, 1, 3}}}});
  return cases;
}

Cases slices() {
  constexpr auto far = std::numeric_limits<std::int64_t>::max();
  Cases cases = {
      {"slice_of_no_axes", Slice{{}, {}, {}, {}}, {{DType::f32, {3, 5}}}},
      {"slice_of_a_whole_axis", Slice{{1}, {0}, {5}, {}}, {{DType::f32, {3, 5}}}},
      {"slice_rank_zero", Slice{}, {{DType::f64, {}}}},
      {"slice_rows", Slice{{0}, {1}, {2}, {}}, {{DType::f32, {4, 1003}}}},
      {"slice_odd_bytes", Slice{{0}, {3}, {1001}, {}}, {{DType::u8, {1009}}}},
      {"slice_columns", Slice{{-1}, {2}, {3}, {}}, {{DType::f16, {31, 7}}}},
      {"slice_every_axis", Slice{{2, -3, 1}, {1, 0, 2}, {3, 2, 1}, {2, 1, 1}}, {{DType::f32, {3, 4, 7}}}},
      {"slice_reverses_an_axis", Slice{{1}, {6}, {7}, {-1}}, {{DType::f32, {3, 7, 5}}}},
      {"slice_reverses_all", Slice{{0, 1}, {4, 6}, {5, 7}, {-1, -1}}, {{DType::boolean, {5, 7}}}},
      {"slice_steps_back", Slice{{0}, {9}, {4}, {-3}}, {{DType::c128, {11, 3}}}},
      {"slice_size_zero_at_the_end", Slice{{0}, {5}, {0}, {}}, {{DType::f32, {5, 3}}}},
      {"slice_of_nothing", Slice{{1}, {1}, {1}, {}}, {{DType::f32, {0, 3}}}},
      {"slice_one_with_a_far_step", Slice{{0, 1}, {1, 2}, {1, 1}, {far, -far - 1}}, {{DType::f32, {3, 5}}}},
      {"slice_rank_eight",
       Slice{{0, 2, 4, 6}, {1, 0, 2, 1}, {2, 2, 1, 1}, {1, 1, 5, 1}},
       {{DType::i16, {3, 2, 3, 2, 3, 2, 2, 3}}}},
  };
  for (const DType dtype : widths)
    cases.push_back({name_of("slice", dtype), Slice{{0, 1}, {1, 8}, {5, 4}, {1, -2}}, {{dtype, {7, 11, 3}}}});
  return cases;
}

Cases joins() {
  std::vector<TensorType> forty;
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < 40; ++i) {
    sizes.push_back(i % 7);
    forty.push_back({DType::f32, {3, i % 7, 5}});
  }
  const auto extent = [&] {
    std::int64_t sum = 0;
    for (const auto size : sizes) sum += size;
    return sum;
  }();
  Cases cases = {
      {"concat_one", Concat{0}, {{DType::f32, {3, 5}}}},
      {"concat_one_among_none", Concat{1}, {{DType::f32, {3, 0}}, {DType::f32, {3, 5}}, {DType::f32, {3, 0}}}},
      {"concat_none", Concat{0}, {{DType::f32, {0, 5}}, {DType::f32, {0, 5}}}},
      {"concat_forty", Concat{1}, forty},
      {"concat_rows", Concat{0}, {{DType::f32, {3, 5}}, {DType::f32, {1, 5}}, {DType::f32, {7, 5}}}},
      {"concat_columns", Concat{-1}, {{DType::u8, {33, 5}}, {DType::u8, {33, 64}}, {DType::u8, {33, 1}}}},
      {"concat_inner_runs", Concat{1}, {{DType::f16, {3, 2, 8}}, {DType::f16, {3, 5, 8}}}},
      {"split_into_one", Split{1, {5}}, {{DType::f32, {3, 5}}}},
      {"split_with_an_empty_part", Split{0, {2, 0, 3}}, {{DType::f32, {5, 3}}}},
      {"split_nothing", Split{0, {0, 0}}, {{DType::f32, {0, 3}}}},
      {"split_into_forty", Split{1, sizes}, {{DType::f32, {3, extent, 5}}}},
      {"split_columns", Split{-1, {1, 64, 5}}, {{DType::i8, {33, 70}}}},
      {"split_heads", Split{2, {192, 192, 192}}, {{DType::f16, {2, 7, 576}}}},
  };
  for (const DType dtype : widths) {
    cases.push_back({name_of("concat", dtype), Concat{1}, {{dtype, {3, 2, 5}}, {dtype, {3, 4, 5}}}});
    cases.push_back({name_of("split", dtype), Split{1, {2, 4}}, {{dtype, {3, 6, 5}}}});
  }
  return cases;
}

Cases gathers() {
  const auto i32 = [](ir::Shape shape) { return TensorType{DType::i32, std::move(shape)}; };
  const auto i64 = [](ir::Shape shape) { return TensorType{DType::i64, std::move(shape)}; };
  Cases cases = {
      {"gather_by_a_scalar", Gather{0}, {{DType::f32, {5, 7}}, i32({})}, {3}},
      {"gather_out_of_a_line", Gather{0}, {{DType::f32, {5}}, i64({})}, {-5}},
      {"gather_repeated_and_negative", Gather{0}, {{DType::f32, {5, 12}}, i32({2, 4})}, {0, -1, 4, 4, -5, 2, 2, 0}},
      {"gather_the_middle_axis", Gather{1}, {{DType::f16, {3, 7, 5}}, i64({2, 2})}, {6, -7, 0, 3}},
      {"gather_the_last_axis", Gather{-1}, {{DType::u8, {31, 9}}, i32({3})}, {8, 0, -2}},
      {"gather_words", Gather{0}, {{DType::f32, {101, 768}}, i64({1, 5})}, {100, 0, -1, 57, 57}},
      {"gather_with_no_indices", Gather{0}, {{DType::f32, {5, 7}}, i32({0})}, {}},
      {"gather_from_nothing_with_no_indices", Gather{0}, {{DType::f32, {0, 7}}, i32({2, 0})}, {}},
      {"gather_empty_rows", Gather{0}, {{DType::f32, {5, 0}}, i32({2})}, {1, 2}},
      {"gather_to_rank_eight", Gather{1}, {{DType::f32, {2, 3, 2, 2}}, i64({1, 2, 1, 1, 1})}, {2, -3}},
  };
  for (const DType dtype : widths)
    for (const DType index : {DType::i32, DType::i64})
      cases.push_back(
          {ir::cat("gather_", dtype, "_by_", index), Gather{1}, {{dtype, {3, 6, 5}}, {index, {4}}}, {5, -6, 1, 1}});
  // One past what an f32 counts exactly.
  constexpr std::int64_t rows = (1 << 24) + 3;
  cases.push_back(
      {"gather_the_last_row_of_a_long_table", Gather{0}, {{DType::u8, {rows}}, i32({3})}, {rows - 1, rows - 2, -rows}});
  return cases;
}

}  // namespace

std::vector<MovementCase> movement_cases() {
  Cases all;
  for (const Cases& some : {reshapes(), transposes(), expands(), slices(), joins(), gathers()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::vector<ir::Tensor> operands_of(const MovementCase& c) {
  std::vector<ir::Tensor> operands;
  for (unsigned i = 0; i < c.operands.size(); ++i) operands.push_back(noise(c.operands[i], i + 1));
  if (!c.op.is<Gather>()) return operands;
  ir::visit_index(operands[1].dtype(), [&]<class T>(T) {
    std::ranges::transform(c.indices, operands[1].as<T>().begin(), [](std::int64_t i) { return static_cast<T>(i); });
  });
  return operands;
}

void PrintTo(const MovementCase& c, std::ostream* out) {
  *out << c.name << ':';
  for (const TensorType& type : c.operands) *out << ' ' << type;
}

}  // namespace plumb::tests
