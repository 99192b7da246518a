#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/base/status.h"
#include "lockstep/tensor/tensor.h"

/// TensorFlow's tensor bundle, the files of its checkpoints: PREFIX.index with names, dtypes,
/// shapes and checksums, and the elements in PREFIX.data-00000-of-00001.

namespace lockstep {

namespace base {
class FileSystem;
}

struct BundleTensor {
  std::string name;
  Tensor value;
  /// Where `value` is a part of a larger tensor: the whole shape, then start and length along each
  /// axis, as in "5 2 0,3:0,2"; "-" is a whole axis. Empty: the whole tensor.
  std::string slice;
};

/// Writes the tensors of a bundle, in their order, as tf.raw_ops.SaveV2 does. Each file is written
/// under another name, synced and renamed, the index last; so a bundle is whole once it has an
/// index. Dtypes: all with elements.
/// Errors: InvalidArgument (two tensors of one name, no elements, a slice that does not fit),
/// ResourceExhausted, PermissionDenied, NotFound, Unavailable.
Status WriteTensorBundle(const std::string& prefix, const std::vector<BundleTensor>& tensors);

/// Makes one bundle of several, as tf.raw_ops.MergeV2Checkpoints does: so each worker writes its
/// part, and one of them merges the parts. Data files are renamed, not copied; the parts' indexes
/// are removed last, when the whole one is there.
/// Errors: InvalidArgument (a tensor that is whole in two parts, or of two forms), those of
/// TensorBundle::Open and of the disk.
Status MergeTensorBundles(const std::vector<std::string>& parts, const std::string& prefix);

/// A bundle that is read; only the index is held in memory. Threads: any number.
class TensorBundle {
 public:
  struct Entry {
    std::string name;
    DType dtype = DType::kInvalid;  // kInvalid for TensorFlow's other dtypes
    int dtype_number = 0;           // TensorFlow's DataType
    Shape shape;                    // empty where it has more axes than a Shape can
    int64_t bytes = 0;              // in the files; of all parts
    int parts = 0;                  // 0: whole, else the number of its slices
  };

  /// Errors: NotFound; DataLoss (a damaged index), Unimplemented (a bundle of a big-endian
  /// machine).
  static Result<TensorBundle> Open(const std::string& prefix);
  /// The same on another disk, which must stay alive.
  static Result<TensorBundle> OpenOn(base::FileSystem& files, const std::string& prefix);

  /// The tensors in the order of their names, parts left out.
  const std::vector<Entry>& entries() const;
  const Entry* Find(const std::string& name) const;
  /// The number of data files.
  int num_shards() const;
  /// The tensor `name`, put together where it was saved in parts, its checksum verified.
  /// Errors: NotFound (no such tensor), DataLoss naming it, Unimplemented (a dtype or rank that
  /// Lockstep does not have).
  Result<Tensor> Read(const std::string& name) const;

  TensorBundle(TensorBundle&&) noexcept;
  TensorBundle& operator=(TensorBundle&&) noexcept;
  ~TensorBundle();

 private:
  struct Index;
  explicit TensorBundle(std::unique_ptr<Index> index);
  std::unique_ptr<Index> index_;
};

}  // namespace lockstep
