// Gives the tensors of a file for the values of a graph.
#include "parity/foreign/dump.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "parity/cases/case.hpp"
#include "parity/core/candidate_error.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/foreign/dump_file.hpp"

namespace plumb::parity::foreign {

/// The file, and the graph that it is paired with.
struct DumpCandidate::Opened {
  std::shared_ptr<const ir::formats::GraphFile> file;
  DumpFile dump;
  std::string path;
  Storage storage;
};

namespace {

/// Throws Error where an input that the dump has is something else than what the case is fed.
void require_fed(const DumpFile& dump, const std::string& path, const cases::Case& subject) {
  const ir::Graph& graph = subject.file->graph;
  for (ir::Value input = 0; input < graph.inputs().size(); ++input) {
    const auto paired = dump.pairs.values.find(input);
    if (paired == dump.pairs.values.end()) continue;
    const ir::Tensor theirs = input_of(dump, path, graph, input, paired->second);
    const ir::Tensor& ours = ir::fed(graph, subject.feeds, input);
    const std::size_t size = ir::info(ours.dtype()).bytes;
    for (std::size_t k = 0; k * size < ours.bytes().size(); ++k)
      ir::require(std::memcmp(theirs.bytes().data() + k * size, ours.bytes().data() + k * size, size) == 0, path,
                  ": the dump's input '", graph.name(input), "' is not what the case is fed: element ", k, " is ",
                  element_text(theirs, k), " there, ", element_text(ours, k), " here; give --load-inputs FILE");
  }
}

void require_any(const DumpFile& dump, const Names& names, const std::string& path, const cases::Case& subject) {
  constexpr std::size_t most_named = 6;
  const ir::Graph& graph = subject.file->graph;
  if (std::ranges::any_of(dump.pairs.values, [&](const auto& one) { return !graph.is_source(one.first); })) return;
  std::string text;
  for (std::size_t k = 0; k < dump.offered().size() && k < most_named; ++k)
    text +=
        ir::cat(k == 0 ? ": '" : ", '", dump.offered()[k].name, "'", nearest(dump.offered()[k].name, names.computed()));
  if (dump.offered().size() > most_named) text += ", ...";
  ir::fail(path, ": none of its ", core::terminal::counted(dump.offered().size(), "tensor"),
           " is a value that a node of ", subject.name, " computes", text);
}

/// Whether all values have the same numbers, names and types in both.
bool are_same_values(const ir::Graph& a, const ir::Graph& b) {
  if (&a == &b) return true;
  if (a.value_count() != b.value_count() || a.nodes().size() != b.nodes().size()) return false;
  for (ir::Value value = 0; value < a.value_count(); ++value) {
    if (a.defined(value) != b.defined(value)) return false;
    if (a.defined(value) && (a.type(value) != b.type(value) || a.name(value) != b.name(value))) return false;
  }
  return a.inputs().size() == b.inputs().size();
}

/// Reads the values that a run is asked for.
class DumpedValues final : public ir::Executable {
 public:
  DumpedValues(ir::Graph graph, const DumpFile* dump, std::string path, Storage storage, ir::Capture capture,
               std::shared_ptr<const void> keeps)
      : graph_(std::move(graph)),
        dump_(dump),
        path_(std::move(path)),
        storage_(storage),
        capture_(std::move(capture)),
        keeps_(std::move(keeps)) {}

  ir::Tensors run(const ir::Feeds&) override {
    std::set<ir::Value> asked;
    for (const ir::Value value : capture_.wanted)
      if (!graph_.is_source(value)) asked.insert(value);
    for (const ir::Value value : asked) require_there(value);
    if (capture_.surviving)
      for (const auto& [value, paired] : dump_->pairs.values)
        if (!graph_.is_source(value) && capture_.is_of_interest(value)) asked.insert(value);
    for (const ir::Value value : asked)  // before anything is read
      require_receivable(graph_.name(value), dump_->type(pair_of(value)), graph_.type(value), storage_);
    ir::Tensors made;
    for (const ir::Value value : asked)
      made.emplace(value, received(graph_.name(value), dump_->read(pair_of(value)), graph_.type(value), storage_));
    return made;
  }

