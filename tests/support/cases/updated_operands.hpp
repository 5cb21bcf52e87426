// Ops that change a part of their first operand, with operands for them.
#pragma once

#include "ir/ops/dynamic_update_slice.hpp"
#include "ir/ops/reverse.hpp"
#include "ir/ops/scatter_elements.hpp"
#include "ir/ops/scatter_nd.hpp"
#include "ir/ops/tensor_scatter.hpp"
#include "tests/support/noise.hpp"

namespace plumb::testing {

/// An op, the type of the operand that it changes, and its other operands.
struct UpdatedOperand {
  std::string name;
  ir::Op op;
  ir::TensorType x;
  std::vector<ir::Tensor> others;
};

inline void PrintTo(const UpdatedOperand& update, std::ostream* out) { *out << update.name; }

inline ir::Tensor indices_of(ir::Shape shape, const std::vector<std::int64_t>& values) {
  return ir::Tensor::of<std::int64_t>(std::move(shape), values);
}

/// Every op of the kind, moving elements and combining them: with equal targets, indices from the end, no updates, one
/// element, and updates for several workgroups.
inline std::vector<UpdatedOperand> updated_operands() {
  using namespace ir::ops;
  using ir::DType;
  using R = ir::kernels::ScatterReduction;
  const auto noise = [](DType dtype, const ir::Shape& shape) { return tests::noise({dtype, shape}, 7); };
  const auto ones = [](std::int64_t n) {
    return indices_of({n, 1}, std::vector<std::int64_t>(static_cast<std::size_t>(n), 1));
  };
  const TensorScatter rows{.axis = 1, .has_write_indices = true};
  const TensorScatter circle{.axis = 1, .mode = TensorScatterMode::circular, .has_write_indices = true};
  return {
      {"rows", rows, {DType::f32, {2, 9, 4}}, {noise(DType::f32, {2, 2, 4}), indices_of({2}, {7, 0})}},
      {"rows_at_the_start", TensorScatter{.axis = 1}, {DType::f16, {3, 5, 3}}, {noise(DType::f16, {3, 2, 3})}},
      {"rows_in_a_circle", circle, {DType::u8, {2, 5, 3}}, {noise(DType::u8, {2, 3, 3}), indices_of({2}, {4, -6})}},
      {"all_rows", rows, {DType::f32, {2, 3, 4}}, {noise(DType::f32, {2, 3, 4}), indices_of({2}, {0, 0})}},
      {"no_rows", rows, {DType::f32, {2, 9, 4}}, {noise(DType::f32, {2, 0, 4}), indices_of({2}, {0, 0})}},
      {"a_row_of_one", rows, {DType::boolean, {1, 1}}, {noise(DType::boolean, {1, 1}), indices_of({1}, {0})}},
      {"many_rows", rows, {DType::f64, {3, 700, 17}}, {noise(DType::f64, {3, 300, 17}), indices_of({3}, {0, 400, 17})}},
      {"box", DynamicUpdateSlice{}, {DType::i16, {5, 7}}, {noise(DType::i16, {2, 3}), indices_of({2}, {-3, 9})}},
      {"box_of_lines",
       DynamicUpdateSlice{},
       {DType::f32, {5, 64}},
       {noise(DType::f32, {2, 64}), indices_of({2}, {2, 0})}},
      {"box_of_all", DynamicUpdateSlice{}, {DType::f32, {5, 7}}, {noise(DType::f32, {5, 7}), indices_of({2}, {0, 0})}},
      {"slices", ScatterNd{}, {DType::f16, {5, 3, 4}}, {indices_of({3, 1}, {4, 0, 4}), noise(DType::f16, {3, 3, 4})}},
      {"no_slices", ScatterNd{}, {DType::f32, {5, 3}}, {indices_of({0, 1}, {}), noise(DType::f32, {0, 3})}},
      {"slices_added",
       ScatterNd{R::add},
       {DType::i32, {5, 3}},
       {indices_of({3, 1}, {-1, 0, 4}), noise(DType::i32, {3, 3})}},
      {"sums_in_chunks", ScatterNd{R::add}, {DType::i64, {3, 2}}, {ones(901), noise(DType::i64, {901, 2})}},
      {"elements",
       ScatterElements{1},
       {DType::u8, {3, 5}},
       {indices_of({2, 3}, {0, -1, 0, 1, 1, 1}), noise(DType::u8, {2, 3})}},
      {"an_element", ScatterElements{0}, {DType::f64, {1}}, {indices_of({1}, {0}), noise(DType::f64, {1})}},
      {"products",
       ScatterElements{0, R::multiply},
       {DType::i8, {7}},
       {indices_of({4}, {6, 0, 6, -1}), noise(DType::i8, {4})}},
      {"maxima",
       ScatterElements{0, R::maximum},
       {DType::f32, {9}},
       {indices_of({3}, {8, 0, 8}), noise(DType::f32, {3})}},
      {"minima",
       ScatterElements{0, R::minimum},
       {DType::f16, {9}},
       {indices_of({3}, {8, 0, 8}), noise(DType::f16, {3})}},
  };
}

/// Graphs of one such op, to which a test adds who else reads the operand.
struct UpdatedGraph {
  ir::Graph graph;
  ir::Value x;
  std::vector<ir::Value> others;
  const UpdatedOperand& update;
  ir::Feeds feeds;

  enum class Source { input, param };

  explicit UpdatedGraph(const UpdatedOperand& of, Source source = Source::input) : update(of) {
    if (source == Source::input) x = graph.input("x", of.x);
    for (std::size_t i = 0; i < of.others.size(); ++i) {
      const std::string name = ir::cat("other", i);
      others.push_back(graph.input(name, of.others[i].type()));
      feeds.emplace(name, of.others[i]);
    }
    if (source == Source::param) x = graph.param("x", of.x);
    feeds.emplace("x", tests::noise(of.x));
  }

  /// A value that the run computes of x.
  ir::Value computed() { return graph.add("h", ir::ops::Reverse{{0}}, {x}); }

  /// The op of this value and the other operands.
  ir::Value updated(ir::Value value, const std::string& label = "y") {
    std::vector<ir::Value> operands = others;
    operands.insert(operands.begin(), value);
    return graph.add(label, update.op, operands);
  }
};

}  // namespace plumb::testing
