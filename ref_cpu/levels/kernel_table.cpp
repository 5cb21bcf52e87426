#include "ref_cpu/kernel_table.hpp"

#include "ref_cpu/gemm/bounded_matmul.hpp"
#include "ref_cpu/op_table.hpp"

namespace plumb::ref_cpu {

const Kernels& compiled_kernels() {
  static const Kernels table = {Ops::table<ErasedKernel>([]<class T>() -> ErasedKernel {
                                  return [](const ir::Op& op, Call& call) { run(op.as<T>(), call); };
                                }),
                                gemm::run};
  return table;
}

}  // namespace plumb::ref_cpu
