#include <algorithm>

#include "microstep/data/error.hpp"
#include "microstep/trial/check.hpp"

namespace microstep {
namespace {

// Sets an argument on every op of that name, where it still has its default.
Spec with_argument(Spec spec, std::string_view op, const std::string& argument, const Value& preset,
                   const Value& value) {
  if (spec.op == op && spec.args[argument] == preset) spec.args[argument] = value;
  for (Spec& inner : spec.of) inner = with_argument(inner, op, argument, preset, value);
  return spec;
}

Spec keeps_float32(const Spec& spec) {
  return with_argument(spec, "multi_steps", "acc_dtype", Value("same"), Value("float32"));
}

Spec clears_by_multiplication(const Spec& spec) {
  Spec cleared = with_argument(spec, "multi_steps", "clear", Value("select"), Value("multiply"));
  return with_argument(cleared, "apply_every", "clear", Value("select"), Value("multiply"));
}

}  // namespace

std::span<const Behaviour> behaviours() {
  static const std::vector<Behaviour> table = {
      {"acc-float32", "acc_grads is kept in float32 whatever the dtype of the params",
       "optax 0.2.8, MultiSteps, accumulator_dtype", keeps_float32},
      {"clears-by-multiplication",
       "held updates and the accumulator are multiplied by 0 in place of being selected, so that a number that is not "
       "finite stays as NaN",
       "optax 0.2.6 and 0.2.8, MultiSteps and apply_every; docs/optax.md", clears_by_multiplication},
  };
  return table;
}

namespace {

std::string known_ids() {
  std::string ids;
  for (const Behaviour& behaviour : behaviours()) ids += (ids.empty() ? "" : ", ") + std::string(behaviour.id);
  return ids;
}

}  // namespace

Spec with_behaviours(Spec spec, std::span<const std::string> ids) {
  for (const std::string& id : ids) {
    auto found = std::ranges::find(behaviours(), id, &Behaviour::id);
    if (found == behaviours().end())
      throw Error("behaviour.unknown", "no behaviour is named '" + id + "'", id, "one of " + known_ids());
    spec = found->apply(spec);
  }
  return spec;
}

}  // namespace microstep
