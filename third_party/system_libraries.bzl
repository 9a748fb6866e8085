"""Finds the libraries that come from the system, and fails with the package to install when one is missing.

A library is looked for under /usr. To use another copy, set its variable to the prefix it is installed under
(the folder that holds include/ and lib/): PLUMBLINE_Z3_ROOT, PLUMBLINE_LLVM_ROOT, PLUMBLINE_SPDLOG_ROOT,
PLUMBLINE_FMT_ROOT, PLUMBLINE_GOOGLETEST_ROOT, PLUMBLINE_BENCHMARK_ROOT, PLUMBLINE_RAPIDCHECK_ROOT,
PLUMBLINE_ZLIB_ROOT, PLUMBLINE_ZSTD_ROOT, PLUMBLINE_OPENBLAS_ROOT or PLUMBLINE_OPENMPI_ROOT.

Headers are linked into the repository and reached through `includes`, which Bazel passes as -isystem, so our
warnings do not apply to them.
"""

# Debian keeps libraries under lib/<triplet>; a library installed by hand uses lib or lib64.
_LIBRARY_DIRECTORIES = [
    "lib/x86_64-linux-gnu",
    "lib/aarch64-linux-gnu",
    "lib64",
    "lib",
]

def _root_variable(name):
    return "PLUMBLINE_%s_ROOT" % name.upper()

def _missing(repository_ctx, root, what):
    fail("%s is missing under %s: install the Debian package %s, or set %s to the prefix that holds it." % (
        what,
        root,
        repository_ctx.attr.debian_package,
        _root_variable(repository_ctx.attr.library),
    ))

def _find_library(repository_ctx, root, file_name):
    for directory in _LIBRARY_DIRECTORIES:
        path = repository_ctx.path("%s/%s/%s" % (root, directory, file_name))
        if path.exists:
            return path
    _missing(repository_ctx, root, file_name)

def _find_header(repository_ctx, root, header):
    for directory in repository_ctx.attr.include_directories + ["include"]:
        path = repository_ctx.path("%s/%s/%s" % (root, directory, header))
        if path.exists:
            return path
    return None

def _link_archive(repository_ctx, root, name):
    file_name = "lib%s.a" % name
    repository_ctx.symlink(_find_library(repository_ctx, root, file_name), "lib/" + file_name)
    return "lib/" + file_name

def _cc_library(name, **attributes):
    lines = ["cc_library("]
    for key, value in [("name", name)] + sorted(attributes.items()):
        if value:
            lines.append("    %s = %s," % (key, value if key == "hdrs" else repr(value)))
    return "\n".join(lines + [")", ""])

def _system_library_impl(repository_ctx):
    attr = repository_ctx.attr
    override = repository_ctx.os.environ.get(_root_variable(attr.library))
    root = override or attr.default_root

    # The first header proves that the package is there; the others differ between versions.
    for index, header in enumerate(attr.headers):
        path = _find_header(repository_ctx, root, header)
        if path:
            repository_ctx.symlink(path, "include/" + header)
        elif index == 0:
            _missing(repository_ctx, root, "include/" + header)

    archives = [_link_archive(repository_ctx, root, name) for name in attr.static]

    # Shared libraries go by name to the linker, so that a binary copied out of Bazel's tree still finds them.
    linkopts = []
    for name in attr.shared:
        path = _find_library(repository_ctx, root, "lib%s.so" % name)
        if override:
            linkopts += ["-L%s" % path.dirname, "-Wl,-rpath,%s" % path.dirname]
        linkopts.append("-l" + name)

    targets = [
        'load("@rules_cc//cc:defs.bzl", "cc_library")',
        'package(default_visibility = ["//visibility:public"])',
        _cc_library(
            attr.library,
            srcs = archives,
            hdrs = 'glob(["include/**"])',
            includes = ["include"],
            defines = attr.defines,
            linkopts = linkopts + attr.linkopts,
            deps = attr.deps,
        ),
    ]
    if attr.main:
        targets.append(_cc_library(
            attr.library + "_main",
            srcs = [_link_archive(repository_ctx, root, attr.main)],
            deps = [":" + attr.library],
        ))
    repository_ctx.file("BUILD.bazel", "\n".join(targets))

