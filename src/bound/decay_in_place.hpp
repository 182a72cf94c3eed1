#pragma once
// Decoupled weight decay that a loop applies to the params first: w (1 - lr wd) and then + u, where the definition adds
// u = -lr (direction + wd w) at once. It rounds 1 - lr wd and the product, at the size of w.
#include <vector>

#include "microstep/data/spec.hpp"
#include "microstep/data/tree.hpp"
#include "microstep/scalar/balls.hpp"

namespace microstep {

/// Per leaf whether a link of the spec decays it.
std::vector<bool> decayed_leaves(const Spec& spec, const Layout& layout);

/// after: the params that the definition gives from `before`; leaves marked in `moved` get room for the other form.
template <class C>
void allow_decay_in_place(const Balls<C>& arithmetic, const std::vector<bool>& moved, const Tree<BasicBall<C>>& before,
                          Tree<BasicBall<C>>& after);

}  // namespace microstep
