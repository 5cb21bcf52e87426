// Reads a graph file and makes the case of it, within a budget of memory.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "ir/adversarial/adversarial.hpp"
#include "ir/adversarial/use.hpp"
#include "ir/files/file_kind.hpp"
#include "ir/files/read_file.hpp"
#include "ir/formats/result_names.hpp"
#include "ir/passes/convert_dtype.hpp"
#include "ir/passes/widen.hpp"
#include "ir/raw/mappings.hpp"
#include "parity/cases/precision_plan.hpp"
#include "parity/verify/shares.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::verify {
namespace {

constexpr std::uint64_t most_plan_bytes = 1 << 20;

/// The most bytes of truths held at once, and of what judging a node needs beside them.
double truths(const ir::Graph& graph) {
  const std::vector<double> held = truths_held(graph);
  double most = 0;
  for (std::size_t n = 0; n < held.size(); ++n) {
    const ir::Node& node = graph.nodes()[n];
    double scratch = limit_bytes(graph, node);  // and copies that the executors of this one node make
    for (const auto* const values : {&node.inputs, &node.outputs})
      for (const ir::Value v : *values) scratch += 3 * wide_bytes(graph.type(v));
    most = std::max(most, held[n] + scratch);
  }
  return most;
}

/// Gives generated params a seed of their own, whatever the run's.
void fix_params(ir::formats::GraphFile& file, std::uint64_t seed) {
  for (ir::Value v = file.graph.inputs().size(); file.graph.is_source(v); ++v) {
    const auto [source, is_new] = file.sources.try_emplace(
        file.graph.name(v), ir::formats::Generated{ir::default_fill(file.graph.type(v).dtype)});
    auto* const made = std::get_if<ir::formats::Generated>(&source->second);
    if (made != nullptr && !made->seed) made->seed = seed;
  }
}

/// Fills the graph with adversarial numbers: floats and bools whatever the file says, integers where they are indices,
/// or the file says nothing of them. What the file expects is not of these.
void make_adversarial(ir::formats::GraphFile& file, std::optional<ir::AdversarialKind> kind) {
  const ir::formats::Generated adversarial{{.distribution = ir::Distribution::adversarial, .kind = kind}};
  for (ir::Value v = 0; file.graph.is_source(v); ++v) {
    const std::string name = file.graph.name(v);
    const bool is_kept = ir::is_integer(file.graph.type(v).dtype) && file.sources.contains(name) &&
                         ir::adversarial::use_of(file.graph, v).role != ir::Role::index;
    if (is_kept) continue;
    file.sources.insert_or_assign(name, adversarial);
    file.decimals.written.erase(name);
  }
  file.expected.clear();
  file.given_outputs.clear();
  file.decimals.last_digits.clear();
  file.must = ir::formats::Must::pass;
  file.expect_error.clear();
}

/// Makes adversarial numbers again for the dtypes that the graph was stored in; the graph as it was is fed the same.
void refill(const ir::formats::GraphFile& file, std::uint64_t seed, ir::Feeds& feeds, cases::Written& written) {
  for (ir::Value v = 0; file.graph.is_source(v); ++v) {
    const std::string name = file.graph.name(v);
    const auto source = file.sources.find(name);
    const auto* const made =
        source == file.sources.end() ? nullptr : std::get_if<ir::formats::Generated>(&source->second);
    if (made == nullptr || made->fill.distribution != ir::Distribution::adversarial) continue;
    const ir::Tensor& fed =
        feeds
            .insert_or_assign(name, ir::adversarial::fill(file.graph, v, made->fill.kind, made->seed.value_or(seed),
                                                          ir::stream_of(name)))
            .first->second;
    written.feeds.insert_or_assign(name, ir::convert(fed, written.graph.type(v).dtype));
  }
}

/// The origin of a case: its options, its plan, and a hash of the tensors read, as they were before a change of dtype.
cases::Origin origin_of(const FillOptions& options, const ir::formats::GraphFile& file, const ir::Feeds& feeds) {
  cases::Origin origin{.param_seed = options.param_seed,
                       .shapes = options.shapes,
                       .has_given = options.has_given || !options.given.empty()};
  ir::Feeds read;
  for (const auto& [name, source] : file.sources)
    if (!std::holds_alternative<ir::formats::Generated>(source))
      if (const auto fed = feeds.find(name); fed != feeds.end()) read.insert(*fed);
  origin.tensors = cases::hash_of(read, options.literals);
  if (!options.precision.empty() && !ir::enum_value<ir::passes::Precision>(options.precision))
    origin.plan = ir::files::read_text(options.precision, most_plan_bytes);
  return origin;
}

/// Stores the f32 values of a graph in another dtype; what it was.
cases::Written store_as(ir::DType dtype, ir::formats::GraphFile& file, cases::Case& made) {
  cases::Written written{file.graph, std::move(made.feeds)};
  file.graph = ir::passes::as_dtype(written.graph, dtype);
  made.feeds = ir::passes::as_dtype(written.feeds, dtype);
  made.dtype = dtype;
  return written;
}

/// Takes what another implementation gave to where it is judged.
void place_given_outputs(const FillOptions& options, const std::string& path, ir::formats::GraphFile& file,
                         cases::Case& made) {
  ir::Feeds expected = options.expected;
  if (options.read_expected) expected.merge(options.read_expected(file));
  for (auto& [name, tensor] : expected) {
    require_expectable(file, path, name, tensor.type());
    const ir::Value value = *ir::formats::find_computed(file.graph, name);
    file.given_outputs.insert_or_assign(file.graph.name(value), std::move(tensor));
  }
  if (file.given_outputs.empty()) return;
  if (options.expected_within) {
    for (const auto& [name, tensor] : file.given_outputs)
      file.expected.insert_or_assign(name, ir::passes::widen(tensor));
    return;
  }
  cases::Expectation expectation{file.given_outputs};
  if (options.dtype || !options.precision.empty()) {
    expectation.graph = file.graph;
    expectation.feeds = made.feeds;
  }
  made.expectation = std::make_shared<const cases::Expectation>(std::move(expectation));
}

/// Bytes of inputs and params that are made, or read from what is not mapped.
double bytes_made(const ir::formats::GraphFile& file) {
  double bytes = 0;
  for (ir::Value v = 0; file.graph.is_source(v); ++v) {
    const auto source = file.sources.find(file.graph.name(v));
    const auto* const external =
        source == file.sources.end() ? nullptr : std::get_if<ir::formats::External>(&source->second);
    const auto* const tensor = source == file.sources.end() ? nullptr : std::get_if<ir::Tensor>(&source->second);
    const bool is_mapped = (external != nullptr && ir::files::has_extension(external->file, ".gguf")) ||
                           (tensor != nullptr && ir::raw::is_mapped(tensor->bytes()));
    if (!is_mapped) bytes += bytes_of(file.graph.type(v));
  }
  return bytes;
}

/// The tensor such that copies of it, which everyone who compiles the graph makes, are of the same bytes.
ir::Tensor with_shared_bytes(ir::Tensor tensor) {
  constexpr std::size_t least = std::size_t{1} << 20;
  const std::span<const std::byte> bytes = std::as_const(tensor).bytes();
  if (bytes.size() < least || ir::raw::is_mapped(bytes)) return tensor;
  const auto owner = std::make_shared<const ir::Tensor>(std::move(tensor));
  return ir::Tensor::shared(owner->type(), owner->bytes(), owner);
}

std::string gibibytes(double bytes) { return fmt::format("{:.3g} GiB", bytes * 0x1p-30); }

}  // namespace

