#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace lockstep::base {

/// The first line of a file, as of those in which the system tells numbers; empty where it cannot
/// be read.
inline std::string FirstLine(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace lockstep::base
