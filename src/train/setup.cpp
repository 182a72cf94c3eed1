#include "microstep/train/setup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microstep/data/random.hpp"

namespace microstep {
namespace {

constexpr std::int64_t most_microsteps = 100000;
constexpr std::int64_t most_examples = 1000000;

std::vector<Leaf> mlp_leaves(const Spec& problem, Dtype dtype) {
  std::vector<Leaf> leaves;
  const auto& sizes = problem.list("sizes");
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    auto in = static_cast<std::int64_t>(std::get<double>(sizes[i].data));
    auto out = static_cast<std::int64_t>(std::get<double>(sizes[i + 1].data));
    leaves.push_back({fmt::format("w{}", i), {in, out}, dtype});
    leaves.push_back({fmt::format("b{}", i), {out}, dtype});
  }
  return leaves;
}

std::vector<Leaf> conv_net_leaves(const Spec& problem, Dtype dtype) {
  const std::int64_t channels = problem.integer("channels"), classes = problem.integer("classes");
  return {{"k0", {channels, problem.integer("images"), 3, 3}, dtype},
          {"b0", {channels}, dtype},
          {"k1", {channels, channels, 3, 3}, dtype},
          {"b1", {channels}, dtype},
          {"w", {channels, classes}, dtype},
          {"b", {classes}, dtype}};
}

Tree<double> drawn(const LayoutPointer& layout, const Stream& stream, std::uint64_t which_case, double denominator) {
  Tree<double> tree(layout);
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < tree.leaf_count(); ++i)
    for (double& x : tree.values(i)) x = stream.dyadic(denominator, which_case, index++);
  return tree;
}

void check_option(std::string_view name, std::int64_t value, std::int64_t least) {
  if (value < least)
    throw Error("plan.option", fmt::format("{} = {} is out of range", name, value), fmt::format("--{}", name),
                fmt::format("use --{} {} or more", name, least));
}

void check_options(const PlanOptions& options) {
  check_option("windows", options.windows, 1);
  check_option("examples", options.examples, 1);
  check_option("partial", options.partial, 0);
}

// A partial window that is flushed would count as a full one while the plan grows.
Spec held(Spec spec) {
  if (auto partial = spec.args.find("partial"); partial != spec.args.end()) partial->second = Value("hold");
  for (Spec& inner : spec.of) inner = held(std::move(inner));
  return spec;
}

std::vector<std::vector<std::int64_t>> full_windows(const Plan& plan, const Spec& spec) {
  Plan growing;
  growing.spec = spec;
  growing.batches.resize(plan.batches.size());
  return windows(growing);
}

// Batches are added until the windows are full; the accumulators of the spec decide when.
void add_batches(Plan& plan, const PlanOptions& options) {
  std::int64_t next = 0;
  const Spec spec = held(plan.spec);
  auto add = [&] {
    auto t = static_cast<std::int64_t>(plan.batches.size());
    if (t >= most_microsteps)
      throw Error("plan.too-long",
                  fmt::format("{} windows of this spec need more than {} microsteps", options.windows, most_microsteps),
                  to_string(plan.spec), "use a smaller k or fewer windows");
    if (options.examples > most_examples || next > most_examples)
      throw Error("plan.too-long",
                  fmt::format("{} windows of {} examples a microbatch are more than {} examples", options.windows,
                              options.examples, most_examples),
                  to_string(plan.spec), "use smaller microbatches");
    auto& batch = plan.batches.emplace_back();
    for (std::int64_t e = options.examples + (options.ragged ? t % 2 : 0); e > 0; --e) batch.push_back(next++);
  };
  std::vector<std::vector<std::int64_t>> full;
  while (static_cast<std::int64_t>(full.size()) < options.windows) {
    const auto left = static_cast<std::size_t>(most_microsteps) - plan.batches.size();
    const std::size_t step = std::max<std::size_t>(1, std::min(plan.batches.size() / 4, left));
    for (std::size_t i = 0; i < step; ++i) add();
    full = full_windows(plan, spec);
  }
  auto last = static_cast<std::size_t>(full[static_cast<std::size_t>(options.windows - 1)].back());
  plan.batches.resize(last + 1);
  next = plan.batches.back().back() + 1;
  for (std::int64_t i = 0; i < options.partial; ++i) add();
}

void add_given(Plan& plan, const PlanOptions& options) {
  Stream stream("gradient", options.seed);
  std::int64_t count = plan.batches.back().back() + 1;
  for (std::int64_t i = 0; i < count; ++i)
    plan.given.push_back({drawn(plan.gradient_layout, stream, static_cast<std::uint64_t>(i), 64), 1});
}

}  // namespace

std::vector<Leaf> problem_leaves(const Spec& problem, Dtype dtype) {
  if (problem.op == "mlp") return mlp_leaves(problem, dtype);
  if (problem.op == "tiny_conv_net") return conv_net_leaves(problem, dtype);
  if (problem.op == "replay") return {{"w", {2, 3}, dtype}, {"b", {3}, dtype}, {"s", {}, dtype}};
  std::int64_t in = problem.integer("features");
  std::int64_t out = problem.op == "linear_regression" ? problem.integer("targets") : problem.integer("classes");
  return {{"w", {in, out}, dtype}, {"b", {out}, dtype}};
}

Plan make_plan(const Spec& spec, const Spec& problem, const PlanOptions& options) {
  check_options(options);
  Plan plan;
  plan.spec = spec;
  plan.problem = problem;
  LayoutPointer layout = make_layout(problem_leaves(problem, options.dtype));
  plan.params = drawn(layout, Stream("init", options.seed), 0, 256);
  plan.gradient_layout = with_dtype(layout, options.gradient_dtype.value_or(options.dtype));
  plan.loss = options.loss;
  plan.hyper_precision = options.hyper_precision;
  plan.training = options.training;
  plan.seed = options.seed;
  add_batches(plan, options);
  if (problem.op == "replay") add_given(plan, options);
  check(plan);
  return plan;
}

}  // namespace microstep
