#include "parity/cli/flags/graph_flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <random>

#include "ir/formats/tensor_files.hpp"
#include "ir/passes/precision.hpp"
#include "ir/raw/process_memory.hpp"
#include "parity/cli/flags/bucket_flag.hpp"
#include "parity/cli/flags/given_tensors.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/terminal/table.hpp"

namespace plumb::parity::cli::flags {
namespace {

/// Three quarters of the memory that the process may have.
std::uint64_t usual_share_of_memory() {
  const auto all = ir::raw::machine_memory();
  return all ? *all / 4 * 3 : ir::formats::usual_memory_budget;
}

std::uint64_t fresh_seed() {
  std::random_device system;
  const std::uint64_t seed = (static_cast<std::uint64_t>(system()) << 16 | system() >> 16) | 1;
  std::cerr << "seed " << seed << '\n';
  return seed;
}

/// The tensors of a file by their names in the graph, of which none is read that the graph has no use for: a packed one
/// may be of any size.
ir::Feeds read_expected(const std::string& from, std::uint64_t most_bytes, const ir::formats::GraphFile& file,
                        const ModelNames& names) {
  const auto in_graph = [&](std::string_view name) {
    const auto found = names.values.find(name);
    return found == names.values.end() ? std::string(name) : found->second;
  };
  ir::Feeds tensors =
      ir::formats::load_tensors(from, most_bytes, [&](std::string_view name, const ir::TensorType& found) {
        const ir::TensorType type = taken_for(file.graph, in_graph(name), found);
        verify::require_expectable(file, from, in_graph(name), type);
        return type;
      });
  ir::require(!tensors.empty(), from, ": has no tensor, so that it expects nothing");
  ir::Feeds expected;
  for (auto& [name, tensor] : tensors) {
    const auto [held, is_new] = expected.try_emplace(in_graph(name), std::move(tensor));
    ir::require(is_new || std::ranges::equal(held->second.bytes(), tensor.bytes()), from, ": expects of '", name,
                "' and '", held->first, "' what differs, and they are one tensor");
  }
  return expected;
}

/// A text that is no precision is the file of a plan; that there is none is not the graph's fault.
void require_precision(const std::string& text) {
  std::error_code problem;
  if (text.empty() || ir::enum_value<ir::passes::Precision>(text) || std::filesystem::exists(text, problem)) return;
  const auto names = enum_names(ir::passes::Precision{});
  ir::fail("--precision is f16acc32, f16acc16, bf16acc32, q8acc32 or the file of a plan, and there is no file '", text,
           "'", core::did_you_mean(text, {names.begin(), names.end()}));
}

}  // namespace

void add_graph_flags(CLI::App& app, GraphFlags& flags) {
  app.add_option("--seed", flags.seed,
                 "seed of the generated inputs and params; 0 takes one from the system and prints it")
      ->each([&flags](const std::string&) { flags.has_seed = true; })
      ->capture_default_str()
      ->group("input");
  app.add_option("--param-seed", flags.param_seed,
                 "seed of the generated params, where it differs from that of the inputs")
      ->group("input");
  app.add_option("--dtype", flags.dtype,
                 "store the graph's f32 values in this type; f16 brings in cooperative-matrix kernels")
      ->check(one_of({"f32", "f16", "bf16"}))
      ->capture_default_str()
      ->group("input");
  add_model_flags(app, flags.model);
}

void add_expected_flags(CLI::App& app, GraphFlags& flags, checks::expected::Options& options) {
  const auto names = checks::expected::precision_names();
  app.add_option("--expected", flags.model.expected,
                 "tensors by name (.npz, .h5, .safetensors, a folder of .npy) that another implementation gave for "
                 "results or inner values")
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
         "f16acc32 or bf16acc32: f32 products on 16-bit operands with f32 accumulators; q8acc32: products with packed "
         "weights on x as 8-bit codes; or a plan that says for which nodes (TOML, docs/f16.md)")
      ->group("input");
}

namespace {

/// A reader that gives again what it gave first.
template <class Result, class From>
std::function<Result(const From&)> kept(const std::function<Result(const From&)>& read) {
  return [read, first = std::make_shared<std::optional<Result>>()](const From& from) {
    if (!*first) *first = read(from);
    return **first;
  };
}

}  // namespace

void read_once(verify::FillOptions& fill) {
  fill.read = kept(fill.read);
  if (fill.read_larger) fill.read_larger = kept(fill.read_larger);
  if (fill.read_given) fill.read_given = kept(fill.read_given);
  if (fill.read_expected) fill.read_expected = kept(fill.read_expected);
}

verify::FillOptions fill_options(const GraphFlags& flags) {
  verify::FillOptions options;
  options.seed = flags.seed != 0 ? flags.seed : fresh_seed();
  if (flags.param_seed != 0) options.param_seed = flags.param_seed;
  if (flags.dtype != "f32") options.dtype = ir::find_dtype(flags.dtype);
  require_precision(flags.precision);
  if (flags.precision != "f32") options.precision = flags.precision;
  options.memory_budget = usual_share_of_memory();
  options.shapes = flags.model.shapes;
  options.literals = flags.model.inputs;
  options.has_given = !flags.model.data.empty() || !flags.model.load_inputs.empty() || !flags.model.inputs.empty();
  const auto names = std::make_shared<ModelNames>();
  ModelFlags model = flags.model;
  model.gguf.options.draw.seed = static_cast<std::int64_t>(options.seed);
  options.read = model_reader(model, names);
  if (!flags.model.buckets.empty()) options.read_larger = bucket_reader(flags.model);
  if (flags.relative || flags.absolute)
    options.expected_within = cases::Closeness{flags.relative.value_or(0), flags.absolute.value_or(0)};
  if (!flags.model.expected.empty())
    options.read_expected = [names, from = flags.model.expected, most = options.memory_budget](
                                const ir::formats::GraphFile& file) { return read_expected(from, most, file, *names); };
  if (!flags.model.load_inputs.empty() || !flags.model.inputs.empty())
    options.read_given = [names, model = flags.model, most = options.memory_budget](
                             const ir::formats::GraphFile& file) { return given_to(file, *names, model, most); };
  return options;
}

namespace {

/// The options of a prompt for another graph of its model, without what the prompt's was given.
verify::FillOptions ungiven(const verify::FillOptions& prompt, const ModelFlags& model) {
  verify::FillOptions options = prompt;
  options.read = model_reader(model);
  options.read_given = {};
  options.given.clear();
  options.read_expected = {};
  options.expected.clear();
  options.has_given = false;
  options.literals.clear();
  return options;
}

}  // namespace

verify::FillOptions step_options(const GraphFlags& flags, const verify::FillOptions& prompt) {
  ModelFlags model = flags.model;
  model.gguf.options.draw.seed = static_cast<std::int64_t>(prompt.seed);
  model.gguf.is_of_step = true;
  return ungiven(prompt, model);
}

verify::FillOptions prompt_options(const GraphFlags& flags, const verify::FillOptions& prompt,
                                   const ir::Tensor& tokens) {
  ModelFlags model = flags.model;
  GgufFlags& gguf = model.gguf;
  if (gguf.context == 0) gguf.context = tokens.shape().back();
  gguf.decode = gguf.prompt_tokens = 0;
  gguf.logits.clear();
  gguf.tokens.clear();
  for (const std::int32_t token : tokens.as<std::int32_t>())
    gguf.tokens += (gguf.tokens.empty() ? "" : ",") + std::to_string(token);
  return ungiven(prompt, model);
}

}  // namespace plumb::parity::cli::flags
