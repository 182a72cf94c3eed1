#pragma once
// Two goldens of one experiment: the leaves whose numbers differ, and no further than roundings may take each of them.
#include <functional>
#include <string_view>
#include <vector>

#include "microstep/golden/golden.hpp"
#include "microstep/trial/diff.hpp"

namespace microstep {

/// Calls visit(row, own column, other column, index) for every number that both traces show in a column of the same
/// size, those whose paths begin so.
void each_number(const Trace& own, const Trace& other, std::string_view prefix,
                 const std::function<void(std::int64_t, std::size_t, std::size_t, std::size_t)>& visit);

/// Numbers that are equal bit for bit are left out. Both traces are held against the older golden's plans and behaviours,
/// where they have been judged to lie in the balls of their steps; a number without a ball has an infinite share.
std::vector<LeafRounding> rounded_leaves(const Golden& before, const Golden& after);

}  // namespace microstep