double memory_needed(const ir::Graph& graph) {
  // The candidate's, and what it hands back; what is judged, and what is judged before its turn.
  return 2 * verify::bytes_of_values(graph) + truths(graph) + verify::waiting_bytes(graph);
}

bool may_be_given(const ir::TensorType& given, const ir::TensorType& type) {
  return given == type || (given.shape == type.shape && ir::is_float(given.dtype) && ir::is_float(type.dtype));
}

void require_given(const ir::formats::GraphFile& file, const std::string& path, std::string_view name,
                   const ir::TensorType& type) {
  const auto value = file.graph.find(name);
  ir::require(value && file.graph.is_source(*value), path, ": has no input or param '", name, "' to be given");
  const ir::TensorType& wanted = file.graph.type(*value);
  ir::require(type == wanted, path, ": '", name, "' is ", wanted, ", but what is given for it ", type);
}

void require_expectable(const ir::formats::GraphFile& file, const std::string& path, std::string_view name,
                        const ir::TensorType& type) {
  const auto value = ir::formats::find_computed(file.graph, name);
  ir::require(value.has_value(), path, ": computes no value '", name, "' to be expected");
  const ir::TensorType& wanted = file.graph.type(*value);
  ir::require(may_be_given(type, wanted), path, ": '", name, "' is ", wanted, ", but what is expected of it ", type);
}

