"""Stands in for rules_cc: Debian's copy needs a newer Bazel than the 4.2.3 that Debian ships.

Bazel's own BUILD files and ours load these names from here; each hands on the rule built into Bazel.
"""

cc_binary = native.cc_binary
cc_import = native.cc_import
cc_library = native.cc_library
cc_proto_library = native.cc_proto_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
objc_library = native.objc_library
