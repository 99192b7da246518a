// What the programs here print, line by line, and whether it is the right answer.
#pragma once

#include <cstdio>
#include <string>

class Answer {
 public:
  /// Prints a line; `right` is what it should be.
  void Line(const std::string& got, const std::string& right) {
    std::printf("%s\n", got.c_str());
    if (got == right) return;
    std::printf("  WRONG, should be: %s\n", right.c_str());
    wrong_ = true;
  }
  /// Remembers something that must hold.
  void Holds(bool condition, const char* what) {
    if (condition) return;
    std::printf("  WRONG: %s\n", what);
    wrong_ = true;
  }
  /// For main to return.
  int Status() const { return wrong_ ? 1 : 0; }

 private:
  bool wrong_ = false;
};

/// "1.0", as Python prints it.
inline std::string Text(float value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}
