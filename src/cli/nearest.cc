#include "cli/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace lockstep::cli {

namespace {

std::string InSmallLetters(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(letter));
  return text;
}

// How many letters must be put in, left out or changed.
size_t Distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t before = std::exchange(row[0], i);
    for (size_t k = 1; k <= b.size(); ++k) {
      const size_t changed = before + (a[i - 1] == b[k - 1] ? 0 : 1);
      before = row[k];
      row[k] = std::min({changed, row[k] + 1, row[k - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string Nearest(const std::string& word, const std::vector<std::string>& names) {
  const std::string typed = InSmallLetters(word);
  if (typed.size() - std::min(typed.size(), typed.find_first_not_of('-')) < 3) return "";
  std::vector<std::string> begun;
  for (const std::string& name : names) {
    if (name.starts_with(typed)) begun.push_back(name);
  }
  if (begun.size() == 1) return begun.front();
  std::string nearest;
  size_t least = std::min<size_t>(2, typed.size() / 3) + 1;
  for (const std::string& name : names) {
    const size_t distance = Distance(typed, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

std::string DidYouMean(const std::string& word, const std::vector<std::string>& names) {
  const std::string nearest = Nearest(word, names);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

}  // namespace lockstep::cli
