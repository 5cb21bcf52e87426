// Operators along an axis in which order counts: arg-max, arg-min, top-k, cumulative sums and products.
#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/arg_reduce.hpp"
#include "ir/ops/cumulative.hpp"
#include "ir/ops/top_k.hpp"

namespace plumb::ir::from_onnx {
namespace {

template <ops::ArgReduceFunction function>
void arg_reduce(NodeReader& node) {
  node.out(0, node.add(ops::ArgReduce{.function = function,
                                      .axis = node.integer("axis", 0),
                                      .keep_dims = node.integer("keepdims", 1) != 0,
                                      .select_last = node.integer("select_last_index", 0) != 0},
                       {node.in(0)}));
}

void top_k(NodeReader& node) {
  const auto k = node.opset() < 10 ? std::vector<std::int64_t>{node.integer("k")} : node.known_ints(1, "k");
  require(k.size() == 1, "k must be one number, got ", k.size());
  const auto results = node.add_all(ops::TopK{.k = k[0],
                                              .axis = node.integer("axis", -1),
                                              .largest = node.integer("largest", 1) != 0,
                                              .sorted = node.integer("sorted", 1) != 0},
                                    {node.in(0)});
  for (std::size_t i = 0; i < results.size(); ++i) node.out(i, results[i]);
}

template <ops::CumulativeFunction function>
void cumulative(NodeReader& node) {
  const auto axis = node.known_ints(1, "axis");
  require(axis.size() == 1, "axis must be one number, got ", axis.size());
  node.out(0, node.add(ops::Cumulative{.function = function,
                                       .axis = axis[0],
                                       .exclusive = node.integer("exclusive", 0) != 0,
                                       .reverse = node.integer("reverse", 0) != 0},
                       {node.in(0)}));
}

}  // namespace

std::span<const Converter> ordering_converters() {
  static constexpr Converter table[] = {
      {"ArgMax", arg_reduce<ops::ArgReduceFunction::max>},
      {"ArgMin", arg_reduce<ops::ArgReduceFunction::min>},
      {"CumProd", cumulative<ops::CumulativeFunction::product>},
      {"CumSum", cumulative<ops::CumulativeFunction::sum>},
      {"TopK", top_k},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
