// Runs candidates by `plumb verify`, and reads what it recorded of them.
#include "parity/cli/reducing/case_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/files/process.hpp"
#include "ir/hdf5/store.hpp"
#include "library/own_files.hpp"
#include "library/reference.hpp"
#include "parity/cases/identity.hpp"
#include "parity/cli/show/graph_text.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/results/results_rows.hpp"
#include "parity/results/stored_case.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;
using studies::reduce::Candidate;
using studies::reduce::Signature;

/// The output of a process of which no more is known: its last line that is none of ours for people.
std::string last_line(const std::string& output) {
  const std::string lines = ir::files::last_lines(output, 1);
  const std::string program = "plumb: ";
  std::string line = lines.substr(0, lines.find('\n'));
  if (line.starts_with(program)) line.erase(0, program.size());
  return line;
}

void read_run(const fs::path& results, const std::vector<std::string>& keep, CaseEnding& ending) {
  results::ResultsFile file(results);
  ir::require(!file.runs().empty(), results.string(), ": has no run");
  const cases::CaseResult result = results::stored_case(file, file.runs().front());
  ending.signature = studies::reduce::signature_of(result, keep);
  ending.verdict = ir::enum_name(result.verdict);
  ending.is_unsupported = result.verdict == core::Verdict::unsupported;
  ending.message = result.message;
  for (const cases::NodeResult& node : result.nodes)
    if (!core::is_fine(node.verdict))
      ending.why.push_back(fmt::format("{} ({}): {}: {}", node.name(), node.op, ir::enum_name(node.verdict), node.why));
  for (const cases::RelationResult& one : result.relations)
    if (one.verdict == core::Verdict::failed)
      ending.why.push_back(fmt::format("{}: {} {}: {}", one.label, ir::enum_name(one.relation), one.how, one.why));
}

}  // namespace

CaseRuns::CaseRuns(const flags::VerifyFlags& flags, std::vector<std::string> keep, std::vector<std::string> check,
                   std::filesystem::path folder)
    : flags_(flags), keep_(std::move(keep)), check_(std::move(check)), folder_(std::move(folder)) {
  for (const std::string& text : flags.plants) plants_.push_back(parse_plant(text));
  flags::DeviceFlags device = flags.device;
  if (flags::is_vulkan(flags.candidate, device)) device_ = flags::vulkan_options(device);
}

/// The flags of a run of this graph. A fault that has lost its node is planted no more.
std::string CaseRuns::flags_for(const ir::Graph& graph, const flags::VerifyFlags& fed) const {
  flags::VerifyFlags all = fed;
  all.plants.clear();
  for (const Plant& plant : plants_)
    if (std::ranges::any_of(graph.nodes(), [&](const ir::Node& node) { return plant.is_at(node); }))
      all.plants.push_back(plant.text);
  std::string text = flags::repeated_flags(all, {}, device_);
  if (!all.filter.empty()) text += " --filter " + core::terminal::shell_word(all.filter);
  return text;
}

CaseEnding CaseRuns::original(std::chrono::milliseconds limit) const {
  const flags::GraphFlags& graph = flags_.graph;
  std::string text = fmt::format(" --seed {}", graph.seed);
  if (graph.param_seed != 0) text += fmt::format(" --param-seed {}", graph.param_seed);
  if (graph.dtype != "f32") text += " --dtype " + graph.dtype;
  if (!graph.precision.empty()) text += " --precision " + core::terminal::shell_word(graph.precision);
  if (flags_.fill != "graph") text += " --fill " + flags_.fill;
  text += flags_for({}, flags_);
  for (const Plant& plant : plants_) text += " --plant " + core::terminal::shell_word(plant.text);
  return verify(flags_.paths.front(), text, limit);
}

/// The flags of a run of a candidate, whose file says what it is fed.
flags::VerifyFlags CaseRuns::bare() const {
  flags::VerifyFlags flags = flags_;
  flags.graph = {};
  flags.fill = "graph";
  return flags;
}

std::string CaseRuns::write(const Candidate& candidate) const {
  const fs::path file = folder_ / "candidate.json";
  show::write_graph_text(file, ir::formats::write_graph(studies::reduce::file_of(candidate, "a candidate")));
  return file.string();
}

