// Prints metadata and tensors of a GGUF file, none of whose elements it looks at.
#include "parity/cli/show/inspect_gguf.hpp"

#include <map>

#include "ir/formats/gguf/gguf.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/terminal/table.hpp"

namespace plumb::parity::cli::show {
namespace {

struct OfType {
  std::size_t tensors = 0;
  double bytes = 0;
};

ir::formats::gguf::Gguf open_named(const std::string& path) {
  try {
    return ir::formats::gguf::Gguf::open(path);
  } catch (const ir::Error& error) {
    ir::fail(path, ": ", error.what());
  }
}

}  // namespace

void print_gguf(const std::string& path) {
  const auto file = open_named(path);
  print("GGUF version {}, alignment {}, {:.1f} MB, {}, {}\n\n", file.version(), file.alignment(),
        static_cast<double>(file.file_bytes()) * 1e-6,
        core::terminal::counted(file.metadata().size(), "metadata value"),
        core::terminal::counted(file.tensors().size(), "tensor"));
  for (const auto& value : file.metadata()) print("{}: {}\n", value.key, value.shown());
  print("\n");
  std::map<std::string_view, OfType> types;
  for (const auto& tensor : file.tensors()) {
    print("{}: {}{}\n", tensor.name, tensor.element.name, ir::cat(tensor.shape));
    OfType& of = types[tensor.element.name];
    ++of.tensors;
    of.bytes += static_cast<double>(tensor.bytes.size());
  }
  print("\n{:<14} {:>7} {:>12}\n", "type", "tensors", "MB");
  for (const auto& [name, of] : types) print("{:<14} {:>7} {:>12.3f}\n", name, of.tensors, of.bytes * 1e-6);
}

}  // namespace plumb::parity::cli::show
