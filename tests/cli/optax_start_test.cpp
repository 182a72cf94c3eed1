// The start of the Optax port, without Optax: what it imports is there and empty.
#include <cstdlib>
#include <filesystem>

#include "cli/command.hpp"

namespace microstep::cli_test {
namespace {

TEST(OptaxPort, RefusesAStartWithAnotherVersion) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("jax"));
  for (const std::string module : {"jax/__init__.py", "jax/numpy.py", "numpy.py", "optax.py"})
    folder.write(module, "def __getattr__(name): return None\n");
  const std::string request = folder.write("request", "{\"seq\":7,\"request\":\"start\",\"version\":2}\n");
  const std::string command = "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='" + folder.path + "' python3 '" +
                              source("tools/ports/optax_port.py") + "' < '" + request + "' > '" + folder.file("out") +
                              "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(text_of(folder.file("out")),
            "{\"seq\": 7, \"errored\": {\"id\": \"port.version-mismatch\", \"message\": \"tool 2, port 1\"}}\n");
}

}  // namespace
}  // namespace microstep::cli_test
