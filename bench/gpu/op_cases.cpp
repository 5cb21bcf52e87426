// Single ops. Bytes count each operand read once and each result written once.

#include "bench/gpu/case.hpp"
#include "ir/cost.hpp"
#include "ir/ops/arg_reduce.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/cumulative.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/rms_norm.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/top_k.hpp"
#include "ir/ops/transpose.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"

namespace plumb::bench {
namespace {

using ir::DType;
using ir::TensorType;

/// One op on params called a, b and c.
Case one_op(std::string name, ir::Op op, const std::vector<TensorType>& operands) {
  Case made{.name = std::move(name)};
  std::vector<ir::Value> inputs;
  for (const TensorType& type : operands) inputs.push_back(made.graph.param({char('a' + inputs.size())}, type));
  for (const ir::Value y : made.graph.add_all("y", std::move(op), inputs)) made.graph.returns(y);
  const ir::Node& node = made.graph.nodes().front();
  if (node.op.is<ir::ops::Matmul>() || node.op.is<ir::ops::Conv>()) made.flops = ir::cost_of(made.graph, node).flops;
  made.bytes = static_cast<double>(ir::bytes_of(made.graph, node));
  return made;
}

/// Full sizes shrink to what is still a case of its own: nothing becomes 0, a vector stays one.
std::int64_t shrunk(Scale scale, std::int64_t extent, std::int64_t by) {
  return scale == Scale::full ? extent : std::max<std::int64_t>(1, extent / by);
}

/// Attention as a layer has it whose queries, keys and values one product makes, with rows of heads as its result.
Case packed_attention(Scale scale, DType dtype) {
  const std::int64_t batch = 8, length = shrunk(scale, 512, 32), heads = shrunk(scale, 12, 6), width = 64;
  const std::int64_t all = heads * width;
  Case made{.name = ir::cat("sdpa_packed_", dtype, "_8x12x512x64"), .fuse = true};
  const ir::Value packed = made.graph.param("qkv", {dtype, {batch, length, 3 * all}});
  std::vector<ir::Value> parts = made.graph.add_all("split", ir::ops::Split{2, {all, all, all}}, {packed});
  for (ir::Value& part : parts) {
    const std::string name = made.graph.name(part);
    part = made.graph.add(name + "/heads", ir::ops::Reshape{{batch, length, heads, width}}, {part});
    part = made.graph.add(name + "/turned", ir::ops::Transpose{{0, 2, 1, 3}}, {part});
  }
  const ir::Value y = made.graph.add("attention", ir::ops::Attention{}, parts);
  const ir::Value turned = made.graph.add("turned", ir::ops::Transpose{{0, 2, 1, 3}}, {y});
  made.graph.returns(made.graph.add("rows", ir::ops::Reshape{{batch, length, all}}, {turned}));
  made.flops = 4.0 * static_cast<double>(batch * heads * length * length * width);
  return made;
}

}  // namespace

std::vector<Case> product_cases(Scale scale) {
  std::vector<Case> cases;
  const auto add = [&](DType dtype, std::string_view shape, std::int64_t m, std::int64_t k, std::int64_t n) {
    const auto size = [&](std::int64_t extent) { return shrunk(scale, extent, 64); };
    cases.push_back(one_op(ir::cat("mm_", dtype, "_", shape), ir::ops::Matmul{},
                           {{dtype, {size(m), size(k)}}, {dtype, {size(k), size(n)}}}));
  };
  for (const std::int64_t n : {512, 1024, 2048, 4096, 8192})
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) add(dtype, ir::cat(n), n, n, n);
  constexpr std::int64_t shapes[][3] = {{512, 768, 768},   {512, 768, 2304}, {512, 768, 3072}, {512, 3072, 768},
                                        {4096, 768, 3072}, {1, 4096, 4096},  {1, 4096, 14336}, {8, 4096, 4096}};
  for (const auto& [m, k, n] : shapes)
    for (const DType dtype : {DType::f32, DType::f16}) add(dtype, ir::cat(m, "x", k, "x", n), m, k, n);
  return cases;
}

