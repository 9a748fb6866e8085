"""C++ rules for our own code: the rules of rules_cc with our warnings.

The warnings live here and not in .bazelrc, so that they bind our code and not what third_party brings. So do the
language and the assertions, so that other workspaces can build us with settings of their own.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

_COPTS = [
    "-std=c++20",
    "-UNDEBUG",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wshadow",
    "-Wnon-virtual-dtor",
    "-Woverloaded-virtual",
    "-Wcast-qual",
    "-Wformat=2",
    "-Wimplicit-fallthrough",
    "-Wvla",
    "-Werror",
    # GCC knows -Wrestrict, where `"text" + string` sets off a false alarm (GCC bug 105651); Clang does not, and GCC
    # in turn passes over the switch that keeps Clang silent about that.
    "-Wno-unknown-warning-option",
    "-Wno-restrict",
]

def plumbline_cc_library(name, copts = [], **kwargs):
    """A cc_library of ours."""
    cc_library(name = name, copts = _COPTS + copts, **kwargs)

def plumbline_cc_binary(name, copts = [], **kwargs):
    """A cc_binary of ours."""
    cc_binary(name = name, copts = _COPTS + copts, **kwargs)

def plumbline_cc_test(name, copts = [], size = "small", **kwargs):
    """A cc_test of ours; name GoogleTest in deps. A test that needs more than a minute says so by its size."""
    cc_test(name = name, copts = _COPTS + copts, size = size, **kwargs)

def plumbline_cc_fuzz_test(name, srcs, corpus = [], copts = [], deps = [], size = "small", **kwargs):
    """A test around LLVMFuzzerTestOneInput.

    As an ordinary test it runs that function once on each file of the corpus, with the compiler at hand. To fuzz:

        bazel build --config=fuzz //package:name && bazel-bin/package/name some/folder

    Args:
      name: name of the test.
      srcs: the file that defines LLVMFuzzerTestOneInput.
      corpus: labels of the inputs to run.
      copts: more compiler options.
      deps: as in cc_test; without GoogleTest.
      size: as in cc_test.
      **kwargs: the rest of cc_test's.
    """
    cc_test(
        name = name,
        srcs = srcs,
        args = ["$(locations %s)" % label for label in corpus],
        copts = _COPTS + copts,
        data = corpus,
        linkopts = select({
            "//bazel:libfuzzer": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        size = size,
        deps = deps + select({
            "//bazel:libfuzzer": [],
            "//conditions:default": ["//bazel:replay_main"],
        }),
        **kwargs
    )
