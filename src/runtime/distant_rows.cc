#include "runtime/distant_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace lockstep::runtime {

namespace {

constexpr int64_t kWord = 64;

// Of 64 rows from `word * 64` on, those in [begin, end).
uint64_t RowsOfWord(int64_t word, int64_t begin, int64_t end) {
  const int64_t from = std::clamp(begin - word * kWord, int64_t{0}, kWord);
  const int64_t to = std::clamp(end - word * kWord, int64_t{0}, kWord);
  if (from >= to) return 0;
  return ~uint64_t{0} >> (kWord - (to - from)) << from;
}

}  // namespace

void DistantRows::Set(std::vector<Piece> pieces, size_t row_bytes, std::byte* value) {
  const std::lock_guard lock(mutex_);
  pieces_ = std::move(pieces);
  row_bytes_ = row_bytes;
  value_ = value;
  int64_t rows = 0;
  for (const Piece& piece : pieces_) rows = std::max(rows, piece.first + piece.count);
  distant_.assign(static_cast<size_t>((rows + kWord - 1) / kWord), 0);
  for (const Piece& piece : pieces_) {
    for (int64_t word = 0; word < std::ssize(distant_); ++word)
      distant_[word] |= RowsOfWord(word, piece.first, piece.first + piece.count);
  }
  any_.store(!pieces_.empty(), std::memory_order_release);
}

bool DistantRows::AreIn(size_t begin, size_t end) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
    const auto first = static_cast<size_t>(piece.first) * row_bytes_;
    return first < end && begin < first + static_cast<size_t>(piece.count) * row_bytes_;
  });
}

void DistantRows::Bring(const Piece& piece, int64_t word, uint64_t rows) {
  rows &= RowsOfWord(word, piece.first, piece.first + piece.count);
  while (rows != 0) {
    const int from = std::countr_zero(rows), count = std::countr_one(rows >> from);
    const auto row = static_cast<size_t>(word * kWord + from);
    std::memcpy(value_ + row * row_bytes_,
                piece.data + (row - static_cast<size_t>(piece.first)) * row_bytes_,
                static_cast<size_t>(count) * row_bytes_);
    rows &= ~RowsOfWord(0, from, from + count);
  }
}

void DistantRows::Need(int64_t first, uint64_t rows) {
  pay_.store(AreFinite(), std::memory_order_relaxed);
  if (!any()) return;
  const std::lock_guard lock(mutex_);
  const int64_t word = first / kWord;
  if (word >= std::ssize(distant_)) return;
  rows &= distant_[word];
  if (rows == 0) return;
  for (const Piece& piece : pieces_) Bring(piece, word, rows);
  distant_[word] &= ~rows;
}

void DistantRows::NeedAll() {
  pay_.store(false, std::memory_order_relaxed);
  BringAll();
}

void DistantRows::BringAll() {
  if (!any()) return;
  const std::lock_guard lock(mutex_);
  for (const Piece& piece : pieces_) {
    for (int64_t word = 0; word < std::ssize(distant_); ++word) Bring(piece, word, distant_[word]);
  }
  Forget();
}

void DistantRows::Drop() {
  if (!any()) return;
  const std::lock_guard lock(mutex_);
  Forget();
}

// The mutex is held.
void DistantRows::Forget() {
  pieces_.clear();
  distant_.clear();
  any_.store(false, std::memory_order_release);
}

}  // namespace lockstep::runtime
