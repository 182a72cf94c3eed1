# One static library a room. The table is the house: a room may include what its row names, and what those rows name.
# tests/layers_test reads this file and holds the sources to it.
add_library(microstep_flags INTERFACE)
target_compile_options(microstep_flags INTERFACE -Wall -Wextra -Wpedantic -Wno-psabi
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> -fno-math-errno -ffp-contract=off)
target_compile_definitions(microstep_flags INTERFACE EIGEN_DONT_PARALLELIZE)

function(microstep_room name)
  cmake_parse_arguments(ROOM "" "" "USES;LINKS;PRIVATE_LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(TRANSFORM ROOM_USES PREPEND microstep_)
  if(sources)
    add_library(microstep_${name} STATIC ${sources})
    target_include_directories(microstep_${name} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
    target_link_libraries(microstep_${name} PUBLIC ${ROOM_USES} ${ROOM_LINKS} PRIVATE $<BUILD_INTERFACE:microstep_flags>
      $<BUILD_INTERFACE:${ROOM_PRIVATE_LINKS}>)
  else()
    add_library(microstep_${name} INTERFACE)
    target_include_directories(microstep_${name} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
    target_link_libraries(microstep_${name} INTERFACE ${ROOM_USES} ${ROOM_LINKS})
  endif()
  # Users instantiate templates too, and a fused multiply-add would round once where the rules round twice.
  get_target_property(type microstep_${name} TYPE)
  string(REPLACE STATIC_LIBRARY PUBLIC scope ${type})
  string(REPLACE INTERFACE_LIBRARY INTERFACE scope ${scope})
  target_compile_features(microstep_${name} ${scope} cxx_std_20)
  target_compile_options(microstep_${name} ${scope} -ffp-contract=off)
  set_property(GLOBAL APPEND PROPERTY MICROSTEP_ROOMS microstep_${name})
endfunction()

microstep_room(scalar LINKS quadmath)
microstep_room(data    USES scalar LINKS Eigen3::Eigen fmt::fmt)
microstep_room(kernels USES data)
microstep_room(grad    USES kernels)
microstep_room(optim   USES kernels)
microstep_room(train   USES grad optim)
microstep_room(bound   USES train)
microstep_room(judge   USES data)
microstep_room(json    USES judge PRIVATE_LINKS nlohmann_json::nlohmann_json)
microstep_room(golden  USES json LINKS OpenSSL::Crypto)
microstep_room(port    USES json LINKS PkgConfig::LIBUV)
microstep_room(draw    USES data)
microstep_room(trial   USES bound golden port draw)
microstep_room(report  USES trial)

get_property(rooms GLOBAL PROPERTY MICROSTEP_ROOMS)
add_library(microstep INTERFACE)
target_link_libraries(microstep INTERFACE ${rooms})
add_library(microstep::microstep ALIAS microstep)
