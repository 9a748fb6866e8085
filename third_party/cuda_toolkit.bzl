"""Finds the CUDA toolkit, with cuBLAS and NCCL, where there is one; nothing but runtime/cuda needs it.

It is looked for under /usr/local/cuda, or where PLUMBLINE_CUDA_ROOT says ("none": take it that there is no toolkit).
nccl.h and the libraries may lie there or where the system keeps its own. @system_cuda//:toolkit.bzl then says what was
found:

    CUDA            nvcc and all headers are there: runtime/cuda builds, and runs on its stand-in
    CUDA_LIBRARIES  so are the libraries: it links with them
    NVCC            the compiler
    MISSING         what was not found, for people
"""

_SYSTEM_INCLUDES = ["/usr/local/include", "/usr/include", "/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu"]
_SYSTEM_LIBRARIES = ["/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"]
_HEADERS = ["cuda_runtime.h", "cublas_v2.h", "nccl.h"]
_LIBRARIES = ["cudart", "cublas", "nccl"]

def _first(repository_ctx, directories, name):
    for directory in directories:
        path = repository_ctx.path("%s/%s" % (directory, name))
        if path.exists:
            return path
    return None

def _link_headers(repository_ctx, include, nccl):
    # Not the whole folder, which holds thousands of files that nothing here includes.
    for entry in include.readdir():
        if entry.basename.endswith(".h") or entry.basename.endswith(".hpp") or entry.basename == "crt":
            if entry.basename != "nccl.h":
                repository_ctx.symlink(entry, "include/" + entry.basename)
    repository_ctx.symlink(nccl, "include/nccl.h")

def _cuda_toolkit_impl(repository_ctx):
    asked = repository_ctx.os.environ.get("PLUMBLINE_CUDA_ROOT")
    root = asked or "/usr/local/cuda"
    missing = []
    nvcc = repository_ctx.path(root + "/bin/nvcc") if asked != "none" else None
    if not nvcc or not nvcc.exists:
        missing.append("bin/nvcc")
    headers = {} if missing else {name: _first(repository_ctx, [root + "/include"] + _SYSTEM_INCLUDES, name) for name in _HEADERS}
    missing += [name for name, path in headers.items() if not path]
    found = not missing
    if asked and asked != "none" and not found:
        fail("PLUMBLINE_CUDA_ROOT is %s, where this is missing: %s" % (asked, ", ".join(missing)))

    directories = [root + "/lib64", root + "/lib"] + _SYSTEM_LIBRARIES
    libraries = {name: _first(repository_ctx, directories, "lib%s.so" % name) if found else None for name in _LIBRARIES}
    missing += ["lib%s.so" % name for name, path in libraries.items() if found and not path]
    linked = found and not missing

    version = ""
    linkopts = []
    if found:
        _link_headers(repository_ctx, headers["cuda_runtime.h"].dirname, headers["nccl.h"])
        version = repository_ctx.execute([nvcc, "--version"]).stdout
    if linked:
        for directory in {str(path.dirname): None for path in libraries.values()}.keys():
            linkopts += ["-L" + directory, "-Wl,-rpath," + directory]
        linkopts += ["-l" + name for name in _LIBRARIES]

    # An input of everything that nvcc compiles, so that another nvcc compiles it again.
    repository_ctx.file("version.txt", version)
    repository_ctx.file("toolkit.bzl", "\n".join([
        "CUDA = %s" % found,
        "CUDA_LIBRARIES = %s" % linked,
        "NVCC = %s" % repr(str(nvcc) if found else ""),
        "MISSING = %s" % repr("" if linked else "PLUMBLINE_CUDA_ROOT is none" if asked == "none" else "not found under %s: %s" % (root, ", ".join(missing))),
        "",
    ]))
    repository_ctx.file("BUILD.bazel", "\n".join([
        'load("@rules_cc//cc:defs.bzl", "cc_library")',
        'package(default_visibility = ["//visibility:public"])',
        'exports_files(["version.txt"])',
        'cc_library(name = "headers", hdrs = glob(["include/**"]), includes = ["include"])',
        'cc_library(name = "libraries", linkopts = %s)' % repr(linkopts),
        "",
    ]))

_cuda_toolkit = repository_rule(
    implementation = _cuda_toolkit_impl,
    environ = ["PLUMBLINE_CUDA_ROOT"],
    # Looks again when Bazel's server starts.
    local = True,
)

def cuda_toolkit():
    """Declares @system_cuda."""
    _cuda_toolkit(name = "system_cuda")