cases::Case stored_as(const cases::Case& subject, ir::DType dtype) {
  cases::Case made = subject;
  ir::formats::GraphFile file = *subject.file;
  made.as_written = std::make_shared<const cases::Written>(store_as(dtype, file, made));
  made.file = std::make_shared<const ir::formats::GraphFile>(std::move(file));
  return made;
}

cases::Case load_case(const std::filesystem::path& path, const FillOptions& options) {
  ir::formats::GraphFile file = options.read(path);
  const bool is_adversarial = options.kind == core::FillKind::adversarial;
  if (is_adversarial) make_adversarial(file, options.adversarial);
  if (options.param_seed) fix_params(file, *options.param_seed);
  const double of_written = options.dtype ? truths(file.graph) : 0;  // beside those of the graph that this makes
  const double needed = options.is_held_to_budget ? bytes_made(file) : memory_needed(file.graph) + of_written,
               budget = static_cast<double>(options.memory_budget);
  ir::require(needed <= budget, path.string(), ": needs about ", gibibytes(needed), " of memory, at most ",
              gibibytes(budget), " may be used");
  std::set<std::string, std::less<>> replaced;
  ir::Feeds given = options.given;
  if (options.read_given) given.merge(options.read_given(file));
  for (auto& [name, tensor] : given) {
    require_given(file, path.string(), name, tensor.type());
    file.sources.insert_or_assign(name, std::move(tensor));
    file.decimals.written.erase(name);
    replaced.insert(name);
  }
  cases::Case made{.name = path.string(),
                   .seed = options.seed,
                   .dtype = options.dtype,
                   .expected_within = options.expected_within,
                   .precision = options.precision};
  if (is_adversarial) {
    made.fill = options.kind;
    made.adversarial = options.adversarial.value_or(ir::adversarial::kind_of_seed(options.seed));
  }
  constexpr std::uint64_t any = std::uint64_t{1} << 62;  // weights are mapped, and the rest is counted by now
  made.feeds = ir::formats::materialise(file, options.seed, options.is_held_to_budget ? any : options.memory_budget);
  for (auto& [name, tensor] : made.feeds) tensor = with_shared_bytes(std::move(tensor));
  made.origin = origin_of(options, file, made.feeds);
  made.origin.is_of_file = true;
  made.origin.given = std::move(replaced);
  place_given_outputs(options, path.string(), file, made);
  if (!options.precision.empty()) {
    ir::require(!options.dtype, path.string(), ": --precision is of f32 graphs, not with --dtype");
    file.graph = ir::passes::at_precision(file.graph, cases::plan_of(file.graph, options.precision));
  }
  if (options.dtype) {
    cases::Written written = store_as(*options.dtype, file, made);
    refill(file, options.seed, made.feeds, written);
    made.as_written = std::make_shared<const cases::Written>(std::move(written));
  }
  made.file = std::make_shared<const ir::formats::GraphFile>(std::move(file));
  return made;
}

}  // namespace plumb::parity::verify
