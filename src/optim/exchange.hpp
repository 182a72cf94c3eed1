#pragma once
// Whether gradients may become the accumulator by an exchange of buffers.
#include "microstep/data/tree.hpp"
#include "microstep/scalar/plain.hpp"

namespace microstep {

/// True where every leaf is dense and a cast to the accumulator's dtype would change nothing.
template <class A>
bool may_exchange(const Tree<typename A::Value>& gradients, const Tree<typename A::Value>& accumulator) {
  if (!std::is_same_v<A, Plain<typename A::Value>> || gradients.layout() != accumulator.layout()) return false;
  for (std::size_t i = 0; i < accumulator.leaf_count(); ++i)
    if (!gradients.is_dense(i) || accumulator.presence(i) == Presence::absent) return false;
  return true;
}

}  // namespace microstep
