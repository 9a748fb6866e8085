#include "verifier/certificate/program_hash.h"

#include "verifier/ir/pir_print.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

namespace plumbline::certificate {
namespace {

class HashingStream : public llvm::raw_ostream {
public:
  HashingStream() : llvm::raw_ostream(/*unbuffered=*/false) {}
  ~HashingStream() override { flush(); }
  std::string hash() {
    flush();
    const auto digest = hash_.final();
    return llvm::toHex(digest, /*LowerCase=*/true);
  }

private:
  void write_impl(const char *data, std::size_t size) override {
    hash_.update(llvm::StringRef(data, size));
    written_ += size;
  }
  [[nodiscard]] std::uint64_t current_pos() const override { return written_; }

  llvm::SHA256 hash_;
  std::uint64_t written_ = 0;
};

} // namespace

std::string hashOf(const Program &program) {
  Program bare = program;
  bare.files.clear();
  for (Instruction &i : bare.instructions)
    i.location = i.origin = SourceLocation();
  HashingStream stream;
  printPir(bare, stream);
  return stream.hash();
}

} // namespace plumbline::certificate
