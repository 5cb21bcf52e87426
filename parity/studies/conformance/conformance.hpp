#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "parity/verify/verify.hpp"

namespace plumb::parity::studies::conformance {

/// One case of a suite laid out as ONNX's backend tests are: a folder with a model, and
/// folders of inputs with the outputs that somebody else's evaluation gave.
struct SuiteCase {
  std::string name;  ///< the folder's path, relative to the suite
  std::filesystem::path model;
  std::vector<std::filesystem::path> data;  ///< test_data_set_0, ...
};

/// Every folder at or below `root` that has a model.onnx, by name. Throws Error when there is none.
std::vector<SuiteCase> find_suite(const std::filesystem::path& root);

/// The result of a case on one executor.
enum class Standing {
  passed,
  failed,
  mistrusted,    ///< agreed, but what is expected proves nothing
  unsupported,   ///< not read, or not run by this executor itself
  out_of_scope,  ///< its expected output is random or disputed, or its inputs are no tensors of numbers
};

constexpr auto enum_names(Standing) {
  return std::array<std::string_view, 5>{"passed", "failed", "mistrusted", "unsupported", "out_of_scope"};
}

struct Outcome {
  Standing standing = Standing::unsupported;
  std::string why = {};  ///< empty only when it passed
};

struct ConformanceResult {
  std::string name, op;  ///< op: what the case is about
  Outcome cpu, gpu;
  double seconds = 0;
};

/// How a suite's files are read.
struct SuiteReader {
  /// The subject of a model (its op, or "network") and why it is out of scope, if it is.
  struct Subject {
    std::string op, out_of_scope;
  };
  std::function<Subject(const SuiteCase&)> subject;
  /// The graph, fed what the data set holds, expecting what it expects.
  std::function<ir::formats::GraphFile(const SuiteCase&, const std::filesystem::path& data)> read;
};

/// Runs one case on the CPU executor and on the device, which must run every node itself. Each
/// node is held against the truth of its own inputs, and results against what the suite
/// expects within `fill.expected_within`.
ConformanceResult run_conformance(const SuiteCase& one, const SuiteReader& reader, const cases::Executors& executors,
                                  const verify::FillOptions& fill);

}  // namespace plumb::parity::studies::conformance
