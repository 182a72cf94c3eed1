// Comparisons that take long or much: progress on a terminal, nothing elsewhere, and memory as foretold.
#include <fcntl.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "cli/command.hpp"

namespace microstep::cli_test {
namespace {

// Runs it with standard output thrown away and standard error on `err`; answers what the kernel counted.
rusage usage_of(std::vector<std::string> arguments, int err) {
  std::vector<char*> argv = {const_cast<char*>("microstep")};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t tool = fork();
  if (tool == 0) {
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execv(MICROSTEP_BINARY, argv.data());
    _exit(127);
  }
  rusage usage{};
  int status = 0;
  EXPECT_EQ(wait4(tool, &status, 0, &usage), tool);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  return usage;
}

TEST(LongWork, ShowsProgressOnATerminal) {
  int terminal = -1, own_end = -1;
  ASSERT_EQ(openpty(&own_end, &terminal, nullptr, nullptr, nullptr), 0);
  usage_of({"compare", "multi_steps(adam(0.1), k=2)"}, terminal);
  close(terminal);
  std::string told;
  std::array<char, 4096> part{};
  // What was written comes in parts; behind the last one the terminal that nobody has open is an error.
  for (ssize_t size = 0; (size = read(own_end, part.data(), part.size())) > 0;)
    told.append(part.data(), static_cast<std::size_t>(size));
  close(own_end);
  EXPECT_NE(told.find("\rcompared 3/7"), std::string::npos) << told;
  EXPECT_TRUE(told.ends_with("\r\033[K")) << told;
}

double foretold_mebibytes(const std::string& problem) {
  const Result refused = microstep({"compare", "multi_steps(adam(0.1), k=4)", "--windows", "40", "--problem", problem});
  EXPECT_TRUE(refuses(refused, 2, "plan.too-large"));
  const std::string words = "needs about ";
  const std::size_t at = refused.err.find(words);
  return at == std::string::npos ? 0 : std::stod(refused.err.substr(at + words.size()));
}

// Rows of balls go with the number of params, and the rest of the program is small beside them.
TEST(LongWork, TakesTheMemoryThatIsForetold) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer takes memory of its own";
#endif
  const double large = 3 * (4096.0 * 4096 + 4096), small = 32.0 * 32 + 32;
  const double foretold = foretold_mebibytes("mlp(4096, 4096, 4096, 4096)") * small / large;
  const int null = open("/dev/null", O_WRONLY);
  const rusage usage =
      usage_of({"compare", "multi_steps(adam(0.1), k=4)", "--windows", "40", "--problem", "mlp(32, 32)"}, null);
  close(null);
  const double taken = static_cast<double>(usage.ru_maxrss) / 1024;
  EXPECT_LT(taken, foretold + 40);
  EXPECT_GT(taken, foretold / 4);
}

}  // namespace
}  // namespace microstep::cli_test
