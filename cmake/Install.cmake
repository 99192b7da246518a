# `cmake --install build/release --prefix DIR` gives an installed package: the shared library, the public
# headers, the program, and what find_package(Lockstep) needs to offer Lockstep::lockstep.
include(CMakePackageConfigHelpers)

set(LOCKSTEP_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Lockstep)
set_target_properties(lockstep PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

install(TARGETS lockstep EXPORT LockstepTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/lockstep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT LockstepTargets NAMESPACE Lockstep:: DESTINATION ${LOCKSTEP_PACKAGE_DIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET lockstep_program)
  file(RELATIVE_PATH to_library "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(lockstep_program PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
  install(TARGETS lockstep_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

configure_package_config_file(cmake/LockstepConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/LockstepConfig.cmake INSTALL_DESTINATION ${LOCKSTEP_PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/LockstepConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/LockstepConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/LockstepConfigVersion.cmake DESTINATION ${LOCKSTEP_PACKAGE_DIR})
