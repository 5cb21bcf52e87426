#pragma once

// Adds the nodes that templates are made of.

#include <cstring>

#include "ir/formats/gguf/architectures/decoder.hpp"
#include "ir/formats/gguf/architectures/weights.hpp"
#include "ir/ops/constant.hpp"

namespace plumb::ir::formats::gguf::architectures {

/// Adds nodes to a graph that has its inputs and params. A node that reads a tensor is called as it is, without
/// ".weight".
class Nodes {
 public:
  Nodes(Graph& graph, const Weights& weights) : graph_(graph), weights_(weights) {}

  Value add(const std::string& label, Op op, std::vector<Value> inputs) {
    return graph_.add(label, std::move(op), std::move(inputs));
  }
  std::vector<Value> add_all(const std::string& label, Op op, std::vector<Value> inputs) {
    return graph_.add_all(label, std::move(op), std::move(inputs));
  }
  Value input(std::string_view name) const { return *graph_.find(name); }
  const Shape& shape(Value value) const { return graph_.type(value).shape; }
  template <class T>
  Value constant(const std::string& label, const Shape& shape, const std::vector<T>& values) {
    ops::Constant one{
        .dtype = dtype_of<T>, .shape = {shape.begin(), shape.end()}, .data = Bytes(values.size() * sizeof(T))};
    if (!values.empty()) std::memcpy(one.data.data(), values.data(), one.data.size());
    return add(label, std::move(one), {});
  }
  Value sum(const std::string& label, Value a, Value b);
  Value times(const std::string& label, Value a, Value b);
  Value scaled(const std::string& label, Value x, float factor);

  Value reshape(const std::string& label, Value x, std::vector<std::int64_t> extents);
  /// Axes 1 and 2 exchanged, of rank 4.
  Value exchange(const std::string& label, Value x);
  /// A product of x [.., K] and a tensor [N, K], and its bias where there is one: [.., N].
  Value product(const std::string& label, Value x, const std::string& tensor);
  Value product(Value x, const std::string& tensor) { return product(tensor, x, tensor); }
  /// Matrices [G, N, K] that rows choose from: codes, or floats in f32.
  struct Bank {
    Value matrices = 0;
    std::optional<kernels::packed::Format> format = {};
    bool is_transposed = false;  ///< they are [G, K, N]; never of codes
  };
  /// A tensor as one.
  Bank bank(const std::string& tensor);
  /// A product of rows [M, K] and those matrices that `which` [M] says, perhaps with biases [G, N]: [M, N].
  Value grouped_product(const std::string& label, Value x, const Bank& bank, Value which,
                        std::optional<Value> bias = {});
  /// A product of rows [M, K] and those matrices [N, K] of so many experts that `expert` [M] says: [M, N]. The matrices
  /// are one tensor "..._exps" [E, N, K], perhaps with biases [E, N], or one each, "....0" and so on, which are joined.
  Value grouped_product(const std::string& label, Value x, const std::string& tensor, Value expert,
                        std::int64_t experts);
  /// x [.., d] normed, times a tensor [d]; a layer norm adds its bias.
  Value norm(Value x, const std::string& tensor, const Norm& norm);
  /// Rows of a tensor [V, d]: [.., d].
  Value rows(const std::string& label, const std::string& tensor, Value indices);

  /// Values [.., a] and [.., b] as [.., a + b].
  Value beside(const std::string& label, Value a, Value b);

  /// A tensor of floats, in f32.
  Value floats(const std::string& name);

 private:
  /// The matrices of experts as one tensor [E, ..], as they are stored.
  Value joined_experts(const std::string& tensor, std::int64_t experts);
  /// A bank of them, or a tensor of them, whose floats are cast.
  Bank bank_of(const std::string& tensor, Value stored, std::optional<kernels::packed::Format> format);
  std::optional<kernels::packed::Format> format_of(const std::string& name) const;

  Graph& graph_;
  const Weights& weights_;
};

}  // namespace plumb::ir::formats::gguf::architectures
