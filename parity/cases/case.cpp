// The part of a case that its results keep.
#include "parity/cases/case.hpp"

namespace plumb::parity::cases {

Case without_numbers(const Case& subject) {
  return {.name = subject.name,
          .file = subject.file,
          .seed = subject.seed,
          .step = subject.step,
          .dtype = subject.dtype,
          .expected_within = subject.expected_within,
          .precision = subject.precision,
          .fill = subject.fill,
          .adversarial = subject.adversarial,
          .proofs = subject.proofs,
          .origin = subject.origin};
}

}  // namespace plumb::parity::cases
