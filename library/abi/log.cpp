// The log of the ABI.
#include "library/log.hpp"

#include "library/abi/errors.hpp"

using namespace plumb;

void plumb_set_log(void (*log)(void* user, const char* text), void* user) {
  library::Log told;
  if (log != nullptr)
    told = [log, user](const std::string& text) {
      const ir::raw::CallersFloatEnvironment callers;
      log(user, text.c_str());
    };
  library::set_log(std::move(told));
}
