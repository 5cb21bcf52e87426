// Calls a plugin, and takes from it no more than it may give.
#include "library/host/plugin.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "ir/formats/graph_file.hpp"
#include "library/host/exchange.hpp"
#include "library/host/library_file.hpp"
#include "library/plumbline_candidate.h"

namespace plumb::library::host {
namespace {

using ir::formats::Json;
using ir::formats::JsonArray;
using ir::formats::JsonObject;

std::int32_t number_of(ir::DType dtype) { return static_cast<std::int32_t>(dtype) + PLUMB_BOOL; }

std::string text_or_empty(const char* text) { return text != nullptr ? text : ""; }

/// The host as a plugin sees it, with the text of its last failure.
struct Host : plumb_candidate_host {
  std::string failure;

  Host() : plumb_candidate_host{sizeof(plumb_candidate_host), take} {}

  static void take(const plumb_candidate_host* host, const char* text) {
    // The plugin got the host as one that it may not write, and this object is not constant.
    static_cast<Host*>(const_cast<plumb_candidate_host*>(host))->failure = text_or_empty(text).substr(0, 16384);
  }

  /// Throws what a call returned, in the plugin's words.
  void check(int code, std::string_view call) {
    const std::string words = std::exchange(failure, "");
    if (code == PLUMB_OK) return;
    const std::string said = words.empty() ? ir::cat(call, " returned ", code, " and no text") : words;
    if (code == PLUMB_UNSUPPORTED) throw ir::Unsupported(said);
    ir::fail(code == PLUMB_DEVICE_FAILED ? "its device failed: " : "", said);
  }
};

/// Takes the values of a run. No exception may pass through the plugin: the first problem is kept instead.
struct Sink {
  const Job* job = nullptr;
  RunAnswer answer = {};
  std::string problem = {};

  bool wants(std::string_view name) const {
    for (const ir::Value v : job->graph.results())
      if (job->graph.name(v) == name) return true;
    return std::ranges::find(job->wanted, name) != job->wanted.end();
  }

  void take(const plumb_candidate_tensor& given) {
    ir::require(given.struct_size >= sizeof given && given.name != nullptr, "gave a tensor without a name");
    const std::string name = given.name;
    if (!wants(name)) return;
    ir::require(given.dtype >= PLUMB_BOOL && given.dtype <= PLUMB_U16, "'", name, "' has dtype ", given.dtype,
                ", which is none");
    ir::require(given.rank >= 0 && given.rank <= ir::max_rank && (given.rank == 0 || given.shape != nullptr), "'", name,
                "' has rank ", given.rank);
    ir::TensorType type{static_cast<ir::DType>(given.dtype - PLUMB_BOOL), {}};
    type.shape.assign(given.shape, given.shape + given.rank);
    ir::check_type(type);
    ir::require(given.bytes == type.bytes() && (given.bytes == 0 || given.data != nullptr), "'", name, "' has ",
                given.bytes, " bytes, where ", type, " has ", type.bytes());
    for (const NamedTensor& other : answer.values) ir::require(other.name != name, "gave '", name, "' twice");
    ir::Tensor tensor(type);
    if (given.bytes > 0) std::memcpy(tensor.bytes().data(), given.data, given.bytes);
    answer.values.push_back({name, std::move(tensor)});
  }

  void node(const char* value, const char* kernel, std::uint64_t nanoseconds, const char* sums) {
    JsonObject object;
    object.emplace_back("value", as_utf8(text_or_empty(value)));
    object.emplace_back("kernel", as_utf8(text_or_empty(kernel)));
    object.emplace_back("ns", static_cast<std::int64_t>(nanoseconds & INT64_MAX));
    if (sums != nullptr) object.emplace_back("sums", ir::formats::parse_json(sums));
    answer.nodes.emplace_back(std::move(object));
  }

  template <class Work>
  void keep_problem(const Work& work) {
    try {
      work();
    } catch (const std::exception& error) {
      if (problem.empty()) problem = error.what();
    }
  }
};

int sink_wants(void* context, const char* name) {
  return name != nullptr && static_cast<Sink*>(context)->wants(name) ? 1 : 0;
}

void sink_value(void* context, const plumb_candidate_tensor* tensor) {
  auto& sink = *static_cast<Sink*>(context);
  sink.keep_problem([&] {
    ir::require(tensor != nullptr, "gave no tensor");
    sink.take(*tensor);
  });
}

void sink_node(void* context, const char* value, const char* kernel, std::uint64_t nanoseconds, const char* sums) {
  auto& sink = *static_cast<Sink*>(context);
  sink.keep_problem([&] { sink.node(value, kernel, nanoseconds, sums); });
}

/// The types of values as a plugin takes them, with the names they point to.
class Values {
 public:
  void add(const ir::Graph& graph, ir::Value value) {
    names_.push_back(std::make_unique<std::string>(graph.name(value)));
    const ir::TensorType& type = graph.type(value);
    values_.push_back({sizeof(plumb_candidate_value), number_of(type.dtype),
                       static_cast<std::int32_t>(type.shape.rank()), type.shape.data(), names_.back()->c_str()});
  }
  const std::vector<plumb_candidate_value>& values() const { return values_; }

