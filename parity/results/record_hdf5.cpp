#include "parity/results/record_hdf5.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <csignal>

#include "ir/adversarial/adversarial.hpp"
#include "ir/files/output_file.hpp"
#include "ir/hdf5/store.hpp"
#include "ir/hdf5/vet.hpp"
#include "parity/attribution/attribution.hpp"
#include "parity/core/build_info.hpp"
#include "parity/core/sha256.hpp"
#include "parity/results/results_rows.hpp"
#include "parity/results/results_schema.hpp"

namespace plumb::parity::results {
namespace {

using results::Part;
namespace fs = std::filesystem;

/// Who recorded where is nobody's business: of absolute paths the last name stays.
std::string without_folders(const std::string& argument) {
  const auto start = argument.find('/') == 0 ? 0 : argument.find("=/");
  if (start == std::string::npos) return argument;
  return argument.substr(0, start == 0 ? 0 : start + 1) +
         fs::path(argument.substr(start == 0 ? 0 : start + 1)).filename().string();
}

/// A name as one component of an HDF5 path.
std::string component(const std::string& name) {
  std::string safe;
  for (const char c : name) safe += c == '/' ? "%2F" : c == '%' ? "%25" : std::string(1, c);
  return safe == "." || safe == ".." ? "%2E" + safe.substr(1) : safe;
}

/// What the run made of the graph's dtypes: "graph" for nothing, "f16", "f16acc16", or the name of a precision plan.
std::string precision_of(const cases::Case& subject) {
  if (!subject.precision.empty()) return without_folders(subject.precision);
  return subject.dtype ? std::string(ir::info(*subject.dtype).name) : "graph";
}

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

class Recorder::Writer {
 public:
  Writer(const fs::path& path, RecordOptions options);

  void begins(const cases::Case& subject);
  void compared(const cases::NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got);
  void record(const cases::CaseResult& result);
  void finish();
  const fs::path& part() const { return output_.part(); }

 private:
  struct Kept {
    cases::NodeResult result;
    ir::Tensor truth, got;
  };

  static ir::hdf5::Store make_store(const fs::path& path, const fs::path& part, const RecordOptions& options);
  std::string last_word();
  void make_layout();
  void read_names();
  std::uint32_t name_id(const std::string& name);
  std::string graph_of(const cases::Case& subject);
  std::uint32_t device_id();
  std::uint32_t environment_id();
  std::uint32_t policy_id();
  void write_sources(const cases::CaseResult& result);
  void write_tensors(const cases::NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got);
  void append_results(const cases::CaseResult& result);
  void append_run(const cases::CaseResult& result);

  const fs::path path_;
  const RecordOptions options_;
  ir::files::OutputFile output_;
  ir::hdf5::Store store_;
  std::uint32_t run_ = 0, first_run_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> names_;
  std::map<std::string, SumList> sums_;  ///< by where they are in the file
  std::vector<std::string> new_names_;
  const ir::Graph* graph_ = nullptr;  ///< the running case's
  std::shared_ptr<const ir::formats::GraphFile> file_;
  std::optional<Kept> worst_;
  std::optional<ir::files::LastWord> last_word_;
};

ir::hdf5::Store Recorder::Writer::make_store(const fs::path& path, const fs::path& part, const RecordOptions& options) {
  const bool exists = fs::exists(path) && fs::file_size(path) > 0;
  int version = 0;
  if (exists && !(options.replace_any && !options.append)) {
    try {
      ir::hdf5::vet(path, ir::hdf5::Extent::attributes_of_root);
      version = require_results_file(ir::hdf5::Store::open(path));
    } catch (const ir::Error& error) {
      ir::fail(path.string(), " exists and is not replaced, as it is no results file: ", error.what());
    }
  }
  if (!exists || !options.append) return ir::hdf5::Store::create(part);
  ir::require(version == 2, path.string(), " is of version ", version, " and has no room for what version 2 records");
  std::error_code problem;
  fs::copy_file(path, part, fs::copy_options::overwrite_existing, problem);
  ir::require(!problem, part.string(), ": ", problem.message());
  return ir::hdf5::Store::open_to_append(part);
}

Recorder::Writer::Writer(const fs::path& path, RecordOptions options)
    : path_(path),
      options_(std::move(options)),
      output_(path, {.kind = ir::files::FileKind::hdf5, .inputs = options_.inputs}),
      store_(make_store(path_, output_.part(), options_)) {
  if (store_.contains("/runs"))
    read_names();
  else
    make_layout();
  store_.flush();
  first_run_ = run_;
  last_word_.emplace([this] { return last_word(); });
}

/// Leaves the file of an interrupted run readable, and says where it is.
std::string Recorder::Writer::last_word() {
  const std::uint32_t cases = run_ - first_run_;
  if (cases == 0) return "nothing was recorded";
  store_.append_texts("/names", std::exchange(new_names_, {}));
  store_.flush();
  return fmt::format("{} {} recorded in {}", cases, cases == 1 ? "case is" : "cases are", part().string());
}

void Recorder::Writer::make_layout() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const core::BuildInfo& build = core::build_info();
  std::vector<std::string> argv;
  for (const std::string& argument : options_.argv) argv.push_back(without_folders(argument));
  results::make_layout(store_);
  store_.set("/", "tool_version", std::string(build.version));
  store_.set("/", "git_commit", std::string(build.git_commit));
  store_.set("/", "git_dirty", std::int64_t{build.git_dirty});
  store_.set("/", "created_utc",
             fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now))));
  store_.set("/", "argv", argv);
  name_id("");  // number 0 is no name at all
}

