// What a user of the library writes: a spec, compared with its large batch, and one of the two runs looked at.
#include <cstdio>
#include <microstep/train/run.hpp>
#include <microstep/trial/compare.hpp>

using namespace microstep;

bool is_large_batch(const char* spec) {
  const CompareRequest request{parse_spec(spec), parse_spec("linear_regression(3, 2)", OpKind::problem), {}, {}};
  const Comparison comparison = compare(request);
  const bool longer = run(comparison.accumulated).rows() > run(comparison.reference).rows();
  const bool same = comparison.semantics.verdict == Sameness::same;
  std::printf("%s: %s\n", spec, same ? "same" : "different");
  return longer && same;
}

int main() {
  return is_large_batch("multi_steps(adam(0.1), k=4)") && !is_large_batch("chain(adam(0.1), apply_every(4))") ? 0 : 1;
}
