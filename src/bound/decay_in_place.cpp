#include "decay_in_place.hpp"

#include <algorithm>

#include "microstep/optim/leaves.hpp"

namespace microstep {
namespace {

bool decays(const Spec& spec) {
  return (spec.op == "adamw" || spec.op == "add_decayed_weights") && spec.number("weight_decay") != 0;
}

void mark_decayed(const Spec& spec, const Layout& layout, std::vector<bool> shown, std::vector<bool>& decayed) {
  if (spec.op == "masked" || decays(spec)) {
    const std::vector<bool> matched = matching_leaves(layout, spec.list("mask"));
    for (std::size_t i = 0; i < shown.size(); ++i) shown[i] = shown[i] && matched[i];
  }
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (decays(spec) && shown[i]) decayed[i] = true;
  for (const Spec& inner : spec.of) mark_decayed(inner, layout, shown, decayed);
}

}  // namespace

std::vector<bool> decayed_leaves(const Spec& spec, const Layout& layout) {
  std::vector<bool> decayed(layout.leaves().size(), false);
  mark_decayed(spec, layout, std::vector<bool>(layout.leaves().size(), true), decayed);
  return decayed;
}

template <class C>
void allow_decay_in_place(const Balls<C>& arithmetic, const std::vector<bool>& moved, const Tree<BasicBall<C>>& before,
                          Tree<BasicBall<C>>& after) {
  if (arithmetic.is_semantic()) return;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (!moved[i] || !before.is_dense(i) || !after.is_dense(i)) continue;
    const Balls<C> a = arithmetic.at(after.leaf(i).dtype);
    for (std::size_t j = 0; j < after.values(i).size(); ++j) {
      BasicBall<C>& w = after.values(i)[j];
      const BasicBall<C>& old = before.values(i)[j];
      if (!(w.radius < infinite_radius) || !wide::is_finite(w.value)) continue;
      const double size = static_cast<double>(wide::abs(old.value)) + old.radius;
      w = a.rounded(w.value, w.radius, 2 * a.unit() * size * (1 + 0x1p-49));
    }
  }
}

template void allow_decay_in_place(const Balls<Wide>&, const std::vector<bool>&, const Tree<Ball>&, Tree<Ball>&);
template void allow_decay_in_place(const Balls<double>&, const std::vector<bool>&, const Tree<BasicBall<double>>&,
                                   Tree<BasicBall<double>>&);

}  // namespace microstep
