// Executables that write files of what their runs computed.
#include "ir/formats/dumps/dumped_runs.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "ir/dumps/run_dumper.hpp"
#include "ir/files/output_file.hpp"
#include "ir/formats/dumps/dump_description.hpp"
#include "ir/formats/dumps/run_list.hpp"
#include "ir/formats/dumps/tensor_statistics.hpp"
#include "ir/formats/regular_expression.hpp"
#include "ir/formats/tensor_files.hpp"
#include "ir/residency.hpp"

namespace plumb::ir::formats {
namespace {

namespace fs = std::filesystem;

/// Options as they are followed.
struct DumpRequest {
  RegularExpression labels;
  fs::path file;
  bool statistics;
  RunList runs;
};

/// Where FILE begins in RE:FILE; npos without one. A regular expression may have colons, too: "(?:a|b)", "split:1".
std::size_t file_in(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == text.npos) return colon;
  const std::string_view rest = text.substr(colon + 1);
  const bool is_file = rest.find('.') != rest.npos && rest.find_first_of("()[]{}|*+?^$\\") == rest.npos;
  return is_file ? colon + 1 : text.npos;
}

DumpRequest request_of(const DumpOptions& options) {
  const auto at = file_in(options.dump);
  const std::string_view text = options.dump;
  fs::path file = options.dump_stats ? "plumb_dump.json" : "plumb_dump.h5";
  if (at != text.npos) file = text.substr(at);
  if (options.dump_stats)
    require(files::may_be_called(files::FileKind::json, file), "PLUMB_DUMP: ", file.string(),
            ": with PLUMB_DUMP_STATS it is JSON that is written");
  else
    require(kind_of_tensors(file) != files::FileKind::npy, "PLUMB_DUMP: ", file.string(),
            ": a .npy file holds one tensor");
  return {.labels = RegularExpression(text.substr(0, at == text.npos ? at : at - 1), "PLUMB_DUMP"),
          .file = std::move(file),
          .statistics = options.dump_stats,
          .runs = RunList(options.dump_runs, "PLUMB_DUMP_RUNS")};
}

/// The values that are dumped: inputs that are called so, and outputs of nodes that are labelled so.
std::set<Value> matching_values(const Graph& graph, const RegularExpression& labels) {
  std::set<Value> found;
  for (Value v = 0; v < graph.inputs().size(); ++v)
    if (labels.is_in(graph.inputs()[v])) found.insert(v);
  for (const Node& node : graph.nodes())
    if (labels.is_in(node.label)) found.insert(node.outputs.begin(), node.outputs.end());
  return found;
}

/// How many executables of this process have asked for this file so far, with this one.
std::size_t count_executable(const fs::path& file) {
  static std::mutex lock;
  static auto& counts = *new std::map<fs::path, std::size_t>;  // runs may go on while the process ends
  const std::scoped_lock held(lock);
  return ++counts[file];
}

/// The runs of an executable and of its contexts that are dumped. They run on `watched`, which is let go of behind the
/// last of them; threads may take part at once.
class DumpedRuns {
 public:
  DumpedRuns(DumpRequest request, std::string_view executor, const Graph& graph, std::set<Value> chosen,
            std::shared_ptr<Executable> watched)
      : request_(std::move(request)),
        executor_(executor),
        graph_(graph),
        chosen_(std::move(chosen)),
        watched_(std::move(watched)) {}

  /// Counts a run that begins; an executable to run in its place, and then to be written, or null.
  struct Begun {
    std::uint64_t number;
    std::shared_ptr<Executable> watched;
  };
  Begun begin() {
    const std::scoped_lock held(lock_);
    const std::uint64_t number = runs_++;
    if (watched_ == nullptr || !request_.runs.contains(number)) return {number, nullptr};
    if (executable_number_ == 0) executable_number_ = count_executable(request_.file);
    Begun begun{number, watched_};
    if (number == request_.runs.last()) watched_.reset();
    return begun;
  }

  void write(std::uint64_t number, const Feeds& inputs, const Tensors& results,
             const std::vector<NodeReport>& reports) const;
  std::uint64_t bytes() const {
    const std::scoped_lock held(lock_);
    return watched_ != nullptr ? watched_->bytes() : 0;
  }
  const Graph& graph() const { return graph_; }

 private:
  fs::path file_of(std::uint64_t number) const;

