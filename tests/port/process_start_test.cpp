// Starting a command: found or not, its arguments, its environment, its session.
#include "process_fixture.hpp"

namespace microstep {
namespace {

TEST_F(ProcessTest, ArgumentsReachTheChildUnchanged) {
  const std::vector<std::string> odd = {"a b", "\"quoted\" 'single'", "$(echo no) `no` $HOME", "*", "", "\\n;|&"};
  Process& echo = child("echoes.py", odd);
  for (const std::string& argument : odd) EXPECT_EQ(line_of(echo.receive_line()), argument);
}

TEST_F(ProcessTest, EnvironmentIsAddedAndRemoved) {
  setenv("MICROSTEP_TEST_REMOVED", "still here", 1);
  options.environment["MICROSTEP_TEST_REMOVED"] = std::nullopt;
  options.environment["MICROSTEP_TEST_ADDED"] = "added $HOME";
  Process& shell = command({"sh", "-c", "echo \"$MICROSTEP_TEST_ADDED,$MICROSTEP_TEST_REMOVED,${PATH:+path}\""});
  EXPECT_EQ(line_of(shell.receive_line()), "added $HOME,,path");
  unsetenv("MICROSTEP_TEST_REMOVED");
}

TEST_F(ProcessTest, HasASessionOfItsOwn) {
  Process& shell = command({"sh", "-c", "cut -d' ' -f5,6 < /proc/$$/stat; read -r line"});
  const std::string id = fmt::to_string(shell.pid());
  EXPECT_EQ(line_of(shell.receive_line()), id + " " + id);
}

TEST_F(ProcessTest, CommandNotFoundNamesTheNearest) {
  const fs::path folder = own_path("microstep_nearest");
  fs::create_directories(folder);
  std::ofstream(folder / "python") << "#!/bin/sh\n";
  fs::permissions(folder / "python", fs::perms::owner_all);
  options.environment["PATH"] = folder.string();
  const auto trouble = command({"pyton"}).trouble();
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->id, "port.not-found");
  EXPECT_TRUE(contains(trouble->message, "'pyton' was not found on PATH; did you mean 'python'?")) << trouble->message;
  fs::remove_all(folder);
}

TEST_F(ProcessTest, PathNotFoundNamesTheNearestInItsFolder) {
  const auto trouble = command({"/bin/shh"}).trouble();
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->id, "port.not-found");
  EXPECT_TRUE(contains(trouble->message, "did you mean '/bin/")) << trouble->message;
}

TEST_F(ProcessTest, EmptyCommandIsNotFound) {
  EXPECT_EQ(command({}).trouble()->id, "port.not-found");
  EXPECT_EQ(command({""}).trouble()->id, "port.not-found");
  EXPECT_EQ(trouble_of(process->ask("x")).id, "port.not-found");
  EXPECT_EQ(process->stop().code, 0);
}

class FileCommandTest : public ProcessTest {
 protected:
  std::string file(const std::string& content, fs::perms permissions) {
    path = own_path("microstep_command");
    std::ofstream(path) << content;
    fs::permissions(path, permissions);
    return path;
  }
  ~FileCommandTest() override { fs::remove(path); }
  std::string path;
};

TEST_F(FileCommandTest, NotExecutable) {
  const auto trouble = command({file("#!/bin/sh\n", fs::perms::owner_read)}).trouble();
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->id, "port.not-executable");
  EXPECT_TRUE(contains(trouble->message, path)) << trouble->message;
}

TEST_F(FileCommandTest, DirectoryIsNotExecutable) {
  const auto trouble = command({"/tmp"}).trouble();
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->id, "port.not-executable");
  EXPECT_TRUE(contains(trouble->message, "'/tmp' is a directory")) << trouble->message;
}

TEST_F(FileCommandTest, BadInterpreterIsNamed) {
  const auto trouble = command({file("#! /no/such/python3 -u\n", fs::perms::owner_all)}).trouble();
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->id, "port.bad-interpreter");
  EXPECT_TRUE(contains(trouble->message, "interpreter '/no/such/python3'")) << trouble->message;
}

TEST_F(ProcessTest, ArgumentTooLarge) {
  const auto trouble = command({"/bin/true", std::string(4'000'000, 'x')}).trouble();
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->id, "port.cannot-spawn");
  EXPECT_TRUE(contains(trouble->message, "Argument list too long")) << trouble->message;
}

TEST_F(ProcessTest, NulInAnArgument) {
  EXPECT_EQ(command({"/bin/true", std::string("a\0b", 3)}).trouble()->id, "port.cannot-spawn");
}

TEST_F(ProcessTest, ManyStartsLeakNoDescriptors) {
  const auto open = [] { return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()); };
  (void)command({"/bin/true"}).receive_line();  // libuv keeps a pair of its own from its first use on
  process.reset();
  const auto before = open();
  for (int i = 0; i < 20; ++i) (void)command({i % 2 == 0 ? "/bin/true" : "/no/such/command"}).receive_line();
  process.reset();
  EXPECT_EQ(open(), before);
}

}  // namespace
}  // namespace microstep
