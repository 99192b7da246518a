#include "lockstep/tensor/shape.h"

#include <algorithm>
#include <cstdlib>

#include "lockstep/base/status.h"
#include "tensor/sizes.h"

namespace lockstep {

Shape::Shape(std::initializer_list<int64_t> sizes)
    : Shape(std::span<const int64_t>(sizes.begin(), sizes.size())) {}

Shape::Shape(std::span<const int64_t> sizes) {
  for (int64_t size : sizes) Append(size);
}

Shape Shape::Unranked() {
  Shape shape;
  shape.rank_ = -1;
  return shape;
}

void Shape::RefuseUnranked() {
  throw Error(Code::kUnimplemented,
              "[shape] the number of axes must be known while a program is traced; got a tensor "
              "whose shape only a run tells; give it by tf.ensure_shape, set_shape or tf.reshape, "
              "or as Tout=tf.TensorSpec(shape, dtype) of a function of Python");
}

void Shape::RefuseSize(int64_t size) {
  throw Error(Code::kInvalidArgument,
              "[shape] a size must not be negative; got " + std::to_string(size));
}

void Shape::Append(int64_t size) {
  if (rank() == kMaxRank) {
    throw Error(Code::kInvalidArgument, "[shape] a tensor has at most 8 axes; got more");
  }
  if (size < kUnknown) RefuseSize(size);
  sizes_[rank_++] = size;
}

void Shape::RefuseAxis(int axis) const {
  NormalizeAxis(axis, rank(), "shape");
  std::abort();  // it has thrown
}

int64_t Shape::dim(int axis) const { return (*this)[axis]; }

bool Shape::fully_known() const {
  return ranked() &&
         std::all_of(sizes_.begin(), sizes_.begin() + rank_, [](int64_t s) { return s >= 0; });
}

int64_t Shape::num_elements() const { return product(0, rank()); }

int64_t Shape::product(int first, int last) const {
  if (first >= last) return 1;
  const std::span<const int64_t> sizes(sizes_.data() + first, static_cast<size_t>(last - first));
  const int64_t count = tensor::ProductOfSizes(sizes, "shape");
  if (count < 0) {
    throw Error(Code::kFailedPrecondition,
                "[shape] the number of elements is not known while tracing; got " + ToString());
  }
  return count;
}

bool Shape::CompatibleWith(const Shape& other) const {
  if (!ranked() || !other.ranked()) return true;
  if (rank_ != other.rank_) return false;
  for (int i = 0; i < rank_; ++i) {
    if (sizes_[i] >= 0 && other.sizes_[i] >= 0 && sizes_[i] != other.sizes_[i]) return false;
  }
  return true;
}

std::string Shape::ToString() const {
  if (!ranked()) return "[...]";
  std::string text = "[";
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) text += ',';
    text += sizes_[i] < 0 ? "?" : std::to_string(sizes_[i]);
  }
  return text + "]";
}

bool Shape::operator==(const Shape& other) const {
  return rank_ == other.rank_ &&
         (rank_ < 0 || std::equal(sizes_.begin(), sizes_.begin() + rank_, other.sizes_.begin()));
}

Shape BroadcastShapes(const Shape& a, const Shape& b, const char* where) {
  if (!a.ranked() || !b.ranked()) return Shape::Unranked();
  const int rank = std::max(a.rank(), b.rank());
  Shape result;
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank());
    const int ib = i - (rank - b.rank());
    const int64_t da = ia >= 0 ? a[ia] : 1;
    const int64_t db = ib >= 0 ? b[ib] : 1;
    if (da == db || db == 1) {
      result.Append(da);
    } else if (da == 1) {
      result.Append(db);
    } else if (da == Shape::kUnknown || db == Shape::kUnknown) {
      result.Append(std::max(da, db));
    } else {
      throw Error(Code::kInvalidArgument, std::string("[") + where +
                                              "] shapes must broadcast; got " + a.ToString() +
                                              " and " + b.ToString());
    }
  }
  return result;
}

int NormalizeAxis(int64_t axis, int rank, const char* where) {
  if (axis < -rank || axis >= rank) {
    throw Error(Code::kInvalidArgument, std::string("[") + where + "] an axis must lie in [" +
                                            std::to_string(-rank) + ", " + std::to_string(rank) +
                                            "); got " + std::to_string(axis));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace lockstep
