# The Python package: src/python/*.cc become its extension module `_native`, beside links to the pure
# Python files, so that PYTHONPATH=build/PRESET/python works. Needs nanobind for this Python.
if(LOCKSTEP_PYTHON)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE missing)
  if(missing)
    message(FATAL_ERROR "LOCKSTEP_PYTHON needs nanobind: ${Python_EXECUTABLE} -m pip install nanobind")
  endif()
  find_package(nanobind CONFIG REQUIRED)

  get_target_property(sources lockstep_python SOURCES)
  nanobind_add_module(lockstep_native NB_STATIC NOMINSIZE ${sources})
  set_target_properties(lockstep_native PROPERTIES OUTPUT_NAME _native
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/lockstep INSTALL_RPATH "$ORIGIN")
  target_include_directories(lockstep_native PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(lockstep_native PRIVATE lockstep lockstep_flags)
  target_compile_options(lockstep_native PRIVATE -Wno-attributes)  # nanobind hides its types on purpose

  file(GLOB_RECURSE names CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/python
    ${CMAKE_SOURCE_DIR}/python/lockstep/*.py ${CMAKE_SOURCE_DIR}/python/lockstep/*.pyi)
  foreach(name ${names})
    get_filename_component(folder ${name} DIRECTORY)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/python/${folder})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/python/${name} ${CMAKE_BINARY_DIR}/python/${name} SYMBOLIC)
  endforeach()

  install(TARGETS lockstep_native LIBRARY DESTINATION lockstep COMPONENT python EXCLUDE_FROM_ALL)
  install(FILES $<TARGET_FILE:lockstep> DESTINATION lockstep COMPONENT python EXCLUDE_FROM_ALL
    RENAME liblockstep.so.${PROJECT_VERSION_MAJOR})
endif()

# The package's tests: tests/python/run.py makes a virtual environment, builds the extension against this
# build's library unless it is here already, and says why where it cannot.
if(LOCKSTEP_BUILD_TESTS AND NOT LOCKSTEP_SUBSET)
  set(run ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/python/run.py
    --build ${CMAKE_BINARY_DIR} --source ${CMAKE_SOURCE_DIR} --sanitizer=${LOCKSTEP_SANITIZER})
  add_test(NAME python/extension COMMAND ${run} --prepare)
  set_tests_properties(python/extension PROPERTIES LABELS python SKIP_RETURN_CODE 77 TIMEOUT 900 COST 1000
    FIXTURES_SETUP python_extension)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/python/test_*.py)
  foreach(file ${files})
    cmake_path(GET file STEM name)
    string(REPLACE "test_" "python/" test ${name})
    add_test(NAME ${test} COMMAND ${run} --prepared ${name}.py)
    set_tests_properties(${test} PROPERTIES LABELS python SKIP_RETURN_CODE 77 FIXTURES_REQUIRED python_extension)
  endforeach()
  # Runs two programs at a time itself.
  set_tests_properties(python/programs PROPERTIES PROCESSORS 2 COST 900)
endif()
