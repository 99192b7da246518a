#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/data/dataset.h"
#include "lockstep/data/record.h"

/// Datasets that are read from files, one file after another. Arrays of NumPy are read by ReadNpy
/// (checkpoint/npy.h) and sliced. Errors are thrown at the element where they occur: those of the
/// disk, DataLoss for damaged files.

namespace lockstep {

struct RecordOptions {
  Compression compression = Compression::kNone;
  /// Finds where the records begin, which takes 12 bytes of each, so that the dataset is indexable:
  /// records are read where they lie in the mapped files, which must stay as they are, and in any
  /// order, by as many threads as a step behind has. Needs files that are not compressed.
  bool indexed = false;
};
/// The records of TFRecord files: string []. Source: tf.data.TFRecordDataset.
Dataset TFRecordDataset(const std::vector<std::string>& files, const RecordOptions& options = {});

/// The lines of text files, without line ends: string []. Source: tf.data.TextLineDataset.
Dataset TextLineDataset(const std::vector<std::string>& files,
                        Compression compression = Compression::kNone);

struct FixedLengthOptions {
  int64_t header_bytes = 0;
  int64_t footer_bytes = 0;
  Compression compression = Compression::kNone;
};
/// Records of `record_bytes` bytes each: string []. InvalidArgument when the file, less header and
/// footer, is no multiple. Source: tf.data.FixedLengthRecordDataset.
Dataset FixedLengthRecordDataset(const std::vector<std::string>& files, int64_t record_bytes,
                                 const FixedLengthOptions& options = {});

struct CsvColumn {
  /// kFloat32, kFloat64, kInt32, kInt64 or kString.
  DType dtype = DType::kFloat32;
  /// What an empty field stands for, a scalar; without it an empty field is InvalidArgument.
  Tensor default_value;
};
struct CsvOptions {
  bool header = false;  // whether the first line of each file is left out
  char delimiter = ',';
  /// Fields may stand in double quotes, then a quote is doubled, and they may contain delimiters
  /// and line ends.
  bool quotes = true;
  std::string na_value = {};  // another text that counts as an empty field
  /// The numbers of the fields that are taken, ascending; empty: all, as many as columns.
  std::vector<int64_t> select_columns = {};
  Compression compression = Compression::kNone;
};
/// The lines of CSV files, a scalar a column. InvalidArgument for a line with another number of
/// fields and for a field that is no number; reading goes on behind it.
/// Source: tf.data.experimental.CsvDataset, RFC 4180.
Dataset CsvDataset(const std::vector<std::string>& files, const std::vector<CsvColumn>& columns,
                   const CsvOptions& options = {});

/// The files that fit `pattern`, in which "*", "?" and "[...]" stand for parts of names: string [],
/// sorted, then shuffled unless told otherwise. NotFound when there are none.
/// Source: tf.data.Dataset.list_files.
Dataset ListFiles(const std::string& pattern, bool shuffle = true,
                  std::optional<int64_t> seed = {});

}  // namespace lockstep
