#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"
#include "microstep/data/spec.hpp"

namespace microstep::cli {
namespace {

std::string id_of(const CLI::ParseError& error) {
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::RequiredError:
      return "usage.missing";
    case CLI::ExitCodes::ExtrasError:
      return "usage.unexpected";
    case CLI::ExitCodes::ConversionError:
      return "usage.wrong-type";
    case CLI::ExitCodes::ValidationError:
      return "usage.out-of-range";
    case CLI::ExitCodes::ArgumentMismatch:
      return "usage.wrong-count";
    default:
      return "usage.bad-command-line";
  }
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

Error no_command(const CLI::App& app, const std::string& given, const std::string& line) {
  const std::vector<std::string> names = names_of_commands(app);
  if (given.empty())
    return {"usage.no-command", "no command is given", line,
            fmt::format("one of {}; microstep --help says what they do", fmt::join(names, ", "))};
  const std::string near = nearest_name(given, std::vector<std::string_view>(names.begin(), names.end()));
  return {
      "usage.unknown-command", fmt::format("there is no command '{}'", given), line,
      fmt::format("{}one of {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near), fmt::join(names, ", "))};
}

}  // namespace

Error usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments) {
  const auto chosen = app.get_subcommands();
  const std::string line = fmt::format("microstep{}{}", arguments.empty() ? "" : " ", fmt::join(arguments, " "));
  if (chosen.empty() && !arguments.empty() && arguments[0].starts_with("-"))
    return {"usage.unexpected", fmt::format("'{}' stands where a command is due", arguments[0]), line,
            "microstep --help"};
  if (chosen.empty()) return no_command(app, arguments.empty() ? "" : arguments[0], line);
  return {id_of(error), error.what(), line, fmt::format("microstep {} --help", chosen[0]->get_name())};
}

}  // namespace microstep::cli