std::vector<Case> memory_cases(Scale scale) {
  using namespace ir::ops;
  const std::int64_t rows = shrunk(scale, 4096, 256), columns = shrunk(scale, 16384, 128), all = rows * columns;
  const TensorType x = {DType::f32, {rows, columns}}, row = {DType::f32, {columns}};
  std::vector<Case> cases;
  const auto add = [&](std::string name, ir::Op op, const std::vector<TensorType>& operands) -> Case& {
    return cases.emplace_back(one_op(std::move(name), std::move(op), operands));
  };
  // A slice that leaves one word out, as a whole one may cost nothing.
  Case& copy = add("copy_256MiB", Slice{{0}, {1}, {all}, {}}, {{DType::f32, {all + 1}}});
  copy.bytes = 8.0 * static_cast<double>(all);
  add("add_4096x16384", Binary{BinaryFunction::add}, {x, x});
  add("gelu_4096x16384", Unary{UnaryFunction::gelu}, {x});
  add("softmax_4096x16384", Softmax{}, {x});
  add("layernorm_4096x16384", LayerNorm{}, {x, row, row});
  add("rmsnorm_4096x16384", RmsNorm{}, {x, row});
  add("sum_lastdim", Reduce{ReduceFunction::sum, {1}, false}, {x});
  add("sum_firstdim", Reduce{ReduceFunction::sum, {0}, false}, {x});
  add("transpose", Transpose{{1, 0}}, {x});
  add("cumsum", Cumulative{}, {x});
  add("argmax", ArgReduce{.axis = 1, .keep_dims = false}, {x});
  add("topk64", TopK{.k = shrunk(scale, 64, 8)}, {x});
  const auto top = [&](std::int64_t k, std::int64_t lines, std::int64_t length) {
    add(ir::cat("topk", k, "_", lines, "x", length), TopK{.k = k},
        {{DType::f32, {shrunk(scale, lines, 64), shrunk(scale, length, 8)}}});
  };
  top(40, 2048, 32768);
  top(50, 64, 128256);  // words of a language model
  top(8, 100000, 64);   // experts of a mixture
  const std::int64_t gathered = shrunk(scale, 8192, 256);
  Case& gather = add("gather_rows_8192x16384", Gather{}, {x, {DType::i64, {gathered}}});
  gather.fills["b"] = {.distribution = ir::Distribution::uniform_int, .low = 0, .high = static_cast<double>(rows)};
  gather.bytes = 8.0 * static_cast<double>(gathered * columns);  // the gathered rows, not the whole table
  add("where_4096x16384", Where{}, {{DType::boolean, x.shape}, x, x});
  add("cast_f32_f16_4096x16384", Cast{DType::f16}, {x});
  return cases;
}

std::vector<Case> attention_cases(Scale scale) {
  std::vector<Case> cases;
  constexpr std::int64_t shapes[][4] = {{8, 12, 512, 64}, {4, 32, 2048, 128}, {1, 32, 8192, 128}};
  const auto add = [&](std::string_view kind, DType dtype, bool causal, const std::int64_t(&shape)[4]) {
    const auto& [batch, heads, length, width] = shape;
    const TensorType type = {dtype,
                             {batch, shrunk(scale, heads, 8), shrunk(scale, length, 32), shrunk(scale, width, 4)}};
    Case& added = cases.emplace_back(one_op(ir::cat("sdpa_", kind, "_", batch, "x", heads, "x", length, "x", width),
                                            ir::ops::Attention{.causal = causal}, {type, type, type}));
    const auto& s = type.shape;
    added.flops = 4.0 * static_cast<double>(s[0] * s[1] * s[2] * s[2] * s[3]) / (causal ? 2 : 1);
  };
  for (const auto& shape : shapes) {
    add("f32", DType::f32, false, shape);
    add("f16", DType::f16, false, shape);
    add("f16_causal", DType::f16, true, shape);
    add("bf16", DType::bf16, false, shape);
  }
  for (const DType dtype : {DType::f32, DType::f16}) cases.push_back(packed_attention(scale, dtype));
  // One query of 32 heads, of which four share 8192 keys: reading those is what it takes.
  for (const std::int64_t batch : {1, 16})
    for (const DType dtype : {DType::f32, DType::f16}) {
      const std::int64_t keys = shrunk(scale, batch == 1 ? 8192 : 2048, 32);
      const TensorType q = {dtype, {batch, 32, 1, 128}}, kv = {dtype, {batch, 8, keys, 128}};
      cases.push_back(one_op(ir::cat("sdpa_decode_", dtype, "_", batch, "x32x", batch == 1 ? 8192 : 2048, "x128"),
                             ir::ops::Attention{}, {q, kv, kv}));
    }
  return cases;
}

std::vector<Case> convolution_cases(Scale scale) {
  std::vector<Case> cases;
  // images, channels, extent, filters, kernel, stride
  constexpr std::int64_t shapes[][6] = {
      {16, 64, 56, 64, 3, 1}, {16, 256, 56, 64, 1, 1}, {16, 256, 14, 256, 3, 1}, {8, 3, 224, 64, 7, 2}};
  for (const auto& [images, channels, extent, filters, kernel, stride] : shapes)
    for (const DType dtype : {DType::f32, DType::f16}) {
      const std::int64_t pad = kernel / 2, n = shrunk(scale, images, 8), c = shrunk(scale, channels, 8),
                         e = shrunk(scale, extent, 7), f = shrunk(scale, filters, 8);
      cases.push_back(
          one_op(ir::cat("conv2d_", dtype, "_", images, "x", channels, "x", extent, "_k", filters, "_r", kernel),
                 ir::ops::Conv{.strides = {stride, stride}, .dilations = {}, .pads = {pad, pad, pad, pad}},
                 {{dtype, {n, c, e, e}}, {dtype, {f, c, kernel, kernel}}}));
    }
  return cases;
}

}  // namespace plumb::bench