void Recorder::Writer::read_names() {
  const auto names = store_.read_texts("/names");
  for (std::uint32_t id = 0; id < names.size(); ++id) names_.emplace(names[id], id);
  run_ = static_cast<std::uint32_t>(store_.rows("/runs"));
}

std::uint32_t Recorder::Writer::name_id(const std::string& name) {
  const auto [found, is_new] = names_.emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) new_names_.push_back(name);
  return found->second;
}

/// The group of a case's graph in /graph, made where it is not there.
std::string Recorder::Writer::graph_of(const cases::Case& subject) {
  const ir::Graph& graph = subject.file->graph;
  const std::string json = ir::formats::graph_json(graph), hash = core::sha256(json), id = hash.substr(0, 12),
                    path = "/graph/" + id;
  if (!store_.contains(path)) {
    store_.write_text(path + "/json", json);
    store_.set(path + "/json", "sha256", hash);
    store_.make_table(path + "/nodes", results::graph_node_type());
    const auto id_of = [this](const std::string& name) { return name_id(name); };
    store_.append(path + "/nodes", results::graph_node_type(), results::graph_nodes(graph, subject.proofs, id_of));
    store_.make_grid(path + "/edges", 4);
    store_.append_grid(path + "/edges", results::graph_edges(graph));
    store_.make_texts(path + "/sums");
  }
  return id;
}

std::uint32_t Recorder::Writer::device_id() {
  const profile::Device& device = options_.device;
  if (device.uuid.empty()) return 0;
  const std::string path = "/device/" + component(device.uuid);
  if (store_.contains(path)) return name_id(device.uuid);
  store_.make_group(path);
  store_.set(path, "name", device.name);
  store_.set(path, "vendor_id", std::uint64_t{device.vendor_id});
  store_.set(path, "device_id", std::uint64_t{device.device_id});
  store_.set(path, "driver_name", device.driver_name);
  store_.set(path, "driver_info", device.driver_info);
  store_.set(path, "driver_version", std::uint64_t{device.driver_version});
  store_.set(path, "api_version", std::uint64_t{device.api_version});
  store_.set(path, "is_software", std::int64_t{device.is_software});
  for (const auto& [name, value] : device.float_controls) store_.set(path, name, value);
  store_.make_group(path + "/profile");
  for (const auto& [name, value] : device.profile) store_.set(path + "/profile", name, value);
  store_.make_table(path + "/coopmat", results::coopmat_type());
  store_.append(path + "/coopmat", results::coopmat_type(), results::coopmat_rows(device.cooperative_shapes));
  return name_id(device.uuid);
}

std::uint32_t Recorder::Writer::environment_id() {
  const core::BuildInfo& build = core::build_info();
  std::vector<std::pair<std::string, std::string>> facts = {
      {"compiler", std::string(build.compiler)},     {"flags", std::string(build.flags)},
      {"glslang", std::string(build.glslang)},       {"cpu", options_.environment.cpu},
      {"cpu_level", options_.environment.cpu_level}, {"threads", std::to_string(options_.environment.threads)}};
  facts.insert(facts.end(), options_.environment.libraries.begin(), options_.environment.libraries.end());
  std::string text;
  for (const auto& [name, value] : facts) text += name + "=" + value + "\n";
  const std::string id = core::sha256(text).substr(0, 12), path = "/env/" + id;
  if (!store_.contains(path)) {
    store_.make_group(path);
    for (const auto& [name, value] : facts) store_.set(path, name, value);
  }
  return name_id(id);
}

