#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/op_list.hpp"
#include "ir/sums.hpp"
#include "ref_cpu/bounded_product.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "ref_cpu/panel_product.hpp"

namespace plumb::ref_cpu {

/// How the kernel of an op adds, for operands of these types.
using SumsOfKernel = std::vector<ir::Sum> (*)(const ir::Op&, ir::Types);

/// The entry points of the code that is compiled once for each level of processors (cmake/levels.cmake).
struct Kernels {
  ir::OpTable<ErasedKernel> ops;
  ir::OpTable<SumsOfKernel> sums;  ///< null for an op that publishes none
  void (*bounded_product)(const BoundedProduct&, Call&);
  void (*panel_product)(const PanelProduct&, Call&);
  std::string (*fftw_version)();  ///< the library that transforms lines
};

/// The kernels as the compiler made them for the instructions that it was told to use.
const Kernels& compiled_kernels();

/// The kernels for this processor: compiled_kernels() of its level, where there are several.
const Kernels& chosen_kernels();

/// The level that they are for, "v3" say; where there is one kind only, what the compiler was told, such as "native".
std::string_view chosen_level();

}  // namespace plumb::ref_cpu
