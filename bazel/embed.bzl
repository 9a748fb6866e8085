"""Text files as strings in a C++ library."""

load("//bazel:cc.bzl", "plumbline_cc_library")

# The bytes as numbers: a string literal of this length is more than compilers promise to take.
_COMMAND = """
{{
  echo '#include "{header}"'
  echo 'namespace {namespace} {{'
  echo 'namespace {{'
  echo 'constexpr char bytes[] = {{'
  {{ printf '%s' '{before}'; cat {sources}; printf '%s' '{after}'; }} | od -An -v -t d1 | sed 's/[0-9][0-9]*/&,/g'
  echo '}};'
  echo '}} // namespace'
  echo 'llvm::StringRef {function}() {{ return {{bytes, sizeof bytes}}; }}'
  echo '}} // namespace {namespace}'
}} > $(location :{name}.cc)
{{
  echo '#pragma once'
  echo '#include "llvm/ADT/StringRef.h"'
  echo 'namespace {namespace} {{'
  echo 'llvm::StringRef {function}();'
  echo '}} // namespace {namespace}'
}} > $(location :{name}.h)
"""

def embedded_text(name, srcs, function, before = "", after = "", **kwargs):
    """A C++ library with the header `name.h`, in which `function` returns the files, one after the other.

    Args:
      name: of the library and of its header.
      srcs: the files, in order; together not empty.
      function: with its namespace, as `plumbline::report::pageStyle`.
      before: text before all files, without single quotes.
      after: text behind them, likewise.
      **kwargs: the rest of a library's.
    """
    namespace, _, short = function.rpartition("::")
    native.genrule(
        name = name + "_embedded",
        srcs = srcs,
        outs = [name + ".h", name + ".cc"],
        cmd = _COMMAND.format(
            header = native.package_name() + "/" + name + ".h",
            namespace = namespace,
            name = name,
            before = before,
            after = after,
            function = short,
            sources = " ".join(["$(location %s)" % source for source in srcs]),
        ),
        visibility = ["//visibility:private"],
    )
    plumbline_cc_library(
        name = name,
        srcs = [name + ".cc"],
        hdrs = [name + ".h"],
        deps = ["//third_party:llvm_support"],
        **kwargs
    )
