// How one line is transformed, by FFTW or by code of our own: what LineTransform has for a kind and a length.
#pragma once

#include <memory>
#include <string>

#include "ref_cpu/transforms/line_transform.hpp"

namespace plumb::ref_cpu::transforms {

/// Made once, and used by any number of threads.
template <class T>
class Plan {
 public:
  virtual ~Plan() = default;

  /// From in to out, which lie apart and are aligned as ir::AlignedBytes are; real_inverse may spoil `in`. `scratch`
  /// has scratch() elements, aligned alike.
  virtual void run(T* in, T* out, T* scratch) const = 0;
  virtual std::int64_t scratch() const { return 0; }
};

/// By FFTW; null in a build without it.
template <class T>
std::unique_ptr<const Plan<T>> plan_by_fftw(Kind kind, std::int64_t length);

/// The version of FFTW; empty in a build without it.
std::string fftw_release();

/// By a mixed radix for lengths of primes up to 7, by Bluestein's algorithm for others.
template <class T>
std::unique_ptr<const Plan<T>> own_plan(Kind kind, std::int64_t length);

}  // namespace plumb::ref_cpu::transforms
