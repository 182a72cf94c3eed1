#pragma once
// Files that break one rule of the safetensors format each, and whether the reference package reads them all the same.
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace microstep {

inline std::string file_of(const std::string& header, const std::string& data) {
  std::string bytes;
  for (std::size_t i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return bytes + header + data;
}

inline std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                         const std::string& at) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + at + "}";
}

/// id: behind `safetensors.`. why_read: why the reference reads it where we do not; empty where it refuses it, too.
struct Refusal {
  std::string what;
  std::string bytes;
  std::string id;
  std::string place;
  std::string why_read = {};
};
inline void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.what; }

inline std::string long_header(std::uint64_t length) {
  std::string bytes;
  for (std::size_t i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i) & 0xff);
  return bytes + "{}";
}

inline const std::string four("\0\0\0\0", 4), eight = four + four;

inline std::string one(const std::string& e) { return "{" + e + "}"; }

inline std::vector<Refusal> refused_tensors() {
  const std::string w = entry("w", "F32", "[1]", "[0,4]");
  return {
      {"no bytes", "", "header-too-small", "f"},
      {"seven bytes", "\x02\0\0\0\0\0\0", "header-too-small", "f"},
      {"a header beyond the limit", long_header(100'000'001), "header-too-large", "f"},
      {"a header of 2^64 - 1 bytes", long_header(~std::uint64_t{0}), "header-too-large", "f"},
      {"a header that is longer than the file", long_header(3), "invalid-header-length", "f"},
      {"a header that is no object", file_of("[]", ""), "invalid-header-start", "f"},
      {"a space before the header", file_of(" {}", ""), "invalid-header-start", "f",
       "it skips spaces, which the format does not allow there"},
      {"a header that is not UTF-8", file_of("{\"\xff\":1}", ""), "invalid-header-utf8", "f"},
      {"a header that is not JSON", file_of("{\"a\":}", ""), "invalid-header-json", "f"},
      {"a name twice", file_of("{" + w + "," + w + "}", four), "duplicate-key", "f", "it takes the last one"},
      {"an unknown dtype", file_of(one(entry("w", "F8", "[1]", "[0,1]")), std::string(1, '\0')), "unknown-dtype",
       "f#/w"},
      {"a dtype that no leaf has", file_of(one(entry("w", "F8_E4M3", "[1]", "[0,1]")), std::string(1, '\0')),
       "unknown-dtype", "f#/w", "it holds numbers of more kinds"},
      {"integers", file_of(one(entry("w", "I64", "[1]", "[0,8]")), eight), "unknown-dtype", "f#/w",
       "it holds numbers of more kinds"},
      {"begin behind end", file_of(one(entry("w", "F32", "[1]", "[4,0]")), four), "invalid-offset", "f#/w"},
      {"a gap", file_of(one(entry("w", "F32", "[1]", "[4,8]")), eight), "invalid-offset", "f#/w"},
      {"two that overlap", file_of("{" + w + "," + entry("v", "F32", "[1]", "[2,6]") + "}", eight), "invalid-offset",
       "f#/v"},
      {"data that is cut off", file_of(one(entry("w", "F32", "[2]", "[0,8]")), four), "incomplete-buffer", "f#/w"},
      {"bytes behind the last tensor", file_of(one(w), eight), "incomplete-buffer", "f"},
      {"a shape of another size", file_of(one(entry("w", "F32", "[3]", "[0,8]")), eight), "tensor-invalid-info",
       "f#/w"},
      {"a shape beyond all integers", file_of(one(entry("w", "F32", "[4611686018427387904,16]", "[0,4]")), four),
       "tensor-invalid-info", "f#/w"},
  };
}

inline std::vector<Refusal> refused_headers() {
  const std::string w = entry("w", "F32", "[1]", "[0,4]");
  return {
      {"a negative offset", file_of(one(entry("w", "F32", "[1]", "[-4,0]")), ""), "invalid-header-json", "f"},
      {"a fractional offset", file_of(one(entry("w", "F32", "[1]", "[0,4.5]")), four), "invalid-header-json", "f"},
      {"an offset as text", file_of(one(entry("w", "F32", "[1]", "[0,\"4\"]")), four), "invalid-header-json", "f"},
      {"one offset", file_of(one(entry("w", "F32", "[1]", "[0]")), four), "invalid-header-json", "f"},
      {"no shape", file_of(R"({"w":{"dtype":"F32","data_offsets":[0,4]}})", four), "invalid-header-json", "f"},
      {"an unknown key", file_of(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})", four),
       "invalid-header-json", "f", "it passes over keys that it does not know"},
      {"a key twice in an entry",
       file_of(R"({"w":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})", four), "duplicate-key", "f"},
      {"padding of NUL", file_of(one(w) + std::string(2, '\0'), four), "invalid-header-json", "f"},
      {"a shape beyond all integers with a zero",
       file_of(one(entry("w", "F32", "[4611686018427387904,16,0]", "[0,0]")), ""), "tensor-invalid-info", "f#/w"},
      {"an empty one within another", file_of("{" + w + "," + entry("e", "F32", "[0]", "[2,2]") + "}", four),
       "invalid-offset", "f#/e"},
      {"a lone surrogate", file_of(one(entry("\\ud800", "F32", "[1]", "[0,4]")), four), "invalid-header-utf8", "f"},
      {"an offset with an exponent", file_of(one(entry("w", "F32", "[1]", "[0,4e0]")), four), "invalid-header-json",
       "f"},
      {"a deep header", file_of("{\"w\":" + std::string(100, '[') + std::string(100, ']') + "}", ""),
       "invalid-header-json", "f"},
      {"no header", std::string(8, '\0'), "invalid-header-start", "f"},
      {"metadata twice", file_of(R"({"__metadata__":{},"__metadata__":{}})", ""), "duplicate-key", "f"},
      {"a key of metadata twice", file_of(R"({"__metadata__":{"a":"1","a":"2"}})", ""), "duplicate-key", "f",
       "it takes the last one"},
      {"metadata of null", file_of(R"({"__metadata__":null})", ""), "invalid-metadata", "f#/__metadata__",
       "it takes null for none"},
      {"metadata that is a number", file_of(R"({"__metadata__":{"k":1}})", ""), "invalid-metadata",
       "f#/__metadata__/k"},
      {"metadata that is a list", file_of(R"({"__metadata__":[]})", ""), "invalid-metadata", "f#/__metadata__"},
  };
}

inline std::vector<Refusal> refusals() {
  std::vector<Refusal> all = refused_tensors();
  for (Refusal& refusal : refused_headers()) all.push_back(std::move(refusal));
  return all;
}

}  // namespace microstep
