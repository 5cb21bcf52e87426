// The table of all kernels, compiled once for each level of processor instructions.
#include "ref_cpu/kernel_table.hpp"

#include "ref_cpu/gemm/bounded_matmul.hpp"
#include "ref_cpu/op_table.hpp"
#include "ref_cpu/packed/panel_product.hpp"
#include "ref_cpu/published_sums.hpp"
#include "ref_cpu/transforms/line_transform.hpp"

namespace plumb::ref_cpu {

const Kernels& compiled_kernels() {
  static const Kernels table = {Ops::table<ErasedKernel>([]<class T>() -> ErasedKernel {
                                  return [](const ir::Op& op, Call& call) { run(op.as<T>(), call); };
                                }),
                                Ops::table<SumsOfKernel>([]<class T>() -> SumsOfKernel {
                                  if constexpr (requires(const T& op) { published_sums(op, ir::Types{}); })
                                    return
                                        [](const ir::Op& op, ir::Types in) { return published_sums(op.as<T>(), in); };
                                  else
                                    return nullptr;
                                }),
                                gemm::run, packed::run, transforms::fftw_version};
  return table;
}

}  // namespace plumb::ref_cpu
