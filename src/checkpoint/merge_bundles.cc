#include <map>

#include "checkpoint/bundle_file.h"
#include "checkpoint/bundle_format.h"
#include "checkpoint/save_file.h"
#include "checkpoint/table.h"

namespace lockstep {
namespace checkpoint {

namespace {

using Entries = std::map<std::string, BundleEntry>;

struct Part {
  int shards = 0;
  Entries entries;
};

Result<Part> ReadPart(base::FileSystem& files, const std::string& prefix) {
  // Opening verifies the index, and that the data files are there.
  LOCKSTEP_ASSIGN_OR_RETURN(const TensorBundle bundle, TensorBundle::OpenOn(files, prefix));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string file, base::ReadWholeFile(files, IndexPath(prefix)));
  LOCKSTEP_ASSIGN_OR_RETURN(const TableEntries table, ReadTable(file, IndexPath(prefix)));
  Part part{bundle.num_shards(), {}};
  for (size_t i = 1; i < table.size(); ++i) {
    auto entry = DecodeEntry(table[i].second);
    if (entry && entry->shape) part.entries.emplace(table[i].first, std::move(*entry));
  }
  return part;
}

// Adds the entries of a part whose first data file becomes number `shard`.
Status AddEntries(const Part& part, int shard, const std::string& prefix, Entries& all) {
  for (const auto& [key, own] : part.entries) {
    const auto [place, added] = all.try_emplace(key, own);
    BundleEntry& entry = place->second;
    if (added) {
      if (own.slices.empty()) entry.shard += shard;
      continue;
    }
    const bool fits = !own.slices.empty() && !entry.slices.empty() && own.dtype == entry.dtype &&
                      *own.shape == *entry.shape;
    if (!fits) {
      return Status(
          Code::kInvalidArgument,
          "[checkpoint] a tensor is in one part, or in slices of one form; got it twice (" + key +
              " of " + prefix + "); save each tensor on one worker");
    }
    entry.slices.insert(entry.slices.end(), own.slices.begin(), own.slices.end());
  }
  return Status::Ok();
}

}  // namespace

Status MergeBundles(base::FileSystem& files, const std::vector<std::string>& parts,
                    const std::string& prefix) {
  if (parts.empty())
    return Status(Code::kInvalidArgument, "[checkpoint] there must be a part; got none");
  Entries all;
  std::vector<int> shards;
  int total = 0;
  for (const std::string& part : parts) {
    LOCKSTEP_ASSIGN_OR_RETURN(const Part read, ReadPart(files, part));
    LOCKSTEP_RETURN_IF_ERROR(AddEntries(read, total, part, all));
    shards.push_back(read.shards);
    total += read.shards;
  }
  int next = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    for (int shard = 0; shard < shards[i]; ++shard)
      LOCKSTEP_RETURN_IF_ERROR(
          files.Rename(DataPath(parts[i], shard, shards[i]), DataPath(prefix, next++, total)));
  }
  TableBuilder table;
  table.Add("", EncodeHeader({.num_shards = total}));
  for (const auto& [key, entry] : all) table.Add(key, EncodeEntry(entry));
  LOCKSTEP_RETURN_IF_ERROR(ReplaceFile(files, IndexPath(prefix), table.Finish()));
  for (const std::string& part : parts) {
    if (part != prefix) LOCKSTEP_RETURN_IF_ERROR(files.Remove(IndexPath(part)));
  }
  return Status::Ok();
}

}  // namespace checkpoint

Status MergeTensorBundles(const std::vector<std::string>& parts, const std::string& prefix) {
  return checkpoint::MergeBundles(base::LocalFiles(), parts, prefix);
}

}  // namespace lockstep
