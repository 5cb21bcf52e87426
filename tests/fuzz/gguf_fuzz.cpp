// Whatever the bytes, the reader of GGUF files gives tensors, and its templates a graph, or they throw Error.

#include <cstdint>
#include <memory>
#include <vector>

#include "ir/formats/gguf/architectures/read_gguf.hpp"
#include "ir/formats/gguf/gguf.hpp"
#include "tests/fuzz/limits.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumb;
  namespace gguf = ir::formats::gguf;
  static fuzz::Tally tally;
  const fuzz::WithinLimits limits;
  try {
    const auto bytes = std::make_shared<const std::vector<std::uint8_t>>(data, data + size);
    const gguf::Gguf file(std::as_bytes(std::span(*bytes)), bytes);
    for (const gguf::Metadata& value : file.metadata()) static_cast<void>(value.shown());
    for (const gguf::TensorInfo& tensor : file.tensors()) static_cast<void>(file.read(tensor));
    if (file.find("general.architecture") != nullptr) {
      const auto model = gguf::architectures::read_gguf(fuzz::scratch_file({data, size}, ".gguf"));
      if (!ir::verify(model.file.graph).empty()) __builtin_trap();  // a graph can only be built valid
    }
    ++tally.read;
  } catch (const ir::Error& error) {
    tally.refuse(error.what());
  }
  return 0;
}
