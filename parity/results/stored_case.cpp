// Puts a run together again from the rows of a results file.
#include "parity/results/stored_case.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "parity/core/terminal/shell_word.hpp"
#include "parity/results/results_rows.hpp"

namespace plumb::parity::results {
namespace {

std::uint64_t counted(std::uint64_t stored) { return stored == no_number ? 0 : stored; }

std::optional<std::uint64_t> measured_ns(std::uint64_t stored) {
  return stored == no_number ? std::nullopt : std::optional(stored);
}

compare::Extreme extreme(double value, std::uint64_t at) { return {value, counted(at)}; }

/// The comparison that a row holds; the first of its worst elements has the row's ratio.
compare::Comparison comparison_of(const Node& row, std::span<const TopElement> worst) {
  compare::Comparison c;
  c.n = row.n;
  c.n_bad = row.n_bad;
  c.n_nan_expected = row.n_nan_ref;
  c.n_nan_got = row.n_nan_dev;
  c.n_inf_expected = row.n_inf_ref;
  c.n_inf_got = row.n_inf_dev;
  c.n_nan_differ = counted(row.n_nan_differ);
  c.n_inf_differ = counted(row.n_inf_differ);
  c.max_abs = extreme(row.max_abs, row.max_abs_at);
  c.max_rel = extreme(row.max_rel, row.max_rel_at);
  c.max_ulp.value = row.max_ulp;
  c.ulp_p50 = row.ulp_p50;
  c.ulp_p99 = row.ulp_p99;
  c.ulp_p999 = row.ulp_p999;
  c.ratio_p99 = row.ratio_p99;
  c.mean_signed = row.mean_signed;
  c.rms = row.rms;
  c.nmse = row.nmse;
  c.cosine = row.cosine;
  c.rel_l2 = std::sqrt(row.nmse);
  c.expected_absmax = row.ref_absmax;
  c.expected_rms = row.ref_rms;
  c.expected_norm1 = row.ref_norm1;
  c.expected_norm2 = row.ref_norm2;
  c.ratio_finite = row.ratio_finite;
  c.ratio_certain = row.ratio_certain;
  c.sigma_max = row.sigma_max;
  for (const TopElement& one : worst)
    if (one.index != no_number)
      c.worst.push_back({.index = one.index, .expected = one.ref, .got = one.dev, .allowed = one.bound});
  if (!c.worst.empty()) c.worst.front().ratio = row.ratio_max;
  return c;
}

/// "sin(x) (/home/me/ci.toml:3)": rows have the policy's file without its folder.
std::string with_policy_folder(std::string why, const std::string& policy_file) {
  const std::filesystem::path file(policy_file);
  if (!file.is_absolute()) return why;
  const std::string name = '(' + file.filename().string() + ':', folder = (file.parent_path() / "").string();
  for (std::size_t at = why.find(name); at != why.npos; at = why.find(name, at + folder.size() + name.size()))
    why.insert(at + 1, folder);
  return why;
}

/// The value of a line "name=value".
std::string value_of(const std::string& text, const std::string& name) {
  const std::string begin = name + '=';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, begin.size(), begin) == 0) return text.substr(at + begin.size(), end - at - begin.size());
    at = end + 1;
  }
  return "";
}

/// The part of an id that is a path: what `given` was in normal form, or the end of it that was below the working
/// folder.
std::string path_in(const std::string& id, const std::string& given) {
  std::string path = std::filesystem::path(given).lexically_normal().string();
  while (!id.starts_with(path)) {
    const std::size_t slash = path.find('/');
    if (slash == path.npos) return id;
    path.erase(0, slash + 1);
  }
  return path;
}

/// Puts one run together.
class StoredCase {
 public:
  StoredCase(ResultsFile& file, const Run& run) : file_(file), run_(run) {}
  cases::CaseResult get();

