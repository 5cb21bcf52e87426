// Ops that read or write where indices say, and those that put elements in order.
#include <algorithm>
#include <set>

#include "ir/formats/onnx/write/writers.hpp"
#include "ir/ops/arg_reduce.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/gather_elements.hpp"
#include "ir/ops/gather_nd.hpp"
#include "ir/ops/hardmax.hpp"
#include "ir/ops/one_hot.hpp"
#include "ir/ops/reverse_sequence.hpp"
#include "ir/ops/scatter_elements.hpp"
#include "ir/ops/scatter_nd.hpp"
#include "ir/ops/sort.hpp"
#include "ir/ops/tensor_scatter.hpp"
#include "ir/ops/top_k.hpp"

namespace plumb::ir::to_onnx {
namespace {

using kernels::ScatterReduction;

void write_gather(const ops::Gather& op, NodeWriter& node) { node.add("Gather").integer("axis", op.axis); }

void write_gather_elements(const ops::GatherElements& op, NodeWriter& node) {
  node.add("GatherElements").integer("axis", op.axis);
}

void write_gather_nd(const ops::GatherNd& op, NodeWriter& node) {
  node.add("GatherND", {node.in(0), node.as_i64(1)}, {node.out()}).integer("batch_dims", op.batch_dims);
}

std::string_view reduction_word(ScatterReduction reduction) {
  constexpr std::array<std::string_view, 5> words = {"none", "add", "mul", "max", "min"};
  return words[static_cast<std::size_t>(reduction)];
}

constexpr std::string_view no_duplicates =
    "ONNX leaves open which of several updates of one element stays, and it is not known that the indices differ";

/// Whether no two updates go to the same place: `target` gives the place of update i, with indices counted from 0.
template <class Target>
bool are_distinct(std::int64_t count, const Target& target) {
  std::set<std::int64_t> seen;
  for (std::int64_t i = 0; i < count; ++i)
    if (!seen.insert(target(i)).second) return false;
  return true;
}

std::int64_t from_start(std::int64_t index, std::int64_t extent) { return index < 0 ? index + extent : index; }

void write_scatter_elements(const ops::ScatterElements& op, NodeWriter& node) {
  const Shape x = node.shape(0), q = node.shape(1);
  if (op.reduction == ScatterReduction::none)
    node.require_known(
        1,
        [&](const Tensor& given) {
          const Tensor indices = convert(given, DType::i64);
          const auto all = indices.as<std::int64_t>();
          const auto strides = q.strides(), places = x.strides();
          return are_distinct(q.elements(), [&](std::int64_t i) {
            std::int64_t place = 0;
            for (std::size_t k = 0; k < q.size(); ++k) {
              const std::int64_t at = i / strides[k] % q[k];
              place += places[k] * (k == x.axis(op.axis) ? from_start(all[static_cast<std::size_t>(i)], x[k]) : at);
            }
            return place;
          });
        },
        no_duplicates);
  node.add("ScatterElements").integer("axis", op.axis).text("reduction", reduction_word(op.reduction));
}

void write_scatter_nd(const ops::ScatterNd& op, NodeWriter& node) {
  const Shape x = node.shape(0), q = node.shape(1);
  if (op.reduction == ScatterReduction::none)
    node.require_known(
        1,
        [&](const Tensor& given) {
          const Tensor indices = convert(given, DType::i64);
          const auto all = indices.as<std::int64_t>();
          const auto places = x.strides();
          const std::int64_t m = q.back();
          return are_distinct(q.elements() / m, [&](std::int64_t i) {
            std::int64_t place = 0;
            for (std::int64_t k = 0; k < m; ++k) {
              const auto axis = static_cast<std::size_t>(k);
              place += places[axis] * from_start(all[static_cast<std::size_t>(i * m + k)], x[axis]);
            }
            return place;
          });
        },
        no_duplicates);
  node.add("ScatterND", {node.in(0), node.as_i64(1), node.in(2)}, {node.out()})
      .text("reduction", reduction_word(op.reduction));
}

void write_tensor_scatter(const ops::TensorScatter& op, NodeWriter& node) {
  Names operands = {node.in(0), node.in(1)};
  if (op.has_write_indices) operands.push_back(node.as_i64(2));
  node.add("TensorScatter", operands, {node.out()}).integer("axis", op.axis).text("mode", enum_name(op.mode));
}

void write_one_hot(const ops::OneHot& op, NodeWriter& node) {
  node.add("OneHot", node.type(1).dtype, {node.in(0), node.stored_number(op.depth), node.in(1)}, {node.out()})
      .integer("axis", op.axis);
}

void write_reverse_sequence(const ops::ReverseSequence& op, NodeWriter& node) {
  const auto batch = node.shape(0).axis(op.batch_axis), time = node.shape(0).axis(op.time_axis);
  if (batch > 1 || time > 1) NodeWriter::refuse("its axes are ", batch, " and ", time, ", and ONNX has them in front");
  node.add("ReverseSequence", {node.in(0), node.as_i64(1)}, {node.out()})
      .integer("batch_axis", static_cast<std::int64_t>(batch))
      .integer("time_axis", static_cast<std::int64_t>(time));
}

void write_arg_reduce(const ops::ArgReduce& op, NodeWriter& node) {
  node.cast_result(0, DType::i64, [&](const std::string& indices) {
    node.add(op.function == ops::ArgReduceFunction::max ? "ArgMax" : "ArgMin", {node.in(0)}, {indices})
        .integer("axis", op.axis)
        .integer("keepdims", op.keep_dims ? 1 : 0)
        .integer("select_last_index", op.select_last ? 1 : 0);
  });
}

/// The first k in order, and where they were.
void add_top_k(NodeWriter& node, std::int64_t k, std::int64_t axis, bool largest) {
  if (k == 0) NodeWriter::refuse("ONNX's TopK wants a number above 0");
  node.cast_result(1, DType::i64, [&](const std::string& indices) {
    node.add("TopK", {node.in(0), node.stored(Numbers{k})}, {node.out(0), indices})
        .integer("axis", axis)
        .integer("largest", largest ? 1 : 0);
  });
}

void write_top_k(const ops::TopK& op, NodeWriter& node) {
  if (!op.sorted) NodeWriter::refuse("ONNX leaves the order open that is not asked for");
  add_top_k(node, op.k, op.axis, op.largest);
}

/// TopK of all elements has the lower index first of equal ones, so that it is stable in both directions.
void write_sort(const ops::Sort& op, NodeWriter& node) {
  add_top_k(node, node.shape(0)[node.shape(0).axis(op.axis)], op.axis, op.descending);
}

void write_hardmax(const ops::Hardmax& op, NodeWriter& node) { node.add("Hardmax").integer("axis", op.axis); }

}  // namespace

std::span<const Writer> indexing_writers() {
  static constexpr Writer table[] = {
      writer<ops::ArgReduce, write_arg_reduce>,
      writer<ops::Gather, write_gather>,
      writer<ops::GatherElements, write_gather_elements>,
      writer<ops::GatherNd, write_gather_nd>,
      writer<ops::Hardmax, write_hardmax>,
      writer<ops::OneHot, write_one_hot>,
      writer<ops::ReverseSequence, write_reverse_sequence>,
      writer<ops::ScatterElements, write_scatter_elements>,
      writer<ops::ScatterNd, write_scatter_nd>,
      writer<ops::Sort, write_sort>,
      writer<ops::TensorScatter, write_tensor_scatter>,
      writer<ops::TopK, write_top_k>,
  };
  return table;
}

}  // namespace plumb::ir::to_onnx
