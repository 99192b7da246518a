# Fuzzers of the parsers, by clang's libFuzzer. Each names the few files that it needs, so that they
# build in seconds, without the library and with an older clang. `./dev fuzz` builds and runs them.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "LOCKSTEP_FUZZ needs clang (libFuzzer); got ${CMAKE_CXX_COMPILER_ID}; "
                      "configure another build folder with CXX=clang++")
endif()
add_custom_target(fuzzers)

# lockstep_fuzzer(PATH SOURCES path... LIBRARIES target...): PATH without .cc, all paths below src/.
function(lockstep_fuzzer path)
  cmake_parse_arguments(FUZZER "" "" "SOURCES;LIBRARIES" ${ARGN})
  get_filename_component(program ${path} NAME)
  list(TRANSFORM FUZZER_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/src/)
  add_executable(${program} EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/src/${path}.cc ${FUZZER_SOURCES})
  target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
  target_compile_options(${program} PRIVATE -g1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
  target_link_options(${program} PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(${program} PRIVATE lockstep_flags ${FUZZER_LIBRARIES})
  add_dependencies(fuzzers ${program})
endfunction()

lockstep_fuzzer(data/idx_fuzz SOURCES data/idx.cc data/byte_reader.cc base/status.cc base/check.cc
                LIBRARIES ZLIB::ZLIB)
lockstep_fuzzer(cluster/description_fuzz
                SOURCES cluster/tf_config.cc cluster/json_text.cc cluster/node_list.cc cluster/address.cc
                        cluster/names.cc cluster/description.cc cluster/cluster_spec.cc cluster/mistake.cc
                        cluster/lookup.cc base/status.cc)
lockstep_fuzzer(net/frame_fuzz SOURCES net/frame.cc net/payload.cc base/status.cc)
lockstep_fuzzer(net/parcel_fuzz SOURCES net/parcel.cc net/payload.cc base/status.cc)
lockstep_fuzzer(net/slot_fuzz SOURCES net/shared_memory_layout.cc base/status.cc)
lockstep_fuzzer(cluster/coordinator_messages_fuzz
                SOURCES cluster/coordinator_messages.cc cluster/coordinator_state.cc cluster/membership.cc
                        cluster/membership_requests.cc cluster/barrier.cc cluster/key_value_store.cc
                        cluster/handshake.cc cluster/health.cc base/build.cc base/status.cc)
lockstep_fuzzer(graph/graph_def_fuzz SOURCES graph/graph_def.cc base/status.cc LIBRARIES protobuf)
target_sources(graph_def_fuzz PRIVATE ${LOCKSTEP_GENERATED}/graph/graph_def.pb.cc)
target_include_directories(graph_def_fuzz PRIVATE ${LOCKSTEP_GENERATED})
# What tensors of a file are made of.
set(tensor_sources tensor/tensor.cc tensor/buffer.cc tensor/shape.cc tensor/sizes.cc tensor/dtype.cc base/memory.cc
                   base/memory_limit.cc base/status.cc
                   base/check.cc)
lockstep_fuzzer(data/record_fuzz SOURCES data/record_reader.cc data/byte_reader.cc data/example.cc data/example_lists.cc
                        base/crc32c.cc base/record_format.cc base/wire.cc base/status.cc LIBRARIES ZLIB::ZLIB)
lockstep_fuzzer(checkpoint/bundle_fuzz
                SOURCES checkpoint/table.cc checkpoint/bundle_format.cc checkpoint/read_bundle.cc
                        checkpoint/object_graph.cc tensor/tensor_proto.cc base/crc32c.cc base/wire.cc base/file.cc
                        base/memory_files.cc ${tensor_sources})
lockstep_fuzzer(checkpoint/arrays_fuzz
                SOURCES checkpoint/read_safetensors.cc checkpoint/element_bytes.cc checkpoint/read_npy.cc
                        checkpoint/write_npy.cc checkpoint/npz.cc checkpoint/read_zip.cc checkpoint/write_zip.cc
                        checkpoint/write_files.cc base/mapped_file.cc base/file.cc ${tensor_sources}
                LIBRARIES ZLIB::ZLIB)
lockstep_fuzzer(checkpoint/save_fuzz
                SOURCES checkpoint/read_save.cc checkpoint/write_save.cc checkpoint/write_files.cc
                        checkpoint/element_bytes.cc checkpoint/checkpoint_state.cc base/hash.cc base/file.cc
                        base/memory_files.cc ${tensor_sources}
                LIBRARIES xxhash)
lockstep_fuzzer(monitor/event_files_fuzz
                SOURCES monitor/event_files.cc tensor/tensor_proto.cc base/record_format.cc base/crc32c.cc
                        base/wire.cc base/file.cc base/memory_files.cc ${tensor_sources})
