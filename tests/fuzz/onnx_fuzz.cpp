// Whatever the bytes, the reader of ONNX models gives a graph or throws Error.

#include <cstdint>
#include <string_view>

#include "ir/formats/onnx/onnx_file.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/fuzz/limits.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumb;
  namespace formats = ir::formats;
  static ref_cpu::CpuExecutor executor({.threads = 1});
  static const formats::OnnxOptions options{
      .evaluate = formats::evaluate_with(executor), .most_bytes = 1 << 24, .most_nodes = 2000};
  const fuzz::WithinLimits limits;
  try {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto model = formats::parse_onnx(bytes, "/nonexistent_folder_of_external_data", options);
    if (!ir::verify(model.file.graph).empty()) __builtin_trap();  // a graph can only be built valid
  } catch (const ir::Error&) {
  }
  return 0;
}