CaseEnding CaseRuns::run(const Candidate& candidate, std::chrono::milliseconds limit) const {
  const std::string path = write(candidate);
  if (!check_.empty()) return check(path, limit);
  return verify(path, flags_for(candidate.graph, bare()), limit);
}

std::string CaseRuns::line(const Candidate& candidate, const std::string& file) const {
  if (check_.empty()) return "verify " + file + flags_for(candidate.graph, bare());
  std::string line;
  for (const std::string& word : check_) line += core::terminal::shell_word(word) + ' ';
  return line + file;
}

CaseEnding CaseRuns::check(const std::string& path, std::chrono::milliseconds limit) const {
  std::vector<std::string> words = check_;
  words.push_back(path);
  const auto begin = std::chrono::steady_clock::now();
  const ir::files::ProcessEnd end = ir::files::run_process(words, {.time = limit});
  CaseEnding ending{.verdict = end.is_late ? "late" : fmt::format("exit status {}", end.status)};
  ending.took = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  if (end.is_good()) ending.signature.kind = "check";
  ending.message = last_line(end.output);
  return ending;
}

CaseEnding CaseRuns::verify(const std::string& path, const std::string& flags, std::chrono::milliseconds limit) const {
  const fs::path results = folder_ / "run.h5";
  std::error_code none;
  fs::remove(results, none);
  std::vector<std::string> words = {library::own_program("plumb"), "verify", "-q", "--force", "-o", results.string()};
  if (flags_.device.threads > 0) words.insert(words.end(), {"--threads", std::to_string(flags_.device.threads)});
  std::ranges::move(ir::files::split_words(flags), std::back_inserter(words));
  words.push_back(path);
  const auto begin = std::chrono::steady_clock::now();
  const ir::files::ProcessEnd end = ir::files::run_process(words, {.time = limit});
  CaseEnding ending;
  ending.took = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  if (end.is_late || !end.signal.empty()) {
    ending.verdict = end.is_late ? "hang" : "crash";
    ending.signature.kind = end.is_late ? "hang" : "crash:" + end.signal;
  } else if (fs::exists(results, none)) {
    read_run(results, keep_, ending);
  } else {
    ending.is_unsupported = end.status == static_cast<int>(core::ExitCode::nothing_ran);
    ending.is_refused = !ending.is_unsupported;
    ending.message = last_line(end.output);
    ending.verdict = "refused";
  }
  return ending;
}

ir::Tensors CaseRuns::values_of_host(const Candidate& candidate) const try {
  const ir::Feeds feeds = ir::formats::materialise(studies::reduce::file_of(candidate, ""), 1);
  std::vector<ir::Value> all;
  for (const ir::Node& node : candidate.graph.nodes()) all.insert(all.end(), node.outputs.begin(), node.outputs.end());
  ref_cpu::CpuExecutor cpu = library::reference_executor(flags_.device.threads);
  return cpu.run(candidate.graph, feeds, all);
} catch (const ir::Error&) {
  return {};  // an index that is out of range, say, which may be how the graph fails
}

ir::Tensors CaseRuns::values(const Candidate& candidate, std::chrono::milliseconds limit) const {
  const ir::Graph& graph = candidate.graph;
  ir::Tensors values = values_of_host(candidate);
  if (!check_.empty()) return values;
  verify(write(candidate), " --tensors all --no-inputs" + flags_for(graph, bare()), limit);
  const fs::path results = folder_ / "run.h5";
  std::error_code none;
  if (!fs::exists(results, none)) return values;
  const ir::hdf5::Store file = ir::hdf5::Store::open(results);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n)
    for (std::size_t k = 0; k < graph.nodes()[n].outputs.size(); ++k) {
      const std::string path = fmt::format("/tensors/0/{}/{}/dev", results::node_row(graph, n), k);
      if (!file.contains(path)) continue;  // the device showed none, as of what is computed inside another node
      const std::vector<std::byte> bytes = file.read_bytes(path);
      const ir::Value v = graph.nodes()[n].outputs[k];
      ir::Tensor given(graph.type(v));
      if (bytes.size() != given.bytes().size()) continue;
      std::ranges::copy(bytes, given.bytes().begin());
      values.insert_or_assign(v, std::move(given));
    }
  return values;
}

}  // namespace plumb::parity::cli