 private:
  void read_subject();
  void read_identity();
  void read_older_identity();
  cases::NodeResult node(std::size_t row);
  void describe(cases::NodeResult& node, const Node& row);
  void read_samples(cases::NodeResult& node, const Node& row) const;
  void read_relations();
  void read_expected();

  ResultsFile& file_;
  const Run& run_;
  std::shared_ptr<const ir::formats::GraphFile> graph_;
  cases::CaseResult result_;
};

void StoredCase::read_subject() {
  cases::Case& subject = result_.subject;
  subject.name = file_.name(run_.path_id != 0 ? run_.path_id : run_.file_id);
  subject.file = graph_ = file_.graph_file(run_);
  subject.seed = run_.seed;
  subject.step = run_.step;
  subject.fill = known(run_.fill, FillKind::graph);
  subject.adversarial = ir::enum_value<ir::AdversarialKind>(file_.name(run_.fill_name_id));
  if (run_.param_seed != no_number) subject.origin.param_seed = run_.param_seed;
  result_.judged_by.file = file_.name(run_.policy_file_id);
}

void StoredCase::read_identity() {
  if (!run_.is_named()) return read_older_identity();
  cases::Identity& identity = result_.identity;
  const std::string& id = file_.name(run_.case_id);
  identity.path = path_in(id, result_.subject.name);
  identity.variant = id.substr(identity.path.size());
  identity.subject = file_.text_of("/subject/" + file_.name(run_.subject_id) + "/text");
  identity.options = file_.text_of("/options/" + file_.name(run_.options_id) + "/text");
  const std::string dtype = value_of(identity.subject, "dtype");
  if (dtype != "graph") result_.subject.dtype = ir::find_dtype(dtype);
}

/// Before version 2.8 a run had no name: it is called by what tells it apart from most others.
void StoredCase::read_older_identity() {
  cases::Identity& identity = result_.identity;
  if (result_.subject.name.empty()) result_.subject.name = file_.name(run_.graph_id);
  identity.path = result_.subject.name;
  if (const std::string precision = file_.precision(run_); precision != "graph")
    identity.variant += " precision=" + precision;
  if (run_.seed != 1) identity.variant += ir::cat(" seed=", run_.seed);
  result_.subject.dtype = ir::find_dtype(file_.precision(run_));
}

/// The type of an output, and how its kernel is called and adds.
void StoredCase::describe(cases::NodeResult& node, const Node& row) {
  const GraphNode& stored = file_.node_of(run_, row);
  node.label = file_.name(stored.name_id);
  if (stored.op.value < op_choices().size()) node.op = op_choices()[stored.op.value];
  node.output = row.out;
  node.proof.exact = known(stored.exact, Exactness::unknown);
  if (const auto dtype = dtype_of(stored.dtype_out)) node.type.dtype = *dtype;
  const StoredKernel kernel = file_.kernel(row);
  node.kernel = kernel.name;
  node.tile = kernel.tile;
  node.sums = file_.sums(run_, row);
  node.placement = known(row.placement, ir::Placement::gpu);
  node.group = row.group;
  node.paired = known(row.paired, cases::Pairing::none);
  if (!graph_) return;
  const std::size_t sources = node_row(graph_->graph, 0);
  if (row.node < sources || row.node - sources >= graph_->graph.nodes().size()) return;
  node.node = row.node - sources;
  const auto& outputs = graph_->graph.nodes()[node.node].outputs;
  if (row.out < outputs.size()) node.type = graph_->graph.type(outputs[row.out]);
}

