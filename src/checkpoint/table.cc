#include "checkpoint/table.h"

#include <algorithm>
#include <cstring>

#include "base/crc32c.h"
#include "base/wire.h"

namespace lockstep::checkpoint {

namespace {

constexpr size_t kBlockBytes = 262144;
constexpr size_t kTrailerBytes = 5;
constexpr size_t kFooterBytes = 48;
constexpr uint64_t kTableMagic = 0xdb4775248b80fb57u;
// Keys share prefixes, so they take more bytes than the file has: at most so many for each of its
// bytes, besides a fixed number.
constexpr uint64_t kMostExpansion = 2;
constexpr uint64_t kFreeExpansion = uint64_t{32} << 20;

template <typename T>
void AppendNumber(T value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
T NumberAt(std::string_view bytes, size_t place) {
  T value;
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

size_t SharedPrefix(std::string_view a, std::string_view b) {
  return std::mismatch(a.begin(), a.begin() + static_cast<int64_t>(std::min(a.size(), b.size())),
                       b.begin())
             .first -
         a.begin();
}

// A short key that is not less than `key` and less than `next`.
std::string Separator(std::string key, std::string_view next) {
  const size_t shared = SharedPrefix(key, next);
  if (shared >= std::min(key.size(), next.size())) return key;
  const auto byte = static_cast<uint8_t>(key[shared]);
  if (byte < 0xff && byte + 1 < static_cast<uint8_t>(next[shared])) {
    key.resize(shared + 1);
    key[shared] = static_cast<char>(byte + 1);
  }
  return key;
}

// A short key that is not less than `key`.
std::string Successor(std::string key) {
  for (size_t i = 0; i < key.size(); ++i) {
    if (static_cast<uint8_t>(key[i]) == 0xff) continue;
    key[i] = static_cast<char>(key[i] + 1);
    key.resize(i + 1);
    break;
  }
  return key;
}

Status DamagedTable(const std::string& rule, const std::string& path) {
  return Status(Code::kDataLoss, "[checkpoint] the index must have " + rule +
                                     "; got another file or a damaged one (" + path +
                                     "); take an earlier checkpoint");
}

struct Handle {
  uint64_t offset = 0, size = 0;
};

bool TakeHandle(std::string_view& bytes, Handle& handle) {
  return base::TakeVarint(bytes, handle.offset) && base::TakeVarint(bytes, handle.size);
}

// The bytes of a block whose checksum has been verified.
Result<std::string_view> BlockAt(std::string_view file, const Handle& handle,
                                 const std::string& path) {
  if (file.size() < kTrailerBytes || handle.size > file.size() - kTrailerBytes ||
      handle.offset > file.size() - kTrailerBytes - handle.size)
    return DamagedTable("its blocks inside the file", path);
  const std::string_view block = file.substr(handle.offset, handle.size);
  const std::string_view with_type = file.substr(handle.offset, handle.size + 1);
  if (NumberAt<uint32_t>(file, handle.offset + handle.size + 1) !=
      base::MaskCrc(base::Crc32c(with_type)))
    return DamagedTable("the checksums of its blocks", path);
  if (with_type.back() != 0) {
    return Status(Code::kUnimplemented,
                  "[checkpoint] the blocks of an index must not be compressed; got compression " +
                      std::to_string(static_cast<int>(with_type.back())) + " (" + path +
                      "); write it with TensorFlow's own writer");
  }
  return block;
}

// The entries of a block, appended to `entries`; false where it is broken or a key is not greater
// than the one before. `allowed` counts down the bytes of keys.
bool ReadBlock(std::string_view block, TableEntries& entries, uint64_t& allowed) {
  if (block.size() < sizeof(uint32_t)) return false;
  const uint64_t restarts = NumberAt<uint32_t>(block, block.size() - sizeof(uint32_t));
  const uint64_t tail = (restarts + 1) * sizeof(uint32_t);
  if (tail > block.size()) return false;
  block.remove_suffix(tail);
  std::string key;
  while (!block.empty()) {
    uint64_t shared = 0, rest = 0, value = 0;
    if (!base::TakeVarint(block, shared) || !base::TakeVarint(block, rest) ||
        !base::TakeVarint(block, value))
      return false;
    if (shared > key.size() || rest > block.size() || value > block.size() - rest) return false;
    if (shared + rest > allowed) return false;
    allowed -= shared + rest;
    key.resize(shared);
    key += block.substr(0, rest);
    if (!entries.empty() && entries.back().first >= key) return false;
    entries.emplace_back(key, block.substr(rest, value));
    block.remove_prefix(rest + value);
  }
  return true;
}

}  // namespace

void TableBuilder::Block::Add(std::string_view key, std::string_view value) {
  size_t shared = 0;
  if (since_restart_ < interval_) {
    shared = SharedPrefix(last_key_, key);
  } else {
    restarts_.push_back(static_cast<uint32_t>(bytes_.size()));
    since_restart_ = 0;
  }
  base::AppendVarint(shared, bytes_);
  base::AppendVarint(key.size() - shared, bytes_);
  base::AppendVarint(value.size(), bytes_);
  bytes_ += key.substr(shared);
  bytes_ += value;
  last_key_ = key;
  ++since_restart_;
}

std::string TableBuilder::Block::Take() {
  std::string bytes = std::move(bytes_);
  for (const uint32_t restart : restarts_) AppendNumber(restart, bytes);
  AppendNumber(static_cast<uint32_t>(restarts_.size()), bytes);
  *this = Block(interval_);
  return bytes;
}

std::string TableBuilder::Append(Block& block) {
  const std::string bytes = block.Take();
  std::string handle;
  base::AppendVarint(file_.size(), handle);
  base::AppendVarint(bytes.size(), handle);
  const size_t begin = file_.size();
  file_ += bytes;
  file_ += '\0';  // not compressed
  AppendNumber(base::MaskCrc(base::Crc32c(std::string_view(file_).substr(begin))), file_);
  return handle;
}

void TableBuilder::IndexPending(std::string separator) {
  if (!pending_.empty()) index_.Add(separator, pending_);
  pending_.clear();
}

void TableBuilder::Add(std::string_view key, std::string_view value) {
  IndexPending(Separator(last_key_, key));
  data_.Add(key, value);
  last_key_ = key;
  if (data_.size() >= kBlockBytes) pending_ = Append(data_);
}

std::string TableBuilder::Finish() {
  if (!data_.empty()) pending_ = Append(data_);
  Block meta(16);
  std::string footer = Append(meta);
  IndexPending(Successor(last_key_));
  footer += Append(index_);
  footer.resize(kFooterBytes - sizeof kTableMagic, '\0');
  AppendNumber(kTableMagic, footer);
  file_ += footer;
  return std::move(file_);
}

Result<TableEntries> ReadTable(std::string_view file, const std::string& path) {
  if (file.size() < kFooterBytes ||
      NumberAt<uint64_t>(file, file.size() - sizeof kTableMagic) != kTableMagic)
    return DamagedTable("the footer of a table", path);
  std::string_view footer = file.substr(file.size() - kFooterBytes);
  Handle meta, index;
  if (!TakeHandle(footer, meta) || !TakeHandle(footer, index))
    return DamagedTable("the footer of a table", path);
  uint64_t allowed = kMostExpansion * file.size() + kFreeExpansion;
  TableEntries blocks, entries;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view index_block, BlockAt(file, index, path));
  if (!ReadBlock(index_block, blocks, allowed))
    return DamagedTable("whole blocks with keys in order", path);
  uint64_t read = 0;
  for (const auto& [separator, place] : blocks) {
    Handle handle;
    std::string_view rest = place;
    if (!TakeHandle(rest, handle)) return DamagedTable("handles of blocks", path);
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view block, BlockAt(file, handle, path));
    read += block.size();
    if (read > file.size() || !ReadBlock(block, entries, allowed))
      return DamagedTable("whole blocks with keys in order", path);
  }
  return entries;
}

}  // namespace lockstep::checkpoint
