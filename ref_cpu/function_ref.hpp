#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace plumb::ref_cpu {

/// FunctionRef<Result(Arguments...)> is defined below.
template <class Signature>
class FunctionRef;

/// A function for the time of a call that takes one. It belongs to the caller, so that nothing is copied or allocated.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, FunctionRef> &&
           std::is_invocable_r_v<Result, const Function&, Arguments...>) FunctionRef(const Function& function)
      : function_(std::addressof(function)), call_([](const void* of, Arguments... arguments) -> Result {
          return (*static_cast<const Function*>(of))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(function_, std::forward<Arguments>(arguments)...); }

 private:
  const void* function_;
  Result (*call_)(const void*, Arguments...);
};

}  // namespace plumb::ref_cpu
