#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/tensor.hpp"
#include "parity/foreign/candidate.hpp"

namespace plumb::parity::foreign {

/// A value that is asked for.
struct WantedValue {
  std::string name;               ///< in the model, where one is given, else in the graph
  std::string label;              ///< in the graph
  std::vector<std::string> also;  ///< further names that the model has for it
  ir::TensorType type;
};

/// A tensor that is given: an input, or a param of the graph.
struct GivenTensor {
  std::string name;
  bool is_param = false;
  ir::TensorView tensor;
};

/// One run that a candidate is asked for.
struct ExecRequest {
  Taps taps = Taps::results;
  std::chrono::seconds time{};
  std::string onnx = {};  ///< absolute path of the user's model; "" where that is not what runs
  /// The bytes of a model that was made of the graph, for where there is no such path; null where there is none.
  std::shared_ptr<const std::string> written_onnx = {};
  std::string graph = {};  ///< text of plumb.graph/1
  std::vector<std::string> results = {};
  std::vector<WantedValue> wanted = {};
  std::vector<GivenTensor> inputs = {};
};

/// An input as it was written.
struct WrittenInput {
  std::string name, file;
  std::uint64_t hash = 0;
};

/// Writes request.json, which asks a candidate to describe itself, into an exchange's folder.
void write_description_request(int folder);

/// Writes a request for the nodes of a graph that a candidate does not support: of a run's, the models and results.
void write_support_request(int folder, const ExecRequest& request);

/// Writes a request of as many jobs: request.json, the models (graph.json, graph-1.json and so on), the inputs as
/// in/0.npy and so on, and an empty folder out. Gives the inputs of each job. Throws Error, with the file's name.
std::vector<std::vector<WrittenInput>> write_request(int folder, std::span<const ExecRequest> requests);

}  // namespace plumb::parity::foreign
