// Reads a model at the extents of --bucket, and says what these are without it.
#include "parity/cli/flags/bucket_flag.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ir/buckets.hpp"
#include "library/model.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::cli::flags {
namespace {

using Extents = std::map<std::string, std::int64_t, std::less<>>;  // by symbol

Extents parse_buckets(const std::vector<std::string>& flags) {
  const ir::formats::OnnxOptions parsed = library::onnx_options(flags, "--bucket");
  ir::require(!parsed.rest, "--bucket wants the name of an extent, as in --bucket seq=128, got '*'");
  Extents extents;
  for (const auto& [name, shape] : parsed.shapes) {
    ir::require(shape.size() == 1, "--bucket wants one extent, as in --bucket seq=128, got ", shape.size(), " for '",
                name, "'");
    extents.emplace(name, shape[0]);
  }
  return extents;
}

std::string text_of(const Extents& extents) {
  std::string text;
  for (const auto& [name, extent] : extents) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, extent);
  return text;
}

template <class Visit>
void for_each_input(const ir::formats::OnnxFacts& facts, const Visit& visit) {
  for (const auto* const inputs : {&facts.inputs, &facts.defaults})
    for (const ir::formats::OnnxValue& input : *inputs) visit(input);
}

/// The extents that somebody gave for an input; none where nobody did.
std::optional<ir::Shape> told_shape(const ir::formats::OnnxValue& input, const ir::formats::OnnxOptions& options) {
  if (const auto given = options.given.find(input.key); given != options.given.end()) return given->second.shape();
  if (const auto told = options.shapes.find(input.key); told != options.shapes.end()) return ir::Shape(told->second);
  return std::nullopt;
}

/// The extent of a symbol without the bucket, by flags, or by what inputs are given.
std::int64_t exact_extent(const std::string& symbol, const ir::formats::OnnxFacts& facts,
                          const ir::formats::OnnxOptions& options) {
  if (const auto told = options.shapes.find(symbol); told != options.shapes.end() && told->second.size() == 1)
    return told->second[0];
  std::optional<std::int64_t> found = options.rest;
  for_each_input(facts, [&](const ir::formats::OnnxValue& input) {
    const auto shape = told_shape(input, options);
    for (std::size_t k = 0; shape && k < std::min(shape->size(), input.symbols.size()); ++k)
      if (input.symbols[k] == symbol) found = (*shape)[k];
  });
  ir::require(found.has_value(), "--bucket rounds '", symbol, "' up, and nothing says what it is, as in --shape ",
              symbol, "=77");
  return *found;
}

void require_known_symbols(const Extents& rounded, const ir::formats::OnnxFacts& facts) {
  std::vector<std::string> names;
  for_each_input(facts, [&](const ir::formats::OnnxValue& input) {
    std::ranges::copy_if(input.symbols, std::back_inserter(names), [](const auto& name) { return !name.empty(); });
  });
  ir::require(!names.empty(), "no extent of an input is open and has a name, so that --bucket has none to round up");
  for (const auto& [symbol, extent] : rounded)
    ir::require(std::ranges::count(names, symbol) > 0, "no open extent is called '", symbol, "', which --bucket names",
                core::did_you_mean(symbol, names));
}

/// Makes what was given of an input, numbers or extents, what it is at the rounded extents.
void round_up(const ir::formats::OnnxValue& input, const Extents& rounded, ir::formats::OnnxOptions& options) {
  const auto shape = told_shape(input, options);
  if (!shape || shape->size() != input.symbols.size()) return;  // the reader says what is wrong
  ir::Shape larger = *shape;
  for (std::size_t k = 0; k < larger.size(); ++k)
    if (const auto found = rounded.find(input.symbols[k]); found != rounded.end()) larger[k] = found->second;
  if (const auto told = options.shapes.find(input.key); told != options.shapes.end()) told->second = larger;
  const auto given = options.given.find(input.key);
  if (given == options.given.end() || larger == *shape) return;
  const ir::TensorType type{given->second.dtype(), larger};
  ir::check_type(type);
  given->second = ir::padded(given->second, type);
}

verify::LargerModel read_larger(const std::filesystem::path& path, const ModelFlags& flags, const Extents& rounded) {
  ir::require(is_onnx(path), "--bucket goes with ONNX models, and this is not one");
  const ir::formats::OnnxFacts facts = ir::formats::read_onnx_facts(path);
  ir::formats::OnnxOptions options = options_for(path, flags, facts);
  require_known_symbols(rounded, facts);
  Extents exact;
  for (const auto& [symbol, extent] : rounded) {
    exact.emplace(symbol, exact_extent(symbol, facts, options));
    ir::require(exact.at(symbol) <= extent, "--bucket ", symbol, "=", extent, " is smaller than the ", exact.at(symbol),
                " that '", symbol, "' is without it");
  }
  for_each_input(facts, [&](const ir::formats::OnnxValue& input) { round_up(input, rounded, options); });
  for (const auto& [symbol, extent] : rounded) options.shapes.insert_or_assign(symbol, std::vector{extent});
  return {ir::formats::read_onnx(path, options).file, text_of(exact), text_of(rounded)};
}

}  // namespace

void add_bucket_flag(CLI::App& app, ModelFlags& flags) {
  app.add_option(
      "--bucket", flags.buckets,
      "symbol=128: also run an ONNX model at this larger extent, on the same numbers beside zeros; what both "
      "have of its results must agree within the limits of both (docs/metamorphic.md)");
}

std::function<verify::LargerModel(const std::filesystem::path&)> bucket_reader(const ModelFlags& flags) {
  return [flags, rounded = parse_buckets(flags.buckets)](const std::filesystem::path& path) {
    try {
      return read_larger(path, flags, rounded);
    } catch (const ir::Unsupported&) {
      throw;
    } catch (const ir::Error& error) {
      const std::string text = error.what(), name = path.string() + ": ";
      ir::fail(text.starts_with(name) ? "" : name, text);
    }
  };
}

}  // namespace plumb::parity::cli::flags
