#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/kernel.h"

namespace lockstep::runtime {

/// Rows of a variable's value that lie in other memory until somebody needs them: each is brought
/// to its place when a kernel asks for it, or when all of the value is wanted. Those that nobody
/// asks for before the next version comes are never copied.
/// Threads: any; whoever sets and drops rows has the variable for itself.
class DistantRows : public kernels::InputRows {
 public:
  struct Piece {
    int64_t first = 0, count = 0;  // rows
    std::shared_ptr<const void> owner;
    const std::byte* data = nullptr;
  };

  /// These rows of the value at `value`, of `row_bytes` each, are in the pieces.
  void Set(std::vector<Piece> pieces, size_t row_bytes, std::byte* value);
  bool any() const { return any_.load(std::memory_order_acquire); }
  /// Whether any are among these bytes of the value.
  bool AreIn(size_t begin, size_t end) const;
  void BringAll();
  /// They are of no value any more.
  void Drop();

  /// Whether the kernel that came last has asked for some rows, and would have had to look at all
  /// if it had not been known that they are finite: then it pays to leave them where they are.
  bool pay() const { return pay_.load(std::memory_order_relaxed); }
  /// Says it of the value, until that changes.
  void set_are_finite(bool finite) { finite_.store(finite, std::memory_order_relaxed); }

  void Need(int64_t first, uint64_t rows) override;
  void NeedAll() override;
  bool AreFinite() const override { return finite_.load(std::memory_order_relaxed); }

 private:
  void Bring(const Piece& piece, int64_t word, uint64_t rows);
  void Forget();

  mutable std::mutex mutex_;
  std::atomic<bool> any_{false}, pay_{false}, finite_{false};
  std::vector<Piece> pieces_;
  std::vector<uint64_t> distant_;  // by row: a bit, 64 a word
  size_t row_bytes_ = 0;
  std::byte* value_ = nullptr;
};

}  // namespace lockstep::runtime
