#pragma once

#include <cstdint>

/// Matrices of bytes that stand for float32: images, which a program casts and scales. A product
/// takes them as they are, a quarter of the memory, and looks up the number of each byte it meets.
namespace lockstep::kernels {

/// The number of each byte: float(byte) * scale, rounded once.
class ByteNumbers {
 public:
  explicit ByteNumbers(float scale);
  const float* data() const { return numbers_; }
  float scale() const { return numbers_[1]; }
  /// Whether all are numbers, so that a zero byte is a zero.
  bool finite() const { return finite_; }

 private:
  alignas(64) float numbers_[256];
  bool finite_;
};

/// A(r, k) at elements[r * stride + k]; bytes are those of `numbers`, floats are themselves.
template <typename A>
struct Factor {
  const A* elements = nullptr;
  int64_t stride = 0;
  const ByteNumbers* numbers = nullptr;

  const float* table() const { return numbers == nullptr ? nullptr : numbers->data(); }
};

inline float NumberOf(float element, const float*) { return element; }
inline float NumberOf(uint8_t element, const float* numbers) { return numbers[element]; }

/// out[i] = the number of from[i], which is from[i] * scale.
void ScaleBytes(const uint8_t* from, float scale, int64_t count, float* out);

/// The numbers of `rows` x `columns` elements from the first on, in this thread's scratch memory
/// (ScratchUse::kByteNumbers), row after row.
const float* ScaledRows(const Factor<uint8_t>& a, int64_t rows, int64_t columns);

}  // namespace lockstep::kernels
