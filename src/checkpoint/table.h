#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/base/status.h"

/// LevelDB's table format, as the index of a tensor bundle uses it: sorted keys with values, in
/// blocks that share prefixes, each with a checksum; nothing is compressed.
/// Source: LevelDB's doc/table_format.md; TensorFlow's lib/io/table.

namespace lockstep::checkpoint {

/// Makes the bytes of a table from keys that come in ascending order.
class TableBuilder {
 public:
  void Add(std::string_view key, std::string_view value);
  /// The whole file.
  std::string Finish();

 private:
  /// The entries of a block that is being made.
  class Block {
   public:
    explicit Block(int restart_interval) : interval_(restart_interval) {}
    void Add(std::string_view key, std::string_view value);
    bool empty() const { return bytes_.empty(); }
    size_t size() const { return bytes_.size() + (restarts_.size() + 1) * sizeof(uint32_t); }
    /// The block's bytes; it is empty afterwards.
    std::string Take();

   private:
    int interval_;
    int since_restart_ = 0;
    std::string bytes_, last_key_;
    std::vector<uint32_t> restarts_{0};
  };

  /// Appends the block with its trailer to the file and returns its handle.
  std::string Append(Block& block);
  void IndexPending(std::string separator);

  std::string file_, last_key_, pending_;  // pending_: the handle of a block not in the index yet
  Block data_{16}, index_{1};
};

using TableEntries = std::vector<std::pair<std::string, std::string>>;

/// All entries of a table. Memory: a small multiple of the file.
/// Errors: DataLoss (a broken block, a wrong checksum, keys out of order), Unimplemented (blocks
/// that are compressed), with `path` in the text.
Result<TableEntries> ReadTable(std::string_view file, const std::string& path);

}  // namespace lockstep::checkpoint
