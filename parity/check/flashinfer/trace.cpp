// Writes traces.
#include "parity/check/flashinfer/trace.hpp"

#include <chrono>
#include <cmath>
#include <ctime>

#include "ir/formats/json.hpp"
#include "ir/raw/utf8.hpp"

namespace plumb::parity::check::flashinfer {
namespace {

using ir::formats::Json;
using ir::formats::JsonObject;

constexpr std::size_t longest_log = 20'000;

/// A number as pydantic reads it: one that is not finite is a text.
Json number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

std::string now() {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S+00:00", &utc);
  return {text.data(), length};
}

/// Errors over all outputs that were compared; NaN where none was, or where a NaN or an infinity stands on one side.
struct Errors {
  double absolute = compare::not_computed, relative = compare::not_computed;
  double ratio = compare::not_computed, allowed = compare::not_computed, ulp = compare::not_computed;
};

Errors errors_of(const cases::CaseResult& result) {
  Errors errors;
  bool is_finite = true;
  for (const cases::NodeResult& node : result.nodes) {
    const compare::Comparison& found = node.local;
    if (found.n == 0) continue;
    is_finite = is_finite && found.n_nan_differ + found.n_inf_differ == 0;
    errors.absolute = std::fmax(errors.absolute, found.max_abs.value);
    errors.relative = std::fmax(errors.relative, found.max_rel.value);
    errors.ulp = std::fmax(errors.ulp, found.max_ulp.value);
    if (found.worst.empty() || std::fmax(errors.ratio, found.ratio()) == errors.ratio) continue;
    errors.ratio = found.ratio();
    errors.allowed = found.worst.front().allowed;
  }
  if (!is_finite) errors.absolute = errors.relative = compare::not_computed;
  return errors;
}

Json correctness_of(const cases::CaseResult& result, Status status) {
  Errors errors = errors_of(result);
  // Results that are whole numbers, or equal in every bit, have no error.
  if (status == Status::passed && std::isnan(errors.absolute)) errors.absolute = 0;
  if (status == Status::passed && std::isnan(errors.relative)) errors.relative = 0;
  JsonObject extra, members;
  extra.emplace_back("verdict", ir::enum_name(result.verdict));
  extra.emplace_back("ratio", number(errors.ratio));
  extra.emplace_back("allowed", number(errors.allowed));
  extra.emplace_back("ulp", number(errors.ulp));
  members.emplace_back("max_relative_error", number(errors.relative));
  members.emplace_back("max_absolute_error", number(errors.absolute));
  members.emplace_back("extra", std::move(extra));
  return members;
}

Json performance_of(const cases::CaseResult& result) {
  double nanoseconds = 0;
  for (const cases::NodeResult& node : result.nodes) nanoseconds += static_cast<double>(node.device_ns.value_or(0));
  JsonObject members;
  members.emplace_back("latency_ms", nanoseconds / 1e6);
  return members;
}

Json environment_of(const TraceFacts& facts) {
  JsonObject members, libraries;
  members.emplace_back("hardware", ir::raw::shown(facts.hardware.empty() ? "unknown" : facts.hardware, longest_log));
  for (const auto& [name, version] : facts.libraries)
    libraries.emplace_back(name, ir::raw::shown(version, longest_log));
  members.emplace_back("libs", std::move(libraries));
  return members;
}

std::string log_of(const cases::CaseResult& result) {
  std::string text = result.message;
  for (const cases::NodeResult& node : result.nodes)
    if (node.verdict == core::Verdict::failed && !node.why.empty())
      text += ir::cat(text.empty() ? "" : "\n", node.name(), ": ", node.why);
  return text;
}

/// A line whose evaluation ends with these members.
std::string line_of(const Definition& definition, const Workload& workload, const TraceFacts& facts, Status status,
                    const std::string& log, JsonObject ending) {
  JsonObject evaluation, trace;
  evaluation.emplace_back("status", ir::enum_name(status));
  evaluation.emplace_back("environment", environment_of(facts));
  evaluation.emplace_back("timestamp", now());
  std::string lines;
  for (std::size_t begin = 0; begin < log.size();) {  // `shown` takes the ends of lines for control characters
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    lines +=
        (lines.empty() ? "" : "\n") + ir::raw::shown(std::string_view(log).substr(begin, end - begin), longest_log);
    begin = end + 1;
  }
  evaluation.emplace_back("log", lines.size() > longest_log ? ir::raw::shown(lines, longest_log) : lines);
  for (auto& [name, value] : ending) evaluation.emplace_back(name, std::move(value));
  trace.emplace_back("definition", definition.name);
  trace.emplace_back("workload", ir::formats::parse_json(workload.text));
  trace.emplace_back("solution", facts.solution);
  trace.emplace_back("evaluation", std::move(evaluation));
  return ir::formats::to_text(Json(std::move(trace))) + '\n';
}

}  // namespace

std::optional<Status> status_of(const cases::CaseResult& result, foreign::Fault fault) {
  using core::Verdict;
  if (result.exit == core::ExitCode::device_error)
    return fault == foreign::Fault::late ? Status::timeout : Status::runtime_error;
  if (result.verdict == Verdict::passed) return Status::passed;
  if (result.verdict == Verdict::nondeterministic) return Status::incorrect_numerical;
  if (result.verdict != Verdict::failed) return std::nullopt;
  if (fault == foreign::Fault::wrong_shape) return Status::incorrect_shape;
  if (fault == foreign::Fault::wrong_dtype) return Status::incorrect_dtype;
  return Status::incorrect_numerical;
}

std::string trace_line(const Definition& definition, const Workload& workload, const TraceFacts& facts, Status status,
                       const cases::CaseResult& result) {
  JsonObject ending;
  if (status == Status::passed || status == Status::incorrect_numerical)
    ending.emplace_back("correctness", correctness_of(result, status));
  if (status == Status::passed) ending.emplace_back("performance", performance_of(result));
  return line_of(definition, workload, facts, status, log_of(result), std::move(ending));
}

std::string compile_error_line(const Definition& definition, const Workload& workload, const TraceFacts& facts,
                               const std::string& log) {
  return line_of(definition, workload, facts, Status::compile_error, log, {});
}

}  // namespace plumb::parity::check::flashinfer
