// Whatever the text, the reader of graph files gives a graph or throws Error.

#include <cstdint>
#include <string_view>

#include "ir/formats/graph_file.hpp"
#include "tests/fuzz/limits.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumb::ir::formats;
  using plumb::ir::Error;
  const plumb::fuzz::WithinLimits limits;
  try {
    const auto file = parse_graph({reinterpret_cast<const char*>(data), size}, "/nonexistent_folder_of_external_data");
    materialise(file, 1, 1 << 20);
  } catch (const Error&) {
  }
  return 0;
}
