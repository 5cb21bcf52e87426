// Has `plumb verify` judge files, and reads its record.
#include "parity/cli/fuzzing/judged_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "ir/files/process.hpp"
#include "library/own_files.hpp"
#include "library/reference.hpp"
#include "library/verify.hpp"
#include "parity/checks/exact/twin.hpp"
#include "parity/cli/planting/plants.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/results/stored_case.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;
using studies::fuzz::Judging;

/// The first thing that is wrong with a case, in a line.
std::string wrong_in(const cases::CaseResult& result) {
  if (!result.message.empty()) return result.message.substr(0, result.message.find('\n'));
  if (const cases::NodeResult* const guilty = cases::first_guilty(result)) return guilty->why;
  using enum core::Verdict;
  const auto is_wrong = [](const cases::NodeResult& node) {
    return node.verdict == failed || node.verdict == error || node.verdict == nondeterministic;
  };
  const auto found = std::ranges::find_if(result.nodes, is_wrong);
  if (found != result.nodes.end() && !found->why.empty()) return found->why;
  for (const cases::RelationResult& one : result.relations)
    if (one.verdict == failed) return one.how + ": " + one.why;
  return "";
}

/// An error without its numbers and signs, of which a candidate may name others.
std::string words_of(const std::string& error, const fs::path& file) {
  std::string words = studies::reduce::signature_of_error(error, file.string()).kind;
  std::erase(words, '-');
  for (const std::string_view number : {" is inf", " is nan"})
    if (const auto at = words.find(number); at != std::string::npos) words.erase(at, number.size());
  return words;
}

/// How the reference refuses to run a case in the dtypes of its graph; "" where it runs it, or there is no case.
std::string refusal_by_reference(const fs::path& file, const Judging& judging, int threads) {
  ref_cpu::CpuExecutor reference = library::reference_executor(threads);
  cases::Case subject;
  try {
    verify::FillOptions fill{.seed = judging.seed};
    library::set_fill(judging.fill, "--fill", fill);
    subject = verify::load_case(file, fill);
    if (fill.kind == core::FillKind::exact) subject = checks::exact::make_twin(subject, reference);
  } catch (const ir::Error&) {
    return "";
  }
  const ir::Graph& graph = subject.file->graph;
  try {
    reference.run(graph, subject.feeds, graph.results());
  } catch (const ir::Error& error) {
    return words_of(error.what(), file);
  }
  return "";
}

/// The runs of a record by the names of their files.
std::map<std::string, cases::CaseResult> read_record(const fs::path& record) {
  std::map<std::string, cases::CaseResult> found;
  results::ResultsFile file(record);
  for (const results::Run& run : file.runs()) {
    cases::CaseResult result = results::stored_case(file, run);
    const std::string name = fs::path(result.subject.name).filename().string();
    found.insert_or_assign(name, std::move(result));
  }
  return found;
}

class Judgement {
 public:
  Judgement(const std::vector<fs::path>& files, const fs::path& folder, const Judging& judging, const FuzzFlags& flags)
      : files_(files), record_(folder / "run.h5"), judging_(judging), flags_(flags) {}

  std::vector<JudgedFile> get() {
    std::error_code none;
    if (!fs::exists(record_, none)) verify({});
    if (!fs::exists(record_, none)) verify({"--jobs", "1", "--share-device", "--case-timeout", flags_.timeout});
    ir::require(fs::exists(record_, none), "plumb verify recorded nothing of ", files_.size(), " files, from ",
                files_.front().string(), " on: ", said_);
    return read();
  }

 private:
  /// Leaves a record, unless the process was ended. A part of one that is there is gone on with.
  void verify(const std::vector<std::string>& processes) {
    std::error_code none;
    std::vector<std::string> words = {library::own_program("plumb"), "verify", "-q", "--force"};
    const fs::path part = record_.string() + ".part";
    if (fs::exists(part, none)) words.emplace_back("--resume");
    words.insert(words.end(), {"-o", record_.string()});
    if (flags_.device.threads > 0) words.insert(words.end(), {"--threads", std::to_string(flags_.device.threads)});
    words.insert(words.end(), processes.begin(), processes.end());
    std::ranges::move(ir::files::split_words(judging_flags(judging_, flags_)), std::back_inserter(words));
    for (const fs::path& file : files_) words.push_back(file.string());
    const auto count = static_cast<int>(files_.size());
    const ir::files::ProcessEnd end = ir::files::run_process(words, {.time = 2 * flags_.case_time() * count});
    said_ = end.is_late          ? "it was not done in time"
            : end.signal.empty() ? ir::files::last_lines(end.output, 3)
                                 : "it ended by " + end.signal;
    const bool has_no_device = end.status == static_cast<int>(core::ExitCode::nothing_ran);
    if (has_no_device && !fs::exists(record_, none)) throw ir::Unsupported(said_);
  }

  std::vector<JudgedFile> read() const {
    auto runs = read_record(record_);
    std::vector<JudgedFile> judged;
    for (const fs::path& file : files_) {
      JudgedFile one{.file = file};
      const auto run = runs.find(file.filename().string());
      if (run == runs.end()) {
        one.signature = studies::reduce::signature_of_error("has no verdict", "");
        one.why = said_;
      } else {
        one.result = std::move(run->second);
        one.signature = studies::reduce::signature_of(one.result, {});
        one.is_refused = is_refused(one);
        if (one.is_refused) one.signature = {};
        if (!one.signature.kind.empty()) one.why = wrong_in(one.result);
      }
      judged.push_back(std::move(one));
    }
    return judged;
  }

  /// Whether an error, and no verdict on a node, is the one that the reference ends with as well.
  bool is_refused(const JudgedFile& one) const {
    const cases::CaseResult& result = one.result;
    if (result.verdict != core::Verdict::error || result.exit == core::ExitCode::device_error || result.message.empty())
      return false;
    const std::string words = words_of(result.message, one.file);
    return words == refusal_by_reference(one.file, judging_, flags_.device.threads);
  }

  const std::vector<fs::path>& files_;
  const fs::path record_;
  const Judging& judging_;
  const FuzzFlags& flags_;
  std::string said_;
};

}  // namespace

std::string judging_flags(const Judging& judging, const FuzzFlags& flags) {
  std::string text = fmt::format(" --seed {}", judging.seed);
  if (judging.fill != "graph") text += " --fill " + judging.fill;
  if (judging.repeat != 1) text += fmt::format(" --repeat {}", judging.repeat);
  if (judging.relations) text += " --metamorphic";
  for (const std::string& plant : flags.plants) text += " --plant " + core::terminal::shell_word(plant);
  flags::DeviceFlags device = flags.device;
  const bool is_vulkan = flags::is_vulkan(flags.candidate, device);
  if (is_vulkan) {
    auto options = flags::vulkan_options(device);
    if (judging.no_fuse) options.fuse = false;
    if (judging.other_kernels) options.alternative = 1;
    text += flags::repeated(options);
  }
  return text + flags::repeated(flags.candidate);
}

std::vector<JudgedFile> judge_files(const std::vector<fs::path>& files, const fs::path& folder,
                                    const studies::fuzz::Judging& judging, const FuzzFlags& flags) {
  return Judgement(files, folder, judging, flags).get();
}

}  // namespace plumb::parity::cli
