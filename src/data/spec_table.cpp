#include "microstep/data/error.hpp"
#include "microstep/data/spec.hpp"
#include "spec_rows.hpp"
#include "spec_rules.hpp"

namespace microstep {
namespace {

using enum ArgumentType;
using enum OpKind;

constexpr Range below_one(std::string_view reason) { return {0, 1, false, true, reason}; }

ArgumentRule leaves(std::string_view preset, std::string_view help) {
  return {"mask", globs, preset, 0, 0, false, false, {}, help};
}

ArgumentRule learning_rate() { return ranged("lr", number_schedule, "", nonnegative, "learning rate"); }

std::vector<ArgumentRule> moments() {
  return {
      ranged("b1", number, "0.9", below_one("the bias correction 1 - b1^t would be 0, a division by zero"),
             "decay of the first moment"),
      ranged("b2", number, "0.999", below_one("the bias correction 1 - b2^t would be 0, a division by zero"),
             "decay of the second moment"),
      ranged("eps", number, "1e-8", nonnegative, "added outside the square root, after the bias correction"),
      ranged("eps_root", number, "0", nonnegative, "added inside the square root"),
  };
}

std::vector<ArgumentRule> joined(std::vector<ArgumentRule> first, const std::vector<ArgumentRule>& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

std::vector<OpRule> optimizers() {
  const ArgumentRule nesterov = switched("nesterov", "false", "Nesterov's form of the momentum");
  return {
      {"sgd",
       transformation,
       Inner::none,
       {learning_rate(), ranged("momentum", number, "0", fraction, "0: no trace is kept"), nesterov},
       "-lr g, or -lr times the trace of the gradients"},
      {"adam", transformation, Inner::none, joined({learning_rate()}, moments()), "scale_by_adam, then -lr"},
      {"adamw", transformation, Inner::none,
       joined(joined({learning_rate()}, moments()),
              {ranged("weight_decay", number, "1e-4", nonnegative, "decoupled: added times w after the moments"),
               leaves("[]", "leaves that decay; empty: all")}),
       "adam with decoupled weight decay"},
      {"trace",
       transformation,
       Inner::none,
       {ranged("momentum", number, "", fraction, "trace = g + momentum trace"), nesterov},
       "the trace of the gradients"},
  };
}

std::vector<OpRule> links() {
  const Range decay = below_one("the bias correction 1 - decay^t would be 0, a division by zero");
  return {
      {"scale",
       transformation,
       Inner::none,
       {ranged("factor", number, "", anything, "-0.1 makes a descent of the gradient")},
       "multiplies by factor"},
      {"scale_by_adam", transformation, Inner::none, moments(), "corrected first moment / root of the second"},
      {"scale_by_schedule",
       transformation,
       Inner::none,
       {ranged("schedule", number_schedule, "", anything, "step is the link's own count, from 0")},
       "multiplies by the value of the schedule"},
      {"add_decayed_weights",
       transformation,
       Inner::none,
       {ranged("weight_decay", number, "", nonnegative, "times w is added"),
        leaves("[]", "leaves that decay; empty: all")},
       "adds weight_decay w"},
      {"clip",
       transformation,
       Inner::none,
       {ranged("max_delta", number, "", positive, "largest magnitude")},
       "each number into [-max_delta, max_delta]"},
      {"clip_by_global_norm",
       transformation,
       Inner::none,
       {ranged("max_norm", number, "", positive, "largest norm")},
       "scales all leaves so that their joint 2-norm is at most max_norm"},
      {"ema",
       transformation,
       Inner::none,
       {ranged("decay", number, "", decay, "ema = decay ema + (1 - decay) g"),
        switched("debias", "true", "divides by 1 - decay^t")},
       "exponential moving average"},
  };
}

ArgumentRule clearing() {
  return one_of("clear", {"select", "multiply"},
                "how a held update and an old sum become 0; multiply keeps NaN and inf as NaN");
}

ArgumentRule skipping() {
  return one_of(
      "skip", {"never", "not_finite", "large(max_norm)", "window_not_finite"},
      "microbatches left out: they move nothing and do not count. not_finite: those with a NaN or infinity; "
      "window_not_finite: none, but a full window whose accumulator is not finite is thrown away: the update is "
      "zero, the inner does not run, the accumulator and mini_step become 0, gradient_step stays");
}

ArgumentRule ending() {
  return one_of(
      "partial", {"hold", "flush", "flush_by_k", "drop"},
      "what becomes of a window that is not full in the plan's last microstep, in that microstep itself. hold: "
      "nothing, mini_step and the accumulator stay as they are; flush: it is emitted, reduced by its own length; "
      "flush_by_k: the same, but a mean is divided by k; drop: no update. All but hold leave mini_step and the "
      "accumulator 0, and the flushes count in gradient_step");
}

std::vector<OpRule> wrappers() {
  return {
      {"masked",
       transformation,
       Inner::one,
       {leaves("", "leaves that the inner sees; the others pass unchanged")},
       "the inner on some leaves only"},
      {"chain",
       transformation,
       Inner::many,
       {},
       "one link after the other; without links the gradients pass unchanged"},
      {"apply_every",
       transformation,
       Inner::none,
       {ranged("k", integer, "1", microsteps, "microsteps a window"), clearing()},
       "emits the sum of k microsteps, zeros before",
       true},
      {"multi_steps",
       transformation,
       Inner::one,
       {ranged("k", integer_schedule, "", microsteps, "microsteps a window; step is the gradient_step"),
        one_of("reduce", {"mean", "sum", "weighted"}, "what the inner receives"), skipping(),
        ranged("max_norm", number, "0", positive,
               "written inside skip=large(max_norm): a microbatch whose global norm is max_norm or more is skipped; "
               "Optax's "
               "own rule takes the square: its max_squared_norm=4 is large(2)"),
        ending(),
        one_of("acc_dtype", {"same", "float32", "float64", "bfloat16", "float16"}, "dtype of the accumulator"),
        clearing()},
       "the inner runs once a window of k microsteps",
       true},
  };
}

std::vector<OpRule> all_ops() {
  std::vector<OpRule> all;
  for (const auto& part : {optimizers(), links(), wrappers(), problem_ops(), model_ops()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

std::span<const OpRule> op_table() {
  static const std::vector<OpRule> table = all_ops();
  return table;
}

const OpRule& op_rule(std::string_view name) {
  if (const OpRule* rule = find_op(name)) return *rule;
  const Fault fault = *wrong_op(name, transformation);
  throw Error(fault.id, fault.message, std::string(name), fault.next);
}

}  // namespace microstep
