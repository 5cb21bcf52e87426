// Attributes that name a dtype go the way that the magnitudes of complex operands go.
#include "parity/bounds/real_op.hpp"

#include "ir/passes/convert_dtype.hpp"

namespace plumb::parity::bounds {

ir::Op real_op(const ir::Op& op) {
  return ir::passes::with_dtypes(op, [](ir::DType dtype) { return ir::is_complex(dtype) ? ir::DType::f64 : dtype; });
}

}  // namespace plumb::parity::bounds
