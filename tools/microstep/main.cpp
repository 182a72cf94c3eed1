#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>

#include "command.hpp"
#include "microstep/data/error.hpp"
#include "microstep/golden/file.hpp"
#include "microstep/scalar/arithmetic.hpp"

namespace microstep::cli {

std::vector<Command> commands() {
  return {{add_compare}, {add_judge},  {add_contracts}, {add_record}, {add_verify},
          {add_diff},    {add_accept}, {add_floor},     {add_serve},  {add_demo}};
}

std::vector<std::string>& port_command() {
  static std::vector<std::string> command;
  return command;
}

void add_port_times(CLI::App& command, PortTimes& times) {
  const CLI::Validator positive(
      [](const std::string& text) {
        double seconds = 0;
        bool fits = CLI::detail::lexical_cast(text, seconds) && seconds >= 0.001 && seconds <= 86400;
        return fits ? std::string() : "'" + text + "' is not a number of seconds from 0.001 to 86400";
      },
      "SECONDS");
  command.add_option("--timeout", times.request, "seconds that the port has for one request")
      ->check(positive)
      ->capture_default_str();
  command.add_option("--start-timeout", times.start, "seconds that the port has to start")
      ->check(positive)
      ->capture_default_str();
}

std::string not_a_seed(const std::string& text) {
  std::int64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  return error == std::errc() && seed >= 0 && end == text.data() + text.size()
             ? ""
             : "'" + text + "' is no integer from 0 to 2^63 - 1";
}

void show_progress(const std::string& what, std::size_t done, std::size_t all) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\r%s %zu/%zu%s", what.c_str(), done, all, done == all ? "\r\033[K" : "");
  std::fflush(stderr);
}

std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool steers = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
    if (steers)
      shown += {'\\', 'x', "0123456789ABCDEF"[byte >> 4], "0123456789ABCDEF"[byte & 15]};
    else
      shown += c;
  }
  return shown;
}

void print(const std::string& given) {
  const std::string text = printable(given);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error("output.stdout", "the results could not be written", "standard output",
                "free some space, or write to a file");
}

namespace {

int exit_code(const std::string& id) {
  const std::string room = id.substr(0, id.find('.'));
  if (room == "output" || id == "golden.write-failed" || id == "golden.locked") return not_written;
  if (id == "golden.nothing-pending") return nothing_decided;
  if (room == "port") return no_port;
  for (std::string_view of_files : {"json", "golden", "trace", "file", "recipe", "safetensors"})
    if (room == of_files) return bad_input;
  return usage;
}

// What helps where the error itself does not say.
std::string next_step(const Error& error) {
  if (!error.next().empty()) return {};
  switch (exit_code(error.id())) {
    case bad_input:
      return "\n  next: look at that place; restore the file or write it anew";
    case no_port:
      return "\n  next: start the port by hand and look at what it says";
    case not_written:
      return "\n  next: look at the place, its permissions and the free space";
    default:
      return "\n  next: microstep --help";
  }
}

// The tool's own part of the command line; the rest behind `--` is the port's.
int own_arguments(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--") continue;
    port_command().assign(argv + i + 1, argv + argc);
    if (port_command().empty())
      throw Error("usage.no-port", "no command stands there", "behind --", "as in -- python3 port.py");
    return i;
  }
  return argc;
}

void refuse_unused_port(const CLI::App& command) {
  if (port_command().empty() || command.get_option_no_throw("--start-timeout")) return;
  throw Error("usage.unexpected", command.get_name() + " takes no port", "behind --",
              "microstep " + command.get_name() + " --help");
}

int run(int argc, char** argv) {
  CLI::App app("Is accumulated training the same computation as large-batch training, and if not, why?");
  app.set_version_flag("--version", "microstep " MICROSTEP_VERSION);
  app.require_subcommand(1);
  std::function<int()> action;
  for (const Command& command : commands()) command.add(app, action);
  const int own = own_arguments(argc, argv);
  try {
    app.parse(own, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return as_expected;
  } catch (const CLI::CallForVersion&) {
    print("microstep " MICROSTEP_VERSION "\n");
    return as_expected;
  } catch (const CLI::ParseError& error) {
    throw usage_error(app, error, {argv + 1, argv + own});
  }
  refuse_unused_port(*app.get_subcommands()[0]);
  return action();
}

std::string line_of(int argc, char** argv) {
  std::string line = "microstep";
  for (int i = 1; i < argc; ++i) line += std::string(" ") + argv[i];
  return line;
}

}  // namespace

void tell(const Error& error) {
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r\033[K");  // a line of progress may stand there
  std::fprintf(stderr, "microstep: %s%s\n", printable(error.what()).c_str(), next_step(error).c_str());
}

}  // namespace microstep::cli

int main(int argc, char** argv) {
  signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit on files is then an error like that of a full disk
  try {
    return microstep::cli::run(argc, argv);
  } catch (const microstep::FileError& error) {
    microstep::cli::tell(error);
    return microstep::cli::bad_input;
  } catch (const microstep::Error& error) {
    microstep::cli::tell(error);
    return microstep::cli::exit_code(error.id());
  } catch (const microstep::Undecidable& reason) {
    microstep::cli::tell({"undecidable", std::string("it is not certain in the declared dtype ") + reason.what(),
                          microstep::cli::line_of(argc, argv), "try a wider --dtype or another --seed"});
    return microstep::cli::nothing_decided;
  } catch (const std::exception& error) {
    microstep::cli::tell(
        {"internal", error.what(), microstep::cli::line_of(argc, argv), "please report this as a bug"});
    return microstep::cli::own_bug;
  }
}