void StoredCase::read_samples(cases::NodeResult& node, const Node& row) const {
  node.certificate = {row.ref_uncert, counted(row.n_recomputed), counted(row.n_undecided)};
  node.settled.open = counted(row.n_open);
  node.settled.replayed = counted(row.n_replayed);
  node.settled.wide = counted(row.n_wide);
  node.settled.out_of_range = counted(row.n_out_of_range);
  node.units.kind = known(row.kind, cases::UnitKind::element);
  node.units.count = counted(row.n_units);
  node.units.decisions.free = counted(row.n_free);
  node.units.decisions.bound = row.free_bound;
  node.units.residual = row.residual;
  node.units.orthogonality = row.orthogonality;
  node.sensitivity.share = row.sensitivity;
  node.statistics.rho = row.rho;
  node.statistics.bits_accumulator = row.bits_accumulator;
  node.statistics.bits_operand = row.bits_operand;
  node.statistics.misrounded = row.misrounded;
  node.statistics.misrounded_bound = row.misrounded_bound;
  node.statistics.bias = row.bias;
  node.statistics.bias_t = row.bias_t;
  node.oracle.asked = row.n_oracle;
  if (row.n_replay != Node::no_replays) node.replays = {row.n_replay, row.n_replay_equal};
  if (!std::isnan(row.emulator_ulp)) node.emulator_ulp = row.emulator_ulp;
}

cases::NodeResult StoredCase::node(std::size_t r) {
  const auto& rows = file_.rows();
  const Node& row = rows[r];
  cases::NodeResult node;
  describe(node, row);
  read_samples(node, row);
  node.local = comparison_of(row, file_.worst(r));
  std::ranges::copy(file_.ulps(r), node.local.hist_ulp.begin());
  const Node& gated = file_.gated_of(r);
  node.gates_total = &gated != &row;
  const std::size_t parts = file_.parts_of(r).size();
  for (std::size_t k = r + 1; k < r + parts; ++k) {
    compare::Comparison part = comparison_of(rows[k], file_.worst(k));
    if (rows[k].part == Part::inherited) {
      node.inherited = std::move(part);
      node.amplification = rows[k].amplification;
    } else if (rows[k].part == Part::converted || file_.lacks_totals_as_written(run_))
      node.converted = std::move(part);
    else
      node.total = std::move(part);
  }
  (node.gates_total ? node.converted ? node.converted->map : node.total.map : node.local.map) = file_.map(row);
  node.limit = {known(gated.limit_by, cases::LimitBy::unknown), gated.limit_sigma, gated.limit_fixed,
                gated.limit_certain};
  node.special = {known(row.special, cases::Special::unknown), counted(row.special_at)};
  node.is_of_plain_run = row.of_plain_run != 0;
  node.is_guilty = row.guilty != 0;
  node.lambda = row.lambda;
  for (const PatternRow& one : file_.pattern_rows(row))
    node.patterns.push_back({.kind = known(one.kind, cases::PatternKind::stuck),
                             .period = one.period,
                             .phase = one.phase,
                             .k0 = one.k0,
                             .k1 = one.k1,
                             .score = one.score,
                             .text = file_.name(one.text_id)});
  node.verdict = known(row.verdict, core::Verdict::error);
  node.lacks_truth = row.no_truth != 0;
  node.why = with_policy_folder(file_.name(row.why_id), result_.judged_by.file);
  if (run_.repro_id != 0) node.repro = result_.repro + core::terminal::filter_flag(node.label);
  if (gated.rule >= 0) node.rule = static_cast<std::size_t>(gated.rule);
  node.reference_ns = measured_ns(row.t_ref_ns);
  node.device_ns = measured_ns(row.t_dev_ns);
  if (row.out_hash != no_number) node.hash = row.out_hash;
  return node;
}

void StoredCase::read_relations() {
  const std::size_t sources = graph_ ? node_row(graph_->graph, 0) : 0;
  for (const RelationRow& row : file_.relations(run_))
    result_.relations.push_back({.node = row.node < sources ? 0 : row.node - sources,
                                 .label = file_.name(row.name_id),
                                 .relation = known(row.relation, cases::Relation::permutation),
                                 .how = file_.name(row.how_id),
                                 .bitwise = row.bitwise != 0,
                                 .n = row.n,
                                 .n_bad = row.n_bad,
                                 .n_differ = row.n_differ,
                                 .ratio = row.ratio_max,
                                 .verdict = known(row.verdict, core::Verdict::error),
                                 .why = file_.name(row.why_id)});
}

