// `plumb lint`: what is wrong with a graph that shows without running it.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parity/cli/command.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/core/verdict.hpp"
#include "parity/studies/lint/lint_report.hpp"

namespace plumb::parity::cli {
namespace {

struct LintFlags {
  std::string path, level = "likely", json;
  std::vector<std::string> ranges;
  bool verbose = false, force = false;
  flags::GraphFlags graph;
};

/// "NAME:LO,HI"; a name may have colons of its own.
std::pair<std::string, std::pair<double, double>> parse_range(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::size_t comma = colon == std::string::npos ? colon : text.find(',', colon);
  const auto number = [&](const std::string& part) {
    std::size_t read = 0;
    double value = 0;
    try {
      value = std::stod(part, &read);
    } catch (const std::exception&) {
      read = 0;
    }
    ir::require(read > 0 && read == part.size(), "--range ", text, ": '", part, "' is no number");
    return value;
  };
  ir::require(comma != std::string::npos && colon > 0, "--range ", text, ": wanted NAME:LO,HI");
  return {text.substr(0, colon), {number(text.substr(colon + 1, comma - colon - 1)), number(text.substr(comma + 1))}};
}

/// The graph as its flags say, with tensors that they give in place of the file's.
ir::formats::GraphFile read_graph(const LintFlags& flags, const verify::FillOptions& fill) {
  ir::formats::GraphFile file = fill.read(flags.path);
  ir::Feeds given = fill.given;
  if (fill.read_given) given.merge(fill.read_given(file));
  for (auto& [name, tensor] : given) {
    verify::require_given(file, flags.path, name, tensor.type());
    file.sources.insert_or_assign(name, std::move(tensor));
  }
  return file;
}

int run_lint(const LintFlags& flags) {
  const verify::FillOptions fill = flags::fill_options(flags.graph);
  studies::lint::Options options{.dtype = fill.dtype, .seed = fill.seed};
  for (const std::string& text : flags.ranges)
    ir::require(options.ranges.insert(parse_range(text)).second, "--range ", text, ": the name has a range already");
  flags::Outputs outputs{.force = flags.force, .inputs = flags::files_read(flags.graph)};
  outputs.inputs.emplace_back(flags.path);
  const auto json = outputs.open(flags.json, ir::files::FileKind::json);
  const ir::formats::GraphFile file = read_graph(flags, fill);
  const studies::lint::Heading heading{flags.path, flags.graph.dtype,
                                       ir::enum_value<studies::lint::Level>(flags.level).value()};
  studies::lint::Lint found;
  try {
    found = studies::lint::lint(file, options);
  } catch (const ir::Error& error) {
    ir::fail(flags.path, ": ", error.what());
  }
  const std::string text = studies::lint::lint_text(found, heading, flags.verbose);
  if (flags.json == "-")
    std::cerr << core::terminal::printable(text);
  else
    show::print_lines(text);
  flags::write_whole(json, studies::lint::lint_json(found, heading));
  return static_cast<int>(studies::lint::count_of(found, heading.level) == 0 ? core::ExitCode::passed
                                                                             : core::ExitCode::failed);
}

}  // namespace

Action lint(CLI::App& app) {
  const auto flags = std::make_shared<LintFlags>();
  app.add_option("graph", flags->path, "graph file (plumb.graph/1, ONNX, GGUF)")->required();
  app.add_option("--range", flags->ranges,
                 "the numbers of an input or param lie anywhere between these two, in place of what the file says")
      ->type_name("NAME:LO,HI")
      ->allow_extra_args(false);
  app.add_option("--level", flags->level, "report what is at least as sure as that: possible, likely or sure")
      ->check(flags::one_of({"possible", "likely", "sure"}))
      ->capture_default_str();
  app.add_flag("-v,--verbose", flags->verbose, "also say of every value what numbers are expected of it");
  flags::add_output(app, "--json", flags->json, "write findings and values as JSON to this file, or - for stdout");
  flags::add_force_flag(app, flags->force);
  flags::add_graph_flags(app, flags->graph);
  return [flags] { return run_lint(*flags); };
}

}  // namespace plumb::parity::cli
