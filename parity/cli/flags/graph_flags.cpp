#include "parity/cli/flags/graph_flags.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <random>

#include "ir/adversarial/adversarial.hpp"
#include "ir/formats/tensor_files.hpp"
#include "ir/passes/precision.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/terminal/table.hpp"

namespace plumb::parity::cli::flags {
namespace {

/// Three quarters of the machine's memory.
std::uint64_t usual_share_of_memory() {
  const auto pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return ir::formats::usual_memory_budget;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 4 * 3;
}

std::uint64_t fresh_seed() {
  std::random_device system;
  const std::uint64_t seed = (static_cast<std::uint64_t>(system()) << 16 | system() >> 16) | 1;
  std::cerr << "seed " << seed << '\n';
  return seed;
}

/// "2 inputs and 1 params from x.npz, 0 inputs generated": a tensor that is missing there is made in its place.
std::string fed_text(const ir::formats::GraphFile& file, const ir::Feeds& given, const std::string& from) {
  std::size_t inputs = 0, params = 0, generated = 0;
  for (ir::Value v = 0; file.graph.is_source(v); ++v) {
    const bool is_input = v < file.graph.inputs().size();
    const auto source = file.sources.find(file.graph.name(v));
    if (given.contains(file.graph.name(v)))
      ++(is_input ? inputs : params);
    else if (is_input &&
             (source == file.sources.end() || std::holds_alternative<ir::formats::Generated>(source->second)))
      ++generated;
  }
  const std::string and_params = params == 0 ? "" : " and " + terminal::counted(params, "param");
  return ir::cat(terminal::counted(inputs, "input"), and_params, " from ", from, ", ",
                 terminal::counted(generated, "input"), " generated");
}

/// The tensors of a file, of which none is read that the graph has no use for: a packed one may be of any size.
ir::Feeds read_tensors(const std::string& from, std::uint64_t most_bytes, const ir::formats::GraphFile& file,
                       decltype(verify::require_given)& check) {
  return ir::formats::load_tensors(
      from, most_bytes, [&](std::string_view name, const ir::TensorType& type) { check(file, from, name, type); });
}

/// What is no precision is the file of a plan; that there is none is not the graph's fault.
void require_precision(const std::string& text) {
  std::error_code problem;
  if (text.empty() || ir::enum_value<ir::passes::Precision>(text) || std::filesystem::exists(text, problem)) return;
  const auto names = enum_names(ir::passes::Precision{});
  ir::fail("--precision is f16acc32, f16acc16 or the file of a plan, and there is no file '", text, "'",
           core::did_you_mean(text, {names.begin(), names.end()}));
}

}  // namespace

void add_graph_flags(CLI::App& app, GraphFlags& flags) {
  app.add_option("--seed", flags.seed,
                 "seed of the generated inputs and params; 0 takes one from the system and prints it")
      ->capture_default_str()
      ->group("input");
  app.add_option("--param-seed", flags.param_seed,
                 "seed of the generated params, where it differs from that of the inputs")
      ->group("input");
  app.add_option("--load-inputs", flags.load_inputs,
                 "read these tensors by name (.npz, .h5) instead of generating them")
      ->group("input");
  app.add_option("--dtype", flags.dtype,
                 "store the graph's f32 values in this type; f16 brings in cooperative-matrix kernels")
      ->check(one_of({"f32", "f16", "bf16"}))
      ->capture_default_str()
      ->group("input");
  add_model_flags(app, flags.model);
}

void add_expected_flags(CLI::App& app, GraphFlags& flags, expected::Options& options) {
  const auto names = expected::precision_names();
  app.add_option("--expected", flags.expected,
                 "tensors by name (.npz, .h5) that another implementation gave for results or inner values")
      ->group("expected");
  app.add_option("--expected-precision", options.precision,
                 "how that implementation computed, docs/expected.md (default: as its tensors are stored)")
      ->check(one_of({names.begin(), names.end()}))
      ->group("expected");
  app.add_option("--expected-runs", options.runs, "runs with other roundings that its limits are made of")
      ->check(whole_from_to(8, 64))
      ->capture_default_str()
      ->group("expected");
  app.add_option("--rtol", flags.relative,
                 "hold the device to what was expected, with this relative tolerance, in place of a derived limit")
      ->check(not_negative())
      ->group("expected");
  app.add_option("--atol", flags.absolute, "absolute tolerance, likewise")->check(not_negative())->group("expected");
}

void add_precision_flag(CLI::App& app, GraphFlags& flags) {
  app.add_option(
         "--precision", flags.precision,
         "f16acc32: f32 products on f16 operands with f32 accumulators; or a plan that says for which nodes (TOML, "
         "docs/f16.md)")
      ->group("input");
}

verify::FillOptions fill_options(const GraphFlags& flags) {
  verify::FillOptions options;
  options.seed = flags.seed != 0 ? flags.seed : fresh_seed();
  if (flags.param_seed != 0) options.param_seed = flags.param_seed;
  if (flags.dtype != "f32") options.dtype = ir::find_dtype(flags.dtype);
  require_precision(flags.precision);
  if (flags.precision != "f32") options.precision = flags.precision;
  options.memory_budget = usual_share_of_memory();
  options.read = model_reader(flags.model);
  if (flags.relative || flags.absolute)
    options.expected_within = cases::Closeness{flags.relative.value_or(0), flags.absolute.value_or(0)};
  if (!flags.expected.empty())
    options.read_expected = [from = flags.expected, most = options.memory_budget](const ir::formats::GraphFile& file) {
      return read_tensors(from, most, file, verify::require_expectable);
    };
  if (!flags.load_inputs.empty())
    options.read_given = [from = flags.load_inputs, most = options.memory_budget](const ir::formats::GraphFile& file) {
      ir::Feeds given = read_tensors(from, most, file, verify::require_given);
      ir::require(!given.empty(), from, ": has no tensor, so that it feeds nothing");
      std::cerr << fed_text(file, given, from) << '\n';
      return given;
    };
  return options;
}

void read_fill(const std::string& text, verify::FillOptions& options) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  if (kind == "adversarial") {
    options.kind = core::FillKind::adversarial;
    if (colon != text.npos) options.adversarial = ir::adversarial::kind_named(text.substr(colon + 1));
    return;
  }
  ir::require(text == "graph" || text == "exact", "--fill is graph, exact, adversarial or adversarial:NAME, got '",
              text, "'");
  if (text == "exact") options.kind = core::FillKind::exact;
}

}  // namespace plumb::parity::cli::flags
