#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

/// Event files as TensorBoard and this program write them, read again. Source: event.proto.

namespace lockstep::monitor {

/// One value of a summary, or a graph.
struct EventValue {
  double wall_time = 0;
  int64_t step = 0;
  std::string tag;   // of a graph: empty
  std::string kind;  // "scalars", "histograms", "images", "text", "hparams", "graph", "other"
  bool has_number = false;
  double number = 0;    // of a scalar
  std::string summary;  // the value's message; of a graph: the GraphDef
};

struct EventFile {
  std::string run;  // its directory, below the one that was asked for; "." for that itself
  std::string path;
  std::vector<EventValue> values;
  std::string damage;  // where reading ended before the end, and why; empty: it is whole
};

/// What one file holds. A last record that is cut off, as by a process that was killed, ends it;
/// so does one with a wrong checksum: `damage` says which. Errors: the disk's; DataLoss (no event
/// file at all).
Result<EventFile> ReadEventFile(base::FileSystem& files, const std::string& path);
/// All files below a directory whose names have ".tfevents.", by run and name. Errors: NotFound.
Result<std::vector<EventFile>> ReadEventFiles(base::FileSystem& files,
                                              const std::string& directory);
/// All values in the order of their times, with the numbers of their files; equal times stay in the
/// order of files.
struct PlacedValue {
  size_t file;
  const EventValue* value;
};
std::vector<PlacedValue> OnOneTimeLine(const std::vector<EventFile>& files);

/// Writes one event file into `directory`, in which everything is on one time line; gives its path.
/// With several runs tags get the run before them: "worker-1/train/loss". Errors: the disk's.
Result<std::string> MergeEvents(base::FileSystem& files, const std::vector<EventFile>& merged,
                                const std::string& directory);

}  // namespace lockstep::monitor
