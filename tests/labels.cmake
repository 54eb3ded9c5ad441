# Gives unit tests the labels that their sources state beside `unit`, by which the presets choose. CTest reads this file
# whenever it lists the tests (macmi_tests_TESTS).
#   // ctest label NAME: REASON          above a test: this test has the label
#   // ctest label of all NAME: REASON   above the first test of a file: all tests of the file have it
# The labels:
#   long     repeats one computation many times, to see a rate or a moment or to learn to the end. It uses memory as
#            shorter tests beside it do, so the address sanitizer, many times as slow, runs those alone.
#   threads  several threads work on the same things: the tests of the thread sanitizer.
file(GLOB_RECURSE sources ${CMAKE_CURRENT_LIST_DIR}/*_test.cpp)
foreach(source IN LISTS sources)
  file(STRINGS ${source} lines REGEX "^(// ctest label|TEST)")
  set(of_all "")
  set(labels "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^// ctest label of all ([a-z]+): .")
      list(APPEND of_all ${CMAKE_MATCH_1})
    elseif(line MATCHES "^// ctest label ([a-z]+): .")
      list(APPEND labels ${CMAKE_MATCH_1})
    elseif(line MATCHES "^// ")
      message(FATAL_ERROR "${source}: a label and its reason are wanted: '${line}'")
    elseif(of_all OR labels)
      if(NOT line MATCHES "^TEST(_F|_P)?\\(([A-Za-z0-9_]+), ([A-Za-z0-9_]+)\\)")
        message(FATAL_ERROR "${source}: a test with a label needs its names in one line: '${line}'")
      endif()
      set(tests ${macmi_tests_TESTS})
      list(FILTER tests INCLUDE REGEX "(^|/)${CMAKE_MATCH_2}\\.${CMAKE_MATCH_3}(/|$)")
      if(tests)
        set_tests_properties(${tests} PROPERTIES LABELS "unit;${of_all};${labels}")
      endif()
      set(labels "")
    endif()
  endforeach()
endforeach()
