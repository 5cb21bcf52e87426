// Whatever the bytes, the reader of ONNX models gives a graph or throws Error.

#include <cstdint>
#include <string_view>

#include "ir/formats/onnx/onnx_file.hpp"
#include "ref_cpu/cpu_executor.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumb;
  static ref_cpu::CpuExecutor executor({.threads = 1});
  static const ir::OnnxOptions options{
      .evaluate = ir::evaluate_with(executor), .most_bytes = 1 << 24, .most_nodes = 2000};
  try {
    const auto model =
        ir::parse_onnx({reinterpret_cast<const char*>(data), size}, "/nonexistent_folder_of_external_data", options);
    if (!ir::verify(model.file.graph).empty()) __builtin_trap();  // a graph can only be built valid
  } catch (const ir::Error&) {
  }
  return 0;
}
