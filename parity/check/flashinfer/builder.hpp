#pragma once

// Makes the graph of a definition on one workload.

#include "ir/formats/graph_file.hpp"
#include "parity/check/flashinfer/constants.hpp"
#include "parity/check/flashinfer/workload.hpp"
#include "parity/check/sketch.hpp"

namespace plumb::parity::check::flashinfer {

/// A workload of a definition: who computes what, on which numbers.
struct Task {
  const Definition& definition;
  const Workload& workload;
  std::filesystem::path root = {};  ///< that names of tensor files are relative to
  std::uint64_t seed = 1;           ///< decides the integers that are drawn
};

/// A graph whose sources are the tensors of the definition: inputs where they are floats, params where they are
/// integers or bools, such as indices, since those are set once and stay what they are when a candidate is run on other
/// inputs. Scalars are none: their numbers become attributes.
class Builder {
 public:
  /// Throws Error where a tensor has a type that no graph may hold.
  Builder(const Task& task, Constants& constants);

  /// Throws Unsupported unless the definition has these inputs and these outputs, and no others but optional outputs.
  void expect(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
              const std::vector<std::string>& optional = {}) const;

  bool has_input(std::string_view name) const { return task_.definition.input(name) != nullptr; }
  bool has_output(std::string_view name) const { return task_.definition.output(name) != nullptr; }
  const Definition& definition() const { return task_.definition; }
  Constants& constants() const { return constants_; }

  ir::Value value(std::string_view input) const;
  const ir::TensorType& type(ir::Value value) const { return graph_.type(value); }
  /// The extents of a tensor among the inputs. Throws Error unless they are so many.
  ir::Shape shape(std::string_view input, std::int64_t rank) const;
  double number(std::string_view scalar) const;
  bool truth(std::string_view scalar) const;

  /// The elements of an integer input that a file holds; nothing of one that is to be drawn.
  std::optional<std::vector<std::int64_t>> integers(std::string_view input) const;
  /// Feeds an integer input these elements, as many as it has.
  void feed(std::string_view input, const std::vector<std::int64_t>& elements);
  /// Feeds an integer input that is to be drawn indices from 0 to `count` - 1.
  void feed_indices(std::string_view input, std::int64_t count);
  Random& random() { return random_; }

  /// Applies an op; the node is called so, or nearly so.
  ir::Value add(const std::string& label, ir::Op op, std::vector<ir::Value> inputs);
  /// The value in a dtype: itself where it has it.
  ir::Value cast(ir::Value value, ir::DType dtype);
  ir::Value reshape(ir::Value value, std::vector<std::int64_t> shape);
  /// One number, of rank 0 unless a shape is given to which it is broadcast.
  ir::Value constant(double number, ir::DType dtype = ir::DType::f32);
  ir::Value constant(const std::vector<std::int64_t>& elements, std::vector<std::int64_t> shape = {});

  /// Computes an output by an op, in the dtype of its operands, and rounds it to the output's. Throws Error where its
  /// shape is not the output's.
  void result(const std::string& output, ir::Op op, std::vector<ir::Value> inputs);

  /// The graph with all outputs as its results, in their order, and what feeds it.
  ir::formats::GraphFile finish();

 private:
  const Task& task_;
  Constants& constants_;
  ir::formats::GraphFile file_;
  ir::Graph& graph_ = file_.graph;
  std::map<std::string, ir::Value, std::less<>> results_;
  Random random_;
};

/// Throws Unsupported with the definition's name and these words.
[[noreturn]] void refuse(const Definition& definition, const std::string& why);

}  // namespace plumb::parity::check::flashinfer
