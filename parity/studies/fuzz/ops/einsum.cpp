// Products, sums, traces and outer products of one operand to three.
#include "ir/ops/einsum.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Einsum& op, Chooser& choose) {
  op.equation = choose.one_of<const char*>({"ij,jk->ik", "ij,kj->ik", "bij,bjk->bik", "...ij,jk->...ik", "ij,ij->i",
                                            "i,j->ij", "ij->ji", "ijk->ik", "ii->i", "ii", "ij,jk,kl->il",
                                            "bhqd,bhkd->bhqk", "bij->b", "abc,cd->abd", "ij,j->i", "..., ..."});
}

}  // namespace plumb::parity::studies::fuzz
