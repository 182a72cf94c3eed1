// What a user of the library writes: a spec, the plan made of it, its large batch, both run and the question decided.
#include <cstdio>
#include <microstep/bound/semantics.hpp>
#include <microstep/train/run.hpp>
#include <microstep/train/setup.hpp>

using namespace microstep;

bool is_large_batch(const char* spec) {
  const Plan plan = make_plan(parse_spec(spec), parse_spec("linear_regression(3, 2)"), PlanOptions{});
  const Plan reference = large_batch_of(plan);
  const bool both_ran = run(plan).rows() > run(reference).rows();
  const bool same = decide(plan, reference, windows(plan)).verdict == Sameness::same;
  std::printf("%s: %s\n", spec, same ? "same" : "different");
  return both_ran && same;
}

int main() {
  return is_large_batch("multi_steps(adam(0.1), k=4)") && !is_large_batch("chain(adam(0.1), apply_every(4))") ? 0 : 1;
}
