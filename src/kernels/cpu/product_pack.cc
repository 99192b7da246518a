#include "kernels/cpu/product_pack.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/product_tile.h"
#include "kernels/cpu/transpose.h"

namespace lockstep::kernels {
namespace {

template <int kCount, typename T>
void CopyLines(const T* from, int64_t from_stride, int64_t lines, T* to) {
  for (int64_t k = 0; k < lines; ++k) {
    std::memcpy(to + k * kCount, from + k * from_stride, kCount * sizeof(T));
  }
}

template <typename T>
void CopyLines(const T* from, int64_t from_stride, int64_t lines, int64_t count, T* to,
               int64_t to_stride) {
  for (int64_t k = 0; k < lines; ++k) {
    std::memcpy(to + k * to_stride, from + k * from_stride, static_cast<size_t>(count) * sizeof(T));
  }
}

}  // namespace

template <typename T>
void PackColumns(const T* b, int64_t b_stride, bool transposed, int64_t depth, int64_t columns,
                 int64_t panel, T* packed) {
  for (int64_t n = 0; n < columns; n += panel, packed += depth * panel) {
    const int64_t count = std::min(panel, columns - n);
    if (transposed) {
      Transpose(b + n * b_stride, b_stride, count, depth, packed, panel);
    } else if (count == 64 && panel == 64) {
      CopyLines<64>(b + n, b_stride, depth, packed);
    } else if (count == 48 && panel == 48) {
      CopyLines<48>(b + n, b_stride, depth, packed);
    } else if (count == 32 && panel == 32) {
      CopyLines<32>(b + n, b_stride, depth, packed);
    } else if (count == 16 && panel == 16) {
      CopyLines<16>(b + n, b_stride, depth, packed);
    } else {
      CopyLines(b + n, b_stride, depth, count, packed, panel);
    }
  }
}

template <typename T>
void PackTransposedRows(const T* a, int64_t a_stride, int64_t depth, int rows, T* packed) {
  switch (rows) {
    case 1:
      return CopyLines<1>(a, a_stride, depth, packed);
    case 2:
      return CopyLines<2>(a, a_stride, depth, packed);
    case 3:
      return CopyLines<3>(a, a_stride, depth, packed);
    case 4:
      return CopyLines<4>(a, a_stride, depth, packed);
    case 5:
      return CopyLines<5>(a, a_stride, depth, packed);
    case 6:
      return CopyLines<6>(a, a_stride, depth, packed);
    case 7:
      return CopyLines<7>(a, a_stride, depth, packed);
    case kMaxTileRows:
      return CopyLines<kMaxTileRows>(a, a_stride, depth, packed);
  }
}

template void PackColumns(const float*, int64_t, bool, int64_t, int64_t, int64_t, float*);
template void PackColumns(const double*, int64_t, bool, int64_t, int64_t, int64_t, double*);
template void PackTransposedRows(const float*, int64_t, int64_t, int, float*);
template void PackTransposedRows(const double*, int64_t, int64_t, int, double*);

}  // namespace lockstep::kernels
