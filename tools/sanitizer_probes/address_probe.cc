// Reads one element past a heap block when called with "fault"; ends well otherwise.
#include <cstdio>
#include <cstring>
#include <memory>

int main(int count, char** arguments) {
  const bool fault = count > 1 && std::strcmp(arguments[1], "fault") == 0;
  const size_t size = 8;
  const std::unique_ptr<int[]> block(new int[size]());
  volatile size_t index = fault ? size : size - 1;
  std::printf("read %d\n", block[index]);
  return 0;
}