void StoredCase::read_expected() {
  for (const ExpectedRow& row : file_.expected(run_)) {
    cases::ExpectedResult one{.value = file_.name(row.name_id),
                              .rule = known(row.rule, cases::ExpectedRule::end_to_end),
                              .runs = row.runs,
                              .precision = file_.name(row.precision_id)};
    const bool is_end_to_end = one.rule == cases::ExpectedRule::end_to_end;
    if (!is_end_to_end) {
      one.relative = row.rtol;
      one.absolute = row.atol;
    }
    compare::Comparison& c = one.comparison;
    c.n = row.n;
    c.n_bad = row.n_bad;
    c.sigma_max = row.sigma_max;
    for (std::size_t k = 0; k < ExpectedRow::kept && row.worst_at[k] != no_number; ++k)
      c.worst.push_back({.index = row.worst_at[k],
                         .expected = is_end_to_end ? row.worst_held[k] : row.worst_given[k],
                         .got = is_end_to_end ? row.worst_given[k] : row.worst_held[k],
                         .allowed = row.worst_limit[k]});
    if (!c.worst.empty()) c.worst.front().ratio = row.ratio_max;
    one.n_flagged = row.n_flagged;
    one.telling.informative = row.n_informative;
    one.verdict = known(row.verdict, core::Verdict::error);
    one.why = file_.name(row.why_id);
    result_.expected.push_back(std::move(one));
  }
}

cases::CaseResult StoredCase::get() {
  read_subject();
  read_identity();
  result_.uuid = file_.uuid(run_);
  result_.verdict = known(run_.verdict, core::Verdict::error);
  result_.exit = run_.exit == Run::no_exit ? core::exit_code(result_.verdict) : static_cast<core::ExitCode>(run_.exit);
  result_.meets_must = run_.must_met != 0;
  result_.message = file_.name(run_.message_id);
  result_.candidate = file_.name(run_.about_id);
  if (run_.candidate_id != 0) result_.settings.candidate = file_.name(run_.candidate_id);
  result_.notes = notes_of(file_.name(run_.notes_id));
  result_.repro = file_.name(run_.repro_id);
  result_.mode = known(run_.mode, core::Mode::attribute);
  result_.repeat = run_.repeat;
  result_.coverage = {run_.coverage_flops, run_.coverage_elements};
  result_.min_verified = {run_.least_flops, run_.least_elements};
  result_.wall_seconds = run_.wall_s;
  result_.false_alarms = {run_.alpha, counted(run_.n_limits)};
  result_.plain.plain = known(run_.plain, cases::Plain::not_run);
  result_.settings.alternative = run_.alternative;
  result_.settings.fuse = run_.fuse != 0;
  result_.attempt = run_.attempt;
  result_.is_retried = run_.retried != 0;
  result_.attempts = notes_of(file_.name(run_.attempts_id));
  result_.settings.planted = notes_of(file_.name(run_.planted_id));
  for (const std::size_t row : file_.local_rows(run_)) result_.nodes.push_back(node(row));
  read_relations();
  read_expected();
  return std::move(result_);
}

}  // namespace

cases::CaseResult stored_case(ResultsFile& file, const Run& run) { return StoredCase(file, run).get(); }

report::RunFacts facts_of_run(ResultsFile& file, const Run& run) {
  report::RunFacts facts{.device = file.device(run).facts.device,
                         .driver = file.device(run).driver_info,
                         .profile = file.name(run.profile_file_id)};
  if (!run.is_named()) return facts;
  const Launch& launch = file.launches()[run.launch];
  facts.tool_version = file.name(launch.tool_version_id);
  facts.commit = file.name(launch.commit_id);
  return facts;
}

}  // namespace plumb::parity::results
