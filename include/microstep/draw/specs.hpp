#pragma once
// Random optimizers, made from the table of the language, so that a new op is drawn as soon as it stands there.
#include <map>
#include <string>
#include <vector>

#include "microstep/data/spec.hpp"
#include "microstep/draw/dice.hpp"

namespace microstep {

/// none: nothing accumulates. outermost: multi_steps around a spec where nothing does. anywhere: at most two
/// accumulators, in chains, masks and each other.
enum class Accumulators { none, outermost, anywhere };

struct SpecLimits {
  Accumulators accumulators = Accumulators::none;
  /// Calls inside calls.
  int depth = 3;
  /// Links of a chain; one in sixteen chains has none.
  std::int64_t links = 3;
  /// Numbers of microsteps are least_k to k.
  std::int64_t least_k = 1;
  std::int64_t k = 4;
  /// Hyper-parameters are n/2^s with n < 16; else half of them are decimals such as 0.07.
  bool dyadic = false;
  bool schedules = true;
  /// Only these ops; empty: all of the table. Accumulators come as `accumulators` says.
  std::vector<std::string> ops;
  /// Per argument the choices that are drawn, such as {"skip", {"never"}}; all where none are named.
  std::map<std::string, std::vector<std::string>> choices;
};

/// The leaf names that masks are drawn for, and that draw_plan gives its leaves.
const std::vector<std::string>& drawn_leaf_names();

/// A checked spec.
Spec draw_spec(Dice& dice, const SpecLimits& limits);
Spec draw_spec(const Stream& stream, std::uint64_t which_case, const SpecLimits& limits);

}  // namespace microstep
