#include "microstep/report/compare.hpp"

#include <charconv>

#include "command.hpp"
#include "microstep/trial/compare.hpp"

namespace microstep::cli {
namespace {

struct Options {
  std::string spec, problem = "mlp(3, 5, 2)", loss = "mean", dtype = "float32";
  std::optional<std::string> against;
  PlanOptions plan;
  bool json = false;
};

int run(const Options& options) {
  CompareRequest request{parse_spec(options.spec), parse_spec(options.problem, OpKind::problem), options.plan, {}};
  request.options.dtype = *dtype_from_name(options.dtype);
  if (options.against) request.against = parse_spec(*options.against);
  request.options.loss = options.loss == "sum" ? Loss::sum : Loss::mean;
  request.done = [](std::size_t done, std::size_t all) { show_progress("compared", done, all); };
  const Comparison comparison = compare(request);
  print(options.json ? json_report(comparison) : text_report(comparison));
  switch (comparison.semantics.verdict) {
    case Sameness::same:
      return as_expected;
    case Sameness::different:
      return differs;
    default:
      return nothing_decided;
  }
}

// The parser would take a larger one for the largest; what is no number at all is the parser's.
std::string beyond_integers(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc::result_out_of_range ? "'" + text + "' is beyond the integers of 64 bits" : "";
}

}  // namespace

void add_compare(CLI::App& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("compare", "accumulated training against the large batch: same, or where and why not");
  command->add_option("SPEC", options->spec, "the optimizer, such as 'multi_steps(adam(0.1), k=4)'")->required();
  command->add_option("--problem", options->problem, "what is trained")->capture_default_str();
  command->add_option("--windows", options->plan.windows, "full windows")
      ->check(CLI::Validator(beyond_integers, ""))
      ->capture_default_str();
  command->add_option("--partial", options->plan.partial, "microsteps of a partial window behind them")
      ->check(CLI::Validator(beyond_integers, ""))
      ->capture_default_str();
  command->add_option("--examples", options->plan.examples, "examples a microbatch")
      ->check(CLI::Validator(beyond_integers, ""))
      ->capture_default_str();
  command->add_flag("--ragged", options->plan.ragged, "every second microbatch has one example more");
  command->add_option("--against", options->against, "the reference's spec; SPEC without its accumulators");
  command->add_option("--loss", options->loss, "of a batch, from its examples' losses, in both runs")
      ->capture_default_str()
      ->check(CLI::IsMember({"mean", "sum"}));
  command->add_option("--dtype", options->dtype, "of params and gradients")
      ->check(CLI::IsMember({"float64", "float32", "bfloat16", "float16"}))
      ->capture_default_str();
  command->add_option("--seed", options->plan.seed, "of the random streams")
      ->check(CLI::Validator(not_a_seed, ""))
      ->capture_default_str();
  command->add_flag("--json", options->json, "the result as JSON");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace microstep::cli
