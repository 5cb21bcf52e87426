// Exceptions as errors of C.
#include "library/abi/errors.hpp"

#include <new>

#include "ir/error.hpp"

namespace plumb::library::abi {
namespace {

plumb_error& out_of_memory() noexcept {
  static plumb_error error{PLUMB_ERROR_MEMORY, "no memory left"};  // short enough to need none itself
  return error;
}

plumb_error* made(int kind, const char* message) {
  try {
    return new plumb_error{kind, message};
  } catch (const std::bad_alloc&) {
    return &out_of_memory();
  }
}

}  // namespace

plumb_error* caught() noexcept {
  try {
    throw;
  } catch (const Stopped&) {
    return made(PLUMB_ERROR_STOPPED, "stopped by a callback");
  } catch (const ir::Unsupported& error) {
    return made(PLUMB_ERROR_UNSUPPORTED, error.what());
  } catch (const ir::DeviceError& error) {
    return made(PLUMB_ERROR_DEVICE, error.what());
  } catch (const std::bad_alloc&) {
    return &out_of_memory();
  } catch (const std::exception& error) {
    return made(PLUMB_ERROR_INVALID, error.what());
  } catch (...) {
    return made(PLUMB_ERROR_INVALID, "an exception of a type that is none of ours");
  }
}

}  // namespace plumb::library::abi

int plumb_error_kind(const plumb_error* error) { return error != nullptr ? error->kind : 0; }

const char* plumb_error_message(const plumb_error* error) { return error != nullptr ? error->message.c_str() : ""; }

void plumb_error_free(plumb_error* error) {
  if (error != &plumb::library::abi::out_of_memory()) delete error;
}
