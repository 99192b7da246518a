#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/file.h"

namespace lockstep::base {

/// A disk in memory for tests and simulations. It can be full, fail its n-th operation, or lose
/// power: then what was not synced is gone, names included.
class MemoryFiles final : public FileSystem {
 public:
  MemoryFiles();
  ~MemoryFiles() override;

  Result<std::unique_ptr<WritableFile>> Create(const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> Extend(const std::string& path) override;
  Result<std::unique_ptr<ReadableFile>> Open(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Remove(const std::string& path) override;
  Status CreateDirectories(const std::string& path) override;
  Status SyncDirectory(const std::string& path) override;
  Result<std::vector<std::string>> List(const std::string& path) override;
  bool IsDirectory(const std::string& path) override;

  /// Lets the operation with this number (from now, counted from zero) and all later ones fail with
  /// `code`: everything that changes the disk counts as one. Negative: none fails.
  void FailFrom(int64_t operation, Code code = Code::kResourceExhausted);
  /// How many changing operations there have been since the last `FailFrom`.
  int64_t operations() const { return operations_; }
  /// Most bytes of all files together; more fail with ResourceExhausted. Negative: no limit.
  void set_capacity(int64_t bytes) { capacity_ = bytes; }
  /// What a loss of power leaves: of content what was synced; of names either those that were
  /// synced too, or those of now, where the disk has been quick.
  enum class NamesLeft { kSynced, kAll };
  void LosePower(NamesLeft left);
  /// Inverts a bit; for tests of corrupt files.
  void FlipBit(const std::string& path, uint64_t bit);
  void Truncate(const std::string& path, uint64_t bytes);

 private:
  struct Content;
  class Writer;
  class Reader;
  using Names = std::map<std::string, std::shared_ptr<Content>>;
  /// Counts a changing operation; the status it is to have.
  Status Operation(const char* doing, const std::string& path);
  Result<std::shared_ptr<Content>> Find(const std::string& path) const;
  int64_t UsedBytes() const;

  Names names_, synced_names_;
  std::map<std::string, bool> directories_;
  int64_t operations_ = 0;
  int64_t fail_from_ = -1;
  int64_t capacity_ = -1;
  Code fail_code_ = Code::kResourceExhausted;
};

}  // namespace lockstep::base
