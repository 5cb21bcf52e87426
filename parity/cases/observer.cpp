// The observer that does nothing, and the one that tells several others.
#include "parity/cases/observer.hpp"

namespace plumb::parity::cases {

void Observer::begins(const Case&) {}
void Observer::step(std::string_view, std::size_t, std::size_t) {}
void Observer::compared(const NodeResult&, const ir::TensorView&, const ir::TensorView&) {}

void Observers::begins(const Case& subject) {
  for (Observer* one : all_) one->begins(subject);
}
void Observers::step(std::string_view what, std::size_t done, std::size_t steps) {
  for (Observer* one : all_) one->step(what, done, steps);
}
void Observers::compared(const NodeResult& result, const ir::TensorView& truth, const ir::TensorView& got) {
  for (Observer* one : all_) one->compared(result, truth, got);
}

}  // namespace plumb::parity::cases
