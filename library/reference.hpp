#pragma once

#include "parity/bounds/bounded_matmul.hpp"
#include "parity/bounds/panel_product.hpp"
#include "ref_cpu/bounded_product.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "ref_cpu/panel_product.hpp"

namespace plumb::library {

/// The CPU executor as the reference of comparisons: it makes the limits of matrix products along with the products,
/// and those of products with packed weights without these in f64.
/// parity does not know ref_cpu, nor ref_cpu parity, so the op of the one meets the kernel of the other here.
inline ref_cpu::CpuExecutor reference_executor(int threads = 0) {
  using Op = parity::bounds::BoundedMatmul;
  const auto kernel = [](const ir::Op& of, ref_cpu::Call& call) {
    const Op& op = of.as<Op>();
    run(ref_cpu::BoundedProduct{.transpose_a = op.transpose_a,
                                .transpose_b = op.transpose_b,
                                .random = op.random,
                                .certain = op.certain,
                                .stored = op.stored,
                                .of_square = op.of_square,
                                .of_spread = op.of_spread,
                                .of_terms = op.of_terms,
                                .least = op.least},
        call);
  };
  using Panels = parity::bounds::PanelProduct;
  const auto by_panels = [](const ir::Op& of, ref_cpu::Call& call) {
    const Panels& op = of.as<Panels>();
    run(ref_cpu::PanelProduct{.packing = op.packing(),
                              .weight_dtype = op.weight_dtype,
                              .part = static_cast<ref_cpu::PanelProduct::Part>(op.part),
                              .normal = op.normal,
                              .is_difference = op.is_difference,
                              .is_grouped = op.is_grouped},
        call);
  };
  return ref_cpu::CpuExecutor(
      {.threads = threads, .extra_kernels = {{&ir::schema<Op>(), kernel}, {&ir::schema<Panels>(), by_panels}}});
}

}  // namespace plumb::library
