// `plumb compare`: tensors of two files, by tolerances of others, by a policy, or by the graph that they are of.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "ir/files/file_kind.hpp"
#include "ir/files/read_file.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/comparing/judged_dumps.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/style_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/bisect.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/results/results_file.hpp"
#include "parity/studies/closeness/closeness.hpp"
#include "parity/studies/closeness/closeness_report.hpp"
#include "parity/studies/closeness/names.hpp"

namespace plumb::parity::cli {
namespace {

namespace comparing = studies::closeness;

constexpr std::uint64_t most_names_bytes = 16 << 20;

struct CompareFlags {
  std::string a, b, graph, names, policy, today, style = "torch", json;
  std::vector<std::string> maps;
  comparing::Rule rule;
  flags::GraphFlags fed;
  core::terminal::StyleFlags layout;
  bool strict = false, verbose = false, force = false, git_bisect = false;
};

/// Records have errors and limits of runs, which drift compares with what chance explains.
void require_tensors(const std::string& path) {
  const bool is_record = ir::files::kind_of_file(path) == ir::files::FileKind::hdf5 && results::is_results_file(path);
  ir::require(!is_record, path, ": is a results file of plumb verify, not a file of tensors: use plumb drift");
}

/// The pairs in the order of a graph, where one of the files says it.
comparing::Pairings pairs_of(const CompareFlags& flags, const TensorSet& a, const TensorSet& b) {
  comparing::NamePairs told;
  if (!flags.names.empty())
    told = comparing::parse_names(ir::files::read_text(flags.names, most_names_bytes), flags.names);
  std::vector<comparing::Renaming> renamings;
  for (const std::string& text : flags.maps) renamings.emplace_back(text, "--map");
  comparing::Pairings made = comparing::pair(a.names(), b.names(), told, renamings);
  if (!a.has_graph_order() && b.has_graph_order())
    std::ranges::stable_sort(made.pairs, {}, [&](const comparing::Pairing& one) { return b.order(one.b).value_or(0); });
  return made;
}

/// Whether the rule says something of tensors of this dtype.
bool is_known(const comparing::Rule& rule, ir::DType dtype) { return comparing::knows(rule.style, dtype); }
bool is_known(const comparing::PolicyRule&, ir::DType) { return true; }

/// Compares one pair. u16 beside a float is the bits of bf16, which NumPy has no name for.
template <class HeldTo>
comparing::Compared compared(const comparing::Pairing& pair, const TensorSet& a, const TensorSet& b,
                             const HeldTo& rule) {
  const ir::TensorType in_a = a.type(pair.a), in_b = b.type(pair.b);
  comparing::Compared made{.name = pair.name,
                           .a = pair.a,
                           .b = pair.b,
                           .type_a = ir::formats::taken_as(in_a, in_b.dtype),
                           .type_b = ir::formats::taken_as(in_b, in_a.dtype)};
  if (made.type_a != made.type_b) {
    made.why = ir::cat("is ", made.type_a, " in A, ", made.type_b, " in B");
  } else if (!is_known(rule, made.type_a.dtype)) {
    made.why = ir::cat("is ", made.type_a, ", of which the style says nothing");
  }
  if (!made.why.empty()) {
    made.standing = comparing::Standing::other;
    return made;
  }
  const ir::Tensor x = ir::formats::taken_as(a.read(pair.a), in_b.dtype),
                   y = ir::formats::taken_as(b.read(pair.b), in_a.dtype);
  comparing::hold(x, y, rule, made);
  return made;
}

comparing::Comparison compare_files(const CompareFlags& flags, const TensorPlace& at_a, const TensorPlace& at_b) {
  const TensorSet a(at_a), b(at_b);
  comparing::Pairings pairs = pairs_of(flags, a, b);
  comparing::Comparison made{.a = at_a.text(), .b = at_b.text(), .policy = flags.policy};
  made.has_graph_order = a.has_graph_order() || b.has_graph_order();
  made.only_a = std::move(pairs.only_a);
  made.only_b = std::move(pairs.only_b);
  if (flags.policy.empty()) {
    made.rule = flags.rule;
    for (const auto& pair : pairs.pairs) made.tensors.push_back(compared(pair, a, b, flags.rule));
    return made;
  }
  const policy::Policy policy = policy::read(flags.policy);
  const comparing::PolicyRule rule{.policy = &policy, .today = flags::day_of(flags.today)};
  for (const auto& pair : pairs.pairs) made.tensors.push_back(compared(pair, a, b, rule));
  return made;
}

int compare_by_rule(const CompareFlags& flags, const TensorPlace& a, const TensorPlace& b) {
  flags::Outputs outputs{.force = flags.force, .inputs = {a.path, b.path}};
  for (const std::string* const file : {&flags.policy, &flags.names})
    if (!file->empty()) outputs.inputs.emplace_back(*file);
  const auto json = outputs.open(flags.json, ir::files::FileKind::json);
  const bool is_on_stdout = flags.json == "-";
  const comparing::Comparison found = compare_files(flags, a, b);
  const auto layout = core::terminal::style_of(
      flags.layout, core::terminal::surroundings_of(is_on_stdout ? STDERR_FILENO : STDOUT_FILENO));
  constexpr std::size_t usual_others = 20;
  (is_on_stdout ? std::cerr : std::cout) << comparing::to_text(found, flags.strict, layout,
                                                               flags.verbose ? found.tensors.size() : usual_others);
  if (json) flags::write_whole(json, comparing::to_json(found, flags.strict));
  return static_cast<int>(comparing::exit_code(found, flags.strict));
}

int run_compare(CompareFlags flags) {
  const TensorPlace a = parse_place(flags.a), b = parse_place(flags.b);
  require_tensors(a.path);
  require_tensors(b.path);
  if (!flags.graph.empty())
    return judge_dumps({.a = a,
                        .b = b,
                        .graph = flags.graph,
                        .names = flags.names,
                        .policy = flags.policy,
                        .json = flags.json,
                        .fed = flags.fed,
                        .style = flags.layout,
                        .force = flags.force});
  flags.rule.style = ir::enum_value<comparing::Style>(flags.style).value();
  comparing::require_sense(flags.rule);
  return compare_by_rule(flags, a, b);
}

void add_rule_flags(CLI::App& app, CompareFlags& flags, CLI::Option* graph) {
  const auto styles = enum_names(comparing::Style{});
  auto* const policy = app.add_option("--policy", flags.policy, "judge by this policy (TOML, docs/policy.md)");
  flags::add_today_flag(app, flags.today);
  for (CLI::Option* const one :
       {app.add_option("--style", flags.style, "whose rule says what is close (docs/compare.md)")
            ->check(flags::one_of({styles.begin(), styles.end()}))
            ->capture_default_str(),
        app.add_option("--rtol", flags.rule.relative, "its relative tolerance, times |B|; as the style has it")
            ->check(flags::not_negative()),
        app.add_option("--atol", flags.rule.absolute, "its absolute tolerance; as the style has it")
            ->check(flags::not_negative()),
        app.add_option("--limit", flags.rule.limit, "the one number of ggml (NMSE, 1e-7) and ncnn (epsilon, 1e-3)")
            ->check(flags::not_negative())})
    one->excludes(policy)->excludes(graph)->group("rule");
  policy->group("rule");
}

}  // namespace

Action compare(CLI::App& app) {
  const auto flags = std::make_shared<CompareFlags>();
  app.add_option("a", flags->a,
                 "what is judged: .npz, .npy, .h5, .safetensors, .pb (one tensor of ONNX), a folder of .npy or .pb; "
                 "FILE#PREFIX: tensors below a prefix alone")
      ->required();
  app.add_option("b", flags->b, "what is expected, likewise")->required();
  app.add_option("--names", flags->names,
                 "lines NAME_OF_A<TAB>NAME_OF_B for tensors that go by another name; with --graph a map (TOML) as that "
                 "of verify")
      ->type_name("MAP.tsv");
  auto* const map = app.add_option("--map", flags->maps,
                                   "rename the tensors of both as sed would: 's/^gpu\\///'; several in their order")
                        ->type_name("s/RE/TEXT/")
                        ->allow_extra_args(false);
  auto* const graph = app.add_option("--graph", flags->graph,
                                     "judge both by this graph, node by node on their own operands, as verify "
                                     "--candidate file: does, in place of any tolerance");
  map->excludes(graph);
  add_rule_flags(app, *flags, graph);
  app.add_flag("--strict", flags->strict, "end with 4 where a tensor has no partner, too")->excludes(graph);
  app.add_flag("-v,--verbose", flags->verbose, "print every tensor")->excludes(graph)->group("output");
  show::add_bisect_flag(app, flags->git_bisect);
  flags::add_output(app, "--json", flags->json, "write what was found as JSON to this file, or - for stdout")
      ->group("output");
  flags::add_force_flag(app, flags->force);
  flags::add_style_flags(app, flags->layout);
  const auto before = app.get_options();
  flags::add_graph_flags(app, flags->fed);
  for (CLI::Option* const one : app.get_options())
    if (std::ranges::count(before, one) == 0) one->needs(graph);
  return [flags] { return show::exit_for_bisect(flags->git_bisect, [&] { return run_compare(*flags); }); };
}

}  // namespace plumb::parity::cli
