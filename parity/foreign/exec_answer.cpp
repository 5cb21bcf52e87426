// Answers of plumb.exec/1 (docs/exec.md), every member of which is checked: they are strangers' words.
#include "parity/foreign/exec_answer.hpp"

#include <algorithm>
#include <set>

#include "ir/attribute.hpp"
#include "ir/files/path_below.hpp"
#include "ir/files/process.hpp"
#include "ir/formats/json.hpp"
#include "ir/formats/node_text.hpp"
#include "ir/formats/sums_json.hpp"
#include "ir/raw/utf8.hpp"
#include "parity/foreign/candidate.hpp"

namespace plumb::parity::foreign {
namespace {

using ir::formats::array_of;
using ir::formats::Json;
using ir::formats::JsonArray;
using ir::formats::JsonObject;
using ir::formats::member;

constexpr std::size_t most_name_bytes = 1000, longest_word = 200;

/// Says which part of the answer an Error of `act` is about.
template <class Act>
auto within(const std::string& what, Act act) {
  try {
    return act();
  } catch (const ir::Error& error) {
    ir::fail(what, ": ", error.what());
  }
}

/// The members of an array that may be missing.
const JsonArray& optional_array(const Json& object, std::string_view name) {
  static const JsonArray none;
  const Json* const found = object.find(name);
  return found == nullptr ? none : array_of(*found, name);
}

std::string name_of(const Json& json, std::string_view what) {
  const std::string& name = ir::formats::text_of(json, what);
  ir::require(!name.empty() && name.size() <= most_name_bytes, what, " must have 1 to ", most_name_bytes, " bytes");
  return name;
}

/// A text for people, fit to be shown; "" where it is missing.
std::string words(const Json& object, std::string_view name) {
  const Json* const found = object.find(name);
  return found == nullptr ? "" : ir::raw::shown(ir::formats::text_of(*found, name), longest_word);
}

std::vector<std::string> names_of(const Json& object, std::string_view name) {
  constexpr std::size_t most = 64;
  std::vector<std::string> names;
  for (const Json& one : optional_array(object, name)) names.push_back(name_of(one, name));
  ir::require(names.size() <= most, name, " must have at most ", most, " names");
  return names;
}

void check_variable(const std::string& name) {
  const bool is_name = name.find('=') == name.npos && name.size() <= longest_word && !ir::raw::has_control(name);
  ir::require(is_name, "environment must have names of variables");
}

std::int64_t count_of(const Json& json, std::string_view what) {
  ir::require(json.whole() != nullptr && *json.whole() >= 0, what, " must be a whole number that is not negative");
  return *json.whole();
}

/// A field that is true or false; false where it is missing.
bool truth_of(const Json& json, std::string_view field) {
  const Json* const found = json.find(field);
  if (found == nullptr) return false;
  ir::require(found->boolean() != nullptr, field, " must be true or false, got ", found->kind());
  return *found->boolean();
}

ExecDescription description_of(const Json& json) {
  ir::formats::check_keys(
      ir::formats::object_of(json, "candidate"),
      {"name", "version", "device", "models", "taps", "subnormals", "environment", "serves", "supports", "jobs"});
  ExecDescription made{.name = words(json, "name"),
                       .version = words(json, "version"),
                       .device = words(json, "device"),
                       .models = names_of(json, "models"),
                       .taps = names_of(json, "taps"),
                       .environment = names_of(json, "environment")};
  ir::require(!made.name.empty(), "name must not be empty");
  for (const auto& model : made.models)
    ir::require(model == "onnx" || model == "plumb.graph/1", "models must be 'onnx' or 'plumb.graph/1'");
  for (const auto& taps : made.taps)
    ir::require(ir::enum_value<Taps>(taps).has_value(), "taps must be 'results', 'surviving' or 'all'");
  for (const auto& name : made.environment) check_variable(name);
  const std::string subnormals = words(json, "subnormals");
  ir::require(subnormals.empty() || subnormals == "kept" || subnormals == "flushed",
              "subnormals must be 'kept' or 'flushed'");
  made.keeps_subnormals = subnormals == "kept";
  made.answers_supports = truth_of(json, "supports");
  made.serves = truth_of(json, "serves");
  if (const Json* jobs = json.find("jobs")) made.most_jobs = count_of(*jobs, "jobs");
  ir::require(made.most_jobs > 0, "jobs must be 1 at least");
  return made;
}

ir::TensorType type_of(const Json& json) {
  const std::string& dtype = ir::formats::text_of(member(json, "dtype"), "dtype");
  const auto found = ir::find_dtype(dtype);
  ir::require(found.has_value(), "there is no dtype '", ir::raw::shown(dtype, longest_word), "'");
  ir::TensorType type{*found, {}};
  const JsonArray& extents = array_of(member(json, "shape"), "shape");
  ir::require(extents.size() <= ir::max_rank, "shape has more than ", ir::max_rank, " axes");
  for (const Json& extent : extents) type.shape.push_back(count_of(extent, "an extent"));
  ir::check_type(type);
  return type;
}

AnsweredTensor tensor_of(const Json& json) {
  ir::formats::check_keys(ir::formats::object_of(json, "a value"), {"name", "dtype", "shape", "file"});
  AnsweredTensor made{.name = name_of(member(json, "name"), "name"), .type = {}, .file = {}};
  return within("value '" + ir::raw::shown(made.name, longest_word) + "'", [&] {
    made.type = type_of(json);
    made.file = name_of(member(json, "file"), "file");
    ir::require(ir::files::stays_below(made.file), "file '", ir::raw::shown(made.file, longest_word),
                "' is no path below the exchange's folder");
    return made;
  });
}

AnsweredNode node_of(const Json& json) {
  ir::formats::check_keys(ir::formats::object_of(json, "a node"), {"value", "kernel", "ns", "sums"});
  AnsweredNode made{.value = name_of(member(json, "value"), "value"), .kernel = {}, .nanoseconds = {}, .sums = {}};
  return within("node of '" + ir::raw::shown(made.value, longest_word) + "'", [&] {
    made.kernel = words(json, "kernel");
    if (const Json* ns = json.find("ns")) made.nanoseconds = static_cast<std::uint64_t>(count_of(*ns, "ns"));
    if (const Json* sums = json.find("sums")) made.sums = ir::formats::parse_sums(to_text(*sums));
    for (const ir::Sum& sum : made.sums) ir::formats::require_modest(sum);
    return made;
  });
}

void read_run(const Json& run, ExecAnswer& answer) {
  ir::formats::check_keys(ir::formats::object_of(run, "a run"), {"values", "nodes"});
  std::set<std::string> names;
  for (const Json& value : array_of(member(run, "values"), "values")) {
    answer.values.push_back(tensor_of(value));
    const std::string& name = answer.values.back().name;
    ir::require(names.insert(name).second, "value '", ir::raw::shown(name, longest_word), "' is there twice");
  }
  for (const Json& node : optional_array(run, "nodes")) answer.nodes.push_back(node_of(node));
}

/// The status of a job, with the message that all but "ok" need.
ExecAnswer status_of(const Json& job) {
  ExecAnswer made;
  const auto status = ir::enum_value<ExecStatus>(ir::formats::text_of(member(job, "status"), "status"));
  ir::require(status.has_value(), "status must be 'ok', 'unsupported', 'error' or 'failed'");
  made.status = *status;
  if (const Json* message = job.find("message"))
    made.message = ir::files::last_lines(ir::formats::text_of(*message, "message"));
  ir::require(made.status == ExecStatus::ok || !made.message.empty(), "status '", ir::enum_name(made.status),
              "' needs a message");
  return made;
}

ExecAnswer answer_of(const Json& job) {
  ir::formats::check_keys(ir::formats::object_of(job, "a job"), {"id", "status", "message", "seconds", "runs"});
  ExecAnswer made = status_of(job);
  if (made.status != ExecStatus::ok) return made;
  const JsonArray& runs = array_of(member(job, "runs"), "runs");
  ir::require(runs.size() == 1, "runs must have the one that was asked for, got ", runs.size());
  read_run(runs.front(), made);
  return made;
}

Refusals refusals_of(const Json& job, const std::set<std::string>& labels) {
  ir::formats::check_keys(ir::formats::object_of(job, "a job"), {"id", "status", "message", "refused"});
  const ExecAnswer answer = status_of(job);
  Refusals made;
  if (answer.status == ExecStatus::unsupported)
    for (const std::string& label : labels) made.emplace(label, answer.message);
  else
    ir::require(answer.status == ExecStatus::ok, "its status is '", ir::enum_name(answer.status),
                "': ", answer.message);
  for (const Json& one : optional_array(job, "refused")) {
    ir::formats::check_keys(ir::formats::object_of(one, "a refused node"), {"node", "message"});
    const std::string label = name_of(member(one, "node"), "node");
    const std::string shown = ir::raw::shown(label, longest_word);
    ir::require(labels.contains(label), "there is no node '", shown, "'");
    const std::string why = ir::files::last_lines(ir::formats::text_of(member(one, "message"), "message"));
    ir::require(!why.empty(), "node '", shown, "' needs a message");
    made.insert_or_assign(label, why);
  }
  return made;
}

/// The job of each id, of as many as were asked for.
std::vector<const Json*> jobs_of(const Json& json, std::size_t count) {
  const JsonArray& jobs = array_of(member(json, "jobs"), "jobs");
  const std::string wanted = count == 1 ? "the one that was" : ir::cat("the ", count, " that were");
  ir::require(jobs.size() == count, "jobs must have ", wanted, " asked for, got ", jobs.size());
  std::vector<const Json*> found(count);
  for (const Json& job : jobs) {
    ir::formats::object_of(job, "a job");
    const auto id = static_cast<std::size_t>(count_of(member(job, "id"), "id"));
    ir::require(id < count && found[id] == nullptr, "there is no ", id < count ? "second job" : "job", " of that id");
    found[id] = &job;
  }
  return found;
}

std::vector<ExecAnswer> answers_of(const Json& json, std::size_t count) {
  std::vector<ExecAnswer> answers;
  for (const Json* const job : jobs_of(json, count))
    answers.push_back(count == 1 ? answer_of(*job)
                                 : within(ir::cat("job ", answers.size()), [&] { return answer_of(*job); }));
  return answers;
}

/// The whole of response.json, whose schema is the right one.
Json read_response(int folder) {
  const ir::formats::JsonLimits limits;
  Json json = ir::formats::parse_json(read_text(folder, "response.json", limits.bytes), limits);
  ir::formats::check_keys(ir::formats::object_of(json, "the answer"), {"schema", "candidate", "jobs"});
  const std::string& schema = ir::formats::text_of(member(json, "schema"), "schema");
  ir::require(schema == exec_schema, "schema must be '", exec_schema, "', got '", ir::raw::shown(schema, longest_word),
              "'");
  return json;
}

}  // namespace

ExecDescription read_description(int folder) {
  return within("response.json", [&] {
    const Json json = read_response(folder);
    return within("candidate", [&] { return description_of(member(json, "candidate")); });
  });
}

std::vector<ExecAnswer> read_answers(int folder, std::size_t jobs) {
  return within("response.json", [&] { return answers_of(read_response(folder), jobs); });
}

Refusals read_refusals(int folder, const std::set<std::string>& labels) {
  return within("response.json", [&] {
    const Json json = read_response(folder);
    return refusals_of(*jobs_of(json, 1).front(), labels);
  });
}

}  // namespace plumb::parity::foreign
