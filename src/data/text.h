#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lockstep/base/status.h"

namespace lockstep::data {

/// Rows of a text for a model that predicts the next byte.
/// Shapes: inputs, targets uint8 [rows, tokens]; targets[r][t] is the byte after inputs[r][t].
struct TextBatch {
  int64_t rows = 0;
  int64_t tokens = 0;
  std::vector<uint8_t> inputs;
  std::vector<uint8_t> targets;
};

/// A text as bytes, cut into windows of `tokens` inputs: window i begins at byte i * tokens and
/// needs one byte more than its inputs, so bytes at the end that fill no window are not used.
class TextCorpus {
 public:
  /// The most bytes that Open reads.
  static constexpr int64_t kMostBytes = int64_t{4} << 30;

  /// Reads any file, plain or gzip; every byte value may occur.
  /// Errors: those of ByteReader; InvalidArgument (tokens < 1; empty; fewer than tokens + 1 bytes);
  ///   ResourceExhausted (more than `most_bytes`).
  static Result<TextCorpus> Open(const std::string& path, int64_t tokens,
                                 int64_t most_bytes = kMostBytes);
  /// Takes `bytes`, called `name` in messages.   Errors: InvalidArgument as Open.
  static Result<TextCorpus> FromBytes(const std::string& name, std::vector<uint8_t> bytes,
                                      int64_t tokens);

  int64_t tokens() const { return tokens_; }
  int64_t num_windows() const { return num_windows_; }
  std::span<const uint8_t> bytes() const { return bytes_; }

  /// The tokens + 1 bytes of window `index` in [0, num_windows()): inputs are all but the last of
  /// them, targets all but the first.
  std::span<const uint8_t> Window(int64_t index) const;

  /// The windows step * rows .. step * rows + rows, counted on from the first after the last.
  TextBatch Batch(int64_t step, int64_t rows) const;

 private:
  TextCorpus(std::vector<uint8_t> bytes, int64_t tokens);

  std::vector<uint8_t> bytes_;
  int64_t tokens_;
  int64_t num_windows_;
};

}  // namespace lockstep::data
