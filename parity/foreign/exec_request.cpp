// Requests of plumb.exec/1 (docs/exec.md), as JSON and files.
#include "parity/foreign/exec_request.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "ir/formats/json.hpp"
#include "parity/foreign/exec_answer.hpp"
#include "parity/foreign/exec_files.hpp"

namespace plumb::parity::foreign {
namespace {

using ir::formats::Json;
using ir::formats::JsonArray;
using ir::formats::JsonObject;

JsonObject named(const std::string& name, const ir::TensorType& type) {
  JsonArray shape;
  for (const std::int64_t extent : type.shape) shape.emplace_back(extent);
  JsonObject object;
  object.emplace_back("name", name);
  object.emplace_back("dtype", ir::info(type.dtype).name);
  object.emplace_back("shape", std::move(shape));
  return object;
}

JsonArray texts(const std::vector<std::string>& all) {
  JsonArray array;
  for (const auto& one : all) array.emplace_back(one);
  return array;
}

/// The models that a job names, those that are not the user's own written into the folder.
JsonObject write_models(int folder, std::size_t id, const ExecRequest& request) {
  const std::string number = id == 0 ? "" : ir::cat('-', id);
  const std::string written = ir::cat("model", number, ".onnx"), graph = ir::cat("graph", number, ".json");
  JsonObject model;
  if (!request.onnx.empty()) {
    model.emplace_back("onnx", request.onnx);
  } else if (request.written_onnx) {
    write_new(folder, written, *request.written_onnx);
    model.emplace_back("onnx", written);
  }
  write_new(folder, graph, request.graph + '\n');
  model.emplace_back("plumb.graph/1", graph);
  return model;
}

JsonObject job_json(std::size_t id, const ExecRequest& request, JsonObject model, JsonArray inputs) {
  JsonObject run, job;
  JsonArray wanted, runs;
  for (const WantedValue& value : request.wanted) {
    JsonObject object = named(value.name, value.type);
    if (value.label != value.name) object.emplace_back("label", value.label);
    if (!value.also.empty()) object.emplace_back("also", texts(value.also));
    wanted.emplace_back(std::move(object));
  }
  run.emplace_back("inputs", std::move(inputs));
  runs.emplace_back(std::move(run));
  job.emplace_back("id", static_cast<std::int64_t>(id));
  job.emplace_back("taps", ir::enum_name(request.taps));
  job.emplace_back("seconds", std::int64_t{request.time.count()});
  job.emplace_back("model", std::move(model));
  job.emplace_back("results", texts(request.results));
  job.emplace_back("wanted", std::move(wanted));
  job.emplace_back("runs", std::move(runs));
  return job;
}

void write_json(int folder, std::string_view action, JsonArray jobs) {
  JsonObject request;
  request.emplace_back("schema", exec_schema);
  request.emplace_back("action", action);
  if (!jobs.empty()) request.emplace_back("jobs", std::move(jobs));
  write_new(folder, "request.json", to_text(Json(std::move(request))) + '\n');
}

void make_folder(int folder, const char* name) {
  ir::require(mkdirat(folder, name, S_IRWXU) == 0, "folder '", name,
              "' for the candidate cannot be made: ", std::strerror(errno));
}

}  // namespace

void write_description_request(int folder) { write_json(folder, "describe", {}); }

void write_support_request(int folder, const ExecRequest& request) {
  JsonObject job;
  job.emplace_back("id", std::int64_t{0});
  job.emplace_back("seconds", std::int64_t{request.time.count()});
  job.emplace_back("model", write_models(folder, 0, request));
  job.emplace_back("results", texts(request.results));
  JsonArray jobs;
  jobs.emplace_back(std::move(job));
  write_json(folder, "supports", std::move(jobs));
}

std::vector<std::vector<WrittenInput>> write_request(int folder, std::span<const ExecRequest> requests) {
  make_folder(folder, "in");
  make_folder(folder, "out");
  std::vector<std::vector<WrittenInput>> written(requests.size());
  JsonArray jobs;
  std::size_t files = 0;
  for (std::size_t id = 0; id < requests.size(); ++id) {
    JsonObject model = write_models(folder, id, requests[id]);
    JsonArray inputs;
    for (const GivenTensor& given : requests[id].inputs) {
      const std::string file = ir::cat("in/", files++, ".npy");
      write_new(folder, file, given.tensor);
      written[id].push_back({given.name, file, hash_of_file(folder, file)});
      JsonObject object = named(given.name, given.tensor.type());
      if (given.is_param) object.emplace_back("param", true);
      object.emplace_back("file", file);
      inputs.emplace_back(std::move(object));
    }
    jobs.emplace_back(job_json(id, requests[id], std::move(model), std::move(inputs)));
  }
  write_json(folder, "run", std::move(jobs));
  return written;
}

}  // namespace plumb::parity::foreign
