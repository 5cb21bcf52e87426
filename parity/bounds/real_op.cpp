// Attributes that name a dtype go the way that the magnitudes of complex operands go.
#include "parity/bounds/real_op.hpp"

#include "ir/schema.hpp"

namespace plumb::parity::bounds {

ir::Op real_op(const ir::Op& op) {
  ir::Attributes attributes = op.attributes();
  for (const ir::FieldInfo& field : op.schema().fields()) {
    const auto found = attributes.find(field.name);
    if ((field.kind != "dtype" && field.kind != "dtype?") || found == attributes.end()) continue;
    auto& name = std::get<std::string>(found->second);
    if (ir::is_complex(*ir::find_dtype(name))) name = ir::info(ir::DType::f64).name;
  }
  return op.schema().read(attributes);
}

}  // namespace plumb::parity::bounds
