// Sets elements of an output apart.
#include "parity/settle/ranges/out_of_range.hpp"

namespace plumb::parity::settle {

OutOfRange set_apart(const compare::Allowed& allowed, const ir::Shape& shape, std::vector<bool> apart,
                     std::uint64_t count) {
  if (count == 0) return {allowed};
  const ir::Tensor none({ir::DType::f64, shape});
  compare::Limits limits = allowed.limits ? *allowed.limits : compare::Limits{none, none};
  limits.apart = std::move(apart);
  OutOfRange made{allowed, count};
  made.allowed.limits = std::make_shared<const compare::Limits>(std::move(limits));
  return made;
}

}  // namespace plumb::parity::settle
