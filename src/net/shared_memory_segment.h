#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "lockstep/base/status.h"
#include "net/file_descriptor.h"
#include "net/payload.h"

namespace lockstep::net {

/// A piece of memory that other processes can map: a sealed memfd, so it has no name that could
/// stay behind, and no process can shrink it under another's feet.
class Segment {
 public:
  /// New memory of this process, zero and all there. Errors: ResourceExhausted.
  static Result<std::shared_ptr<Segment>> Create(size_t bytes);
  /// A peer's memory, to be read only. Errors: DataLoss (not sealed, or another size).
  static Result<std::shared_ptr<Segment>> Map(FileDescriptor file, size_t bytes);
  ~Segment();
  Segment(const Segment&) = delete;

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  int file() const { return file_.get(); }

 private:
  Segment(FileDescriptor file, std::byte* data, size_t size)
      : file_(std::move(file)), data_(data), size_(size) {}
  FileDescriptor file_;
  std::byte* data_;
  size_t size_;
};

/// Where bytes lie: a segment by its number in its owner's list, and an offset.
struct SegmentPlace {
  uint32_t segment = 0;
  uint64_t offset = 0;
};

/// Memory for message bodies, in segments that peers may map. It grows by segments and keeps what
/// was freed for blocks of the same size. Threads: everything from any.
class SharedArena : public std::enable_shared_from_this<SharedArena> {
 public:
  explicit SharedArena(size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  /// At a multiple of 64 bytes. Errors: ResourceExhausted (the limit, or the machine's memory).
  Result<Block> Allocate(size_t bytes);
  /// The place of bytes that lie in a block of this arena; false for others.
  bool Find(std::span<const std::byte> bytes, SegmentPlace* place) const;
  std::shared_ptr<Segment> segment(uint32_t index) const;
  size_t size() const;

 private:
  struct Room {  // what of a segment is given out: [0, used)
    std::shared_ptr<Segment> segment;
    size_t used = 0;
  };
  Status Grow(size_t bytes);
  void Free(std::byte* block, size_t rounded);

  const size_t limit_bytes_;
  mutable std::mutex mutex_;
  std::vector<Room> rooms_;                         // guarded by mutex_
  size_t total_ = 0;                                // guarded by mutex_
  std::map<size_t, std::vector<std::byte*>> free_;  // guarded by mutex_; by rounded size
};

}  // namespace lockstep::net
