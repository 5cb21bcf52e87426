// Takes the flags of a case as those of a command line are taken, and finds its graphs.
#include "parity/cli/verifying/batches.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "ir/files/file_kind.hpp"
#include "library/verify.hpp"
#include "parity/cases/listed/case_list.hpp"
#include "parity/cli/flags/as_meant.hpp"
#include "parity/cli/flags/graph_paths.hpp"

namespace plumb::parity::cli {
namespace {

/// It takes them by the command line's own parser, so that a value means, and may be, the same in both.
void take_flags(const cases::ListedCase& one, flags::VerifyFlags& flags) {
  CLI::App app;
  flags::add_verify_flags(app, flags);
  flags::take_as_meant(app);
  std::vector<std::string> words = one.flags;
  words.push_back(one.model);
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& problem) {
    ir::fail(problem.what());
  }
}

/// Steps are judged one after the other, each on what the candidate made before.
void require_decodable(const flags::VerifyFlags& flags) {
  if (flags.graph.model.gguf.decode == 0) return;
  const bool is_one_run = flags.seeds == 1 && flags.candidates.size() == 1 && !flags.each_kernel;
  ir::require(is_one_run && flags.jobs.empty() && flags.fill == "graph",
              "--decode judges the steps of one run of one candidate, in one process: it does not go with --seeds, "
              "several of --candidate, --each-kernel, --fill, --jobs or --retries");
}

/// The sources of a batch's graphs and feeds. Throws Error where its flags do not go together.
verify::FillOptions fill_options(const Batch& batch) {
  flags::GraphFlags graph = batch.flags.graph;
  flags::settle_by_dump(batch.flags.candidates, graph.model);
  if (graph.model.are_for_several) flags::require_known_shapes(batch.paths, graph.model);
  require_decodable(batch.flags);
  verify::FillOptions fill = flags::fill_options(graph);
  library::set_fill(batch.flags.fill, "--fill", fill);
  ir::require(fill.kind != core::FillKind::exact || batch.flags.seeds == 1,
              "--fill exact makes a graph of its own for each seed");
  ir::require(fill.kind != core::FillKind::exact || fill.precision.empty(),
              "--fill exact does not go with --precision");
  ir::require(fill.kind != core::FillKind::exact || !fill.read_larger,
              "--fill exact makes a graph of its own, which has no --bucket");
  flags::set_budget(batch.flags.memory, fill);
  if (batch.flags.seeds > 1 && !fill.param_seed) fill.param_seed = fill.seed;
  return fill;
}

/// A graph in JSON leaves nothing open: beside ONNX models, which come first, it gets no --shape, --data or --bucket.
std::vector<Batch> by_format(Batch batch) {
  flags::ModelFlags& model = batch.flags.graph.model;
  model.are_for_several = batch.paths.size() > 1;
  Batch rest = batch;
  std::erase_if(rest.paths, flags::is_onnx);
  rest.flags.graph.model.shapes.clear();
  rest.flags.graph.model.data.clear();
  rest.flags.graph.model.buckets.clear();
  const bool is_mixed = !rest.paths.empty() && rest.paths.size() < batch.paths.size();
  std::vector<Batch> batches;
  if (is_mixed && !(model.shapes.empty() && model.data.empty() && model.buckets.empty())) {
    std::erase_if(batch.paths, [](const std::string& path) { return !flags::is_onnx(path); });
    batches = {std::move(batch), std::move(rest)};
  } else {
    batches = {std::move(batch)};
  }
  for (Batch& one : batches) one.fill = fill_options(one);
  return batches;
}

std::vector<Batch> batches_of(const cases::ListedCase& one, const flags::VerifyFlags& flags) try {
  Batch batch{.flags = flags, .where = one.where, .tags = one.tags};
  take_flags(one, batch.flags);
  batch.paths = flags::graph_paths({one.model});
  return by_format(std::move(batch));
} catch (const ir::Unsupported&) {
  throw;
} catch (const ir::Error& problem) {
  ir::fail(one.where, ": ", problem.what());
}

}  // namespace

bool is_list(const std::filesystem::path& path) { return ir::files::has_extension(path, ".toml"); }

namespace {

std::vector<Batch> all_batches(const flags::VerifyFlags& flags) {
  std::vector<Batch> batches;
  Batch named{.flags = flags};
  for (const std::string& path : flags.paths) {
    if (!is_list(path)) {
      named.paths.push_back(path);
      continue;
    }
    for (const cases::ListedCase& one : cases::read_case_list(path))
      for (Batch& batch : batches_of(one, flags)) batches.push_back(std::move(batch));
  }
  if (named.paths.empty()) return batches;
  named.paths = flags::graph_paths(named.paths);
  std::vector<Batch> all = by_format(std::move(named));
  for (Batch& batch : batches) all.push_back(std::move(batch));
  return all;
}

}  // namespace

std::vector<Batch> batches_of(const flags::VerifyFlags& flags) {
  std::vector<Batch> batches = all_batches(flags);
  for (std::size_t i = 0; i < batches.size(); ++i) batches[i].number = i;
  return batches;
}

}  // namespace plumb::parity::cli
