// Children that leave, crash, hang or go deaf, each in one way (tests/port/children).
#include "process_fixture.hpp"

namespace microstep {
namespace {

TEST_F(ProcessTest, ExitsAtOnce) {
  const PortTrouble trouble = trouble_of(child("exits_at_once.sh").receive_line());
  EXPECT_EQ(trouble.id, "port.exited-before-handshake");
  EXPECT_TRUE(contains(trouble.message, "(exit 0)")) << trouble.message;
  EXPECT_EQ(trouble_of(process->ask("again")).id, trouble.id) << "a trouble stays";
}

TEST_F(ProcessTest, ExitsBeforeTheRequestIsWritten) {
  child("exits_at_once.sh");
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(trouble_of(process->ask("start")).id, "port.exited-before-handshake");
}

TEST_F(ProcessTest, TracebackIsKept) {
  const PortTrouble trouble = trouble_of(child("raises.py").receive_line());
  EXPECT_EQ(trouble.id, "port.exited-before-handshake");
  EXPECT_TRUE(contains(trouble.message, "(exit 3)")) << trouble.message;
  EXPECT_TRUE(contains(trouble.message, "RuntimeError: no such model")) << trouble.message;
  EXPECT_TRUE(contains(trouble.detail, "Traceback")) << trouble.detail;
}

TEST_F(ProcessTest, CrashAtTheStart) {
  const PortTrouble trouble = trouble_of(child("segfaults.sh").receive_line());
  EXPECT_EQ(trouble.id, "port.crashed");
  EXPECT_TRUE(contains(trouble.message, "killed by SIGSEGV")) << trouble.message;
  EXPECT_FALSE(process->has_spoken());
}

TEST_F(ProcessTest, CrashInTheMiddleAfterAnAnswer) {
  Process& port = child("segfaults.sh", {"late"});
  EXPECT_EQ(line_of(port.ask("one")), "one");
  EXPECT_EQ(trouble_of(port.receive_line()).id, "port.crashed");
  EXPECT_TRUE(port.has_spoken());
}

TEST_F(ProcessTest, AnswersBeforeTheExitAreGiven) {
  Process& shell = command({"sh", "-c", "echo one; echo two; printf half; exit 4"});
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(line_of(shell.receive_line()), "one");
  EXPECT_EQ(line_of(shell.receive_line()), "two");
  const PortTrouble trouble = trouble_of(shell.receive_line());
  EXPECT_EQ(trouble.id, "port.exited");
  EXPECT_TRUE(contains(trouble.message, "(exit 4)")) << trouble.message;
  EXPECT_TRUE(contains(trouble.message, "unfinished (4 bytes)")) << trouble.message;
}

TEST_F(ProcessTest, NeverAnswers) {
  options.start_timeout = 200ms;
  const auto begin = Clock::now();
  const PortTrouble trouble = trouble_of(child("never_answers.sh").ask("start"));
  EXPECT_EQ(trouble.id, "port.timeout");
  EXPECT_TRUE(contains(trouble.message, "within 0.2 s")) << trouble.message;
  EXPECT_TRUE(contains(trouble.message, "flush=True")) << trouble.message;
  EXPECT_GE(Clock::now() - begin, 200ms);
}

TEST_F(ProcessTest, DoesNotReadAMegabyte) {
  options.start_timeout = 200ms;
  const auto trouble = child("reads_nothing.sh").send_line(std::string(1'000'000, 'x'));
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->id, "port.timeout");
  EXPECT_TRUE(contains(trouble->message, "did not read")) << trouble->message;
}

TEST_F(ProcessTest, RequestTimeoutHoldsAfterTheFirstAnswer) {
  options.request_timeout = 150ms;
  Process& port = child("ignores_term.sh");
  EXPECT_EQ(line_of(port.receive_line()), "ready");
  const PortTrouble trouble = trouble_of(port.receive_line());
  EXPECT_EQ(trouble.id, "port.timeout");
  EXPECT_TRUE(contains(trouble.next, "--timeout")) << trouble.next;
}

TEST_F(ProcessTest, IgnoringTermEndsInKill) {
  Process& port = child("ignores_term.sh");
  EXPECT_EQ(line_of(port.receive_line()), "ready");
  const auto begin = Clock::now();
  const PortExit exit = port.stop();
  EXPECT_EQ(exit.signal, "SIGKILL");
  EXPECT_TRUE(exit.forced);
  EXPECT_GE(Clock::now() - begin, options.eof_grace + options.term_grace);
}

TEST_F(ProcessTest, AStoppedChildTimesOutAndIsKilled) {
  Process& port = child("stops_itself.sh");
  EXPECT_EQ(line_of(port.receive_line()), "ready");
  EXPECT_EQ(trouble_of(port.receive_line(Clock::now() + 100ms)).id, "port.timeout");
  expect_gone(port.pid());
}

TEST_F(ProcessTest, ClosedStdinIsNotOurDeath) {
  Process& port = child("closes_stdin.sh");
  EXPECT_EQ(line_of(port.receive_line()), "deaf");
  EXPECT_EQ(trouble_of(port.ask("hello?")).id, "port.stdin-closed");
}

TEST_F(ProcessTest, ClosedStdoutIsSeenBeforeTheTimeout) {
  options.start_timeout = 60s;
  EXPECT_EQ(trouble_of(child("closes_stdout.sh").ask("hello?")).id, "port.stdout-closed");
}

TEST_F(ProcessTest, AGrandchildMayNotHoldThePipe) {
  Process& port = child("grandchild.sh");
  EXPECT_EQ(line_of(port.receive_line()), "answer");
  const auto begin = Clock::now();
  EXPECT_EQ(trouble_of(port.receive_line()).id, "port.exited");
  EXPECT_LT(Clock::now() - begin, options.request_timeout) << "the drain timer ends it";
}

TEST_F(ProcessTest, AGrandchildIsGoneAfterAStop) {
  Process& port = child("grandchild.sh");
  EXPECT_EQ(line_of(port.receive_line()), "answer");
  port.stop();
  expect_gone(port.pid());
}

TEST_F(ProcessTest, DestructionKillsARunningChild) {
  const int group = child("reads_nothing.sh").pid();
  EXPECT_EQ(living_in_group(group), 1);
  process.reset();
  expect_gone(group);
}

}  // namespace
}  // namespace microstep
