// Writes results files, case after case, each as a whole.
#include "parity/results/record_hdf5.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>

#include "parity/core/build_info.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/results/merge/merge.hpp"
#include "parity/results/record_writer.hpp"
#include "parity/results/results_schema.hpp"

namespace plumb::parity::results {
namespace {

namespace fs = std::filesystem;

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

ir::hdf5::Store Recorder::Writer::make_store(const fs::path& path) {
  const int version = options_.replace_any && !options_.append ? 0 : results::version_replaced(path);
  if (options_.resume) {
    resumption_.emplace(path);
    resumption_->require_same(options_.knows_device ? &options_.device : nullptr, options_.shard, options_.partition);
    if (options_.may_resume) options_.may_resume(*resumption_);
    output_.replace_part([&](const fs::path& next) { resumption_->write_kept(next, options_.argv); });
    return ir::hdf5::Store::open_to_append(part());
  }
  if (!options_.earlier.empty()) resumption_.emplace(options_.earlier).require_device(options_.device);
  if (version == 0 || !options_.append) return ir::hdf5::Store::create(part());
  ir::require(version == 2, path.string(), " is of version ", version, " and has no room for what version 2 records");
  std::error_code problem;
  fs::copy_file(path, part(), fs::copy_options::overwrite_existing, problem);
  ir::require(!problem, part().string(), ": ", problem.message());
  return ir::hdf5::Store::open_to_append(part());
}

Recorder::Writer::Writer(const fs::path& path, RecordOptions options)
    : path_(path),
      options_(std::move(options)),
      output_(path, {.kind = ir::files::FileKind::hdf5, .inputs = options_.inputs, .is_continued = options_.resume}),
      store_(make_store(path_)) {
  if (store_.contains("/runs"))
    read_names();
  else
    make_layout();
  begin_launch();
  store_.append_texts("/names", std::exchange(new_names_, {}));
  store_.flush();
  first_run_ = run_;
  last_word_.emplace([this] { return last_word(); });
}

/// Leaves the file of an interrupted run readable, and says where it is.
std::string Recorder::Writer::last_word() {
  const std::uint32_t cases = run_ - first_run_;
  const std::size_t nodes = journal_->kept();
  journal_->remove_empty();
  if (cases == 0 && nodes == 0) return "nothing was recorded";
  store_.append_texts("/names", std::exchange(new_names_, {}));
  store_.flush();
  std::string text = fmt::format("{} {}", cases, cases == 1 ? "case is" : "cases are");
  if (nodes > 0)
    text = fmt::format("{} and {} of another are", core::terminal::counted(cases, "case"),
                       core::terminal::counted(nodes, "node"));
  return fmt::format("{} recorded in {}", text, part().string());
}

void Recorder::Writer::make_layout() {
  results::make_file(store_, options_.argv);
  name_id("");  // number 0 is no name at all
}

void Recorder::Writer::read_names() {
  const auto names = store_.read_texts("/names");
  names_.clear();
  for (std::uint32_t id = 0; id < names.size(); ++id) names_.emplace(names[id], id);
  run_ = static_cast<std::uint32_t>(store_.rows("/runs"));
  for (const std::string& graph : store_.children("/graph")) earlier_graphs_.insert(graph);
}

std::uint32_t Recorder::Writer::name_id(const std::string& name) {
  const auto [found, is_new] = names_.emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) new_names_.push_back(name);
  return found->second;
}

/// Adds the row of this start of the program, which is cut off until it has ended, and goes on with the nodes of an
/// earlier one.
void Recorder::Writer::begin_launch() {
  constexpr auto table = "/launches";
  if (!store_.contains(table)) store_.make_table(table, results::launch_type());
  const core::BuildInfo& build = core::build_info();
  std::string line;
  for (const std::string& word : options_.argv)
    line += (line.empty() ? "" : " ") + core::terminal::shell_word(results::without_folders(word));
  launch_row_ = {.uuid = cases::new_uuid(),
                 .utc = seconds_since_1970(),
                 .tool_version_id = name_id(std::string(build.version)),
                 .commit_id = name_id(std::string(build.git_commit)),
                 .dirty = static_cast<std::uint8_t>(build.git_dirty),
                 .argv_id = name_id(line),
                 .planned = options_.planned.value_or(no_number),
                 .end = LaunchEnd::cut_off,
                 .shard = options_.shard.index,
                 .shards = options_.shard.count,
                 .partition_id = name_id(options_.partition)};
  launch_ = static_cast<std::uint32_t>(store_.rows(table));
  store_.append(table, results::launch_type(), std::vector{launch_row_});
  journal_.emplace(NodeJournal::beside(part()),
                   Start{.commit = std::string(build.git_commit),
                         .device = options_.device.uuid,
                         .driver = options_.device.driver_info,
                         .command_line = line},
                   options_.resume ? resumption_->unfinished() : std::vector<UnfinishedRun>{});
}

std::map<std::size_t, cases::KeptNode> Recorder::Writer::begin(const cases::Identity& identity,
                                                               const std::string& policy) {
  return journal_->begin(identity, policy);
}

void Recorder::Writer::keep(std::size_t n, const cases::KeptNode& node) {
  const ir::files::Uninterrupted whole;
  journal_->keep(n, node);
  output_.keep_part();
}

void Recorder::Writer::write_launch() { store_.replace("/launches", results::launch_type(), launch_, launch_row_); }

void Recorder::Writer::plan(std::uint64_t cases) {
  if (launch_row_.planned == cases) return;
  launch_row_.planned = cases;
  write_launch();
}

void Recorder::Writer::begins(const cases::Case& subject) {
  file_ = subject.file;
  graph_ = &file_->graph;
  worst_.reset();
  if (options_.tensors == KeepTensors::all) sources_.add(store_, subject, run_, Fed::kept);
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
  const NameId names = name_ids();
  const std::string graph = results::add_graph(store_, result.subject, names), list = "/graph/" + graph + "/sums";
  const bool is_first = !sums_.contains(list) && !earlier_graphs_.contains(graph);
  if (!sums_.contains(list)) sums_.emplace(list, SumList(store_.read_texts(list)));
  SumList& sums = sums_.at(list);
  Rows rows(result.subject.file->graph, run_, names, sums);
  for (const cases::NodeResult& node : result.nodes) rows.add(node);
  const bool is_short = options_.rows == KeepRows::failed && !is_first && result.verdict == core::Verdict::passed;
  if (is_short) rows.shorten();
  store_.append_texts(list, sums.take_new());
  store_.append("/results/nodes", results::node_type(), rows.nodes);
  store_.append_grid("/results/hist_ulp", rows.hist_ulp);
  store_.append_grid("/results/hist_ratio", rows.hist_ratio);
  store_.append("/results/topk", results::top_element_type(), rows.topk);
  store_.append("/results/relations", results::relation_type(),
                results::relation_rows(result.subject.file->graph, result.relations, run_, names));
  if (!store_.contains("/results/pattern")) store_.make_table("/results/pattern", results::pattern_type());
  store_.append("/results/pattern", results::pattern_type(), results::pattern_rows(result, run_, names));
  if (!store_.contains(maps_path)) store_.make_table(maps_path, results::map_type());
  if (!is_short) store_.append(maps_path, results::map_type(), results::map_rows(result, run_));
  if (!store_.contains("/results/expected")) store_.make_table("/results/expected", results::expected_type());
  store_.append("/results/expected", results::expected_type(), results::expected_rows(result.expected, run_, names));
}

/// Which run it was, and what else a report says of it.
void Recorder::Writer::name_run(results::Run& run, const cases::CaseResult& result) {
  const cases::Identity identity = cases::identity_of(result);
  const std::string subject = results::add_text(store_, "/subject", "text", identity.subject),
                    options = results::add_text(store_, "/options", "text", identity.options);
  if (result.subject.origin.plan)
    results::add_text_beside(store_, "/subject/" + subject, "plan", *result.subject.origin.plan);
  if (result.settings.profile_text)
    results::add_text_beside(store_, "/options/" + options, "profile", *result.settings.profile_text);
  run.uuid = result.uuid == cases::Uuid{} ? cases::new_uuid() : result.uuid;
  run.launch = launch_;
  run.case_id = name_id(identity.id());
  run.subject_id = name_id(subject);
  run.options_id = name_id(options);
  run.param_seed = result.subject.param_seed();
  run.step = static_cast<std::uint32_t>(result.subject.step);
  run.alternative = static_cast<std::uint32_t>(result.settings.alternative);
  run.fuse = result.settings.fuse;
  run.set_id = name_id(result.settings.knobs_text());
  run.profile_id = name_id(result.settings.profile.substr(0, 12));
  run.profile_file_id = name_id(options_.profile_file);
  run.policy_file_id = name_id(result.judged_by.file);
  run.path_id = name_id(result.subject.name);
  run.repro_id = name_id(result.repro);
  run.message_id = name_id(result.message);
  run.candidate_id = name_id(result.settings.candidate);
  run.about_id = name_id(result.candidate);
  run.notes_id = name_id(results::notes_text(result.notes));
  run.exit = static_cast<std::uint8_t>(result.exit);
  set_attempts(run, result, name_ids());
}

void Recorder::Writer::append_run(const cases::CaseResult& result) {
  results::Run run;
  run.run = run_;
  run.utc = seconds_since_1970();
  run.seed = result.subject.seed;
  if (result.subject.file) run.graph_id = name_id(results::add_graph(store_, result.subject, name_ids()));
  run.device_id = name_id(results::add_device(store_, options_.device));
  run.env_id = name_id(results::add_environment(store_, options_.environment));
  if (const std::string& policy = result.judged_by.text; !policy.empty())
    run.policy_id = name_id(results::add_text(store_, "/policy", "toml", policy));
  run.alpha = result.false_alarms.alpha;
  run.lambda = result.false_alarms.lambda();
  run.n_limits = result.false_alarms.n_limits;
  run.file_id = name_id(results::without_folders(result.subject.name));
  run.precision_id = name_id(results::without_folders(cases::precision_name(result.subject)));
  run.fill = result.subject.fill;
  run.fill_name_id = name_id(std::string(result.subject.adversarial ? ir::enum_name(*result.subject.adversarial) : ""));
  run.mode = result.mode;
  if (const cases::NodeResult* guilty = cases::first_guilty(result))
    run.first_guilty = results::node_row(result.subject.file->graph, guilty->node);
  run.repeat = result.repeat;
  run.subnormals = result.may_flush ? profile::Subnormals::flushed : profile::Subnormals::kept;
  run.coverage_flops = result.coverage.flops;
  run.coverage_elements = result.coverage.elements;
  if (result.subject.file) run.must = result.subject.file->must;
  run.must_met = result.meets_must;
  run.least_flops = result.min_verified.flops;
  run.least_elements = result.min_verified.elements;
  run.plain = result.plain.plain;
  run.wall_s = static_cast<float>(result.wall_seconds);
  run.verdict = result.verdict;
  name_run(run, result);
  store_.append("/runs", results::run_type(), std::vector{run});
}

void Recorder::Writer::record(const cases::CaseResult& result) {
  if (worst_) write_tensors(worst_->result, worst_->truth, worst_->got);
  worst_.reset();
  if (result.subject.file) {
    sources_.add(store_, result.subject, run_, Fed::gone);
    append_results(result);
  }
  append_run(result);
  store_.append_texts("/names", std::exchange(new_names_, {}));
  store_.flush();
  journal_->end_run();
  ++run_;
  // An interrupted run leaves its part file; one that was never recorded leaves nothing.
  output_.keep_part();
}

std::optional<cases::CaseResult> Recorder::Writer::recorded(const cases::Identity& identity) {
  const Run* const run = resumption_ ? resumption_->take(identity) : nullptr;
  if (run == nullptr) return std::nullopt;
  if (!options_.resume) adopt(resumption_->content(), {run});
  return resumption_->case_of(*run);
}

void Recorder::Writer::adopt(RunContent& from, const std::vector<const Run*>& runs) {
  store_.append_texts("/names", std::exchange(new_names_, {}));
  RunCopier copier(store_);
  copier.add(from, runs, launch_);
  copier.finish();
  store_.flush();
  read_names();
  sums_.clear();
  if (!runs.empty()) output_.keep_part();
}

std::size_t Recorder::Writer::adopt(RunContent& from) {
  // Another file has a run that is there only where its process was handed that to go on with.
  std::vector<const Run*> runs;
  for (const Run& run : from.file.runs())
    if (!resumption_ || !resumption_->keeps(from.file.uuid(run))) runs.push_back(&run);
  if (resumption_) resumption_->require_device_of(from, runs);
  adopt(from, runs);
  return runs.size();
}

void Recorder::Writer::record_pairs(std::span<const cases::PairResult> pairs, std::size_t candidates) {
  if (!store_.contains(pairs_path)) store_.make_table(pairs_path, results::pair_type());
  const auto first_run = run_ - static_cast<std::uint32_t>(candidates);
  store_.append(pairs_path, results::pair_type(), results::pair_rows(pairs, first_run, name_ids()));
  store_.append_texts("/names", std::exchange(new_names_, {}));
  store_.flush();
}

void Recorder::Writer::finish() {
  store_.append_texts("/names", std::exchange(new_names_, {}));
  launch_row_.end = LaunchEnd::ended;
  write_launch();
  last_word_.reset();
  store_.close();
  output_.commit();
  journal_->remove();
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
void Recorder::record_pairs(std::span<const cases::PairResult> pairs, std::size_t candidates) {
  const ir::files::Uninterrupted whole;
  writer_->record_pairs(pairs, candidates);
}
std::optional<cases::CaseResult> Recorder::recorded(const cases::Identity& identity) {
  const ir::files::Uninterrupted whole;
  return writer_->recorded(identity);
}
Resumption* Recorder::resumption() const { return writer_->resumption(); }
cases::KeptNodes* Recorder::kept_nodes() { return writer_->keeps_nodes() ? writer_.get() : nullptr; }
std::size_t Recorder::adopt(RunContent& from) {
  const ir::files::Uninterrupted whole;
  return writer_->adopt(from);
}
void Recorder::plan(std::uint64_t cases) {
  const ir::files::Uninterrupted whole;
  writer_->plan(cases);
}
void Recorder::finish() {
  const ir::files::Uninterrupted whole;
  writer_->finish();
}
const fs::path& Recorder::part_file() const { return writer_->part(); }

}  // namespace plumb::parity::results
