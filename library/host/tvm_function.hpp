// Functions by the calling convention of TVM-FFI, called and judged as plumb.exec/1 asks.
#pragma once

#include <optional>
#include <string>

namespace plumb::library::host {

class Request;

/// Which function, and how it is called.
struct TvmFunction {
  std::string library, symbol;
  std::string args;                     ///< the order of its arguments, "" for operands and then outputs
  std::size_t align = 1;                ///< bytes: where tensors begin at least, a power of two
  std::optional<int> cuda_device = {};  ///< in whose memory its tensors are; without it, the host's
};

/// Loads the library, does what is asked and answers. Whether all went well. Throws Error where there is no such
/// function.
bool host_tvm_function(const Request& request, const TvmFunction& which);

}  // namespace plumb::library::host
