#include "ref_cpu/transforms/line_transform.hpp"

#include <algorithm>
#include <list>
#include <mutex>

#include "ref_cpu/transforms/plan.hpp"

namespace plumb::ref_cpu::transforms {
namespace {

/// The plans that were asked for last.
template <class T>
class Plans {
 public:
  std::shared_ptr<const Plan<T>> of(Kind kind, std::int64_t length) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(kept_, [&](const Kept& one) { return one.kind == kind && one.length == length; });
    if (found != kept_.end()) {
      kept_.splice(kept_.begin(), kept_, found);
      return kept_.front().plan;
    }
    std::shared_ptr<const Plan<T>> plan = plan_by_fftw<T>(kind, length);
    if (plan == nullptr) plan = own_plan<T>(kind, length);
    kept_.push_front({kind, length, plan});
    if (kept_.size() > most) kept_.pop_back();
    return plan;
  }

 private:
  static constexpr std::size_t most = 32;  // a graph has few lengths, but tables of long ones are large
  struct Kept {
    Kind kind;
    std::int64_t length;
    std::shared_ptr<const Plan<T>> plan;
  };
  std::mutex mutex_;
  std::list<Kept> kept_;
};

template <class T>
Plans<T>& plans() {
  static Plans<T> all;
  return all;
}

template <class T>
bool is_aligned(const T* data) {
  return reinterpret_cast<std::uintptr_t>(data) % ir::AlignedBytes::alignment == 0;
}

}  // namespace

template <class T>
LineTransform<T>::LineTransform(Kind kind, std::int64_t length)
    : kind_(kind),
      length_(length),
      inputs_(kind == Kind::real_forward   ? length
              : kind == Kind::real_inverse ? 2 * (length / 2 + 1)
                                           : 2 * length),
      outputs_(kind == Kind::real_inverse   ? length
               : kind == Kind::real_forward ? 2 * (length / 2 + 1)
                                            : 2 * length),
      plan_(plans<T>().of(kind, length)) {}

template <class T>
T* LineTransform<T>::room(ScratchVector<T>& buffer, std::int64_t elements) {
  const auto count = static_cast<std::size_t>(elements);
  if (buffer.size() < count) buffer.resize(count);
  return buffer.data();
}

template <class T>
void LineTransform<T>::run(const T* x, T* y) {
  T* in = const_cast<T*>(x);  // only real_inverse writes to it, and is given a copy
  if (!is_aligned(x) || kind_ == Kind::real_inverse) {
    in = room(in_, inputs_);
    std::copy_n(x, inputs_, in);
  }
  if (kind_ == Kind::real_inverse) {
    in[1] = 0;
    if (length_ % 2 == 0) in[length_ + 1] = 0;
  }
  T* const out = is_aligned(y) ? y : room(out_, outputs_);
  plan_->run(in, out, room(scratch_, plan_->scratch()));
  if (out != y) std::copy_n(out, outputs_, y);
}

std::string fftw_version() {
  const std::string release = fftw_release();
  return release.empty() ? "none, own transforms" : release;
}

template class LineTransform<float>;
template class LineTransform<double>;

}  // namespace plumb::ref_cpu::transforms
