// Reads the model that is its argument and prints its results.
#include <iostream>

#include "ir/formats/onnx/onnx_file.hpp"
#include "ref_cpu/cpu_executor.hpp"

using namespace plumb;

int main(int, char** arguments) try {
  ref_cpu::CpuExecutor executor;
  const auto model = ir::formats::read_onnx(arguments[1], {.evaluate = ir::formats::evaluate_with(executor)});
  for (const ir::Value y : model.file.graph.results())
    std::cout << "onnx " << model.file.graph.name(y) << ' ' << model.file.graph.type(y) << '\n';
} catch (const ir::Error& error) {
  std::cout << error.what() << '\n';
}
