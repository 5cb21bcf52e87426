// Who is told what is no error, in the whole process.
#include "library/log.hpp"

#include <mutex>

namespace plumb::library {
namespace {

struct Told {
  std::recursive_mutex mutex;  ///< a log may call what tells it something
  Log log;
};

Told& told() {
  static Told one;
  return one;
}

}  // namespace

void set_log(Log log) {
  const std::scoped_lock lock(told().mutex);
  std::swap(told().log, log);
}

void tell(const std::string& text) {
  const std::scoped_lock lock(told().mutex);
  const Log log = told().log;  // which may set another
  if (log) log(text);
}

}  // namespace plumb::library
