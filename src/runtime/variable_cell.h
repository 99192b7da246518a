#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/shared_lock.h"
#include "lockstep/tensor/tensor.h"
#include "runtime/access_log.h"
#include "runtime/distant_rows.h"

namespace lockstep::runtime {

/// Memory that some bytes of a variable's value go to as well when they are written: they are at
/// hand then, and need not be read again to be sent.
struct VariableMirror {
  std::shared_ptr<void> owner;
  std::byte* data = nullptr;
  size_t begin = 0, end = 0;  // of the value's bytes
  uint64_t version = 0;       // of the value that they are of; 0: they are not there
  bool finite = false;        // all of them are
};

/// The place where a variable's value lives: a buffer and a version. A read takes a reference to
/// the buffer; a write goes into the buffer when nobody else refers to it, and into a fresh copy
/// otherwise. So a value that was read once never changes.
class VariableCell : public TensorObject {
 public:
  VariableCell(std::string name, const Tensor& initial, bool trainable = false);
  /// Without a value until the first write; until then it holds zeros.
  VariableCell(std::string name, DType dtype, const Shape& shape, bool trainable);
  ~VariableCell() override;

  const std::string& name() const { return name_; }
  bool trainable() const { return trainable_; }
  /// By which origins of values name it (tensor/origins.h); never used again.
  uint64_t number() const { return number_; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  bool initialized() const { return !starts_empty_ || version() > 0; }
  uint64_t version() const { return version_.load(std::memory_order_acquire); }

  /// A snapshot of the value; waits only for a write in progress.
  Tensor Read();
  /// Publishes `value` as the next version. InvalidArgument when dtype or shape differ.
  void Assign(const Tensor& value);
  /// Publishes as the next version what `fill` writes, all of the value: once, when somebody wants
  /// it, on that thread, or never, if another version comes first. Not of strings.
  void AssignLater(std::function<void(std::byte* data)> fill);
  /// Publishes as the next version the value as it is, but for rows that are in the pieces.
  void AssignDistantRows(std::vector<DistantRows::Piece> pieces);

  // For executors, which hold `lock()`.
  base::SharedLock& lock() { return lock_; }
  const void* data() const;
  const std::shared_ptr<tensor::Buffer>& buffer() const {
    Settle();
    return buffer_;
  }
  /// Memory that nobody else refers to, holding the value; the lock must be held exclusively.
  void* PrepareWrite();
  /// The same where all of the value will be written: it holds anything.
  void* PrepareOverwrite();
  void CommitWrite(uint64_t writes = 1);
  /// Rows that are not there yet; whoever uses this accessor and the next one takes care of them.
  DistantRows& distant_rows() { return distant_; }
  std::byte* data_beside_distant_rows() const;
  /// Filled by who can, which says for which version.
  VariableMirror& mirror() { return mirror_; }
  /// Who has read and written it; filled while accesses are followed.
  AccessLog& log() { return log_; }
  /// Takes writes back: an earlier buffer, which the caller has kept, and its version.
  void Restore(std::shared_ptr<tensor::Buffer> buffer, uint64_t version) {
    DropFill();
    buffer_ = std::move(buffer);
    mirror_.version = 0;
    version_.store(version, std::memory_order_release);
    log_.TakeBack(version);
  }

 private:
  /// Whoever shares the lock may be the first who wants the value.
  void Settle() const {
    if (has_fill_.load(std::memory_order_acquire)) Fill();
    distant_.BringAll();
  }
  void Fill() const;
  void DropFill();

  const std::string name_;
  const DType dtype_;
  const Shape shape_;
  const bool trainable_;
  const bool starts_empty_ = false;
  const uint64_t number_;
  base::SharedLock lock_;
  mutable std::shared_ptr<tensor::Buffer> buffer_;
  std::atomic<uint64_t> version_{0};
  // Of a version that is not in the buffer yet.
  mutable std::mutex fill_mutex_;
  mutable std::function<void(std::byte*)> fill_;
  mutable std::atomic<bool> has_fill_{false};
  // Where there are any the cell alone refers to the buffer.
  mutable DistantRows distant_;
  AccessLog log_;
  VariableMirror mirror_;
};

/// One that no cell of this process has.
uint64_t NextCellNumber();

/// The cell that a tensor of dtype resource refers to; InvalidArgument when it refers to none.
VariableCell& CellOf(const Tensor& handle);

}  // namespace lockstep::runtime
