// Our engine as a producer; an interrupted state goes through bytes into a fresh object.
#include "microstep/train/run.hpp"
#include "microstep/trial/evidence.hpp"
#include "state_bytes.hpp"

namespace microstep {
namespace {

template <class A>
Trace run_with_bytes(const A& arithmetic, const Plan& plan) {
  using V = typename A::Value;
  Restore<A> restore = [](const State<V>& state) {
    const std::string bytes = bytes_of(state);
    return state_from<V>(bytes);
  };
  return run_recorded<A>(arithmetic, plan, nullptr, restore);
}

}  // namespace

Answer own_run(const Plan& plan) {
  if (plan.interruptions.empty()) return run(plan);
  if (is_uniform(plan, Dtype::float32)) return run_with_bytes(Plain<float>{plan.hyper_precision}, plan);
  if (is_uniform(plan, Dtype::float64)) return run_with_bytes(Plain<double>{plan.hyper_precision}, plan);
  return run_with_bytes(Emulated<double>{Dtype::float64, plan.hyper_precision}, plan);
}

}  // namespace microstep
