// Plans by FFTW, where the build has it.
#include "ref_cpu/transforms/plan.hpp"

#ifdef PLUMB_HAS_FFTW

#include <fftw3.h>

#include <mutex>
#include <string_view>

namespace plumb::ref_cpu::transforms {
namespace {

/// FFTW makes and destroys plans in one thread at a time; only running them is free.
std::mutex& planner() {
  static std::mutex one;
  return one;
}

/// The library for float or double.
template <class T>
struct Library;

template <>
struct Library<float> {
  using PlanOf = fftwf_plan;
  using Complex = fftwf_complex;
  using Dims = fftwf_iodim64;
  static constexpr auto complex_plan = fftwf_plan_guru64_dft;
  static constexpr auto from_real_plan = fftwf_plan_guru64_dft_r2c;
  static constexpr auto to_real_plan = fftwf_plan_guru64_dft_c2r;
  static constexpr auto run_complex = fftwf_execute_dft;
  static constexpr auto run_from_real = fftwf_execute_dft_r2c;
  static constexpr auto run_to_real = fftwf_execute_dft_c2r;
  static constexpr auto destroy = fftwf_destroy_plan;
};

template <>
struct Library<double> {
  using PlanOf = fftw_plan;
  using Complex = fftw_complex;
  using Dims = fftw_iodim64;
  static constexpr auto complex_plan = fftw_plan_guru64_dft;
  static constexpr auto from_real_plan = fftw_plan_guru64_dft_r2c;
  static constexpr auto to_real_plan = fftw_plan_guru64_dft_c2r;
  static constexpr auto run_complex = fftw_execute_dft;
  static constexpr auto run_from_real = fftw_execute_dft_r2c;
  static constexpr auto run_to_real = fftw_execute_dft_c2r;
  static constexpr auto destroy = fftw_destroy_plan;
};

/// A plan for aligned data that lie apart. FFTW_ESTIMATE measures nothing, so that every run has the same plan, and
/// only such data are ever given to it, so that it has the same instructions.
template <class T>
class FftwPlan final : public Plan<T> {
  using Of = Library<T>;
  using Complex = typename Of::Complex;

 public:
  FftwPlan(Kind kind, std::int64_t length) : kind_(kind) {
    const typename Of::Dims line{length, 1, 1};
    ir::AlignedBytes x(static_cast<std::size_t>(2 * length + 2) * sizeof(T)), y(x.span().size());  // not looked at
    T* const in = reinterpret_cast<T*>(x.span().data());
    T* const out = reinterpret_cast<T*>(y.span().data());
    const std::lock_guard lock(planner());
    if (kind == Kind::real_forward)
      plan_ = Of::from_real_plan(1, &line, 0, nullptr, in, complex(out), FFTW_ESTIMATE);
    else if (kind == Kind::real_inverse)
      plan_ = Of::to_real_plan(1, &line, 0, nullptr, complex(in), out, FFTW_ESTIMATE);
    else
      plan_ =
          Of::complex_plan(1, &line, 0, nullptr, complex(in), complex(out),
                           kind == Kind::inverse ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT);
    ir::require(plan_ != nullptr, "FFTW has no plan for lines of ", length);
  }
  ~FftwPlan() override {
    const std::lock_guard lock(planner());
    Of::destroy(plan_);
  }
  FftwPlan(const FftwPlan&) = delete;
  FftwPlan& operator=(const FftwPlan&) = delete;

  void run(T* in, T* out, T*) const override {
    if (kind_ == Kind::real_forward)
      Of::run_from_real(plan_, in, complex(out));
    else if (kind_ == Kind::real_inverse)
      Of::run_to_real(plan_, complex(in), out);
    else
      Of::run_complex(plan_, complex(in), complex(out));
  }

 private:
  static Complex* complex(T* numbers) { return reinterpret_cast<Complex*>(numbers); }

  const Kind kind_;
  typename Of::PlanOf plan_ = nullptr;
};

}  // namespace

template <class T>
std::unique_ptr<const Plan<T>> plan_by_fftw(Kind kind, std::int64_t length) {
  return std::make_unique<FftwPlan<T>>(kind, length);
}

std::string fftw_release() {
  const std::string_view said = fftwf_version;  // "fftw-3.3.10-sse2-avx"
  const std::string_view number = said.substr(said.find('-') + 1);
  return std::string(number.substr(0, number.find('-')));
}

#else

namespace plumb::ref_cpu::transforms {

template <class T>
std::unique_ptr<const Plan<T>> plan_by_fftw(Kind, std::int64_t) {
  return nullptr;
}

std::string fftw_release() { return ""; }

#endif

template std::unique_ptr<const Plan<float>> plan_by_fftw(Kind, std::int64_t);
template std::unique_ptr<const Plan<double>> plan_by_fftw(Kind, std::int64_t);

}  // namespace plumb::ref_cpu::transforms
