#include "net/shared_memory_segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace lockstep::net {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
constexpr size_t kAlignment = 64;
constexpr size_t kSmallestSegment = size_t{1} << 20;
constexpr size_t kLargestStep = size_t{64} << 20;

Status NoMemory(const char* doing, size_t bytes) {
  return Status(Code::kResourceExhausted, std::string("[shared memory] ") + doing + " " +
                                              std::to_string(bytes) + " bytes must work; got " +
                                              std::strerror(errno) +
                                              "; free memory, or raise the job's memory limit");
}

// Sizes of blocks: multiples of 64, in quarter steps between powers of two.
size_t RoundedSize(size_t bytes) {
  const size_t step =
      std::max(kAlignment, std::bit_floor(std::max<size_t>(bytes, 1) - (bytes > 1)) / 4);
  return std::max(kAlignment, (bytes + step - 1) / step * step);
}

}  // namespace

Result<std::shared_ptr<Segment>> Segment::Create(size_t bytes) {
  FileDescriptor file(memfd_create("lockstep", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.ok()) return NoMemory("a memfd of", bytes);
  // All of it now: writing into memory that is not there would be a signal instead of an error.
  if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 ||
      fallocate(file.get(), 0, 0, static_cast<off_t>(bytes)) != 0 ||
      fcntl(file.get(), F_ADD_SEALS, kSeals) != 0)
    return NoMemory("a memfd of", bytes);
  void* data =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file.get(), 0);
  if (data == MAP_FAILED) return NoMemory("mapping", bytes);
  return std::shared_ptr<Segment>(
      new Segment(std::move(file), static_cast<std::byte*>(data), bytes));
}

Result<std::shared_ptr<Segment>> Segment::Map(FileDescriptor file, size_t bytes) {
  const int seals = fcntl(file.get(), F_GET_SEALS);
  struct stat found {};
  if (seals < 0 || (seals & kSeals) != kSeals || fstat(file.get(), &found) != 0 ||
      static_cast<size_t>(found.st_size) != bytes || bytes == 0) {
    return Status(Code::kDataLoss,
                  "[shared memory] a peer's segment must be sealed and of the size it is said to "
                  "have; got seals " +
                      std::to_string(seals) + ", " + std::to_string(found.st_size) + " of " +
                      std::to_string(bytes) + " bytes");
  }
  void* data = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) return NoMemory("mapping", bytes);
  madvise(data, bytes, MADV_POPULATE_READ);
  return std::shared_ptr<Segment>(
      new Segment(std::move(file), static_cast<std::byte*>(data), bytes));
}

Segment::~Segment() { munmap(data_, size_); }

Status SharedArena::Grow(size_t bytes) {
  const size_t step = std::clamp(total_, kSmallestSegment, kLargestStep);
  const size_t size = std::max(bytes, step);
  if (bytes > limit_bytes_ || total_ > limit_bytes_ - bytes) {
    return Status(Code::kResourceExhausted,
                  "[shared memory] what is under way must fit into " +
                      std::to_string(limit_bytes_) + " bytes; got " + std::to_string(bytes) +
                      " more than the " + std::to_string(total_) +
                      " in use; raise the limit of shared memory, or send less at once");
  }
  auto segment = Segment::Create(std::min(size, limit_bytes_ - total_));
  if (!segment.ok()) return segment.status();
  total_ += (*segment)->size();
  rooms_.push_back({std::move(*segment), 0});
  return Status::Ok();
}

Result<Block> SharedArena::Allocate(size_t bytes) {
  const size_t rounded = RoundedSize(bytes);
  std::byte* begin = nullptr;
  {
    std::lock_guard lock(mutex_);
    auto& free = free_[rounded];
    if (!free.empty()) {
      begin = free.back();
      free.pop_back();
    } else {
      if (rooms_.empty() || rooms_.back().segment->size() - rooms_.back().used < rounded)
        if (Status status = Grow(rounded); !status.ok()) return status;
      begin = rooms_.back().segment->data() + rooms_.back().used;
      rooms_.back().used += rounded;
    }
  }
  auto owner = std::shared_ptr<void>(begin, [arena = shared_from_this(), rounded](void* block) {
    arena->Free(static_cast<std::byte*>(block), rounded);
  });
  return Block{std::move(owner), {begin, bytes}};
}

void SharedArena::Free(std::byte* block, size_t rounded) {
  std::lock_guard lock(mutex_);
  free_[rounded].push_back(block);
}

bool SharedArena::Find(std::span<const std::byte> bytes, SegmentPlace* place) const {
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < rooms_.size(); ++i) {
    const Segment& segment = *rooms_[i].segment;
    if (bytes.data() < segment.data() || bytes.data() >= segment.data() + segment.size()) continue;
    const auto offset = static_cast<uint64_t>(bytes.data() - segment.data());
    if (bytes.size() > segment.size() - offset) return false;
    *place = {static_cast<uint32_t>(i), offset};
    return true;
  }
  return false;
}

std::shared_ptr<Segment> SharedArena::segment(uint32_t index) const {
  std::lock_guard lock(mutex_);
  return rooms_[index].segment;
}

size_t SharedArena::size() const {
  std::lock_guard lock(mutex_);
  return total_;
}

}  // namespace lockstep::net
