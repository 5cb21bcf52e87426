// Names and types of an ONNX file as text that is safe to show.
#include "ir/formats/onnx/names.hpp"

#include "ir/formats/onnx/tensor_proto.hpp"
#include "ir/raw/utf8.hpp"

namespace plumb::ir::from_onnx {
namespace {

constexpr std::size_t longest_name = 200;  ///< bytes

}  // namespace

std::string clean(std::string_view name) {
  const std::string text = raw::shown(name, longest_name, "");
  return text.empty() ? "?" : text;
}

std::string type_text(const ::onnx::TypeProto& type) {
  if (type.has_sequence_type()) return "sequence";
  if (type.has_map_type()) return "map";
  if (type.has_optional_type()) return "optional";
  if (type.has_sparse_tensor_type()) return "sparse tensor";
  if (!type.has_tensor_type()) return "unknown";
  std::string text;
  try {
    text = cat(dtype_of(type.tensor_type().elem_type()));
  } catch (const Unsupported&) {
    text = type_name(type.tensor_type().elem_type());
  }
  if (!type.tensor_type().has_shape()) return text + "[..]";
  text += '[';
  bool first = true;
  for (const auto& dimension : type.tensor_type().shape().dim()) {
    text += first ? "" : ", ";
    text += dimension.has_dim_value()       ? cat(dimension.dim_value())
            : dimension.dim_param().empty() ? "?"
                                            : clean(dimension.dim_param());
    first = false;
  }
  return text + "]";
}

}  // namespace plumb::ir::from_onnx
