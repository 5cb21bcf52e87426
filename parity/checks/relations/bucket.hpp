#pragma once

#include "parity/cases/executors.hpp"
#include "parity/cases/node_filter.hpp"
#include "parity/cases/node_result.hpp"
#include "parity/cases/relation_result.hpp"

namespace plumb::parity::checks::relations {

/// A model at larger extents, on the numbers of a case at its own ones beside zeros (docs/spec/residency.md C).
struct Bucket {
  cases::Case padded;
  std::string exact, rounded;  ///< the extents of both, in words: "seq=77", "seq=128"
};

/// Feeds `larger`, the model at the rounded extents, with the inputs of a case: their numbers begin at the first
/// element of each axis, and zeros follow. Params are its own but for those that the case was given. Throws Error, with
/// the name, where an input or a result at the exact extents is no part of what it is at the rounded ones.
Bucket pad(const cases::Case& subject, cases::Case larger, std::string exact, std::string rounded);

/// Runs both on the candidate, and holds what both have of each chosen result to the limits of both: those of sign runs
/// over the whole graph (verdict.md V44, V46), which is as far as two right results differ where padding does not reach
/// them. Integers and bools are the same, but where a rounding on the way may change them. A result without limits is
/// an error. `filter` takes the nodes whose results are held; `lambda`: standard deviations that limits allow for.
/// Throws as the executors do.
std::vector<cases::RelationResult> check_bucket(const cases::Case& subject, const Bucket& bucket,
                                                const cases::Executors& executors, const cases::NodeFilter& filter,
                                                double lambda);

/// Checks the bucket by the limits of the run and adds what was found to the result of the case, which has the worst of
/// all verdicts: it fails where the common part of a result differs.
void add_bucket(const cases::Case& subject, const Bucket& bucket, const cases::Executors& executors,
                const cases::NodeFilter& filter, cases::CaseResult& result);

}  // namespace plumb::parity::checks::relations
