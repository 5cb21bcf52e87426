// Finds products with numbers that packed weights give, and replaces them by products that make these by panels.
#include "parity/bounds/panel_product.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/dequantize.hpp"
#include "ir/ops/grouped_matmul.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"
#include "ir/schema.hpp"

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::parity::bounds::PanelProduct>();

namespace plumb::parity::bounds {
namespace {

/// Reads backwards from a factor which packed weights it is made of, and how.
class PanelFactor {
 public:
  PanelFactor(const ir::Graph& graph, ir::Value factor) : graph_(graph) { is_found_ = read_part(factor); }

  bool is_found() const { return is_found_; }
  const PanelProduct& op() const { return op_; }
  const std::vector<ir::Value>& packed() const { return packed_; }

 private:
  template <class T>
  const ir::Node* made_by(ir::Value v) const {
    const auto n = graph_.producer(v);
    return n && graph_.nodes()[*n].op.is<T>() ? &graph_.nodes()[*n] : nullptr;
  }

  bool read_part(ir::Value v) {
    if (const ir::Node* const unary = made_by<ir::ops::Unary>(v)) {
      const auto function = unary->op.as<ir::ops::Unary>().function;
      if (function == ir::ops::UnaryFunction::abs) op_.part = PanelPart::magnitude;
      if (function == ir::ops::UnaryFunction::square) op_.part = PanelPart::square;
      return op_.part != PanelPart::value && read_numbers(unary->inputs[0]);
    }
    if (const ir::Node* const where = made_by<ir::ops::Where>(v)) return read_vanishing(*where);
    return read_numbers(v);
  }

  /// |w| < normal ? |w| : 0, as may_vanish() of error_terms.hpp writes it.
  bool read_vanishing(const ir::Node& where) {
    const ir::Node* const less = made_by<ir::ops::Compare>(where.inputs[0]);
    const ir::Node* const size = made_by<ir::ops::Unary>(where.inputs[1]);
    if (less == nullptr || size == nullptr || less->inputs[0] != where.inputs[1]) return false;
    const auto normal = scalar(less->inputs[1]), none = scalar(where.inputs[2]);
    if (less->op.as<ir::ops::Compare>().function != ir::ops::Comparison::less || !normal || none != 0.0 ||
        size->op.as<ir::ops::Unary>().function != ir::ops::UnaryFunction::abs)
      return false;
    op_.part = PanelPart::vanishing;
    op_.normal = *normal;
    return read_numbers(size->inputs[0]);
  }

  std::optional<double> scalar(ir::Value v) const {
    if (const ir::Node* const reshape = made_by<ir::ops::Reshape>(v)) return scalar(reshape->inputs[0]);
    const ir::Node* const constant = made_by<ir::ops::Constant>(v);
    if (constant == nullptr) return std::nullopt;
    const auto& data = constant->op.as<ir::ops::Constant>().data;
    double x = 0;
    if (graph_.type(v).dtype != ir::DType::f64 || data.size() != sizeof(x)) return std::nullopt;
    std::memcpy(&x, data.data(), sizeof(x));
    return x;
  }

  bool read_numbers(ir::Value v) {
    const ir::Node* const difference = made_by<ir::ops::Binary>(v);
    if (difference == nullptr) return read_weights(v);
    if (difference->op.as<ir::ops::Binary>().function != ir::ops::BinaryFunction::subtract) return false;
    if (!read_weights(difference->inputs[0]) || op_.weight_dtype != ir::ops::WeightDtype::f32) return false;
    const ir::Node* const less = made_by<ir::ops::Dequantize>(difference->inputs[1]);
    if (less == nullptr || !is_of_f64(*less) || less->op.as<ir::ops::Dequantize>().packing() != op_.packing())
      return false;
    op_.is_difference = true;
    op_.less_has_scales = op_.has_scales;
    op_.less_has_zero_points = op_.has_zero_points;
    packed_.insert(packed_.end(), less->inputs.begin(), less->inputs.end());
    return true;
  }

  bool read_weights(ir::Value v) {
    if (const ir::Node* const widened = made_by<ir::ops::Cast>(v)) {
      const ir::Node* const narrowed = made_by<ir::ops::Cast>(widened->inputs[0]);
      if (narrowed == nullptr) return false;
      const ir::DType to = narrowed->op.as<ir::ops::Cast>().to;
      if (to != ir::DType::f16 && to != ir::DType::bf16) return false;
      op_.weight_dtype = to == ir::DType::f16 ? ir::ops::WeightDtype::f16 : ir::ops::WeightDtype::bf16;
      v = narrowed->inputs[0];
    }
    const ir::Node* const dequantize = made_by<ir::ops::Dequantize>(v);
    if (dequantize == nullptr || !is_of_f64(*dequantize)) return false;
    const auto packing = dequantize->op.as<ir::ops::Dequantize>().packing();
    op_.format = packing.format;
    op_.block_size = packing.block_size;
    op_.has_scales = packing.has_scales;
    op_.has_zero_points = packing.has_zero_points;
    packed_ = dequantize->inputs;
    return true;
  }

  static bool is_of_f64(const ir::Node& dequantize) {
    return dequantize.op.as<ir::ops::Dequantize>().dtype == ir::DType::f64;
  }

  const ir::Graph& graph_;
  PanelProduct op_;
  std::vector<ir::Value> packed_;
  bool is_found_ = false;
};

bool is_product_of_rows(const ir::Graph& graph, const ir::Node& node) {
  if (graph.type(node.inputs.front()).dtype != ir::DType::f64) return false;
  if (graph.type(node.outputs.front()).shape.elements() == 0) return false;
  if (node.op == ir::Op(ir::ops::GroupedMatmul{.transpose_w = true})) return true;
  return node.op == ir::Op(ir::ops::Matmul{false, true, {}}) && graph.type(node.inputs[0]).shape.rank() > 1 &&
         graph.type(node.inputs[1]).shape.rank() == 2;
}

}  // namespace

ir::Graph with_panel_products(const ir::Executor& executor, const ir::Graph& graph) {
  if (!executor.has_kernel(ir::schema<PanelProduct>())) return graph;
  ir::Graph made = graph.sources();
  for (const ir::Node& node : graph.nodes()) {
    const bool is_product =
        (node.op.is<ir::ops::Matmul>() || node.op.is<ir::ops::GroupedMatmul>()) && is_product_of_rows(graph, node);
    const auto found = is_product ? std::optional<PanelFactor>(std::in_place, graph, node.inputs[1]) : std::nullopt;
    if (!found || !found->is_found()) {
      made.place(node.label, node.op, node.inputs, node.outputs);
      continue;
    }
    PanelProduct op = found->op();
    std::vector<ir::Value> inputs = {node.inputs[0]};
    inputs.insert(inputs.end(), found->packed().begin(), found->packed().end());
    op.is_grouped = node.op.is<ir::ops::GroupedMatmul>();
    if (op.is_grouped) inputs.push_back(node.inputs[2]);
    made.place(node.label, op, inputs, node.outputs);
  }
  for (const ir::Value v : graph.results()) made.returns(v);
  return made;
}

std::unique_ptr<ir::Executable> compile_by_panels(ir::Executor& executor, const ir::Graph& graph,
                                                  const ir::Capture& capture) {
  const auto unpacks = [](const ir::Node& node) { return node.op.is<ir::ops::Dequantize>(); };
  if (std::ranges::none_of(graph.nodes(), unpacks)) return executor.compile(graph, {}, capture);
  return executor.compile(with_panel_products(executor, graph), {}, capture);
}

}  // namespace plumb::parity::bounds