 private:
  std::vector<std::unique_ptr<std::string>> names_;
  std::vector<plumb_candidate_value> values_;
};

/// Whatever a plugin compiles a job by; nothing for a model that was written for one request, whose file is gone when
/// that is answered. Params of a graph are inputs of its runs.
std::optional<std::string> key_of(const Job& job) {
  namespace fs = std::filesystem;
  if (!job.onnx.empty() && fs::path(job.onnx).parent_path() == fs::path(job.graph_path).parent_path())
    return std::nullopt;
  std::string key = ir::cat(job.onnx, '\n', job.taps, '\n');
  for (const std::string& name : job.wanted) key += ir::cat(name.size(), ' ', name, '\n');
  return key + ir::formats::graph_json(job.graph);
}

/// A loaded plugin with what it made of its arguments, and the executables that it compiled last.
class Plugin {
 public:
  Plugin(const std::string& path, const std::string& args) : library_(path) {
    using Entry = const plumb_candidate_v1* (*)(std::uint32_t);
    const auto entry = reinterpret_cast<Entry>(library_.find("plumb_candidate_entry"));
    ir::require(entry != nullptr, "'", path, "' has no plumb_candidate_entry: it is not a plugin");
    calls_ = entry(PLUMB_CANDIDATE_ABI);
    ir::require(calls_ != nullptr, "'", path, "' knows no interface as old as ", PLUMB_CANDIDATE_ABI);
    ir::require(calls_->struct_size >= sizeof *calls_ && calls_->abi == PLUMB_CANDIDATE_ABI, "'", path,
                "' has interface ", calls_->abi, " of ", calls_->struct_size, " bytes, where ", PLUMB_CANDIDATE_ABI,
                " has ", sizeof *calls_);
    ir::require(calls_->create != nullptr && calls_->describe != nullptr && calls_->compile != nullptr &&
                    calls_->run != nullptr && calls_->release != nullptr && calls_->destroy != nullptr,
                "'", path, "' lacks a function that only supports may be");
    plumb_candidate_create_args create = {sizeof create, &host_, args.c_str(), nullptr};
    host_.check(calls_->create(&create), "create");
    self_ = create.self;
  }
  ~Plugin() {
    kept_.clear();
    calls_->destroy(self_);
  }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  JsonObject describe() {
    plumb_candidate_describe_args args = {sizeof args, self_, nullptr};
    host_.check(calls_->describe(&args), "describe");
    ir::require(args.json != nullptr, "describe gave no text");
    Json json = ir::formats::parse_json(args.json, {.bytes = 1 << 20, .values = 1 << 16, .depth = 32});
    ir::require(json.object() != nullptr, "describe gave ", json.kind(), ", not an object");
    const bool says_so = json.find("supports") != nullptr, says_how_long = json.find("serves") != nullptr;
    JsonObject candidate = std::move(*std::get<Json::Held<JsonObject>>(json.value));
    if (calls_->supports != nullptr && !says_so) candidate.emplace_back("supports", true);
    if (!says_how_long) candidate.emplace_back("serves", true);
    return candidate;
  }

  JsonArray refused(const Job& job);
  JobAnswer run(const Job& job);

 private:
  /// An executable of the plugin's, which goes with its owner.
  struct Release {
    const Plugin* plugin;
    void operator()(void* executable) const { plugin->calls_->release(plugin->self_, executable); }
  };
  using Executable = std::unique_ptr<void, Release>;
  struct Kept {
    std::optional<std::string> key;
    Executable executable;
    double seconds = 0;  ///< that it took to be compiled
  };

  const Kept& compiled(const Job& job);
  Kept compile(const Job& job, std::optional<std::string> key);
  RunAnswer run_once(const Job& job, void* executable, const std::vector<NamedTensor>& given);

