#include "memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "microstep/bound/transition.hpp"
#include "microstep/scalar/ball.hpp"
#include "microstep/train/run.hpp"

namespace microstep {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;
// Inputs, targets, and value and gradient of each operation of the tape, for one unit of a layer and one example;
// measured on all problems: 7.7 to 8.5.
constexpr double balls_a_unit = 9;
// A given gradient of the replay problem, in the plans of all roles: measured 38 balls.
constexpr double replay_units = 5;

struct Need {
  double params = 0;
  double row = 0;
  double rows = 0;
  double balls = 0;
};

double size_of(const Spec& problem) {
  double size = 0;
  for (const Leaf& leaf : problem_leaves(problem, Dtype::float32)) {
    double numbers = 1;
    for (std::int64_t side : leaf.shape) numbers *= static_cast<double>(side);
    size += numbers;
  }
  return size;
}

// Pixels of the inputs and of both layers; the windows of the batch, which a gradient of weights unrolls: measured 2 to
// 3 balls a number of a window.
double conv_net_units(const Spec& problem) {
  const auto of = [&](const char* name) { return static_cast<double>(problem.integer(name)); };
  const double pixels = of("size") * of("size"), windows = pixels * 9 * (of("images") + of("channels"));
  return pixels * (of("images") + 2 * of("channels")) + of("channels") + of("classes") + 3 * windows / balls_a_unit;
}

double units_of(const Spec& problem) {
  if (problem.op == "replay") return replay_units;
  if (problem.op == "tiny_conv_net") return conv_net_units(problem);
  double units = 0;
  for (const Leaf& leaf : problem_leaves(problem, Dtype::float32)) {
    if (units == 0) units = static_cast<double>(leaf.shape[0]);
    if (leaf.shape.size() == 1) units += static_cast<double>(leaf.shape[0]);
  }
  return units;
}

// Numbers of a row for one param: gradient, update, param and each slot of the state; from one microstep of a run with
// two params.
double numbers_a_param(Plan plan) {
  plan.batches.resize(1);
  plan.interruptions.clear();
  return std::ceil(static_cast<double>(run(plan).schema().width() - 1) / 2);
}

std::size_t largest(const std::vector<std::vector<std::int64_t>>& batches) {
  std::size_t size = 0;
  for (const auto& batch : batches) size = std::max(size, batch.size());
  return size;
}

// Rows of balls: those of the run, of the same interrupted, permuted and perhaps without what it skips, and the steps
// that are due; those of the reference, and of k = 1 over it. Beside them two runs that are stepped, and two float
// traces with a quarter of the bytes of a ball.
Need need_of(const CompareRequest& request) {
  const Plan plan = make_plan(request.spec, parse_spec("mlp(1, 1)", OpKind::problem), request.options);
  Plan reference = large_batch_of(plan);
  const double size = size_of(request.problem), own = numbers_a_param(plan) * size;
  const auto rows = [](const Plan& p) { return static_cast<double>(p.batches.size() + 1); };
  const double alone = reference.batches.empty() ? own : (numbers_a_param(reference) + 1) * size;
  if (request.against && !reference.batches.empty()) reference.spec = *request.against;
  const double other = reference.batches.empty() ? own : numbers_a_param(reference) * size;
  const double copies = can_skip(request.spec) ? 5 : 4;
  const double tape = balls_a_unit * units_of(request.problem) *
                      static_cast<double>(std::max(largest(plan.batches), largest(reference.batches)));
  Need need{size, own, copies * rows(plan) + 2 * rows(reference), 0};
  need.balls = copies * rows(plan) * own + rows(reference) * (other + alone) + 2 * (own + other) +
               (rows(plan) * own + rows(reference) * other) / 4 + tape;
  return need;
}

double number_in(const char* path, const char* format) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "r"), std::fclose);
  char line[256];
  double found = 0;
  while (file && std::fgets(line, sizeof line, file.get()))
    if (std::sscanf(line, format, &found) == 1) return found;
  return HUGE_VAL;
}

}  // namespace

double available_memory() {
  double bytes = 1024 * number_in("/proc/meminfo", "MemAvailable: %lf kB");
  if (!std::isfinite(bytes))
    bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  bytes = std::min(bytes, number_in("/sys/fs/cgroup/memory.max", "%lf"));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min(bytes, static_cast<double>(limit.rlim_cur));
  return bytes;
}

void refuse_beyond(double available, const CompareRequest& request) {
  const Need need = need_of(request);
  const double bytes = need.balls * sizeof(Ball);
  if (bytes <= available) return;
  const auto whole = [](double number) { return static_cast<std::int64_t>(number); };
  throw Error("plan.too-large",
              fmt::format("this comparison needs about {} MiB and {} MiB are available: {} params, {} numbers a "
                          "microstep, {} bytes a ball, {} microsteps over all runs",
                          whole(bytes / mebibyte) + 1, whole(available / mebibyte), whole(need.params), whole(need.row),
                          sizeof(Ball), whole(need.rows)),
              to_string(request.problem),
              "use a smaller --problem, fewer --windows or --examples, or a smaller k: the verdict is of the spec, "
              "whatever the size");
}

}  // namespace microstep
