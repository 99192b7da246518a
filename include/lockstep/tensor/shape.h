#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace lockstep {

/// The sizes of a tensor's axes, outermost first. While a program is traced a size may be unknown
/// (`kUnknown`), and so may the number of axes (`Unranked`); the shape of a tensor with a value is
/// fully known. At most `kMaxRank` axes.
class Shape {
 public:
  static constexpr int kMaxRank = 8;
  static constexpr int64_t kUnknown = -1;

  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes);
  explicit Shape(std::span<const int64_t> sizes);
  explicit Shape(const std::vector<int64_t>& sizes) : Shape(std::span<const int64_t>(sizes)) {}

  /// The shape of a tensor whose number of axes only a run tells.
  static Shape Unranked();
  bool ranked() const { return rank_ >= 0; }

  /// This and all that depends on it: Unimplemented where the number of axes is not known.
  int rank() const {
    if (rank_ < 0) [[unlikely]]
      RefuseUnranked();
    return rank_;
  }
  /// The size of axis `axis`; negative counts from the end. InvalidArgument when out of range.
  int64_t dim(int axis) const;
  int64_t operator[](int axis) const { return sizes_[IndexOf(axis)]; }
  /// InvalidArgument for a size below -1.
  void set_dim(int axis, int64_t size) {
    if (size < kUnknown) [[unlikely]]
      RefuseSize(size);
    sizes_[IndexOf(axis)] = size;
  }
  std::span<const int64_t> sizes() const { return {sizes_.data(), static_cast<size_t>(rank())}; }
  std::vector<int64_t> vector() const { return {sizes().begin(), sizes().end()}; }

  bool fully_known() const;
  /// The product of the sizes; 1 for a scalar. Every size must be known. InvalidArgument past
  /// 2^63 - 1.
  int64_t num_elements() const;
  /// The product of the sizes of axes [first, last).
  int64_t product(int first, int last) const;

  void Append(int64_t size);
  /// Whether both can be shapes of one tensor: equal ranks and sizes where both are known.
  bool CompatibleWith(const Shape& other) const;
  /// "[2,3]", with "?" for an unknown size; "[...]" without a known number of axes.
  std::string ToString() const;

  bool operator==(const Shape& other) const;

 private:
  [[noreturn]] static void RefuseUnranked();
  [[noreturn]] void RefuseAxis(int axis) const;
  [[noreturn]] static void RefuseSize(int64_t size);
  int IndexOf(int axis) const {
    const int index = axis < 0 ? axis + rank_ : axis;
    if (index < 0 || index >= rank_) [[unlikely]]
      RefuseAxis(axis);
    return index;
  }

  std::array<int64_t, kMaxRank> sizes_{};
  int rank_ = 0;
};

/// The shape of an element-wise operation on `a` and `b`, by NumPy's rule. Throws InvalidArgument,
/// starting with `[where]`, when a pair of sizes neither agrees nor contains a one.
Shape BroadcastShapes(const Shape& a, const Shape& b, const char* where);

/// `axis` counted from the front. Throws InvalidArgument when it is not in [-rank, rank).
int NormalizeAxis(int64_t axis, int rank, const char* where);

}  // namespace lockstep
