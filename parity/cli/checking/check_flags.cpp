// Reads the flags of check and draws the shapes that they ask for.
#include "parity/cli/checking/check_flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ir/formats/tensor_json.hpp"
#include "library/verify.hpp"
#include "parity/check/draw.hpp"
#include "parity/cli/flags/demand_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/style_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::cli {
namespace {

constexpr std::size_t full_count = 240;  ///< shapes of a full sweep, in each dtype; the budget may end it before

std::pair<std::string, std::string> split_at_equals(const std::string& flag, const std::string& text) {
  const std::size_t equals = text.find('=');
  ir::require(equals != text.npos && equals > 0, flag, " wants NAME=VALUE, got '", text, "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

check::Letters multiples_of(const std::vector<std::string>& texts) {
  constexpr std::int64_t most = 1 << 16;
  check::Letters found;
  for (const std::string& text : texts) {
    const auto [letter, number] = split_at_equals("--multiple", text);
    const bool is_number = !number.empty() && number.size() <= 5 &&
                           std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
    const std::int64_t value = is_number ? std::stoll(number) : 0;
    ir::require(value >= 1 && value <= most, "--multiple ", letter, ": is a whole number from 1 to ", most, ", got '",
                number, "'");
    ir::require(found.emplace(letter, value).second, "--multiple ", letter, " is given twice");
  }
  return found;
}

ir::DType dtype_of(const std::string& name) {
  const auto found = ir::find_dtype(name);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ir::dtype_count; ++i) names.emplace_back(ir::info(static_cast<ir::DType>(i)).name);
  ir::require(found.has_value(), "--dtype: there is no dtype '", name, "'", core::did_you_mean(name, names));
  return *found;
}

/// The types of all operands, as given. Throws Error unless the op accepts them.
ir::TensorTypes given_types(const ir::Op& op, const std::vector<std::string>& texts) {
  ir::TensorTypes types;
  for (const std::string& text : texts) try {
      types.push_back(ir::formats::parse_type(text));
    } catch (const ir::Error& error) {
      ir::fail("--in: ", error.what());
    }
  try {
    ir::infer(op, types);
  } catch (const ir::Error& error) {
    ir::fail("--in: ", op.name(), ": ", error.what());
  }
  return types;
}

/// The types of every shape to try: of each drawing in every dtype, so that a budget cuts off none of the dtypes.
std::vector<ir::TensorTypes> types_of(const ir::Op& op, const CheckFlags& flags) {
  if (!flags.in.empty()) {
    ir::require(flags.dtypes.empty() && flags.multiples.empty(),
                "--in gives the operands' types, --dtype and --multiple say how they are drawn: only one is possible");
    return {given_types(op, flags.in)};
  }
  const std::size_t count = flags.sweep == "quick" ? check::quick_count : full_count;
  std::vector<std::vector<ir::TensorTypes>> drawn;
  check::DrawOptions options{.multiples = multiples_of(flags.multiples), .seed = flags.seed};
  if (flags.dtypes.empty()) drawn.push_back(check::draw(op, options, count));
  for (const std::string& name : flags.dtypes) {
    options.dtype = dtype_of(name);
    drawn.push_back(check::draw(op, options, count));
  }
  std::vector<ir::TensorTypes> types;
  for (std::size_t i = 0; i < count; ++i)
    for (const auto& of_dtype : drawn)
      if (i < of_dtype.size()) types.push_back(of_dtype[i]);
  return types;
}

void add_definition_flags(CLI::App& app, CheckFlags& flags, CLI::Option* op) {
  CLI::Option* const definition =
      app.add_option("--def", flags.definition,
                     "a definition of FlashInfer-Bench in place of an op (docs/flashinfer.md)")
          ->type_name("FILE")
          ->excludes(op)
          ->group("definition");
  const auto add = [&](const char* name, std::string& value, const char* help) {
    return app.add_option(name, value, help)->needs(definition)->group("definition");
  };
  add("--workloads", flags.workloads, "its workloads, JSON lines; without them three are drawn")->type_name("FILE");
  add("--workload", flags.workload, "only the workloads whose uuid begins so")->type_name("UUID");
  add("--solution", flags.solution, "what traces call the candidate")->type_name("NAME");
  flags::add_output(app, "--trace", flags.trace, "write a trace of every workload, JSON lines, to this file")
      ->needs(definition)
      ->group("definition");
}

}  // namespace

void add_check_flags(CLI::App& app, CheckFlags& flags) {
  CLI::Option* const op =
      app.add_option("--op", flags.op, "the op that is computed; `plumb ops` lists them")->type_name("OP");
  app.add_option("--attr", flags.attributes,
                 "an attribute of the op, NAME=VALUE, as in graph files: axis=-1, axes=[0,1]; with --def a constant of "
                 "its reference: EPS=1e-6")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  add_definition_flags(app, flags, op);
  app.add_option("--in", flags.in,
                 "type of each operand, in order, as f32[1024,512], in place of shapes that are drawn")
      ->type_name("TYPE")
      ->allow_extra_args(false)
      ->group("input");
  app.add_option("--dtype", flags.dtypes, "dtypes of the operands that are drawn: f32,f16,bf16")
      ->delimiter(',')
      ->group("input");
  app.add_option("--sweep", flags.sweep,
                 "how many shapes are drawn: 12 (quick), or as many as the budget allows (full)")
      ->check(flags::one_of({"quick", "full"}))
      ->capture_default_str()
      ->group("input");
  app.add_option("--budget", flags.budget, "how long a full sweep lasts: 60s, 5m, 1h")
      ->capture_default_str()
      ->group("input");
  app.add_option("--multiple", flags.multiples,
                 "draw multiples of a number for an extent, by its letter in `plumb ops OP`: N=64; last is the last "
                 "extent of [..]")
      ->type_name("LETTER=N")
      ->allow_extra_args(false)
      ->group("input");
  app.add_option("--fill", flags.fills,
                 "the numbers, one or several of these: graph (normal), exact, adversarial[:NAME] (docs/fills.md)")
      ->delimiter(',')
      ->capture_default_str()
      ->group("input");
  app.add_option("--seed", flags.seed, "seed of shapes and numbers")->capture_default_str()->group("input");
  app.add_option("--seeds", flags.seeds, "check each shape on the numbers of this many seeds, from --seed on")
      ->check(flags::whole_from_to(1, 100'000))
      ->capture_default_str()
      ->group("input");
  flags::add_candidate_flags(app, flags.candidate);
  flags::add_demand_flags(app, flags.demands, flags.min_verified);
  flags::add_output(app, "--json", flags.json, "write the report as JSON to this file, or - for stdout")
      ->group("output");
  flags::add_output(app, "--junit", flags.junit, "write the report as JUnit XML to this file, or - for stdout")
      ->group("output");
  flags::add_force_flag(app, flags.force);
  app.add_flag("-v,--verbose", flags.verbose, "print the table of verify for each check")->group("output");
  app.add_flag("-q,--quiet", flags.quiet, "print only what did not pass, and the last line")->group("output");
  flags::add_style_flags(app, flags.style);
  flags::add_device_flags(app, flags.device);
}

check::Check CheckPlan::at(std::uint64_t number) const {
  const verify::FillOptions& fill = fills[number / seeds % fills.size()];
  return {.op = op,
          .attributes = attributes,
          .operands = types[number / seeds / fills.size()],
          .fill = fill.kind,
          .adversarial = fill.adversarial,
          .seed = seed + number % seeds};
}

flags::ChosenExecutor open_judged(const flags::CandidateFlags& candidate, const flags::DeviceFlags& device) {
  flags::ChosenExecutor opened = flags::open_chosen("gpu", candidate, device);
  flags::require_computes(*opened.executor, opened.spec, "a check has many");
  return opened;
}

verify::VerifyOptions verify_options_of(const CheckFlags& flags) {
  verify::VerifyOptions options{.plain = true};
  if (!flags.min_verified.empty())
    options.min_verified = {flags.min_verified[0], flags.min_verified[1]};
  else if (flags.demands.strict)
    options.min_verified = core::strict_coverage;
  return options;
}

check::Words words_of(const CheckFlags& flags) {
  check::Words words;
  for (const std::string& text : flags.attributes) words.push_back(split_at_equals("--attr", text));
  return words;
}

CheckPlan plan_of(const CheckFlags& flags) {
  ir::require(!flags.op.empty(), "--op is required, or --def");
  const check::Words words = words_of(flags);
  const ir::Op op = check::op_of(flags.op, words);
  CheckPlan plan{.op = op, .attributes = words, .types = {}, .fills = {}, .seed = flags.seed, .seeds = flags.seeds};
  for (const std::string& text : flags.fills) library::set_fill(text, "--fill", plan.fills.emplace_back());
  plan.types = types_of(op, flags);
  return plan;
}

}  // namespace plumb::parity::cli