std::uint32_t Recorder::Writer::policy_id() {
  if (options_.policy.empty()) return 0;
  const std::string hash = core::sha256(options_.policy), id = hash.substr(0, 12), path = "/policy/" + id + "/toml";
  if (!store_.contains(path)) {
    store_.write_text(path, options_.policy);
    store_.set(path, "sha256", hash);
  }
  return name_id(id);
}

/// Where each input and param came from: what makes it again, or the numbers themselves.
void Recorder::Writer::write_sources(const cases::CaseResult& result) {
  const ir::formats::GraphFile& file = *result.subject.file;
  for (ir::Value v = 0; file.graph.is_source(v); ++v) {
    const std::string name = file.graph.name(v), path = ir::cat("/inputs/", run_, "/", component(name));
    const auto source = file.sources.find(name);
    const ir::DType dtype = file.graph.type(v).dtype;
    if (source != file.sources.end() && std::holds_alternative<ir::Tensor>(source->second)) {
      if (!store_.contains(path)) store_.write_tensor(path, std::get<ir::Tensor>(source->second));
      continue;
    }
    if (!store_.contains(path)) store_.make_group(path);
    if (source != file.sources.end() && std::holds_alternative<ir::formats::External>(source->second)) {
      store_.set(path, "file", std::get<ir::formats::External>(source->second).file);
      store_.set(path, "key", std::get<ir::formats::External>(source->second).key);
      continue;
    }
    const auto made = source == file.sources.end() ? ir::formats::Generated{ir::default_fill(dtype)}
                                                   : std::get<ir::formats::Generated>(source->second);
    std::string range;
    for (const ir::FillParameter& parameter : ir::fill_parameters)
      if (parameter.distribution == made.fill.distribution)
        range += fmt::format("{}{}={}", range.empty() ? "" : " ", parameter.name, made.fill.*parameter.member);
    if (made.fill.distribution == ir::Distribution::adversarial)
      range = ir::cat("kind=", ir::enum_name(made.fill.kind.value_or(
                                   ir::adversarial::kind_of_seed(made.seed.value_or(result.subject.seed)))));
    store_.set(path, "generator", "philox4x32");
    store_.set(path, "seed", made.seed.value_or(result.subject.seed));
    store_.set(path, "fill", std::string(ir::enum_name(made.fill.distribution)));
    store_.set(path, "range", range);
  }
}

void Recorder::Writer::begins(const cases::Case& subject) {
  file_ = subject.file;
  graph_ = &file_->graph;
  worst_.reset();
  if (options_.tensors != KeepTensors::all) return;
  for (const auto& [name, tensor] : subject.feeds)
    store_.write_tensor(ir::cat("/inputs/", run_, "/", component(name)), tensor);
}

void Recorder::Writer::write_tensors(const cases::NodeResult& result, const ir::TensorView& truth,
                                     const ir::TensorView& got) {
  const auto path = ir::cat("/tensors/", run_, "/", results::node_row(*graph_, result.node), "/", result.output);
  store_.write_tensor(path + "/ref", truth);
  store_.write_tensor(path + "/dev", got);
  store_.write_tensor(path + "/bound", results::bounds(result.allowed, truth, got.dtype()));
  store_.set(path, "name", result.name());
}

void Recorder::Writer::compared(const cases::NodeResult& result, const ir::TensorView& truth,
                                const ir::TensorView& got) {
  const bool failed = result.verdict == core::Verdict::failed || result.verdict == core::Verdict::nondeterministic;
  if (options_.tensors == KeepTensors::all || (options_.tensors == KeepTensors::fail && failed))
    write_tensors(result, truth, got);
  const bool is_worst = !worst_ || result.local.ratio() > worst_->result.local.ratio();
  if (options_.tensors == KeepTensors::worst && is_worst) worst_ = Kept{result, ir::Tensor(truth), ir::Tensor(got)};
}

