// A cast to every dtype.
#include "ir/ops/cast.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Cast& op, Chooser& choose) { op.to = static_cast<ir::DType>(choose.below(ir::dtype_count)); }

}  // namespace plumb::parity::studies::fuzz
