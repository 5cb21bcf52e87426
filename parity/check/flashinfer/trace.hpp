#pragma once

// Traces: how a solution of a definition came out on a workload, as flashinfer-bench reads them.

#include <array>
#include <map>
#include <optional>
#include <string>

#include "parity/cases/node_result.hpp"
#include "parity/check/flashinfer/workload.hpp"
#include "parity/foreign/candidate.hpp"

namespace plumb::parity::check::flashinfer {

enum class Status {
  passed,
  incorrect_numerical,
  incorrect_shape,
  incorrect_dtype,
  runtime_error,
  timeout,
  compile_error,
};

constexpr auto enum_names(Status) {
  return std::array<std::string_view, 7>{"PASSED",          "INCORRECT_NUMERICAL", "INCORRECT_SHAPE",
                                         "INCORRECT_DTYPE", "RUNTIME_ERROR",       "TIMEOUT",
                                         "COMPILE_ERROR"};
}

/// The status of a case, given how the candidate's last run went wrong; nothing where the case says neither that it
/// passed nor what is wrong with the candidate: where it is mistrusted, unsupported, or could not be set up.
std::optional<Status> status_of(const cases::CaseResult& result, foreign::Fault fault);

/// Where and by whom workloads were judged.
struct TraceFacts {
  std::string solution, hardware;
  std::map<std::string, std::string> libraries = {};  ///< versions by name
};

/// One line of JSON, with its end: PASSED and INCORRECT_NUMERICAL have `correctness`, PASSED has `performance`, in
/// milliseconds of the candidate's own clock (0 where it has none); the time is now, in UTC.
std::string trace_line(const Definition& definition, const Workload& workload, const TraceFacts& facts, Status status,
                       const cases::CaseResult& result);

/// The status and the log of a candidate that could not be started or loaded.
std::string compile_error_line(const Definition& definition, const Workload& workload, const TraceFacts& facts,
                               const std::string& log);

}  // namespace plumb::parity::check::flashinfer
