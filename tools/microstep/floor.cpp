#include "microstep/report/floor.hpp"

#include <unistd.h>

#include <array>
#include <charconv>

#include "command.hpp"
#include "port.hpp"

namespace microstep::cli {
namespace {

struct Options {
  std::string model, dtype = "float32", batches = "1,2,8,15,16,32";
  std::vector<std::string> switches;
  std::uint64_t seed = 1;
  std::optional<double> absolute, relative;
  bool combine = false, json = false;
  PortTimes times;
};

std::vector<std::int64_t> batches_of(const std::string& text) {
  std::vector<std::int64_t> batches;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::int64_t batch = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, batch);
    if (error != std::errc() || stop != text.data() + end)
      throw Error("floor.batch", "'" + text.substr(at, end - at) + "' is no batch size", "--batch " + text,
                  "write integers, as in --batch 1,2,16");
    batches.push_back(batch);
    at = end + 1;
  }
  return batches;
}

std::pair<std::string, std::string> switch_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error("floor.switch", "'" + text + "' switches nothing", "--switch " + text,
                "write NAME=VALUE, as in --switch conv2d=direct");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// Ourselves, as a child.
std::vector<std::string> own_command() {
  std::array<char, 4096> path{};
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0 || size == static_cast<ssize_t>(path.size()))
    throw Error("port.not-found", "the tool cannot find itself", "/proc/self/exe",
                "name it behind --: -- microstep serve");
  return {std::string(path.data(), static_cast<std::size_t>(size)), "serve"};
}

int run(const Options& options) {
  FloorRequest request;
  request.model = parse_spec(options.model, OpKind::model);
  request.batches = batches_of(options.batches);
  request.dtype = *dtype_from_name(options.dtype);
  request.seed = options.seed;
  for (const std::string& text : options.switches) request.switches.push_back(switch_of(text));
  request.combine = options.combine;
  request.budget = {options.absolute, options.relative};
  request.is_own = port_command().empty();
  request.port = request.is_own ? own_command() : port_command();
  request.options = port_options(options.times);
  request.done = [](std::size_t done, std::size_t all) { show_progress("ran", done, all); };
  const Floor found = floor(request);
  print(options.json ? json_report(found) : text_report(found));
  return found.beyond_budget.empty() ? as_expected : differs;
}

}  // namespace

void add_floor(CLI::App& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "floor",
      "how far apart two runs of one model may be, by batch size and by float path; ours, or a port behind --");
  command->add_option("MODEL", options->model, "such as conv2d, linear, 'mlp(2, 10, 10, 2)' or tiny_conv_net")
      ->required();
  command->add_option("--batch", options->batches, "batch sizes")->capture_default_str();
  command->add_option("--switch", options->switches, "NAME=VALUE of a path, or of a variable in a port's environment")
      ->allow_extra_args(false);
  command->add_flag("--combine", options->combine, "takes several switches at once");
  command->add_option("--budget-abs", options->absolute, "exit 1 where results are further apart");
  command->add_option("--budget-rel", options->relative, "the same, of the largest magnitude in the row");
  command->add_option("--dtype", options->dtype, "of params and inputs")
      ->check(CLI::IsMember({"float64", "float32", "bfloat16", "float16"}))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "of the random streams")
      ->check(CLI::Validator(not_a_seed, ""))
      ->capture_default_str();
  add_port_times(*command, options->times);
  command->add_flag("--json", options->json, "the result as JSON");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace microstep::cli
