#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace lockstep::net {

using Bytes = std::vector<std::byte>;

/// Memory to write into, before what is written becomes an immutable `Payload`.
struct Block {
  std::shared_ptr<void> owner;
  std::span<std::byte> bytes;

  /// `bytes` of the heap, at a multiple of 64.
  static Block OnHeap(size_t bytes);
};

/// Immutable bytes and what keeps them: shared by all who still send, hold or read them, wherever
/// they lie.
class Payload {
 public:
  Payload() = default;
  /// The bytes last as long as `owner` is held.
  Payload(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
      : owner_(std::move(owner)), bytes_(bytes) {}
  Payload(std::shared_ptr<const Bytes> bytes) : bytes_(*bytes) { owner_ = std::move(bytes); }
  Payload(std::shared_ptr<Bytes> bytes) : Payload(std::shared_ptr<const Bytes>(std::move(bytes))) {}
  Payload(Block block) : owner_(std::move(block.owner)), bytes_(block.bytes) {}

  const std::byte* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  std::span<const std::byte> bytes() const { return bytes_; }
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

}  // namespace lockstep::net
