// `plumb check --def`: a definition on its workloads.
#include "parity/cli/checking/definition_run.hpp"

#include <exception>
#include <optional>

#include "library/describe.hpp"
#include "library/reference.hpp"
#include "parity/check/flashinfer/problem.hpp"
#include "parity/check/flashinfer/trace.hpp"
#include "parity/cli/checking/check_flags.hpp"
#include "parity/cli/checking/check_report.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/core/build_info.hpp"
#include "parity/core/parallel.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/foreign/spec.hpp"
#include "parity/report/progress.hpp"

namespace plumb::parity::cli {
namespace {

namespace flashinfer = check::flashinfer;
using core::terminal::shell_word;

/// Throws Error for flags that an op has and a definition has not.
void require_no_op_flags(const CheckFlags& flags) {
  const auto refuse = [](bool is_given, const char* flag, const char* why) {
    ir::require(!is_given, flag, " is for --op: ", why);
  };
  refuse(!flags.in.empty(), "--in", "a definition has its types, and workloads their extents");
  refuse(!flags.dtypes.empty(), "--dtype", "a definition has its dtypes");
  refuse(!flags.multiples.empty(), "--multiple", "workloads have their extents");
  refuse(flags.sweep != "quick", "--sweep", "--workloads has what to try");
  refuse(flags.fills != std::vector<std::string>{"graph"}, "--fill", "workloads say where numbers come from");
}

std::vector<flashinfer::Workload> workloads_of(const CheckFlags& flags, const flashinfer::Definition& definition) {
  std::vector<flashinfer::Workload> all = flags.workloads.empty()
                                              ? flashinfer::drawn_workloads(definition)
                                              : flashinfer::read_workloads(flags.workloads, definition);
  std::erase_if(all, [&](const flashinfer::Workload& one) { return !one.uuid.starts_with(flags.workload); });
  ir::require(!all.empty(), "--workload ", flags.workload, ": no workload has a uuid that begins so");
  return all;
}

class DefinitionRun {
 public:
  explicit DefinitionRun(const CheckFlags& flags)
      : flags_(flags),
        words_(words_of(flags)),
        definition_(flashinfer::read_definition(flags.definition)),
        workloads_(workloads_of(flags, definition_)),
        report_(flags, inputs()),
        comparing_(flags.device.threads),
        reference_(library::reference_executor(flags.device.threads)) {
    const flags::Outputs outputs{.force = flags.force, .inputs = inputs()};
    trace_ = outputs.open(flags.trace, ir::files::FileKind::json);
    for (const flashinfer::Workload& workload : workloads_)
      widest_ = std::max(widest_, std::min<std::size_t>(label_of(workload).size(), 48));
  }

  int run() {
    for (const flashinfer::Workload& workload : workloads_)
      for (std::uint64_t k = 0; k < flags_.seeds; ++k) run_one(workload, flags_.seed + k);
    flags::write_whole(trace_, lines_);
    return report_.finish(remark());
  }

 private:
  std::vector<std::filesystem::path> inputs() const {
    std::vector<std::filesystem::path> files = flags::files_read(flags_.candidate);
    files.emplace_back(flags_.definition);
    if (!flags_.workloads.empty()) files.emplace_back(flags_.workloads);
    return files;
  }

  /// "M=256 280860e6": the var axes, and what a uuid begins with.
  std::string label_of(const flashinfer::Workload& workload) const {
    constexpr std::size_t beginning = 8;
    std::string text;
    for (const flashinfer::Axis& axis : definition_.axes)
      if (!axis.extent) text += ir::cat(axis.name, '=', workload.extent(axis.name), ' ');
    return text + workload.uuid.substr(0, beginning);
  }

  std::string repro_of(const flashinfer::Workload& workload, std::uint64_t seed) const {
    std::string text = "plumb check --def " + shell_word(flags_.definition);
    if (!flags_.workloads.empty()) text += " --workloads " + shell_word(flags_.workloads);
    text += " --workload " + shell_word(workload.uuid);
    for (const std::string& attribute : flags_.attributes) text += " --attr " + shell_word(attribute);
    text += ir::cat(" --seed ", seed);
    return text + (judged_ ? judged_->repeated(flags_.candidate) : flags::repeated(flags_.candidate));
  }

