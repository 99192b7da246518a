#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lockstep/base/status.h"

/// TFRecord files: records of any bytes, each with its length and checksums. Any program that
/// speaks TensorFlow's format reads and writes them.

namespace lockstep {

/// How a file of records or lines is compressed as a whole.
enum class Compression { kNone, kGzip, kZlib };

/// CRC-32C, and the form of it that files keep. Source: RFC 3720; TFRecord.
uint32_t Crc32c(std::string_view bytes);
uint32_t MaskedCrc32c(std::string_view bytes);

/// Writes records one after another. Source: tf.io.TFRecordWriter.
/// Errors: those of the disk; FailedPrecondition after `Close`. After an error the file is lost.
/// Threads: one at a time.
class TFRecordWriter {
 public:
  /// Makes the file, or empties it.
  static Result<TFRecordWriter> Open(const std::string& path,
                                     Compression compression = Compression::kNone);
  TFRecordWriter(TFRecordWriter&&) noexcept;
  TFRecordWriter& operator=(TFRecordWriter&&) noexcept;
  /// Closes what is open; call `Close` to learn whether that went well.
  ~TFRecordWriter();

  Status Write(std::string_view record);
  /// Returns when what was written can be read by others (with kGzip and kZlib after `Close`).
  Status Flush();
  Status Close();

 private:
  class Stream;
  explicit TFRecordWriter(std::unique_ptr<Stream> stream);
  std::unique_ptr<Stream> stream_;
};

/// Reads records one after another. Memory: one record.
/// Errors: NotFound, PermissionDenied, Unavailable; DataLoss with the byte where a record is cut
/// off or its checksum is another. After an error there are no more records.
/// Source: tf.data.TFRecordDataset. Threads: one at a time.
class TFRecordReader {
 public:
  static Result<TFRecordReader> Open(const std::string& path,
                                     Compression compression = Compression::kNone);
  /// Reads `bytes`, which must stay alive, as though they were a file called `name`.
  static Result<TFRecordReader> FromMemory(std::string name, std::string_view bytes,
                                           Compression compression = Compression::kNone);
  TFRecordReader(TFRecordReader&&) noexcept;
  TFRecordReader& operator=(TFRecordReader&&) noexcept;
  ~TFRecordReader();

  /// Puts the next record into `record`; false at the end of the file.
  Result<bool> Next(std::string& record);

 private:
  class Stream;
  explicit TFRecordReader(std::unique_ptr<Stream> stream);
  std::unique_ptr<Stream> stream_;
};

}  // namespace lockstep
