// Reads requests and tensors of the exchange folder, and writes answers there.
#include "library/host/exchange.hpp"

#include <fstream>

#include "ir/files/output_file.hpp"
#include "ir/files/read_file.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/formats/npy.hpp"
#include "ir/formats/tensor_files.hpp"

namespace plumb::library::host {
namespace {

using ir::formats::Json;
using ir::formats::JsonArray;
using ir::formats::JsonObject;

/// The parts of a request, each called by its key where it is missing or of another kind.
const Json& member(const Json& json, std::string_view key) {
  const Json* const found = json.object() != nullptr ? json.find(key) : nullptr;
  ir::require(found != nullptr, "request.json: there is no '", key, "'");
  return *found;
}

const std::string& text(const Json& json, std::string_view key) {
  const std::string* const found = member(json, key).text();
  ir::require(found != nullptr, "request.json: '", key, "' is no text");
  return *found;
}

const JsonArray& array(const Json& json, std::string_view key) {
  const JsonArray* const found = member(json, key).array();
  ir::require(found != nullptr, "request.json: '", key, "' is no array");
  return *found;
}

std::int64_t whole(const Json& json, std::string_view key) {
  const std::int64_t* const found = member(json, key).whole();
  ir::require(found != nullptr, "request.json: '", key, "' is no whole number");
  return *found;
}

ir::TensorType type_of(const Json& json) {
  const std::string& name = text(json, "dtype");
  const auto dtype = ir::find_dtype(name);
  ir::require(dtype.has_value(), "request.json: there is no dtype '", name, "'");
  ir::TensorType type{*dtype, {}};
  for (const Json& extent : array(json, "shape")) {
    ir::require(extent.whole() != nullptr, "request.json: an extent is no whole number");
    type.shape.push_back(*extent.whole());
  }
  ir::check_type(type);
  return type;
}

ir::Tensor read(const std::filesystem::path& path, const ir::TensorType& type) {
  if (path.extension() != ".bin") {
    const auto file = ir::formats::open_tensors(path);
    const ir::TensorType found = ir::formats::taken_as(file->type(""), type.dtype);
    ir::require(found == type, path.string(), ": is ", found, ", the request says ", type);
    return ir::formats::taken_as(file->read(""), type.dtype);
  }
  ir::require(std::filesystem::file_size(path) == type.bytes(), path.string(), ": does not have ", type.bytes(),
              " bytes");
  ir::Tensor tensor(type);
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(tensor.bytes().data()), static_cast<std::streamsize>(type.bytes()));
  ir::require(in.good(), path.string(), ": cannot be read");
  return tensor;
}

JsonObject with_status(std::int64_t id, std::string_view status, std::string_view message = "") {
  JsonObject object;
  object.emplace_back("id", id);
  object.emplace_back("status", status);
  if (!message.empty()) object.emplace_back("message", as_utf8(message));
  return object;
}

}  // namespace

std::string as_utf8(std::string_view text) {
  std::string readable(text);
  try {
    ir::formats::to_text(readable);
  } catch (const ir::Error&) {
    for (char& c : readable)
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  }
  return readable;
}

Request::Request(std::filesystem::path folder) : folder_(std::move(folder)) {
  const auto path = folder_ / "request.json";
  json_ = ir::formats::parse_json(ir::files::read_named_text(path, ir::formats::JsonLimits{}.bytes));
  ir::require(text(json_, "schema") == "plumb.exec/1", "request.json is not of schema plumb.exec/1");
  action_ = text(json_, "action");
  ir::require(action_ == "run" || action_ == "describe" || action_ == "supports", "request.json: there is no action '",
              action_, "'");
}

Job Request::job(const Json& json) const {
  Job job;
  job.id = whole(json, "id");
  if (json.find("taps") != nullptr) job.taps = text(json, "taps");
  const Json& model = member(json, "model");
  if (model.find("onnx") != nullptr) job.onnx = folder_ / text(model, "onnx");
  job.graph_path = folder_ / text(model, "plumb.graph/1");
  job.graph = ir::formats::read_graph(job.graph_path).graph;
  if (json.find("wanted") != nullptr)
    for (const Json& entry : array(json, "wanted")) job.wanted.push_back(text(entry, "name"));
  if (action_ != "run") return job;
  for (const Json& run : array(json, "runs")) {
    auto& inputs = job.runs.emplace_back();
    for (const Json& input : array(run, "inputs"))
      inputs.push_back({text(input, "name"), read(folder_ / text(input, "file"), type_of(input))});
  }
  return job;
}

Json Request::write(const NamedTensor& value, const std::string& file) const {
  std::ofstream out(folder_ / file, std::ios::binary);
  const std::string header = ir::formats::npy_header(value.tensor.type());
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  const auto bytes = value.tensor.bytes();
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  ir::require(!out.fail(), file, ": cannot be written");
  JsonArray shape;
  for (const std::int64_t extent : value.tensor.shape()) shape.emplace_back(extent);
  JsonObject object;
  object.emplace_back("name", value.name);
  object.emplace_back("dtype", ir::info(value.tensor.dtype()).name);
  object.emplace_back("shape", std::move(shape));
  object.emplace_back("file", file);
  return object;
}

JsonObject Request::job_answer(const Json& json, const std::function<JobAnswer(const Job&)>& work) const {
  const std::int64_t id = whole(json, "id");
  try {
    JobAnswer done = work(job(json));
    JsonObject object = with_status(id, "ok");
    if (action_ == "supports") {
      object.emplace_back("refused", std::move(done.refused));
      return object;
    }
    JsonArray runs;
    for (RunAnswer& run : done.runs) {
      JsonArray values;
      for (const NamedTensor& value : run.values)
        values.push_back(write(value, ir::cat("out/", id, "_", runs.size(), "_", values.size(), ".npy")));
      JsonObject answer;
      answer.emplace_back("values", std::move(values));
      answer.emplace_back("nodes", std::move(run.nodes));
      runs.emplace_back(std::move(answer));
    }
    JsonObject seconds;
    seconds.emplace_back("compile", done.compile_seconds);
    object.emplace_back("seconds", std::move(seconds));
    object.emplace_back("runs", std::move(runs));
    return object;
  } catch (const ir::Unsupported& refusal) {
    return with_status(id, "unsupported", refusal.what());
  } catch (const Misdeed& misdeed) {
    return with_status(id, "failed", misdeed.what());
  } catch (const ir::Error& error) {
    return with_status(id, "error", error.what());
  }
}

bool Request::answer(JsonObject candidate, const std::function<JobAnswer(const Job&)>& work) const {
  bool is_good = true;
  JsonObject response;
  response.emplace_back("schema", "plumb.exec/1");
  response.emplace_back("candidate", std::move(candidate));
  if (action_ != "describe") {
    std::filesystem::create_directories(folder_ / "out");
    JsonArray jobs;
    for (const Json& json : array(json_, "jobs")) {
      jobs.emplace_back(job_answer(json, work));
      const std::string& status = text(jobs.back(), "status");
      is_good = is_good && (status == "ok" || status == "unsupported");
    }
    response.emplace_back("jobs", std::move(jobs));
  }
  ir::files::write_file(folder_ / "response.json", ir::files::FileKind::json,
                        ir::formats::to_text(std::move(response)));
  return is_good;
}

}  // namespace plumb::library::host
