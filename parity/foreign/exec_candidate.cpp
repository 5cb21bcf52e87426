// Programs as candidates: what they say of themselves, which model they are given, and which values they are asked for.
#include "parity/foreign/exec_candidate.hpp"

#include <algorithm>
#include <cstdlib>

#include "ir/files/file_kind.hpp"
#include "ir/passes/inline_bodies.hpp"
#include "ir/raw/utf8.hpp"
#include "parity/cases/case.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/foreign/answers.hpp"
#include "parity/foreign/exec_run.hpp"

namespace plumb::parity::foreign {
namespace {

/// A model that the user named, whose graph and params may be those of a run.
struct Model {
  std::shared_ptr<const ir::formats::GraphFile> file;
  std::string onnx;  ///< its absolute path
};

bool is_equal(const ir::Tensor& a, const ir::Tensor& b) {
  return a.type() == b.type() && std::ranges::equal(a.bytes(), b.bytes());
}

/// Whether this is the model's graph, name by name, with the model's own params.
bool is_of_model(const ir::formats::GraphFile& file, const ir::Graph& graph, const ir::Feeds& params) {
  return is_same_graph(file.graph, graph) && std::ranges::all_of(file.graph.params(), [&](const std::string& name) {
           const auto source = file.sources.find(name);
           const auto given = params.find(name);
           const auto* tensor = source != file.sources.end() ? std::get_if<ir::Tensor>(&source->second) : nullptr;
           return tensor != nullptr && given != params.end() && is_equal(*tensor, given->second);
         });
}

/// The values that runs are asked for.
struct Asked {
  Taps taps;
  std::vector<ir::Value> wanted, required;
};

/// The request of a run, without its inputs.
ExecRequest request_of(const ExecProgram& program, const ir::Graph& graph, const ValueNames& names,
                       const Asked& asked) {
  ExecRequest request{.taps = asked.taps, .time = program.options.timeout};
  // Another process does not know the ops that this one registered.
  request.graph = ir::formats::graph_json(ir::passes::has_bodies(graph) ? ir::passes::inline_bodies(graph) : graph);
  for (const ir::Value value : graph.results()) request.results.push_back(names.name(value));
  for (const ir::Value value : asked.wanted)
    request.wanted.push_back({names.name(value), graph.name(value), names.also(value), graph.type(value)});
  return request;
}

/// Lends the request the tensors that feed a graph.
void add_inputs(const ir::Graph& graph, const ir::Feeds& inputs, const ir::Feeds& params, ExecRequest& request) {
  for (ir::Value v = 0; graph.is_source(v); ++v) {
    const bool is_param = v >= graph.inputs().size();
    request.inputs.push_back({graph.name(v), is_param, fed(graph, is_param ? params : inputs, v)});
  }
}

class ExecExecutable final : public ir::Executable {
 public:
  /// `written` is a model that was made of the graph, or null.
  ExecExecutable(const ExecProgram& program, const ir::Graph& graph, ir::Feeds params, Model model,
                 std::shared_ptr<const std::string> written, Asked asked, LastRun& last)
      : program_(program),
        graph_(graph),
        params_(std::move(params)),
        model_(std::move(model)),
        names_(graph_, model_.file.get()),
        asked_(std::move(asked)),
        last_(last),
        request_(request_of(program, graph_, names_, asked_)) {
    request_.onnx = model_.onnx;
    request_.written_onnx = std::move(written);
  }

  ir::Tensors run(const ir::Feeds& inputs) override {
    const ir::OneAtATime::Run alone(runs_);
    ExecRequest request = request_;
    add_inputs(graph_, inputs, params_, request);
    last_ = {};
    const std::vector<ExecJob> job = {{std::move(request), graph_, names_, asked_.wanted, asked_.required}};
    ExecResults made = std::move(run_program(program_, job, last_.fault).front());
    if (made.refused) throw ir::Unsupported(*made.refused);
    for (const auto& [value, tensor] : made.values) last_.pairing.emplace(value, Pairing::exact);
    last_.notes = std::move(made.notes);
    nodes_ = std::move(made.nodes);
    return std::move(made.values);
  }

  std::vector<ir::NodeReport> nodes() const override { return nodes_.empty() ? foreign_nodes(graph_) : nodes_; }

 private:
  const ExecProgram& program_;
  const ir::Graph graph_;
  const ir::Feeds params_;
  const Model model_;
  const ValueNames names_;
  const Asked asked_;
  LastRun& last_;
  ExecRequest request_;
  std::vector<ir::NodeReport> nodes_;
  ir::OneAtATime runs_;
};

class ExecCandidate final : public Candidate {
 public:
  ExecCandidate(ExecProgram program, ExecDescription described)
      : program_(std::move(program)), described_(std::move(described)) {}

