#pragma once

// Answers of plumb.exec/1 (docs/exec.md), read from the folder in which a program left them.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/sums.hpp"
#include "parity/foreign/exec_files.hpp"

namespace plumb::parity::foreign {

inline constexpr std::string_view exec_schema = "plumb.exec/1";

/// How a candidate says that a run went.
enum class ExecStatus {
  ok,
  unsupported,
  error,
  failed,  ///< a host of functions saw its function do what it must not
};

constexpr auto enum_names(ExecStatus) {
  return std::array<std::string_view, 4>{"ok", "unsupported", "error", "failed"};
}

/// A candidate's words on itself.
struct ExecDescription {
  std::string name, version, device;
  std::vector<std::string> models;       ///< "onnx", "plumb.graph/1": those that it takes; empty: either
  std::vector<std::string> taps;         ///< those that it can give; empty: any
  std::vector<std::string> environment;  ///< the variables that it depends on
  bool keeps_subnormals = false;
  bool answers_supports = false;  ///< whether it says which nodes it has not
  bool serves = false;            ///< whether it stays alive between requests
  std::int64_t most_jobs = 1;     ///< as many as one request may have
};

/// The nodes that a candidate has not, by label, with its reasons.
using Refusals = std::map<std::string, std::string, std::less<>>;

/// A candidate's words on the node that computes a value.
struct AnsweredNode {
  std::string value, kernel;
  std::optional<std::uint64_t> nanoseconds;
  std::vector<ir::Sum> sums;
};

/// A candidate's answer to a job, which asks for one run.
struct ExecAnswer {
  ExecStatus status = ExecStatus::ok;
  std::string message;
  std::vector<AnsweredTensor> values;  ///< no name is there twice
  std::vector<AnsweredNode> nodes;
};

/// Reads response.json of an exchange's folder. Throws Error, which says where, unless it is what plumb.exec/1 wants;
/// the files that it names are not looked at. `folder` is an open descriptor.
ExecDescription read_description(int folder);
/// The answers to that many jobs, in their order.
std::vector<ExecAnswer> read_answers(int folder, std::size_t jobs);
/// `labels` are those of the graph's nodes, all of which a candidate refuses that says "unsupported".
Refusals read_refusals(int folder, const std::set<std::string>& labels);

}  // namespace plumb::parity::foreign
