// Declares window functions, whose values follow from their attributes.
#pragma once

#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class WindowFunction { hann, hamming, blackman, rectangular };

constexpr auto enum_names(WindowFunction) {
  return std::array<std::string_view, 4>{"hann", "hamming", "blackman", "rectangular"};
}

/// The weights of a signal before it is transformed (ops.md 2; ONNX HannWindow, HammingWindow, BlackmanWindow).
struct Window {
  WindowFunction function = WindowFunction::hann;
  std::int64_t size = 0;
  bool periodic = true;
  DType dtype = DType::f32;
  double alpha = 25.0 / 46;

  static constexpr auto name = "window";
  static constexpr auto summary = "window function";
  static constexpr auto formula =
      "t = 2πi/D, D = size (periodic) or size − 1; hann ½ − ½cos t; hamming alpha − (1 − alpha)cos t; blackman 0.42 − "
      "0.5cos t + 0.08cos 2t; rectangular 1; in f64 and rounded once";
  static constexpr int tier = 3;
  static constexpr bool makes_values = true;
  static constexpr std::array<Input, 0> inputs = {};
  static constexpr std::array outputs = {Output{"y", "`dtype` [size]"}};
  static constexpr std::array<std::string_view, 1> checks = {"size must be at least 0, and dtype one of reals"};
  static constexpr auto fields = std::tuple{
      Field{"function", &Window::function, "which window", Presence::required},
      Field{"size", &Window::size, "how many elements", Presence::required},
      Field{"periodic", &Window::periodic, "whether element `size` would be the first one again, for spectra"},
      Field{"dtype", &Window::dtype, "dtype of y"},
      Field{"alpha", &Window::alpha, "hamming only: 25/46 as ONNX has it; PyTorch has 0.54"},
  };

  TensorTypes infer(Types) const {
    check(*this, 1, size >= 0 && is_float(dtype), "size is ", size, ", dtype is ", dtype);
    return {{dtype, {size}}};
  }

  /// The elements' bytes: the same table for every executor.
  Bytes values() const;

  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Window&) const = default;
};

}  // namespace plumb::ir::ops
