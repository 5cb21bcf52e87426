#pragma once

// Tolerances as others have them: each style decides as the code that it is named after does.

#include <array>
#include <complex>
#include <optional>
#include <string>
#include <string_view>

#include "ir/dtype.hpp"

namespace plumb::parity::studies::closeness {

/// Whose rule it is: a is what is judged, b what is expected.
enum class Style {
  torch,       ///< torch.testing.assert_close
  numpy,       ///< numpy.testing.assert_allclose
  polygraphy,  ///< Polygraphy's CompareFunc.simple, check_error_stat = "elemwise"
  xla,         ///< XLA's literal_comparison::Near
  ggml,        ///< ggml's test-backend-ops: the normalised mean squared error of a tensor
  ncnn,        ///< NearlyEqual of ncnn's tests
};

constexpr auto enum_names(Style) {
  return std::array<std::string_view, 6>{"torch", "numpy", "polygraphy", "xla", "ggml", "ncnn"};
}

/// The function that a style is taken from: "torch.testing.assert_close".
std::string_view source_of(Style style);

/// A style with its numbers, which are not negative; what is not given is the source's own default.
struct Rule {
  Style style = Style::torch;
  std::optional<double> relative = {}, absolute = {};  ///< those of torch, numpy, polygraphy and xla
  std::optional<double> limit = {};                    ///< the number of ggml, or of ncnn
};

/// Throws Error where the rule has a number that its style does not know, or one alone where it takes two or none.
void require_sense(const Rule& rule);

/// The numbers of a rule for tensors of a dtype.
struct Tolerances {
  double relative = 0, absolute = 0;
  double limit = 0;  ///< ggml's error of the tensor, ncnn's epsilon
};

Tolerances tolerances_of(const Rule& rule, ir::DType dtype);

/// "rtol 1.3e-06, atol 1e-05"
std::string to_text(const Rule& rule, ir::DType dtype);

/// Whether the source of the style says anything of this dtype.
bool knows(Style style, ir::DType dtype);

/// One element, held to a rule.
struct Element {
  bool is_within = true;
  double error = 0;    ///< |a - b| as the source computes it; NaN where one is NaN
  double allowed = 0;  ///< the most that |a - b| may be; NaN where no single element has a limit
};

/// Holds a to b. T is the type of the elements: bool, an integer, f16, bf16, float, double, or complex. The style must
/// know the dtype. In ggml an element is beyond only where it is a NaN or where one side is infinite alone.
template <class T>
Element held(Style style, const Tolerances& tolerances, const T& a, const T& b);

/// The mean squared error of a tensor in ggml, normalised by a, as its elements are added.
class NormalisedError {
 public:
  void add(float a, float b) {
    squares_ += static_cast<double>((a - b) * (a - b));
    of_a_ += static_cast<double>(a * a);
  }
  /// NaN of nothing but zeros, and of an infinity, which no limit refuses.
  double value() const { return squares_ / of_a_; }

 private:
  double squares_ = 0, of_a_ = 0;
};

}  // namespace plumb::parity::studies::closeness
