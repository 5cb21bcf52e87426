// Says of two dumps what they are, and lets verify judge them.
#include "parity/cli/comparing/judged_dumps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "parity/cli/flags/given_tensors.hpp"
#include "parity/cli/verifying/verify_run.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/foreign/dump_file.hpp"

namespace plumb::parity::cli {
namespace {

/// One dump, beside the graph.
struct Side {
  const char* name;
  TensorPlace place;
  bool has_inputs = false, is_truth = false;

  std::string spec() const { return fmt::format("{}=file:{}", name, place.text()); }
};

void look_at(Side& side, const ir::formats::GraphFile& file, const std::optional<foreign::NameMap>& map) {
  const foreign::DumpFile dump({.path = side.place.path, .prefix = side.place.prefix, .map = map},
                               foreign::Names(file));
  const auto& pairs = dump.pairs.values;
  const ir::Graph& graph = file.graph;
  side.has_inputs = !graph.inputs().empty();
  for (ir::Value input = 0; input < graph.inputs().size(); ++input) side.has_inputs &= pairs.contains(input);
  for (const auto& [value, paired] : pairs) {
    const ir::DType found = dump.type(paired).dtype, wanted = graph.type(value).dtype;
    const bool is_wide = found == ir::DType::f64 || found == ir::DType::c128;
    side.is_truth |= is_wide && found != wanted && !graph.is_source(value);
  }
}

/// The graph, with what its dumps settle of it.
ir::formats::GraphFile graph_of(const JudgedDumps& dumps) {
  flags::ModelFlags model = dumps.fed.model;
  model.dump = dumps.a.path;
  model.dump_prefix = dumps.a.prefix;
  return flags::node_reader(model)(dumps.graph);
}

bool says_what_is_fed(const flags::GraphFlags& fed) {
  return fed.has_seed || !fed.model.load_inputs.empty() || !fed.model.data.empty() || !fed.model.inputs.empty();
}

void say_command(const flags::VerifyFlags& flags, bool is_on_stdout) {
  std::string line = "as plumb verify " + core::terminal::shell_word(flags.paths.front());
  for (const std::string& spec : flags.candidates) line += " --candidate " + core::terminal::shell_word(spec);
  if (!flags.candidate.options.names.empty())
    line += " --names " + core::terminal::shell_word(flags.candidate.options.names);
  if (flags.graph.has_seed) line += fmt::format(" --seed {}", flags.graph.seed);
  line += flags::repeated(flags.graph.model);
  if (!flags.policy.empty()) line += " --policy " + core::terminal::shell_word(flags.policy);
  (is_on_stdout ? std::cerr : std::cout) << line << '\n';
}

}  // namespace

int judge_dumps(const JudgedDumps& dumps) {
  const ir::formats::GraphFile file = graph_of(dumps);
  std::optional<foreign::NameMap> map;
  if (!dumps.names.empty()) map = foreign::read_map(dumps.names);
  std::array<Side, 2> sides = {Side{.name = "a", .place = dumps.a}, Side{.name = "b", .place = dumps.b}};
  for (Side& side : sides) look_at(side, file, map);
  // Who says what was fed comes first: verify asks the first file.
  std::ranges::stable_sort(sides, std::ranges::greater(), &Side::has_inputs);
  flags::VerifyFlags flags;
  flags.paths = {dumps.graph};
  flags.graph = dumps.fed;
  flags.policy = dumps.policy;
  flags.json = dumps.json;
  flags.style = dumps.style;
  flags.force = dumps.force;
  flags.candidate.options.names = dumps.names;
  flags.candidates.clear();
  const bool is_on_stdout = dumps.json == "-";
  std::ostream& out = is_on_stdout ? std::cerr : std::cout;
  for (const Side& side : sides) {
    if (!side.is_truth) {
      flags.candidates.push_back(side.spec());
      continue;
    }
    if (side.has_inputs && !says_what_is_fed(flags.graph) && side.place.prefix.empty())
      flags.graph.model.load_inputs = side.place.path;
    const bool is_alone = side.place.prefix.empty() && flags.graph.model.expected.empty() && !side.has_inputs;
    if (is_alone) flags.graph.model.expected = side.place.path;
    out << fmt::format("{} has f64 numbers where the graph has narrower ones: it is a truth, {}\n", side.place.text(),
                       is_alone ? "and is held to plumb's own end to end, as --expected is"
                                : "and is not judged, as plumb has its own");
  }
  ir::require(!flags.candidates.empty(), "both files have f64 numbers where ", dumps.graph,
              " has narrower ones: compare them without --graph");
  say_command(flags, is_on_stdout);
  return VerifyRun(flags, std::nullopt).run();
}

}  // namespace plumb::parity::cli
