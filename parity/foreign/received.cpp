// Takes tensors of wider dtypes for a graph's values, where no number changes.
#include "parity/foreign/received.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <optional>

#include "ir/formats/tensor_files.hpp"
#include "parity/core/candidate_error.hpp"

namespace plumb::parity::foreign {
namespace {

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  throw core::CandidateError(ir::cat(parts...));
}

template <class T>
bool is_nan(T x) {
  if constexpr (ir::is_complex(ir::dtype_of<T>))
    return std::isnan(x.real()) || std::isnan(x.imag());
  else if constexpr (ir::is_float(ir::dtype_of<T>))
    return std::isnan(static_cast<double>(x));
  else
    return false;
}

/// The first element whose bits differ, NaN from NaN excepted.
std::optional<std::size_t> first_difference(const ir::Tensor& a, const ir::Tensor& b) {
  std::optional<std::size_t> first;
  ir::visit_any(a.dtype(), [&]<class T>(T) {
    const auto x = a.as<T>(), y = b.as<T>();
    for (std::size_t k = 0; k < x.size() && !first; ++k)
      if (std::memcmp(&x[k], &y[k], sizeof(T)) != 0 && !(is_nan(x[k]) && is_nan(y[k]))) first = k;
  });
  return first;
}

}  // namespace

bool is_wider(ir::DType wide, ir::DType narrow) {
  const bool is_one_class = (ir::is_float(wide) && ir::is_float(narrow)) ||
                            (ir::is_integer(wide) && ir::is_integer(narrow)) ||
                            (ir::is_complex(wide) && ir::is_complex(narrow));
  const bool loses_sign = ir::is_signed(narrow) && !ir::is_signed(wide);
  return is_one_class && !loses_sign && ir::info(wide).bytes > ir::info(narrow).bytes;
}

bool is_stored_in(const ir::TensorType& found, const ir::TensorType& wanted) {
  return found.shape == wanted.shape && ir::is_float(wanted.dtype) && is_wider(wanted.dtype, found.dtype);
}

bool is_receivable(const ir::TensorType& found, const ir::TensorType& wanted, Storage storage) {
  const ir::DType dtype = ir::formats::taken_as(found, wanted.dtype).dtype;
  if (storage == Storage::observed && is_stored_in(found, wanted)) return true;
  return found.shape == wanted.shape && (dtype == wanted.dtype || is_wider(dtype, wanted.dtype));
}

void require_receivable(const std::string& name, const ir::TensorType& found, const ir::TensorType& wanted,
                        Storage storage) {
  if (is_receivable(found, wanted, storage)) return;
  if (found.shape != wanted.shape) refuse("'", name, "' is ", found, ", the graph says ", wanted);
  refuse("'", name, "' is ", found.dtype, ", the graph says ", wanted.dtype);
}

ir::Tensor received(const std::string& name, ir::Tensor found, const ir::TensorType& wanted, Storage storage) {
  require_receivable(name, found.type(), wanted, storage);
  if (storage == Storage::observed && is_stored_in(found.type(), wanted)) return found;
  found = ir::formats::taken_as(std::move(found), wanted.dtype);
  if (found.dtype() == wanted.dtype) return found;
  ir::Tensor made = ir::convert(found, wanted.dtype);
  if (const auto k = first_difference(found, ir::convert(made, found.dtype())))
    refuse("'", name, "' is ", found.dtype(), ", the graph says ", wanted.dtype, ", which has no number ",
           element_text(found, *k), ", its element ", *k);
  return made;
}

std::string element_text(const ir::TensorView& tensor, std::size_t k) {
  std::string text;
  ir::visit_any(tensor.dtype(), [&]<class T>(T) {
    const T x = tensor.as<T>()[k];
    if constexpr (ir::is_complex(ir::dtype_of<T>))
      text = fmt::format("({},{})", x.real(), x.imag());
    else if constexpr (std::is_same_v<T, ir::f16> || std::is_same_v<T, ir::bf16>)
      text = fmt::format("{}", static_cast<float>(x));
    else if constexpr (sizeof(T) == 1 && !std::is_same_v<T, bool>)
      text = fmt::format("{}", static_cast<int>(x));
    else
      text = fmt::format("{}", x);
  });
  return text;
}

}  // namespace plumb::parity::foreign
