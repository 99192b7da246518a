# The sanitizer builds: -DLOCKSTEP_SANITIZER=address,undefined|undefined|thread (the presets asan, ubsan, tsan).
#
# Building every room three times more is slow, so -DLOCKSTEP_SUBSET=ON builds the rooms of this list, what
# they know, and their tests only. `./dev asan|ubsan|tsan` and .ci/run do so; `--all` builds everything.
# On the list: where memory is handed around by hand, where threads meet, what runs on top of both, and the
# parsers of files.
# The address sanitizer's builds are the slowest: its list leaves out what `./dev asan --all` covers.
# -DLOCKSTEP_SANITIZED_ROOMS="runtime;remote" chooses other rooms.
if(DEFINED LOCKSTEP_SANITIZED_ROOMS)
elseif(LOCKSTEP_SANITIZER MATCHES "address")
  set(LOCKSTEP_SANITIZED_ROOMS base tensor random collectives)
else()
  set(LOCKSTEP_SANITIZED_ROOMS base tensor random collectives runtime data checkpoint)
endif()
option(LOCKSTEP_SUBSET "Build only LOCKSTEP_SANITIZED_ROOMS and what they know" OFF)

if(LOCKSTEP_SANITIZER)
  if(NOT LOCKSTEP_SANITIZER MATCHES "^(address,undefined|address|undefined|thread)$")
    message(FATAL_ERROR "LOCKSTEP_SANITIZER must be address,undefined or address, undefined, thread; got '${LOCKSTEP_SANITIZER}'")
  endif()
  # -O1: the faults are the same as with -O2, and a third of the compile time is saved.
  set(CMAKE_CXX_FLAGS_RELEASE "-O1")
  add_compile_options(-fsanitize=${LOCKSTEP_SANITIZER} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${LOCKSTEP_SANITIZER})
  if(LOCKSTEP_SANITIZER STREQUAL "thread")
    include_directories(BEFORE ${CMAKE_SOURCE_DIR}/tools/sanitizer_headers)
  endif()
endif()

# A sanitizer that cannot fail the run proves nothing: a program with one deliberate fault, built with the
# flags of all the others, must be stopped, and must run through when it leaves the fault out.
function(lockstep_sanitizer_probe)
  if(NOT LOCKSTEP_SANITIZER OR NOT LOCKSTEP_BUILD_TESTS)
    return()
  endif()
  find_package(Threads REQUIRED)
  string(REPLACE "," ";" sanitizers ${LOCKSTEP_SANITIZER})
  foreach(sanitizer ${sanitizers})
    set(program ${sanitizer}_probe)
    add_executable(${program} tools/sanitizer_probes/${program}.cc)
    target_link_libraries(${program} PRIVATE lockstep_flags Threads::Threads)
    add_test(NAME sanitizer/${program}
      COMMAND ${CMAKE_SOURCE_DIR}/tools/expect_stop ${sanitizer} $<TARGET_FILE:${program}>)
  endforeach()
endfunction()
