#include "ir/passes/precision.hpp"

#include <algorithm>
#include <cstring>

#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/dequant_grouped_matmul.hpp"
#include "ir/ops/dot_general.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/pad.hpp"
#include "ir/ops/quantize_linear.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/unary.hpp"

namespace plumb::ir::passes {
namespace {

using kernels::packed::WeightDtype;

/// The op with sums in f16, if it is one of these.
template <class... Ops>
Op summed_in_f16(const Op& op) {
  Op narrow = op;
  const auto take = [&]<class T>(const T&) {
    if (!op.is<T>()) return;
    auto changed = op.as<T>();
    changed.accumulator = DType::f16;
    narrow = changed;
  };
  (take(Ops{}), ...);
  return narrow;
}

bool is_product(const Op& op) {
  return op.is<ops::Matmul>() || op.is<ops::Gemm>() || op.is<ops::Conv>() || op.is<ops::DotGeneral>() ||
         op.is<ops::Einsum>();
}

/// use(op) of a product with packed weights.
template <class Use>
auto with_packed(const Op& op, const Use& use) {
  return op.is<ops::DequantMatmul>() ? use(op.as<ops::DequantMatmul>()) : use(op.as<ops::DequantGroupedMatmul>());
}

bool is_packed(const Op& op) { return op.is<ops::DequantMatmul>() || op.is<ops::DequantGroupedMatmul>(); }

/// Why a product with packed weights, as it is, cannot have its x in another form.
std::string why_packed_stays(const Graph& graph, const Node& node, Precision precision) {
  if (precision == Precision::f16acc16) return cat(node.op.name(), " has no f16 accumulators");
  if (const DType x = graph.type(node.inputs[0]).dtype; x != DType::f32)
    return cat("'", graph.name(node.inputs[0]), "' is ", x, ", not f32");
  const bool is_rounded = with_packed(node.op, [](const auto& op) { return op.weight_dtype != WeightDtype::f32; });
  return is_rounded && precision != Precision::q8acc32 ? "its weight_dtype is not f32" : "";
}

DType narrow_dtype(Precision precision) { return precision == Precision::bf16acc32 ? DType::bf16 : DType::f16; }

/// Places nodes of a plan in the graph that is being made.
class Narrowing {
 public:
  Narrowing(const Graph& graph, Graph& next) : graph_(graph), next_(next) {}

  void place(const Node& node, Precision precision) {
    if (is_packed(node.op)) return with_packed(node.op, [&](const auto& op) { place_packed(node, op, precision); });
    const DType to = narrow_dtype(precision);
    std::vector<Value> operands;
    for (const Value v : node.inputs) operands.push_back(narrowed(v, to));
    if (node.op.is<ops::Matmul>()) {
      auto op = node.op.as<ops::Matmul>();
      op.output_dtype = DType::f32;
      if (precision == Precision::f16acc16) op.accumulator = DType::f16;
      next_.place(node.label, op, operands, node.outputs);
      return;
    }
    const bool sums_in_f16 = precision == Precision::f16acc16;
    const Op op = sums_in_f16 ? summed_in_f16<ops::Gemm, ops::Conv, ops::DotGeneral, ops::Einsum>(node.op) : node.op;
    const Value narrow = next_.add(name(node.outputs[0], info(to).name), op, operands);
    next_.place(node.label, ops::Cast{DType::f32}, {narrow}, node.outputs);
    narrow_.emplace(std::pair(node.outputs[0], to), narrow);
  }

 private:
  struct Codes {
    Value codes, scales;
  };

  template <class T>
  void place_packed(const Node& node, T op, Precision precision) {
    std::vector<Value> operands = node.inputs;
    op.dtype = DType::f32;
    if (precision == Precision::q8acc32) {
      const auto [codes, scales] = quantized(operands[0]);
      op.has_x_scales = true;
      operands[0] = codes;
      operands.insert(operands.end() - (op.has_bias ? 1 : 0), scales);
    } else {
      const DType to = narrow_dtype(precision);
      op.weight_dtype = to == DType::f16 ? WeightDtype::f16 : WeightDtype::bf16;
      operands[0] = narrowed(operands[0], to);
      if (op.has_bias) operands.back() = narrowed(operands.back(), to);
    }
    next_.place(node.label, op, operands, node.outputs);
  }

