// Lines in both directions, whatever shape they arrive in.
#include "process_fixture.hpp"

namespace microstep {
namespace {

TEST_F(ProcessTest, AsksAndIsAnswered) {
  Process& echo = child("echoes.py");
  EXPECT_FALSE(echo.has_spoken());
  EXPECT_EQ(line_of(echo.ask("one")), "one");
  EXPECT_EQ(line_of(echo.ask("zwei ½")), "zwei ½");
  EXPECT_TRUE(echo.has_spoken());
  EXPECT_FALSE(echo.trouble());
  EXPECT_TRUE(echo.warnings().empty());
}

TEST_F(ProcessTest, StopsPolitely) {
  Process& echo = child("echoes.py");
  EXPECT_EQ(line_of(echo.ask("one")), "one");
  const PortExit exit = echo.stop();
  EXPECT_EQ(to_string(exit), "exit 0");
  EXPECT_FALSE(exit.forced);
  EXPECT_EQ(to_string(echo.stop()), "exit 0") << "stop again";
  EXPECT_EQ(trouble_of(echo.ask("two")).id, "port.exited");
}

TEST_F(ProcessTest, ExitCodeAtTheStopIsTold) {
  Process& port = child("ends_badly.sh");
  EXPECT_EQ(line_of(port.ask("one")), "one");
  const PortExit exit = port.stop();
  EXPECT_EQ(to_string(exit), "exit 1");
  EXPECT_FALSE(exit.forced);
}

TEST_F(ProcessTest, ALargeLineGoesBothWays) {
  const std::string large(3'000'000, 'a');
  Process& echo = child("echoes.py");
  EXPECT_TRUE(line_of(echo.ask(large)) == large);
}

TEST_F(ProcessTest, ALineEndInARequestIsOurMistake) {
  Process& echo = child("echoes.py");
  EXPECT_THROW((void)echo.send_line("one\ntwo"), std::invalid_argument);
}

TEST_F(ProcessTest, PiecesBecomeALine) {
  Process& port = child("splits_writes.py");
  EXPECT_EQ(line_of(port.receive_line()), "{\"answer\": \"é\"}");
}

TEST_F(ProcessTest, TheSecondOfTwoAnswersIsKept) {
  Process& port = child("two_answers.py");
  EXPECT_EQ(line_of(port.ask("go")), "first");
  EXPECT_TRUE(port.line_waiting());
  EXPECT_EQ(line_of(port.receive_line()), "second");
  EXPECT_FALSE(port.line_waiting());
}

TEST_F(ProcessTest, EndlessStderrNeverBlocks) {
  options.stderr_tail = 1000;
  Process& port = child("endless_stderr.py");
  for (const char* line : {"one", "two", "three"}) EXPECT_EQ(line_of(port.ask(line)), line);
  while (port.stderr_bytes() <= 3000) EXPECT_EQ(line_of(port.ask("more")), "more");
  EXPECT_LE(port.stderr_tail().size(), 1000u);
  EXPECT_TRUE(contains(port.stderr_tail(), "warning "));
}

TEST_F(ProcessTest, ALineWithoutEndIsCut) {
  options.max_line = 1 << 20;
  const PortTrouble trouble = trouble_of(child("huge_line.py").receive_line());
  EXPECT_EQ(trouble.id, "port.line-too-long");
  EXPECT_TRUE(contains(trouble.message, "1048576")) << trouble.message;
}

TEST_F(ProcessTest, ALineOfExactlyTheLimitPasses) {
  options.max_line = 5;
  Process& echo = child("echoes.py");
  EXPECT_EQ(line_of(echo.ask("12345")), "12345");
  EXPECT_EQ(trouble_of(echo.ask("123456")).id, "port.line-too-long");
}

TEST_F(ProcessTest, EndlessLinesDoNotFillOurMemory) {
  options.max_line = 1 << 20;
  options.start_timeout = 300ms;
  Process& port = child("endless_lines.py");
  EXPECT_EQ(port.send_line(std::string(1'000'000, 'x'))->id, "port.timeout") << "it never reads";
}

TEST_F(ProcessTest, EndlessLinesAreTakenOneByOne) {
  options.max_line = 1 << 16;
  Process& port = child("endless_lines.py");
  for (int i = 0; i < 50'000; ++i) ASSERT_EQ(line_of(port.receive_line()), "unasked");
  EXPECT_EQ(port.stop().forced, true);
}

TEST_F(ProcessTest, NulByte) {
  const PortTrouble trouble = trouble_of(child("raw.py", {"7b007d0a"}).receive_line());
  EXPECT_EQ(trouble.id, "port.nul-byte");
  EXPECT_TRUE(contains(trouble.message, "byte 1 ")) << trouble.message;
}

TEST_F(ProcessTest, ByteOrderMarkIsSkippedOnce) {
  Process& port = child("raw.py", {"efbbbf610aefbbbf620a"});
  EXPECT_EQ(line_of(port.receive_line()), "a");
  EXPECT_EQ(port.warnings().size(), 1u);
  EXPECT_EQ(line_of(port.receive_line()),
            "\xEF\xBB\xBF"
            "b")
      << "only at the start";
}

TEST_F(ProcessTest, CarriageReturnsGoOnlyAtTheEnd) {
  Process& port = child("raw.py", {"610d620d0a0d0a0a"});
  EXPECT_EQ(line_of(port.receive_line()), "a\rb");
  EXPECT_EQ(line_of(port.receive_line()), "");
  EXPECT_EQ(line_of(port.receive_line()), "");
}

struct IllFormed {
  const char* name;
  const char* hex;
  const char* where;
};

class IllFormedTest : public ProcessTest, public ::testing::WithParamInterface<IllFormed> {};

// The ill-formed kinds of the Unicode standard, section 3.9; a letter "a" stands before each.

INSTANTIATE_TEST_SUITE_P(Utf8, IllFormedTest,
                         ::testing::Values(IllFormed{"LoneContinuation", "61800a", "byte 1 "},
                                           IllFormed{"Overlong", "61c0af0a", "byte 1 "},
                                           IllFormed{"OverlongOfThree", "61e09f800a", "byte 1 "},
                                           IllFormed{"Surrogate", "61eda0800a", "byte 1 "},
                                           IllFormed{"AboveTheLast", "61f49080800a", "byte 1 "},
                                           IllFormed{"CutShort", "c3a961e282", "byte 3 "},
                                           IllFormed{"NeverAByte", "6161ff0a", "byte 2 "}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(IllFormedTest, IsRefusedWithItsPlace) {
  std::string hex = GetParam().hex;
  if (!hex.ends_with("0a")) hex += "0a";
  const PortTrouble trouble = trouble_of(child("raw.py", {hex}).receive_line());
  EXPECT_EQ(trouble.id, "port.invalid-utf8");
  EXPECT_TRUE(contains(trouble.message, GetParam().where)) << trouble.message;
  EXPECT_TRUE(contains(trouble.message, "\xEF\xBF\xBD")) << "shown as U+FFFD: " << trouble.message;
}

TEST_F(ProcessTest, WellFormedEdgesPass) {
  // U+007F, U+0080, U+07FF, U+0800, U+D7FF, U+E000, U+FFFF, U+10000, U+10FFFF: the ends of the table's rows.
  const std::string hex = "7fc280dfbfe0a080ed9fbfee8080efbfbff0908080f48fbfbf";
  EXPECT_EQ(line_of(child("raw.py", {hex + "0a"}).receive_line()).size(), hex.size() / 2);
}

TEST_F(ProcessTest, TwoAtOnceDoNotDisturbEachOther) {
  Process first({"/bin/sh", "-c", "read -r line; echo $line"}, options);
  Process& second = child("echoes.py");
  EXPECT_EQ(line_of(second.ask("second")), "second");
  EXPECT_EQ(line_of(first.ask("first")), "first");
  EXPECT_EQ(trouble_of(first.receive_line()).id, "port.exited");
  EXPECT_EQ(line_of(second.ask("still")), "still");
  Process moved = std::move(first);
  EXPECT_EQ(moved.trouble()->id, "port.exited");
}

}  // namespace
}  // namespace microstep