  LibraryFile library_;
  const plumb_candidate_v1* calls_ = nullptr;
  Host host_;
  void* self_ = nullptr;
  std::vector<Kept> kept_;  ///< the one that was used last is the last
};

/// One node as plumb.graph/1, with its operands as inputs.
std::string text_of(const ir::Graph& graph, const ir::Node& node) {
  ir::formats::GraphFile file;
  std::map<ir::Value, ir::Value> here;
  std::vector<ir::Value> inputs;
  for (const ir::Value v : node.inputs) {
    if (!here.contains(v)) here[v] = file.graph.input(graph.name(v), graph.type(v));
    inputs.push_back(here[v]);
  }
  for (const ir::Value v : file.graph.add_all(node.label, node.op, inputs)) file.graph.returns(v);
  return ir::formats::write_graph(file);
}

JsonArray Plugin::refused(const Job& job) {
  JsonArray refused;
  if (calls_->supports == nullptr) return refused;
  for (const ir::Node& node : job.graph.nodes()) {
    const std::string text = text_of(job.graph, node);
    plumb_candidate_supports_args args = {sizeof args, self_, text.c_str()};
    try {
      host_.check(calls_->supports(&args), "supports");
    } catch (const ir::Unsupported& refusal) {
      JsonObject object;
      object.emplace_back("node", node.label);
      object.emplace_back("message", as_utf8(refusal.what()));
      refused.emplace_back(std::move(object));
    }
  }
  return refused;
}

RunAnswer Plugin::run_once(const Job& job, void* executable, const std::vector<NamedTensor>& given) {
  std::vector<ir::Tensor> copies;
  std::vector<plumb_candidate_tensor> inputs;
  for (const NamedTensor& input : given) {
    copies.push_back(input.tensor);
    inputs.push_back({sizeof(plumb_candidate_tensor), number_of(input.tensor.dtype()),
                      static_cast<std::int32_t>(input.tensor.shape().rank()), input.tensor.shape().data(),
                      copies.back().bytes().data(), input.tensor.bytes().size(), input.name.c_str()});
  }
  Sink sink{.job = &job};
  const plumb_candidate_sink callbacks = {sizeof callbacks, &sink, sink_wants, sink_value, sink_node};
  plumb_candidate_run_args args = {sizeof args, self_, executable, inputs.data(), inputs.size(), &callbacks};
  host_.check(calls_->run(&args), "run");
  ir::require(sink.problem.empty(), sink.problem);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (!std::ranges::equal(copies[i].bytes(), given[i].tensor.bytes()))
      throw Misdeed("changed its input '" + given[i].name + "'");
  return std::move(sink.answer);
}

Plugin::Kept Plugin::compile(const Job& job, std::optional<std::string> key) {
  Values results, wanted;
  for (const ir::Value v : job.graph.results()) results.add(job.graph, v);
  for (const std::string& name : job.wanted)
    if (const auto v = job.graph.find(name)) wanted.add(job.graph, *v);
  plumb_candidate_compile_args args = {sizeof args,
                                       self_,
                                       job.onnx.empty() ? nullptr : job.onnx.c_str(),
                                       job.graph_path.c_str(),
                                       job.taps.c_str(),
                                       results.values().data(),
                                       results.values().size(),
                                       wanted.values().data(),
                                       wanted.values().size(),
                                       nullptr};
  const auto began = std::chrono::steady_clock::now();
  host_.check(calls_->compile(&args), "compile");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return {std::move(key), Executable(args.executable, Release{this}), seconds};
}

/// The executable of a job: two are kept, since a model is looked into and run for its results in turn.
const Plugin::Kept& Plugin::compiled(const Job& job) {
  constexpr std::size_t most = 2;
  std::optional<std::string> key = key_of(job);
  const auto found = std::ranges::find_if(kept_, [&key](const Kept& one) { return one.key && one.key == key; });
  if (found != kept_.end()) {
    std::rotate(found, found + 1, kept_.end());
    return kept_.back();
  }
  std::erase_if(kept_, [](const Kept& one) { return !one.key; });
  if (kept_.size() == most) kept_.erase(kept_.begin());  // before there is memory for another
  kept_.push_back(compile(job, std::move(key)));
  return kept_.back();
}

JobAnswer Plugin::run(const Job& job) {
  const Kept& kept = compiled(job);
  JobAnswer answer;
  answer.compile_seconds = kept.seconds;
  for (const auto& inputs : job.runs) answer.runs.push_back(run_once(job, kept.executable.get(), inputs));
  return answer;
}

}  // namespace

std::function<bool(const Request&)> open_plugin(const std::string& spec) {
  const std::size_t colon = spec.find(':');
  const auto plugin =
      std::make_shared<Plugin>(spec.substr(0, colon), colon == std::string::npos ? "" : spec.substr(colon + 1));
  return [plugin](const Request& request) {
    return request.answer(plugin->describe(), [&](const Job& job) {
      if (request.action() != "supports") return plugin->run(job);
      JobAnswer answer;
      answer.refused = plugin->refused(job);
      return answer;
    });
  };
}

}  // namespace plumb::library::host
