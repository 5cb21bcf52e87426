#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/files/process.hpp"
#include "parity/foreign/exec_answer.hpp"
#include "parity/foreign/exec_candidate.hpp"
#include "parity/foreign/exec_request.hpp"
#include "parity/foreign/scratch.hpp"
#include "parity/foreign/value_names.hpp"

namespace plumb::parity::foreign {

/// A program that answers plumb.exec/1, and how it is asked.
struct ExecProgram {
  std::vector<std::string> words;
  ExecOptions options;
  std::shared_ptr<ir::files::ServingProgram> server = {};  ///< answers requests where it stays alive between them
};

/// One job: what is asked, of which graph and by which names. `wanted` are the values of the request, `required` those
/// that must be there.
struct ExecJob {
  ExecRequest request;
  const ir::Graph& graph;
  const ValueNames& names;
  std::vector<ir::Value> wanted, required;
};

/// The outcome of one job.
struct ExecResults {
  ir::Tensors values = {};  ///< those that were wanted
  std::vector<ir::NodeReport> nodes = {};
  std::vector<std::string> notes = {};
  std::optional<std::string> refused = {};  ///< its words, where it says that it is unsupported; nothing else is set
};

/// Why a program's end is none that an answer can be read after, with its last lines; "" where it is.
std::string problem_of(const ir::files::ProcessEnd& end, std::chrono::seconds time);

/// Lets the program answer the request in a folder, within `time`. How it ended: well where it lives on to serve.
ir::files::ProcessEnd ask(const ExecProgram& program, const Scratch& scratch, std::chrono::seconds time);

/// Asks the program which nodes of a request's graph it has not, and why. Throws DeviceError as run_program does.
Refusals refused_nodes(const ExecProgram& program, const ExecRequest& request, const ir::Graph& graph);

/// Starts the program on a request of these jobs and reads its answers; `fault` becomes how it went wrong. Throws
/// DeviceError where the program crashes, is late or answers with garbage, or says "error"; core::CandidateError where
/// it did what it must not, or says so.
std::vector<ExecResults> run_program(const ExecProgram& program, const std::vector<ExecJob>& jobs, Fault& fault);

}  // namespace plumb::parity::foreign
