#include <openssl/evp.h>

#include <array>

#include "microstep/data/error.hpp"
#include "microstep/golden/file.hpp"

namespace microstep {

std::string sha256_of(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
    throw Error("golden.no-sha256", "this OpenSSL has no SHA-256", "libcrypto, EVP_sha256",
                "use an OpenSSL that has it");
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4];
    text += "0123456789abcdef"[digest[i] & 15];
  }
  return text;
}

}  // namespace microstep
