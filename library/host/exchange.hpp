// plumb.exec/1: what plumb asks in a folder, and what is answered there (docs/foreign_backends.md).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "ir/formats/json.hpp"
#include "ir/graph.hpp"

namespace plumb::library::host {

/// A function or a plugin did what it must not: the message says what.
class Misdeed : public ir::Error {
 public:
  using Error::Error;
};

/// The text, with question marks for all that is not ASCII where it is not UTF-8, which a file of JSON must be.
std::string as_utf8(std::string_view text);

struct NamedTensor {
  std::string name;
  ir::Tensor tensor;
};

/// A graph to be compiled once and run on each entry of `runs`, which hold the graph's inputs and its params.
struct Job {
  std::int64_t id = 0;
  std::string taps = "results";
  std::string onnx;  ///< the path of the model, "" where there is none
  std::string graph_path;
  ir::Graph graph;
  std::vector<std::string> wanted;
  std::vector<std::vector<NamedTensor>> runs;
};

/// A value that a run gave, and what made it.
struct RunAnswer {
  std::vector<NamedTensor> values;
  ir::formats::JsonArray nodes;
};

struct JobAnswer {
  std::vector<RunAnswer> runs;
  ir::formats::JsonArray refused;  ///< nodes with the reasons, where plumb asks which are supported
  double compile_seconds = 0;
};

/// request.json of a folder. Throws Error where it is none.
class Request {
 public:
  explicit Request(std::filesystem::path folder);

  const std::string& action() const { return action_; }

  /// Answers with what the candidate says of itself and with what `work` gives for each job. A job that throws does not
  /// keep others from being done: Unsupported, Misdeed and other Errors are its status. Response.json is written whole,
  /// by rename. Whether every job is done, or refused as unsupported.
  bool answer(ir::formats::JsonObject candidate, const std::function<JobAnswer(const Job&)>& work) const;

 private:
  Job job(const ir::formats::Json& json) const;
  ir::formats::JsonObject job_answer(const ir::formats::Json& json, const std::function<JobAnswer(const Job&)>&) const;
  ir::formats::Json write(const NamedTensor& value, const std::string& file) const;

  const std::filesystem::path folder_;
  ir::formats::Json json_;
  std::string action_;
};

}  // namespace plumb::library::host