  Value narrowed(Value v, DType to) {
    const auto found = narrow_.find({v, to});
    if (found != narrow_.end()) return found->second;
    return narrow_.emplace(std::pair(v, to), next_.add(name(v, info(to).name), ops::Cast{to}, {v})).first->second;
  }

  /// Rows of a value as codes, once for all readers.
  Codes quantized(Value v) {
    if (const auto found = quantized_.find(v); found != quantized_.end()) return found->second;
    constexpr std::int64_t block = kernels::packed::x_scale_block;
    const Shape x = graph_.type(v).shape, scales_shape = kernels::packed::x_scale_shape(x);
    Value blocks = v;
    if (const std::int64_t rest = scales_shape.back() * block - x.back(); rest > 0) {
      std::vector<std::int64_t> pads(2 * x.size(), 0);
      pads.back() = rest;
      blocks = next_.add(name(v, "padded"), ops::Pad{.pads = std::move(pads)}, {blocks});
    }
    Shape rows = scales_shape;
    rows.push_back(block);
    blocks = next_.add(name(v, "blocks"), ops::Reshape{{rows.begin(), rows.end()}}, {blocks});
    const Value sizes = next_.add(name(v, "sizes"), ops::Unary{ops::UnaryFunction::abs}, {blocks});
    const Value largest =
        next_.add(name(v, "largest"), ops::Reduce{ops::ReduceFunction::max, {x.rank()}, false}, {sizes});
    const Value scales =
        next_.add(name(v, "scales"), ops::Binary{ops::BinaryFunction::divide}, {largest, most_of_a_code()});
    const ops::QuantizeLinear quantize{.dtype = DType::i8, .axis = x.rank() - 1, .block_size = block};
    const Value codes = next_.add(name(v, "codes"), quantize, {v, scales});
    return quantized_.emplace(v, Codes{codes, scales}).first->second;
  }

  Value most_of_a_code() {
    if (!most_) {
      constexpr float most = 127;
      Bytes bytes(sizeof most);
      std::memcpy(bytes.data(), &most, sizeof most);
      most_ = next_.add(free_name(graph_, "most_of_a_code"),
                        ops::Constant{.dtype = DType::f32, .shape = {}, .data = std::move(bytes)}, {});
    }
    return *most_;
  }

  std::string name(Value v, std::string_view suffix) const {
    return free_name(graph_, cat(graph_.name(v), '.', suffix));
  }

  const Graph& graph_;
  Graph& next_;
  std::map<std::pair<Value, DType>, Value> narrow_;
  std::map<Value, Codes> quantized_;
  std::optional<Value> most_;
};

}  // namespace

std::string why_not(const Graph& graph, const Node& node, Precision precision) {
  if (precision == Precision::f32) return "";
  if (is_packed(node.op)) return why_packed_stays(graph, node, precision);
  if (precision == Precision::q8acc32) return cat(node.op.name(), " has no packed weights");
  if (!is_product(node.op)) return cat(node.op.name(), " is no matmul, gemm, dot_general, einsum or conv");
  for (const Value v : node.inputs)
    if (graph.type(v).dtype != DType::f32) return cat("'", graph.name(v), "' is ", graph.type(v).dtype, ", not f32");
  return "";
}

PrecisionPlan all_at(const Graph& graph, Precision precision) {
  PrecisionPlan plan;
  if (precision == Precision::f32) return plan;
  for (const Node& node : graph.nodes())
    if (why_not(graph, node, precision).empty()) plan.emplace(node.label, precision);
  return plan;
}

Graph at_precision(const Graph& graph, const PrecisionPlan& plan) {
  Graph next = graph.sources();
  Narrowing narrowing(graph, next);
  std::size_t found = 0;
  for (const Node& node : graph.nodes()) {
    const auto chosen = plan.find(node.label);
    found += chosen != plan.end();
    if (chosen == plan.end() || chosen->second == Precision::f32) {
      next.place(node.label, node.op, node.inputs, node.outputs);
      continue;
    }
    const std::string why = why_not(graph, node, chosen->second);
    require(why.empty(), "node '", node.label, "' cannot run in ", enum_name(chosen->second), ": ", why);
    narrowing.place(node, chosen->second);
  }
  for (const Value value : graph.results()) next.returns(value);
  if (found < plan.size())
    for (const auto& planned : plan)
      require(std::ranges::any_of(graph.nodes(), [&](const Node& node) { return node.label == planned.first; }),
              "the precision plan names '", planned.first, "', which is no node of the graph");
  return next;
}

}  // namespace plumb::ir::passes
