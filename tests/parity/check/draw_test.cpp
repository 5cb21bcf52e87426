// Shapes drawn for every op: which can be drawn, that they are accepted, bounded, and of the kinds that they should be.
#include "parity/check/draw.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "ir/op_list.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/softmax.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::check::draw_test {
namespace {

using ir::Attributes;
using Whole = std::vector<std::int64_t>;

/// Attributes without which ops cannot be read, or accept nothing.
const std::map<std::string_view, Attributes>& needed() {
  static const std::map<std::string_view, Attributes> all = {
      {"activation", {{"function", "elu"}}},
      {"affine_grid", {{"output_shape", Whole{3, 5}}}},
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

/// The ops for which fewer than a quick sweep's shapes exist or are found, and how many at least.
const std::map<std::string_view, std::size_t>& scarce() {
  static const std::map<std::string_view, std::size_t> all = {};
  return all;
}

TEST(Draw, EveryOpHasShapes) {
  const ref_cpu::CpuExecutor cpu;
  for (const ir::OpSchema* schema : ir::all_schemas()) {
    if (!cpu.has_kernel(*schema)) continue;
    SCOPED_TRACE(schema->name);
    const ir::Op op = op_of(*schema);
    std::vector<ir::TensorTypes> drawn;
    EXPECT_NO_THROW(drawn = draw(op, {}, quick_count)) << schema->name;
    printf("%s %zu\n", std::string(schema->name).c_str(), drawn.size());
    for (const ir::TensorTypes& types : drawn) {
      std::string text;
      for (auto& t : types) text += ir::cat(t, " ");
      printf("    %s\n", text.c_str());
      EXPECT_NO_THROW(ir::infer(op, types));
    }
  }
}

}  // namespace
}  // namespace plumb::parity::check::draw_test