  const DumpRequest request_;
  const std::string executor_;
  const Graph graph_;
  const std::set<Value> chosen_;
  mutable std::mutex lock_;  ///< guards what follows
  std::shared_ptr<Executable> watched_;
  std::uint64_t runs_ = 0;
  std::size_t executable_number_ = 0;  ///< among those of the process, from 1; 0 before it is known
};

fs::path DumpedRuns::file_of(std::uint64_t number) const {
  fs::path name = request_.file.stem();
  if (executable_number_ > 1) name += cat('-', executable_number_);
  if (!request_.runs.is_one()) name += cat(".run", number);
  name += request_.file.extension();
  return request_.file.parent_path() / name;
}

/// Chosen values that are none of the results went into other nodes, and the description says where.
void DumpedRuns::write(std::uint64_t number, const Feeds& inputs, const Tensors& results,
                       const std::vector<NodeReport>& reports) const {
  DumpDescription about(graph_);
  NamedTensors tensors;
  for (const Value v : chosen_) {
    const std::string name = cat(executor_, '/', graph_.name(v));
    const auto found = results.find(v);
    if (found == results.end() && !graph_.is_source(v)) {
      const NodeReport& report = reports.at(graph_.producer(v).value());
      about.add_missing(name, report.placement == Placement::fused ? report.kernel : "");
      continue;
    }
    about.add(name, v, executor_, &reports);
    tensors.emplace(name, found != results.end() ? found->second : fed(graph_, inputs, v));
  }
  static std::mutex& writing = *new std::mutex;  // HDF5 is used from one thread at a time
  const std::scoped_lock held(writing);
  const files::FileKind kind = request_.statistics ? files::FileKind::json : kind_of_tensors(request_.file);
  files::OutputFile file(file_of(number), {.kind = kind, .replace = files::Replace::same_kind});
  const std::string text = about.text({{"run", std::to_string(number)}, {"watch", "plain"}});
  if (!request_.statistics) return save_tensors(file, tensors, text);
  NamedStatistics statistics;
  for (const auto& [name, tensor] : tensors) statistics.emplace(name, statistics_of(tensor));
  file.write(statistics_json(statistics, text));
  file.commit();
}

/// A context whose runs are dumped: they are run once more before they are submitted, on copies of what they will read.
class DumpedContext final : public Context {
 public:
  DumpedContext(std::unique_ptr<Context> plain, std::shared_ptr<DumpedRuns> runs)
      : plain_(std::move(plain)), dumped_(std::move(runs)) {}

  void bind(Value input, const Buffer& from) override { plain_->bind(input, from); }
  void bind_result(Value result, const Buffer& to) override { plain_->bind_result(result, to); }
  void feed(Value result, Value input) override { plain_->feed(result, input); }
  Fence submit(const Feeds& rest) override {
    const auto [number, watched] = dumped_->begin();
    if (watched != nullptr) {
      Feeds inputs = rest;
      const Graph& graph = dumped_->graph();
      for (Value v = 0; v < graph.inputs().size(); ++v) {
        if (rest.contains(graph.inputs()[v])) continue;
        Tensor there(graph.type(v));
        plain_->buffer(v).read(there.view());
        inputs.emplace(graph.inputs()[v], std::move(there));
      }
      const Tensors results = watched->run(inputs);
      dumped_->write(number, inputs, results, watched->nodes());
    }
    return plain_->submit(rest);
  }
  Buffer buffer(Value value) override { return plain_->buffer(value); }
  std::string how(Value result) const override { return plain_->how(result); }
  Traffic traffic() const override { return plain_->traffic(); }
  bool blocks() const override { return plain_->blocks(); }

 private:
  const std::unique_ptr<Context> plain_;
  const std::shared_ptr<DumpedRuns> dumped_;
};

class DumpedExecutable final : public StandIn {
 public:
  DumpedExecutable(const Capture& capture, std::unique_ptr<Executable> plain, std::shared_ptr<DumpedRuns> runs)
      : kept_(capture.wanted.begin(), capture.wanted.end()),
        keeps_all_(capture.surviving),
        plain_(std::move(plain)),
        dumped_(std::move(runs)) {}

  Tensors run(const Feeds& inputs) override {
    Tensors results;
    run_into(inputs, results);
    return results;
  }

  void run_into(const Feeds& inputs, Tensors& results) override {
    const auto [number, watched] = dumped_->begin();
    std::optional<std::vector<NodeReport>> reports;
    if (watched == nullptr) {
      plain_->run_into(inputs, results);
    } else {
      results = watched->run(inputs);
      reports = watched->nodes();
      dumped_->write(number, inputs, results, *reports);
      if (!keeps_all_) std::erase_if(results, [&](const auto& one) { return !kept_.contains(one.first); });
    }
    const std::scoped_lock held(lock_);
    reports_ = std::move(reports);
  }

  std::vector<NodeReport> nodes() const override {
    const std::scoped_lock held(lock_);
    return reports_ ? *reports_ : plain_->nodes();
  }

  std::unique_ptr<Context> context() override { return std::make_unique<DumpedContext>(plain_->context(), dumped_); }
  bool has_contexts() const override { return plain_->has_contexts(); }
  std::uint64_t bytes() const override { return plain_->bytes() + dumped_->bytes(); }
  std::uint64_t identity() const override { return plain_->identity(); }
  const Executable& plain() const override { return *plain_; }

 private:
  const std::set<Value> kept_;  ///< values that the caller gets
  const bool keeps_all_;
  const std::unique_ptr<Executable> plain_;
  const std::shared_ptr<DumpedRuns> dumped_;
  mutable std::mutex lock_;
  std::optional<std::vector<NodeReport>> reports_;  ///< the last run's, where it was dumped
};

class FileDumper final : public RunDumper {
 public:
  void require_dumpable(const DumpOptions& options) const override { request_of(options); }

  std::unique_ptr<Executable> compile(const DumpOptions& options, std::string_view executor, const Graph& graph,
                                      const Capture& capture, const CompileWith& compile) const override {
    auto plain = compile(capture);
    DumpRequest request = request_of(options);
    std::set<Value> chosen = matching_values(graph, request.labels);
    if (chosen.empty()) return plain;
    Capture watching = capture;
    if (!capture.surviving) {
      watching.surviving = watching.as_plain = true;
      watching.of_interest = chosen;
    }
    auto runs =
        std::make_shared<DumpedRuns>(std::move(request), executor, graph, std::move(chosen), compile(watching));
    return std::make_unique<DumpedExecutable>(capture, std::move(plain), std::move(runs));
  }
};

}  // namespace

void dump_runs() {
  static const auto& dumper = *new FileDumper;  // runs may go on while the process ends
  set_run_dumper(dumper);
}

}  // namespace plumb::ir::formats