  std::string_view name() const override { return program_.options.name; }

  Description description() const override {
    Description made{.kind = program_.options.kind,
                     .spec = program_.options.spec,
                     .name = described_.name,
                     .version = described_.version,
                     .device = described_.device,
                     .keeps_subnormals = described_.keeps_subnormals};
    for (const auto& variable : described_.environment) {
      constexpr std::size_t longest = 1000;
      const char* const value = std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe): nobody sets it
      if (value != nullptr) made.environment.push_back(variable + '=' + ir::raw::shown(value, longest));
    }
    return made;
  }

  void begins(const cases::Case& subject) override {
    const bool is_as_read = subject.origin.is_of_file && !subject.dtype && !subject.as_written &&
                            subject.precision.empty() && !subject.origin.plan;
    model_ = {};
    if (is_as_read && subject.file && ir::files::has_extension(subject.name, ".onnx"))
      model_ = {subject.file, std::filesystem::absolute(subject.name).string()};
  }

  const std::map<ir::Value, Pairing>& pairing() const override { return last_.pairing; }
  Storage storage() const override { return program_.options.storage; }
  Fault fault() const override { return last_.fault; }
  std::vector<std::string> notes() const override { return last_.notes; }

  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override {
    if (capture.surviving && capture.as_plain)
      throw ir::Unsupported(
          ir::cat("candidate '", name(), "' cannot copy values out of a run that is asked for its results alone"));
    ir::Feeds own;
    for (const auto& param : graph.params()) own.emplace(param, fed(graph, params, *graph.find(param)));
    const bool is_own = takes("onnx") && model_.file && is_of_model(*model_.file, graph, own);
    auto written = is_own ? nullptr : written_onnx(graph, own);
    const Taps taps = capture.surviving ? taps_it_has() : Taps::results;
    return std::make_unique<ExecExecutable>(program_, graph, std::move(own), is_own ? model_ : Model{},
                                            std::move(written),
                                            Asked{taps, asked_for(graph, capture, taps), capture.wanted}, last_);
  }

  /// In the words of whoever knows it: a program that takes ONNX models alone has no node that no operator of ONNX
  /// computes, and one that answers the question is asked once for each graph.
  std::string refusal(const ir::Graph& graph, const ir::Node& node) const override {
    const auto& why_not = program_.options.onnx.why_not;
    const bool is_own = model_.file && is_same_graph(model_.file->graph, graph);
    if (!takes("plumb.graph/1") && !is_own && why_not)
      if (std::string why = why_not(graph, node); !why.empty()) return why;
    if (!described_.answers_supports) return "";
    if (!asked_ || !is_same_graph(asked_->graph, graph)) asked_ = {graph, refused_of(graph, is_own)};
    const auto found = asked_->refused.find(node.label);
    return found == asked_->refused.end() ? "" : found->second;
  }

  std::vector<core::TrialEnd> run_trials(std::vector<core::Trial> trials) override {
    const auto most = static_cast<std::size_t>(described_.most_jobs);
    if (most == 1 || !takes("plumb.graph/1")) return Candidate::run_trials(std::move(trials));
    std::vector<core::TrialEnd> ends;
    for (std::size_t first = 0; first < trials.size(); first += most)
      for (core::TrialEnd& end : run_together(std::span(trials).subspan(first, std::min(most, trials.size() - first))))
        ends.push_back(std::move(end));
    return ends;
  }

 private:
  /// A graph whose nodes the candidate was asked for, and those that it refused.
  struct AskedNodes {
    ir::Graph graph;
    Refusals refused;
  };

  /// An ONNX model for a program that takes these; null where it gets the graph alone. Params are stored in it unless
  /// that makes it larger than a file of ONNX may be.
  std::shared_ptr<const std::string> written_onnx(const ir::Graph& graph, const ir::Feeds& params) const {
    const bool is_needed = !takes("plumb.graph/1");
    const auto& write = program_.options.onnx.write;
    if (is_needed && !write)
      throw ir::Unsupported(ir::cat("candidate '", name(), "' takes ONNX models alone, and what runs here is none"));
    if (!takes("onnx") || !write) return nullptr;
    constexpr std::uint64_t most_stored = (std::uint64_t{1} << 31U) - (std::uint64_t{1} << 28U);
    std::uint64_t bytes = 0;
    for (const auto& [param, tensor] : params) bytes += tensor.bytes().size();
    try {
      return std::make_shared<const std::string>(write(graph, bytes <= most_stored ? params : ir::Feeds{}));
    } catch (const ir::Unsupported&) {
      if (is_needed) throw;
      return nullptr;
    }
  }

