#include "data/text.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "data/byte_reader.h"

namespace lockstep::data {
namespace {

constexpr int64_t kFirstBlock = int64_t{64} * 1024;

Status Fault(Code code, const std::string& rule, const std::string& got, const std::string& place,
             const std::string& cure) {
  return Status(code, "[text] " + rule + "; got " + got + " (" + place + "); " + cure);
}

Result<std::vector<uint8_t>> ReadAll(ByteReader& reader, int64_t most_bytes) {
  std::vector<uint8_t> bytes;
  // One byte more than the file's size: the read that meets the end needs no other block.
  int64_t block = reader.compressed() ? kFirstBlock : reader.file_bytes().value_or(kFirstBlock) + 1;
  for (;;) {
    const auto have = static_cast<int64_t>(bytes.size());
    const int64_t step = std::min(block, most_bytes + 1 - have);
    bytes.resize(have + step);
    LOCKSTEP_ASSIGN_OR_RETURN(const size_t got, reader.Read(std::span(bytes).subspan(have)));
    bytes.resize(have + got);
    if (static_cast<int64_t>(bytes.size()) > most_bytes) {
      return Fault(Code::kResourceExhausted,
                   "a text must have at most " + std::to_string(most_bytes) + " bytes", "more",
                   reader.name(), "split the file");
    }
    if (static_cast<int64_t>(got) < step) return bytes;
    block = std::max(kFirstBlock, static_cast<int64_t>(bytes.size()));
  }
}

}  // namespace

Result<TextCorpus> TextCorpus::Open(const std::string& path, int64_t tokens, int64_t most_bytes) {
  LOCKSTEP_ASSIGN_OR_RETURN(ByteReader reader, ByteReader::Open(path));
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, ReadAll(reader, most_bytes));
  return FromBytes(path, std::move(bytes), tokens);
}

Result<TextCorpus> TextCorpus::FromBytes(const std::string& name, std::vector<uint8_t> bytes,
                                         int64_t tokens) {
  if (tokens < 1) {
    return Fault(Code::kInvalidArgument, "a window must have a token or more",
                 std::to_string(tokens), name, "ask for 1 token or more");
  }
  if (bytes.empty()) {
    return Fault(Code::kInvalidArgument, "a text must have bytes", "0 bytes", name,
                 "the file is empty: name another");
  }
  if (static_cast<uint64_t>(tokens) >= bytes.size()) {
    return Fault(Code::kInvalidArgument,
                 "a text must be longer than the " + std::to_string(tokens) + " tokens of a window",
                 std::to_string(bytes.size()) + " bytes", name,
                 "use a longer text or fewer tokens");
  }
  return TextCorpus(std::move(bytes), tokens);
}

TextCorpus::TextCorpus(std::vector<uint8_t> bytes, int64_t tokens)
    : bytes_(std::move(bytes)),
      tokens_(tokens),
      num_windows_((static_cast<int64_t>(bytes_.size()) - 1) / tokens) {}

std::span<const uint8_t> TextCorpus::Window(int64_t index) const {
  LOCKSTEP_CHECK_GE(index, 0);
  LOCKSTEP_CHECK_LT(index, num_windows_);
  return std::span(bytes_).subspan(index * tokens_, tokens_ + 1);
}

TextBatch TextCorpus::Batch(int64_t step, int64_t rows) const {
  LOCKSTEP_CHECK_GE(step, 0);
  LOCKSTEP_CHECK_GE(rows, 0);
  TextBatch batch{rows, tokens_, {}, {}};
  batch.inputs.resize(rows * tokens_);
  batch.targets.resize(rows * tokens_);
  // step % num_windows first: the product cannot overflow however long a job runs.
  const int64_t first = (step % num_windows_) * (rows % num_windows_);
  for (int64_t row = 0; row < rows; ++row) {
    const auto window = Window((first + row) % num_windows_);
    std::copy_n(window.begin(), tokens_, batch.inputs.begin() + row * tokens_);
    std::copy_n(window.begin() + 1, tokens_, batch.targets.begin() + row * tokens_);
  }
  return batch;
}

}  // namespace lockstep::data
