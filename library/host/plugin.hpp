// Plugins by the interface of library/plumbline_candidate.h, driven as plumb.exec/1 asks.
#pragma once

#include <functional>
#include <string>

namespace plumb::library::host {

class Request;

/// Loads a plugin; `spec` is LIB or LIB:ARGS, and LIB has no colon. Throws Error where it cannot be loaded or made. The
/// function does what a request asks and answers it: whether it may be asked again, since no job failed or ended in an
/// error. It throws Error where the plugin does not say what it is. The user's own model, or a graph, is compiled once
/// for requests that ask the same of it, as long as no more than another one comes between.
std::function<bool(const Request&)> open_plugin(const std::string& spec);

}  // namespace plumb::library::host
