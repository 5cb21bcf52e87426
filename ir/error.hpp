#pragma once

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

namespace plumb::ir {

/// The one exception of the project: something the caller asked for cannot be
/// done. The message says where, what was wanted and what was found.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A valid request that this executor or device has no way to serve.
class Unsupported : public Error {
 public:
  using Error::Error;
};

/// The device failed while it was serving a valid request: out of memory, lost.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// Joins its arguments with operator<<, as C++ writes them whatever locale the process has: kernels are texts, too.
template <class... Parts>
std::string cat(const Parts&... parts) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  (text << ... << parts);
  return std::move(text).str();
}

template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw Error(cat(parts...));
}

template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) fail(parts...);
}

}  // namespace plumb::ir
