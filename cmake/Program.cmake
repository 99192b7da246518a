# The command `lockstep`, as build/PRESET/lockstep. The target has another name: the library has this one.
if(EXISTS ${CMAKE_SOURCE_DIR}/src/cli/main.cc)
  add_executable(lockstep_program src/cli/main.cc)
  set_target_properties(lockstep_program PROPERTIES OUTPUT_NAME lockstep)
  target_include_directories(lockstep_program PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(lockstep_program PRIVATE LOCKSTEP_VERSION="${PROJECT_VERSION}")
  target_link_libraries(lockstep_program PRIVATE lockstep lockstep_flags)
  # The tests of the command line run the program itself.
  if(TARGET cli_test)
    target_compile_definitions(cli_test PRIVATE LOCKSTEP_PROGRAM="$<TARGET_FILE:lockstep_program>")
    add_dependencies(cli_test lockstep_program)
  endif()
endif()
