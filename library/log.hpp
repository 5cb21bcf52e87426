#pragma once

// The program says on stderr what is no error and ought to be known: remarks of a reader of models, doubts about a
// device. A library prints nothing, and tells whom its caller names.

#include <functional>
#include <string>

namespace plumb::library {

using Log = std::function<void(const std::string& text)>;

/// Who is told, in the whole process; nobody where it is empty, as at first. Any thread tells, one at a time. When this
/// returns, who was told before is told nothing any more.
void set_log(Log log);

/// Tells that log.
void tell(const std::string& text);

}  // namespace plumb::library
