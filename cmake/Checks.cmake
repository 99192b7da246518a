# Checks of the tree itself, run as tests with the label `tools`. Each proves, too, that it can fail.
if(LOCKSTEP_BUILD_TESTS AND NOT LOCKSTEP_SANITIZER)
  foreach(check check_arrows check_commands check_forbidden check_documents check_sizes)
    add_test(NAME tools/${check}
      COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/tools/${check}.py)
    add_test(NAME tools/${check}_can_fail
      COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/tools/${check}.py --self-test)
    set_tests_properties(tools/${check} tools/${check}_can_fail PROPERTIES LABELS tools)
  endforeach()
  if(TARGET lockstep)
    add_test(NAME tools/check_unwind
      COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/tools/check_unwind.py $<TARGET_FILE:lockstep>)
    add_test(NAME tools/check_unwind_can_fail
      COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/tools/check_unwind.py --self-test)
    set_tests_properties(tools/check_unwind tools/check_unwind_can_fail PROPERTIES LABELS tools)
  endif()
  add_test(NAME tools/summarize_tests_can_fail
    COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/tools/summarize_tests.py --self-test)
  set_tests_properties(tools/summarize_tests_can_fail PROPERTIES LABELS tools)

  add_test(NAME tools/verify_accuracy_can_fail
    COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/tools/verify_accuracy.py --self-test)
  set_tests_properties(tools/verify_accuracy_can_fail PROPERTIES LABELS tools)

  # The examples of docs/guides: those in Python wait for the package's tests, which build its extension, and
  # are skipped where that is not built.
  set(guides Python3::Interpreter ${CMAKE_SOURCE_DIR}/tools/check_guides.py --build ${CMAKE_BINARY_DIR})
  add_test(NAME guides/shell COMMAND ${guides} --kind shell)
  add_test(NAME guides/python COMMAND ${guides} --kind python)
  add_test(NAME guides/can_fail COMMAND ${guides} --self-test)
  set_tests_properties(guides/shell guides/python PROPERTIES LABELS guides SKIP_RETURN_CODE 77 PROCESSORS 2
    TIMEOUT 600 FIXTURES_REQUIRED python_extension)
  set_tests_properties(guides/can_fail PROPERTIES LABELS guides)

  # The same bits however a program is carried out; `./dev matrix --whole` runs all of it.
  if(TARGET lockstep_program)
    set(matrix Python3::Interpreter ${CMAKE_SOURCE_DIR}/tools/verify_matrix.py
        --program $<TARGET_FILE:lockstep_program>)
    if(LOCKSTEP_SANITIZER STREQUAL "thread")
      list(APPEND matrix --one-process)  # workers speak gRPC, which is not built for the thread sanitizer
    endif()
    add_test(NAME program/matrix COMMAND ${matrix} --short)
    add_test(NAME program/matrix_can_fail COMMAND ${matrix} --self-test)
    set_tests_properties(program/matrix program/matrix_can_fail PROPERTIES LABELS program PROCESSORS 2 COST 800)
    add_subdirectory(tests/processes)
  endif()
endif()