_LIBRARIES = {
    "z3": struct(
        debian_package = "libz3-dev",
        headers = ["z3++.h", "z3.h"] + ["z3_%s.h" % part for part in [
            "algebraic",
            "api",
            "ast_containers",
            "fixedpoint",
            "fpa",
            "macros",
            "optimization",
            "polynomial",
            "rcf",
            "spacer",
            "v1",
            "version",
        ]],
        shared = ["z3"],
    ),
    # Only ADT and Support, linked statically: the shared libLLVM is 120 MB and slows every start.
    "llvm": struct(
        default_root = "/usr/lib/llvm-19",
        debian_package = "llvm-19-dev",
        headers = ["llvm/ADT", "llvm/Support", "llvm/Config", "llvm/Demangle", "llvm-c"],
        static = ["LLVMSupport", "LLVMDemangle"],
        linkopts = ["-lpthread", "-ldl"],
        deps = ["@system_zlib//:zlib", "@system_zstd//:zstd"],
    ),
    "zlib": struct(
        debian_package = "zlib1g-dev",
        headers = ["zlib.h", "zconf.h"],
        shared = ["z"],
    ),
    "zstd": struct(
        debian_package = "libzstd-dev",
        headers = ["zstd.h"],
        shared = ["zstd"],
    ),
    # The defines are those of Debian's spdlog.pc: without them the headers bring their own fmt.
    "spdlog": struct(
        debian_package = "libspdlog-dev",
        headers = ["spdlog"],
        shared = ["spdlog"],
        defines = ["SPDLOG_SHARED_LIB", "SPDLOG_COMPILED_LIB", "SPDLOG_FMT_EXTERNAL"],
        deps = ["@system_fmt//:fmt"],
    ),
    "fmt": struct(
        debian_package = "libfmt-dev",
        headers = ["fmt"],
        shared = ["fmt"],
    ),
    "googletest": struct(
        debian_package = "libgmock-dev",
        headers = ["gmock", "gtest"],
        static = ["gmock", "gtest"],
        main = "gmock_main",
        linkopts = ["-lpthread"],
    ),
    "benchmark": struct(
        debian_package = "libbenchmark-dev",
        headers = ["benchmark"],
        shared = ["benchmark"],
        main = "benchmark_main",
        linkopts = ["-lpthread"],
    ),
    "rapidcheck": struct(
        debian_package = "librapidcheck-dev",
        headers = ["rapidcheck.h", "rapidcheck"],
        static = ["rapidcheck"],
    ),
    # What the runtime computes and sends with; the verifier needs none of it.
    "openblas": struct(
        debian_package = "libopenblas-pthread-dev",
        include_directories = ["include/%s-linux-gnu/openblas-pthread" % cpu for cpu in ["x86_64", "aarch64"]],
        headers = ["cblas.h", "openblas_config.h"],
        shared = ["openblas"],
    ),
    "openmpi": struct(
        debian_package = "libopenmpi-dev",
        include_directories = ["lib/%s-linux-gnu/openmpi/include" % cpu for cpu in ["x86_64", "aarch64"]],
        headers = ["mpi.h", "mpi_portable_platform.h", "openmpi"],
        shared = ["mpi"],
        # The C++ bindings were taken out of MPI in its third version.
        defines = ["OMPI_SKIP_MPICXX"],
    ),
}

_system_library = repository_rule(
    implementation = _system_library_impl,
    attrs = {
        "library": attr.string(mandatory = True, doc = "target name, and the middle of the override variable"),
        "debian_package": attr.string(mandatory = True),
        "default_root": attr.string(mandatory = True),
        "include_directories": attr.string_list(doc = "below the root, looked at before include/"),
        "headers": attr.string_list(doc = "files and folders below an include directory"),
        "static": attr.string_list(doc = "archives, each before those it needs"),
        "shared": attr.string_list(),
        "main": attr.string(doc = "archive with a main function, offered as <library>_main"),
        "defines": attr.string_list(),
        "linkopts": attr.string_list(),
        "deps": attr.string_list(),
    },
    environ = [_root_variable(name) for name in _LIBRARIES],
    # Looks again when Bazel's server starts, so that installing or upgrading a package is noticed.
    local = True,
)

def system_libraries():
    """Declares @system_<library> for every library above."""
    for name, library in _LIBRARIES.items():
        _system_library(
            name = "system_" + name,
            library = name,
            debian_package = library.debian_package,
            default_root = getattr(library, "default_root", "/usr"),
            include_directories = getattr(library, "include_directories", []),
            headers = getattr(library, "headers", []),
            static = getattr(library, "static", []),
            shared = getattr(library, "shared", []),
            main = getattr(library, "main", ""),
            defines = getattr(library, "defines", []),
            linkopts = getattr(library, "linkopts", []),
            deps = getattr(library, "deps", []),
        )
