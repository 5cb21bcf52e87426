#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "ir/formats/tensor_files.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/inspect_graph.hpp"

namespace plumb::parity::cli {
namespace {

void print_tensors(const std::string& path) {
  const auto file = ir::open_tensors(path);
  for (const std::string& name : file->names()) fmt::print("{}: {}\n", name, ir::cat(file->type(name)));
}

void inspect_file(const std::string& path, bool verbose) {
  const auto extension = std::filesystem::path(path).extension();
  if (extension == ".json") print_graph(ir::read_graph(path), verbose);
  else print_tensors(path);
}

}  // namespace

Action inspect(CLI::App& app) {
  const auto path = std::make_shared<std::string>();
  const auto verbose = std::make_shared<bool>(false);
  app.add_option("file", *path, "a graph (.json), a results file (.h5) or tensors (.npz, .npy, .h5)")->required();
  app.add_flag("-v,--verbose", *verbose, "every value and node of a graph");
  return [path, verbose] {
    inspect_file(*path, *verbose);
    return 0;
  };
}

}  // namespace plumb::parity::cli
