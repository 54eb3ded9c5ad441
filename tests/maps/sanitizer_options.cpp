// LibTorch and OpenBLAS come without the sanitizer's instrumentation: containers that cross into them look overflowed,
// and what their static objects keep until the end of the process looks leaked. Everything else stays on.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "detect_container_overflow=0:detect_odr_violation=0";
}
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libtorch\nleak:libc10\nleak:libopenblas\nleak:libgomp\n";
}
