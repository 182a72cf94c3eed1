# find_package(microstep) gives microstep::microstep: every room, its headers and what they link to.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/microstep)

get_property(rooms GLOBAL PROPERTY MICROSTEP_ROOMS)
foreach(room ${rooms})
  string(REPLACE microstep_ "" room_name ${room})
  set_target_properties(${room} PROPERTIES EXPORT_NAME ${room_name})
endforeach()
install(TARGETS microstep ${rooms} EXPORT microstep-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT microstep-targets NAMESPACE microstep:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/microstep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)
if(TARGET microstep_cli)
  install(TARGETS microstep_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/microstep-config.cmake.in
  ${PROJECT_BINARY_DIR}/package/microstep-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/microstep-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/microstep-config.cmake
  ${PROJECT_BINARY_DIR}/package/microstep-config-version.cmake DESTINATION ${package_dir})
