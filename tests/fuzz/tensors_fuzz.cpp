// Whatever the bytes, the readers of .npy, .npz, .h5 and .safetensors give tensors or throw Error.

#include <cstdint>
#include <span>
#include <string>

#include "ir/error.hpp"
#include "ir/formats/tensor_files.hpp"
#include "tests/fuzz/limits.hpp"

namespace {

/// By what the file begins with; what begins with something else is for the reader that has most to refuse.
std::string extension_of(std::span<const std::uint8_t> bytes) {
  if (bytes.size() > 8 && bytes[8] == '{') return ".safetensors";  // behind the length of what it begins
  const std::uint8_t first = bytes.empty() ? 0 : bytes[0];
  return first == 0x89 ? ".h5" : first == 0x93 ? ".npy" : ".npz";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumb;
  static fuzz::Tally tally;
  constexpr std::uint64_t most_bytes = 64 << 20;
  const fuzz::WithinLimits limits;
  const auto path = fuzz::scratch_file({data, size}, extension_of({data, size}));
  try {
    ir::formats::load_tensors(path, most_bytes, {});
    ++tally.read;
  } catch (const ir::Error& error) {
    tally.refuse(error.what());
  }
  return 0;
}