void Recorder::Writer::append_results(const cases::CaseResult& result) {
  const NameId names = [this](const std::string& name) { return name_id(name); };
  const std::string list = "/graph/" + graph_of(result.subject) + "/sums";
  if (!sums_.contains(list)) sums_.emplace(list, SumList(store_.read_texts(list)));
  SumList& sums = sums_.at(list);
  Rows rows(result.subject.file->graph, run_, names, sums);
  for (const cases::NodeResult& node : result.nodes) rows.add(node);
  store_.append_texts(list, sums.take_new());
  store_.append("/results/nodes", results::node_type(), rows.nodes);
  store_.append_grid("/results/hist_ulp", rows.hist_ulp);
  store_.append_grid("/results/hist_ratio", rows.hist_ratio);
  store_.append("/results/topk", results::top_element_type(), rows.topk);
  store_.append("/results/relations", results::relation_type(),
                results::relation_rows(result.subject.file->graph, result.relations, run_, names));
  if (!store_.contains("/results/pattern")) store_.make_table("/results/pattern", results::pattern_type());
  store_.append("/results/pattern", results::pattern_type(), results::pattern_rows(result, run_, names));
  if (!store_.contains("/results/expected")) store_.make_table("/results/expected", results::expected_type());
  store_.append("/results/expected", results::expected_type(), results::expected_rows(result.expected, run_, names));
}

void Recorder::Writer::append_run(const cases::CaseResult& result) {
  results::Run run;
  run.run = run_;
  run.utc = seconds_since_1970();
  run.seed = result.subject.seed;
  if (result.subject.file) run.graph_id = name_id(graph_of(result.subject));
  run.device_id = device_id();
  run.env_id = environment_id();
  run.policy_id = policy_id();
  run.alpha = result.false_alarms.alpha, run.lambda = result.false_alarms.lambda();
  run.n_limits = result.false_alarms.n_limits;
  run.file_id = name_id(without_folders(result.subject.name));
  run.precision_id = name_id(precision_of(result.subject));
  run.fill = result.subject.fill;
  run.fill_name_id = name_id(std::string(result.subject.adversarial ? ir::enum_name(*result.subject.adversarial) : ""));
  run.mode = result.mode;
  if (const cases::NodeResult* guilty = attribution::first_guilty(result))
    run.first_guilty = results::node_row(result.subject.file->graph, guilty->node);
  run.repeat = result.repeat;
  run.subnormals = result.may_flush ? profile::Subnormals::flushed : profile::Subnormals::kept;
  run.coverage_flops = result.coverage.flops, run.coverage_elements = result.coverage.elements;
  if (result.subject.file) run.must = result.subject.file->must;
  run.must_met = result.meets_must;
  run.least_flops = result.min_verified.flops, run.least_elements = result.min_verified.elements;
  run.plain = result.plain.plain;
  run.wall_s = static_cast<float>(result.wall_seconds);
  run.verdict = result.verdict;
  store_.append("/runs", results::run_type(), std::vector{run});
}

void Recorder::Writer::record(const cases::CaseResult& result) {
  if (worst_) write_tensors(worst_->result, worst_->truth, worst_->got);
  worst_.reset();
  if (result.subject.file) {
    write_sources(result);
    append_results(result);
  }
  append_run(result);
  store_.append_texts("/names", std::exchange(new_names_, {}));
  store_.flush();
  ++run_;
  // An interrupted run leaves its part file; one that was never recorded leaves nothing.
  output_.keep_part();
}

void Recorder::Writer::finish() {
  store_.append_texts("/names", std::exchange(new_names_, {}));
  last_word_.reset();
  store_.close();
  output_.commit();
}

void Recorder::prepare_process() {
  std::signal(SIGXFSZ, SIG_IGN);
  ir::hdf5::Store::leave_process_alone();
}

Recorder::Recorder(const fs::path& path, RecordOptions options)
    : writer_(std::make_unique<Writer>(path, std::move(options))) {}
Recorder::~Recorder() = default;
void Recorder::begins(const cases::Case& subject) {
  const ir::files::Uninterrupted whole;
  writer_->begins(subject);
}
void Recorder::compared(const cases::NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got) {
  const ir::files::Uninterrupted whole;
  writer_->compared(result, truth, got);
}
void Recorder::record(const cases::CaseResult& result) {
  const ir::files::Uninterrupted whole;
  writer_->record(result);
}
void Recorder::finish() {
  const ir::files::Uninterrupted whole;
  writer_->finish();
}
const fs::path& Recorder::part_file() const { return writer_->part(); }

}  // namespace plumb::parity::results
