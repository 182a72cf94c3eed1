#include "tensor_files.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "microstep/golden/file.hpp"
#include "microstep/golden/safetensors.hpp"

namespace microstep {
namespace {

void check_inside(const std::filesystem::path& name, const std::string& source) {
  const bool leads_out = name.is_absolute() || std::ranges::find(name, "..") != name.end();
  if (!leads_out && !name.empty()) return;
  throw Error("trace.outside", "'" + name.string() + "' is no file in or below the folder of the trace",
              source + "#/tensors", "put the tensors beside the trace and name them without '/' before or '..' in it");
}

void add_tensors(const std::shared_ptr<const SafetensorsFile>& file, const std::string& path,
                 std::vector<OutsideTensor>& tensors) {
  for (const TensorPlace& place : file->tensors())
    tensors.push_back({place.name, path + "#/" + place.name, place.dtype, place.shape,
                       [file, &place](std::int64_t first, std::span<double> out) { file->read(place, first, out); }});
}

}  // namespace

OpenTensors tensors_beside(const std::string& source) {
  return [source](const std::vector<std::string>& files) {
    std::vector<OutsideTensor> tensors;
    for (const std::string& name : files) {
      check_inside(name, source);
      const std::string path = (std::filesystem::path(source).parent_path() / name).string();
      in_file(path, [&] { add_tensors(std::make_shared<const SafetensorsFile>(path), path, tensors); });
    }
    return tensors;
  };
}

}  // namespace microstep
