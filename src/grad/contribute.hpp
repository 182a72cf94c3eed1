#pragma once
// What pullbacks share.
#include "broadcast.hpp"
#include "microstep/grad/tape.hpp"

namespace microstep {

/// fill(place) writes a contribution of those dimensions to v's cotangent; not called if v wants none.
template <class A, class Fill>
void contribute(Tape<A>& tape, Var v, const Dimensions& dimensions, const Fill& fill) {
  if (!tape.wants(v)) return;
  fill(tape.open(v, dimensions));
  tape.close(v, dimensions);
}

template <class A>
Operand<typename A::Value> operand(const Tape<A>& tape, Var v) {
  return {tape.values(v).data(), tape.node(v).dimensions};
}

/// The dtype of an operation on a and b, which are cast to it.
template <class A>
Dtype promote_operands(Tape<A>& tape, Var& a, Var& b);

}  // namespace microstep
