#pragma once

#include <string>
#include <vector>

#include "lockstep/checkpoint/save.h"

/// Files of tensors by name, whatever their format.

namespace lockstep {

enum class FileFormat {
  kSave,         // Lockstep's own: docs/save-format.md
  kBundle,       // TensorFlow's checkpoint: PREFIX.index and its data files
  kSafetensors,  // .safetensors
  kNpz,          // .npz
  kNpy,          // .npy; one tensor, called "array"
};
/// "save", "checkpoint", "safetensors", "npz", "npy"
const char* FormatName(FileFormat format);

/// A file of tensors that has been found.
struct TensorFile {
  std::string path;  // a bundle's prefix
  FileFormat format = FileFormat::kSave;
};
/// What `path` names: a file, the prefix or index of a checkpoint, or a directory of saves or
/// checkpoints, of which the newest is taken. By content, not by name.
/// Errors: NotFound; InvalidArgument (another kind of file).
Result<TensorFile> FindTensorFile(const std::string& path);
/// The format that a new file of this name is to have, told by its suffix; without one of the above
/// it is a checkpoint.
FileFormat FormatOfName(const std::string& path);

/// Reads all tensors. Every checksum that the format has is verified. The metadata are those of a
/// save, or the texts of safetensors. Tensors that `filter` leaves out are not read.
Result<SavedState> LoadTensors(const TensorFile& file, const TensorFilter& filter = {});
/// The same of a checkpoint, with names as they stand in the file; else the part
/// "/.ATTRIBUTES/VARIABLE_VALUE" and the graph of objects are left out.
Result<SavedState> LoadTensorsAsTheyStand(const TensorFile& file);

/// What the file says about its tensors; only its header or index is read. Of a checkpoint, names
/// as they stand in the file.
Result<std::vector<TensorAbout>> ListTensors(const TensorFile& file);
/// Reads every byte and verifies every checksum that the format has; the number of tensors. No more
/// memory is taken than the file has bytes, besides a fixed number.
Result<int64_t> VerifyTensors(const TensorFile& file);

/// Writes tensors. To a checkpoint go objects too, named by the parts of names between "/", so that
/// tf.train.Checkpoint restores it.
/// Errors: those of the format; what it cannot hold (strings, several tensors in .npy).
Status SaveTensors(const TensorFile& file, const SavedState& state);

}  // namespace lockstep