  Refusals refused_of(const ir::Graph& graph, bool is_own) const {
    ExecRequest request = request_of(program_, graph, ValueNames(graph, nullptr), {});
    if (is_own && takes("onnx")) request.onnx = model_.onnx;
    return refused_nodes(program_, request, graph);
  }

  /// Runs trials as the jobs of one request.
  std::vector<core::TrialEnd> run_together(std::span<const core::Trial> trials) const {
    std::vector<ValueNames> names;
    names.reserve(trials.size());
    std::vector<ExecJob> jobs;
    for (const core::Trial& trial : trials) {
      names.emplace_back(trial.graph, nullptr);
      const std::vector<ir::Value> results = trial.graph.results();
      ExecRequest request = request_of(program_, trial.graph, names.back(), {Taps::results, results, results});
      add_inputs(trial.graph, trial.feeds, trial.feeds, request);
      jobs.push_back({std::move(request), trial.graph, names.back(), results, results});
    }
    std::vector<core::TrialEnd> ends;
    Fault fault = Fault::none;
    for (ExecResults& one : run_program(program_, jobs, fault))
      ends.push_back({std::move(one.values), std::move(one.nodes), std::move(one.refused)});
    return ends;
  }

  bool takes(std::string_view model) const {
    return described_.models.empty() || std::ranges::find(described_.models, model) != described_.models.end();
  }

  /// Those that the user wants, or fewer, where the candidate says that it has fewer.
  Taps taps_it_has() const {
    Taps taps = program_.options.taps;
    const auto has = [&](Taps one) {
      return described_.taps.empty() || std::ranges::find(described_.taps, ir::enum_name(one)) != described_.taps.end();
    };
    if (taps == Taps::all && !has(taps)) taps = Taps::surviving;
    if (taps == Taps::surviving && !has(taps)) taps = Taps::results;
    return taps;
  }

  const ExecProgram program_;
  const ExecDescription described_;
  Model model_;
  LastRun last_;
  mutable std::optional<AskedNodes> asked_;
};

ExecDescription describe(const ExecProgram& program) {
  constexpr std::chrono::seconds time{10};
  const Scratch scratch(0, program.options.keep);
  write_description_request(scratch.descriptor());
  const ir::files::ProcessEnd end = ask(program, scratch, time);
  const std::string problem = problem_of(end, time);
  ir::require(problem.empty(), problem);
  const std::string lines = ir::files::last_lines(end.output);
  ir::require(exists(scratch.descriptor(), "response.json"), "ended without a response.json",
              lines.empty() ? "" : "; its last lines:\n", lines);
  return read_description(scratch.descriptor());
}

/// The program as it is started once, to be asked again and again.
std::shared_ptr<ir::files::ServingProgram> server_of(const ExecProgram& program) {
  std::vector<std::string> words = program.words;
  words.emplace_back("-");
  return std::make_shared<ir::files::ServingProgram>(std::move(words),
                                                     ir::files::ProcessLimits{.time = program.options.timeout});
}

std::unique_ptr<Candidate> open_program(ExecProgram program) {
  if (program.options.name.empty()) program.options.name = program.options.kind;
  const std::string spec = ir::cat(program.options.kind, ":", ir::raw::shown(program.options.spec, 200));
  ir::require(!program.words.empty(), spec, ": no command is given");
  ir::files::find_program(program.words.front());  // its message says all that there is to say
  if (program.options.serves) program.server = server_of(program);
  ExecDescription described;
  try {
    described = describe(program);
  } catch (const ir::Error& error) {
    ir::fail(spec, ": does not describe itself (action \"describe\" of ", exec_schema, "): ", error.what());
  }
  if (!described.serves)
    program.server.reset();
  else if (!program.server)
    program.server = server_of(program);
  return std::make_unique<ExecCandidate>(std::move(program), std::move(described));
}

}  // namespace

std::unique_ptr<Candidate> open_exec(const std::string& command, const ExecOptions& options) {
  ExecProgram program{{}, options};
  if (program.options.spec.empty()) program.options.spec = command;
  try {
    program.words = ir::files::split_words(command);
  } catch (const ir::Error& error) {
    ir::fail(options.kind, ":", ir::raw::shown(command, 200), ": ", error.what());
  }
  return open_program(std::move(program));
}

std::unique_ptr<Candidate> open_exec_words(std::vector<std::string> words, const ExecOptions& options) {
  ExecProgram program{std::move(words), options};
  if (program.options.spec.empty())
    for (const auto& word : program.words)
      program.options.spec += (program.options.spec.empty() ? "" : " ") + core::terminal::shell_word(word);
  return open_program(std::move(program));
}

}  // namespace plumb::parity::foreign