  /// Opens the candidate, anew where its function takes other numbers than before.
  void open_candidate(const flashinfer::Problem& problem) {
    flags::CandidateFlags candidate = flags_.candidate;
    const bool is_function = candidate.options.arguments.empty();
    if (is_function)
      candidate.options.arguments = candidate.options.returns ? problem.returning_arguments : problem.arguments;
    if (judged_ && arguments_ == candidate.options.arguments) return;
    arguments_ = candidate.options.arguments;
    try {
      judged_ = open_judged(candidate, flags_.device);
    } catch (const ir::Unsupported&) {
      throw;
    } catch (const ir::Error& error) {
      write_compile_errors(error.what());
      throw;
    }
  }

  /// The trace of a candidate that cannot be opened: no workload of it runs.
  void write_compile_errors(const std::string& why) {
    const foreign::Spec spec = foreign::parse_spec(flags_.candidate.candidate);
    if (spec.kind == foreign::Kind::file) return;
    lines_.clear();
    for (const flashinfer::Workload& workload : workloads_)
      lines_ += flashinfer::compile_error_line(definition_, workload, facts(), why);
    flags::write_whole(trace_, lines_);
  }

  flashinfer::TraceFacts facts() const {
    flashinfer::TraceFacts facts{.solution = flags_.solution, .hardware = library::cpu_name()};
    facts.libraries.emplace("plumbline", core::build_info().version);
    if (facts.solution.empty()) facts.solution = foreign::parse_spec(flags_.candidate.candidate).name;
    if (judged_ && judged_->device() != nullptr) facts.hardware = judged_->device()->facts().name;
    const auto* foreign = judged_ ? judged_->foreign() : nullptr;
    if (foreign == nullptr) return facts;
    const foreign::Description described = foreign->description();
    if (!described.name.empty()) facts.libraries.emplace(described.name, described.version);
    if (!described.device.empty() && described.device != "cpu") facts.hardware = described.device;
    return facts;
  }

  void run_one(const flashinfer::Workload& workload, std::uint64_t seed) {
    const flashinfer::Task task{.definition = definition_,
                                .workload = workload,
                                .root = flags_.workloads.empty() ? "" : flashinfer::root_of(flags_.workloads),
                                .seed = seed};
    flashinfer::Problem problem;
    std::exception_ptr trouble;  // becomes the verdict of this workload
    try {
      problem = flashinfer::problem_of(task, words_);
    } catch (const ir::Error&) {
      trouble = std::current_exception();
    }
    if (!trouble) open_candidate(problem);
    const auto make = [&] {
      if (trouble) std::rethrow_exception(trouble);
      return std::move(problem.file);
    };
    const cases::Executors executors =
        trouble ? cases::Executors{.reference = reference_} : judged_->beside(reference_);
    report::Progress progress;
    cases::CaseResult result =
        check::run_made(make, ir::cat(definition_.name, ' ', label_of(workload)), {.seed = seed}, executors,
                        verify_options_of(flags_), repro_of(workload, seed), progress);
    progress.erase();
    note(workload, result);
    report_.add({label_of(workload), flags_.workloads.empty() ? "drawn" : "given", widest_, seed}, std::move(result));
  }

  /// Keeps the trace of a result, if it is one of the candidate.
  void note(const flashinfer::Workload& workload, const cases::CaseResult& result) {
    const auto* foreign = judged_ ? judged_->foreign() : nullptr;
    const auto fault = foreign == nullptr ? foreign::Fault::none : foreign->fault();
    if (const auto status = flashinfer::status_of(result, fault))
      lines_ += flashinfer::trace_line(definition_, workload, facts(), *status, result);
    else
      ++without_trace_;
  }

  /// Says how many workloads have no trace, where somebody wants traces.
  std::string remark() const {
    if (!trace_ || without_trace_ == 0) return "";
    return ir::cat("no trace of ", core::terminal::counted(without_trace_, "workload"),
                   ": neither passed nor shown to be wrong\n");
  }

  const CheckFlags& flags_;
  const check::Words words_;
  const flashinfer::Definition definition_;
  const std::vector<flashinfer::Workload> workloads_;
  CheckReport report_;
  const core::ThreadLimit comparing_;
  ref_cpu::CpuExecutor reference_;
  std::unique_ptr<ir::files::OutputFile> trace_;
  std::optional<flags::ChosenExecutor> judged_;
  std::string arguments_, lines_;
  std::size_t widest_ = 0, without_trace_ = 0;
};

}  // namespace

int run_definition(const CheckFlags& flags) {
  require_no_op_flags(flags);
  return DefinitionRun(flags).run();
}

}  // namespace plumb::parity::cli
