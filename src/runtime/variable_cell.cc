#include "runtime/variable_cell.h"

#include <cstring>
#include <mutex>

#include "runtime/race_checks.h"
#include "runtime/schedule.h"
#include "runtime/variable_hold.h"
#include "tensor/buffer.h"

namespace lockstep::runtime {

namespace {

std::shared_ptr<tensor::Buffer> CopyOf(DType dtype, const Shape& shape, const void* data) {
  auto copy = tensor::Buffer::Allocate(dtype, shape.num_elements());
  if (dtype == DType::kString) {
    const auto* from = static_cast<const std::string*>(data);
    std::copy(from, from + shape.num_elements(), static_cast<std::string*>(copy->data()));
  } else {
    std::memcpy(copy->data(), data, shape.num_elements() * DTypeSize(dtype));
  }
  return copy;
}

}  // namespace

uint64_t NextCellNumber() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

VariableCell::VariableCell(std::string name, const Tensor& initial, bool trainable)
    : name_(std::move(name)),
      dtype_(initial.dtype()),
      shape_(initial.shape()),
      trainable_(trainable),
      number_(NextCellNumber()),
      buffer_(CopyOf(dtype_, shape_, initial.raw_data())) {
  buffer_->set_origin({number_, 0});
}

VariableCell::VariableCell(std::string name, DType dtype, const Shape& shape, bool trainable)
    : name_(std::move(name)),
      dtype_(dtype),
      shape_(shape),
      trainable_(trainable),
      starts_empty_(true),
      number_(NextCellNumber()),
      buffer_(tensor::Buffer::Allocate(dtype, shape.num_elements())) {
  if (dtype != DType::kString) {
    std::memset(buffer_->data(), 0, shape.num_elements() * DTypeSize(dtype));
  }
  buffer_->set_origin({number_, 0});
}

VariableCell::~VariableCell() {
  Schedule* schedule = Schedule::Active();
  if (schedule == nullptr || dtype_ == DType::kString) return;
  schedule->End(name_, buffer_->data(), shape_.num_elements() * DTypeSize(dtype_));
}

Tensor VariableCell::Read() {
  std::shared_ptr<tensor::Buffer> buffer;
  ScheduleTouch(*this, false);
  {
    const CellLock lock(*this, false);
    buffer = this->buffer();
    if (FollowsAccesses()) log_.Read(version(), ops::CurrentSite());
  }
  return Tensor::FromBuffer(std::move(buffer), dtype_, shape_);
}

void VariableCell::Assign(const Tensor& value) {
  if (value.dtype() != dtype_ || !(value.shape() == shape_)) {
    throw Error(Code::kInvalidArgument,
                "[assign] the value must have the variable's dtype and shape; got " +
                    std::string(DTypeName(value.dtype())) + value.shape().ToString() + " for " +
                    name_ + " of " + std::string(DTypeName(dtype_)) + shape_.ToString());
  }
  auto copy = CopyOf(dtype_, shape_, value.raw_data());
  ScheduleTouch(*this, true);
  const CellLock lock(*this, true);
  if (FollowsAccesses()) CheckAssignment(*this, value);
  DropFill();
  buffer_ = std::move(copy);
  CommitWrite();
  if (FollowsAccesses()) log_.Write(version(), ops::CurrentSite());
}

void VariableCell::CommitWrite(uint64_t writes) {
  const uint64_t version = version_.load(std::memory_order_relaxed) + writes;
  buffer_->set_origin({number_, version});
  distant_.set_are_finite(false);
  version_.store(version, std::memory_order_release);
}

const void* VariableCell::data() const { return buffer()->data(); }

void* VariableCell::PrepareWrite() {
  Settle();
  if (!tensor::IsSoleOwner(buffer_)) buffer_ = CopyOf(dtype_, shape_, buffer_->data());
  return buffer_->data();
}

void* VariableCell::PrepareOverwrite() {
  DropFill();
  if (!tensor::IsSoleOwner(buffer_))
    buffer_ = tensor::Buffer::Allocate(dtype_, shape_.num_elements());
  return buffer_->data();
}

void VariableCell::AssignLater(std::function<void(std::byte* data)> fill) {
  const CellLock lock(*this, true);
  const std::lock_guard fill_lock(fill_mutex_);
  fill_ = std::move(fill);
  distant_.Drop();
  distant_.set_are_finite(false);
  has_fill_.store(true, std::memory_order_release);
  version_.fetch_add(1, std::memory_order_release);
}

void VariableCell::AssignDistantRows(std::vector<DistantRows::Piece> pieces) {
  const CellLock lock(*this, true);
  distant_.Drop();
  auto* data = static_cast<std::byte*>(PrepareWrite());
  CommitWrite();
  const auto row = static_cast<size_t>(shape_.product(1, shape_.rank())) * DTypeSize(dtype_);
  distant_.Set(std::move(pieces), row, data);
}

std::byte* VariableCell::data_beside_distant_rows() const {
  return static_cast<std::byte*>(buffer_->data());
}

void VariableCell::Fill() const {
  const std::lock_guard lock(fill_mutex_);
  if (!has_fill_.load(std::memory_order_relaxed)) return;
  if (!tensor::IsSoleOwner(buffer_))
    buffer_ = tensor::Buffer::Allocate(dtype_, shape_.num_elements());
  fill_(static_cast<std::byte*>(buffer_->data()));
  fill_ = nullptr;
  buffer_->set_origin({number_, version()});
  has_fill_.store(false, std::memory_order_release);
}

void VariableCell::DropFill() {
  distant_.Drop();
  distant_.set_are_finite(false);
  if (!has_fill_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(fill_mutex_);
  fill_ = nullptr;
  has_fill_.store(false, std::memory_order_release);
}

VariableCell& CellOf(const Tensor& handle) {
  auto* cell = dynamic_cast<VariableCell*>(handle.object().get());
  if (cell == nullptr) {
    throw Error(Code::kInvalidArgument, "[variable] a variable is needed; got a tensor of " +
                                            std::string(DTypeName(handle.dtype())));
  }
  return *cell;
}

}  // namespace lockstep::runtime
