// Fourier transforms of single lines, which nodes of several ops stand on.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ir/tensor.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu::transforms {

/// The transform of a line of n points, without any scale:
///   forward       y[k] = sum over j of x[j] e^(-2 pi i jk / n), n complex numbers of n
///   inverse       the same by e^(+2 pi i jk / n)
///   real_forward  the first floor(n/2) + 1 bins of the forward transform of n reals
///   real_inverse  n reals of such a half spectrum, whose imaginary parts of bin 0 and (n even) bin n/2 are ignored
enum class Kind { forward, inverse, real_forward, real_inverse };

template <class T>
class Plan;

/// Transforms lines of one kind and length, one at a time: what one thread needs, so that every chunk of a parallel
/// loop makes its own. That is cheap: how to transform is planned once for a kind and a length, and kept. T is float or
/// double. Results are the same bits in every run, on every thread and wherever the data lie.
template <class T>
class LineTransform {
 public:
  LineTransform(Kind kind, std::int64_t length);

  /// How many numbers of T a line is, before and behind: a complex number is two, its real part first.
  std::int64_t inputs() const { return inputs_; }
  std::int64_t outputs() const { return outputs_; }

  /// The line at y is the transform of that at x, which lie apart.
  void run(const T* x, T* y);

 private:
  static T* room(ScratchVector<T>& buffer, std::int64_t elements);

  Kind kind_;
  std::int64_t length_, inputs_, outputs_;
  std::shared_ptr<const Plan<T>> plan_;
  ScratchVector<T> in_, out_, scratch_;  ///< as much as was needed so far
};

/// The release of FFTW, for the record of a run: "3.3.10"; "none, own transforms" in a build without it.
std::string fftw_version();

}  // namespace plumb::ref_cpu::transforms
