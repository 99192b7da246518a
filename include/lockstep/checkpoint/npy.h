#pragma once

#include <string>
#include <vector>

#include "lockstep/checkpoint/save.h"

/// NumPy's files: .npy holds one array, .npz several by name.

namespace lockstep {

/// Writes an array in one step, with the bytes of numpy.save. Dtypes: all; a bfloat16 becomes
/// NumPy's '<V2', as it has none of its own; strings become '|S<n>' of the longest one.
/// Errors: InvalidArgument (no elements, a string that ends with a zero byte), and the disk's.
Status WriteNpy(const std::string& path, const Tensor& tensor);
/// Reads an array of numbers, bools, or strings ('S' as they are, 'U' as UTF-8), in either order
/// of axes and bytes; '<V2' is bfloat16.
/// Errors: NotFound; DataLoss (not an .npy file, cut off or damaged); Unimplemented (another dtype,
/// more than 8 axes).
Result<Tensor> ReadNpy(const std::string& path);

struct NpzOptions {
  /// Whether arrays are deflated, as by numpy.savez_compressed.
  bool compressed = false;
};
/// Writes arrays by name in one step, as numpy.savez does. Errors: those of WriteNpy; two arrays
/// of one name.
Status WriteNpz(const std::string& path, const std::vector<NamedTensor>& arrays,
                const NpzOptions& options = {});
/// Reads them in the order of the file. An array's size is compared with its header, and its
/// checksum verified, before memory is allocated for it. Errors: those of ReadNpy; DataLoss for a
/// checksum and for two arrays of one name; those of `filter`.
Result<std::vector<NamedTensor>> ReadNpz(const std::string& path, const TensorFilter& filter = {});
/// Reads every byte and verifies the checksums, without keeping the arrays; the number of arrays.
Result<int64_t> VerifyNpz(const std::string& path);

}  // namespace lockstep