  std::vector<ir::NodeReport> nodes() const override {
    std::vector<ir::NodeReport> made;
    for (const ir::Node& node : graph_.nodes()) {
      const bool is_there =
          std::ranges::any_of(node.outputs, [&](ir::Value value) { return dump_->pairs.values.contains(value); });
      ir::NodeReport report;
      report.placement = is_there ? ir::Placement::foreign : ir::Placement::elided;
      if (!is_there) report.reason = "the file has none of its values";
      made.push_back(std::move(report));
    }
    return made;
  }

 private:
  const Paired& pair_of(ir::Value value) const { return dump_->pairs.values.at(value); }

  void require_there(ir::Value value) const {
    if (dump_->pairs.values.contains(value)) return;
    std::vector<std::string> words;
    for (const Offered& one : dump_->offered()) words.push_back(one.name);
    throw core::CandidateError(
        ir::cat(path_, " gave nothing for '", graph_.name(value), "'", nearest(graph_.name(value), words)));
  }

  ir::Graph graph_;
  const DumpFile* dump_;
  std::string path_;
  Storage storage_;
  ir::Capture capture_;
  std::shared_ptr<const void> keeps_;
};

}  // namespace

Description DumpCandidate::description() const {
  return {.kind = "file",
          .spec = options_.path + (options_.prefix.empty() ? "" : "#" + options_.prefix),
          .name = std::filesystem::path(options_.path).filename().string(),
          .version = "",
          .device = ""};
}

void DumpCandidate::begins(const cases::Case& subject) {
  opened_.reset();
  pairing_.clear();
  notes_.clear();
  const Names names(*subject.file);
  auto opened =
      std::make_shared<Opened>(Opened{subject.file, DumpFile(options_, names), options_.path, options_.storage});
  DumpFile& dump = opened->dump;
  require_fed(dump, options_.path, subject);
  if (options_.truth_norms && !unmatched(names, dump.offered(), dump.pairs).empty())
    pair_by_statistics(
        subject.file->graph, dump.offered(), options_.truth_norms(subject),
        [&](std::size_t tensor) { return norm_of(dump.read(tensor)); }, dump.pairs);
  require_any(dump, names, options_.path, subject);
  for (const auto& [value, paired] : dump.pairs.values) pairing_.emplace(value, paired.method);
  notes_ = dump.notes();
  for (std::string& note : unmatched(names, dump.offered(), dump.pairs)) notes_.push_back(std::move(note));
  opened_ = std::move(opened);
}

std::unique_ptr<ir::Executable> DumpCandidate::compile(const ir::Graph& graph, const ir::Feeds& /*params*/,
                                                       const ir::Capture& capture) {
  ir::require(opened_ != nullptr, options_.path, ": no case has begun, so that no value has a tensor");
  if (!are_same_values(graph, opened_->file->graph))
    throw ir::Unsupported("a file of tensors cannot run nodes alone; --mode attribute judges each on its own operands");
  return std::make_unique<DumpedValues>(graph, &opened_->dump, opened_->path, opened_->storage, capture, opened_);
}

ir::Feeds dump_inputs(const DumpOptions& options, const ir::formats::GraphFile& file) {
  const DumpFile dump(options, Names(file));
  const ir::Graph& graph = file.graph;
  ir::Feeds feeds;
  for (ir::Value input = 0; input < graph.inputs().size(); ++input)
    if (!dump.pairs.values.contains(input)) return {};
  for (ir::Value input = 0; input < graph.inputs().size(); ++input)
    feeds.emplace(graph.name(input), input_of(dump, options.path, graph, input, dump.pairs.values.at(input)));
  return feeds;
}

}  // namespace plumb::parity::foreign
