"""Where libraries are found, and that CUDA major versions are never mixed."""

import cuda.pathfinder  # noqa: F401 - while the path that it is on is there
import pytest

from gpuarray._ffi import locate
from gpuarray.errors import LibraryNotFoundError, MixedCUDAError

_WHEELS_12 = {
    "nvrtc": "cuda_nvrtc/lib/libnvrtc.so.12",
    "cublas": "cublas/lib/libcublas.so.12",
    "cublasLt": "cublas/lib/libcublasLt.so.12",
    "cusolver": "cusolver/lib/libcusolver.so.11",
    "cusparse": "cusparse/lib/libcusparse.so.12",
    "nvJitLink": "nvjitlink/lib/libnvJitLink.so.12",
    "curand": "curand/lib/libcurand.so.10",
    "headers": "cuda_runtime/include/cuda_runtime.h",
    "cccl": "cuda_cccl/include/cuda/std/version",
}
_WHEELS_13 = {
    "nvrtc": "cu13/lib/libnvrtc.so.13",
    "cublas": "cu13/lib/libcublas.so.13",
    "cublasLt": "cu13/lib/libcublasLt.so.13",
    "cusolver": "cu13/lib/libcusolver.so.12",
    "cusparse": "cu13/lib/libcusparse.so.12",
    "nvJitLink": "cu13/lib/libnvJitLink.so.13",
    "curand": "cu13/lib/libcurand.so.10",
    "headers": "cu13/include/cuda_runtime.h",
    "cccl": "cu13/include/cccl/cuda/std/version",
}


class Machine:
    """A made-up machine: site-packages and a toolkit that hold what a test puts there."""

    def __init__(self, tmp_path, monkeypatch):
        self.site = tmp_path / "site-packages"
        self.toolkit = tmp_path / "cuda"
        self.monkeypatch = monkeypatch
        self.site.mkdir()
        monkeypatch.setattr(locate.sys, "path", ["/nowhere", str(self.site)])
        monkeypatch.setattr(locate, "_TOOLKIT_FOLDERS", (str(self.toolkit),))
        monkeypatch.setattr("cuda.pathfinder.get_cuda_path_or_home", lambda: None)
        self.pathfinder(None, None)
        self.major(None)

    def major(self, major):
        config = locate.config._replace(cuda_major=major)
        self.monkeypatch.setattr(locate, "config", config)
        self.forget()

    def pathfinder(self, library, headers):
        self.monkeypatch.setattr(locate, "_pathfinder_library", lambda name: library)
        self.monkeypatch.setattr(locate, "_pathfinder_headers", lambda: headers)

    def forget(self):
        for cached in (locate._wheels, locate._toolkits, locate._chosen_root):
            cached.cache_clear()

    def put(self, *paths):
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        self.forget()

    def wheels_12(self, *names):
        self.put(*(self.site / "nvidia" / _WHEELS_12[name] for name in names))

    def wheels_13(self, *names):
        self.put(*(self.site / "nvidia" / _WHEELS_13[name] for name in names))

    def cuda_h(self, version):
        self.put(self.toolkit / "include/cuda_runtime.h")
        (self.toolkit / "include/cuda.h").write_text(f"#ifndef X\n#define CUDA_VERSION {version}\n")
        self.forget()


@pytest.fixture
def machine(tmp_path, monkeypatch):
    made = Machine(tmp_path, monkeypatch)
    yield made
    monkeypatch.undo()
    made.forget()


def test_cu12_wheels(machine):
    machine.wheels_12(*_WHEELS_12)
    nvidia = machine.site / "nvidia"
    for name in ("nvrtc", "cublas", "cublasLt", "cusolver", "cusparse", "nvJitLink", "curand"):
        assert locate.library(name) == str(nvidia / _WHEELS_12[name])
    assert locate.cuda_major() == 12
    assert locate.include_directories() == (
        str(nvidia / "cuda_runtime/include"),
        str(nvidia / "cuda_cccl/include"),
    )


def test_cu13_wheels(machine):
    machine.wheels_13(*_WHEELS_13)
    cu13 = machine.site / "nvidia/cu13"
    for name in ("nvrtc", "cublas", "cublasLt", "cusolver", "cusparse", "nvJitLink", "curand"):
        assert locate.library(name) == str(machine.site / "nvidia" / _WHEELS_13[name])
    assert locate.cuda_major() == 13
    assert locate.include_directories() == (str(cu13 / "include"), str(cu13 / "include/cccl"))


@pytest.mark.parametrize("folder", ["lib64", "lib"])
def test_a_toolkit(machine, folder):
    machine.put(machine.toolkit / folder / "libnvrtc.so.13")
    machine.cuda_h(13000)
    assert locate.library("nvrtc") == str(machine.toolkit / folder / "libnvrtc.so.13")
    assert locate.cuda_major() == 13
    assert locate.include_directories() == (str(machine.toolkit / "include"),)


def test_the_same_file_name_in_both_versions_goes_with_its_root(machine):
    # cuSPARSE is libcusparse.so.12 in CUDA 12 and in CUDA 13.
    machine.wheels_12("nvrtc", "cublas", "cusparse")
    machine.wheels_13("cusparse")
    assert "cu13" not in locate.library("cusparse")


def test_cu12_wheels_go_first(machine):
    machine.wheels_12("nvrtc", "cublas")
    machine.wheels_13("nvrtc", "cublas")
    assert locate.cuda_major() == 12


def test_the_fuller_wheels_go_first(machine):
    machine.wheels_12("nvrtc", "headers")
    machine.wheels_13(*_WHEELS_13)
    assert locate.cuda_major() == 13
    assert locate.library("nvrtc").endswith("libnvrtc.so.13")


def test_wheels_go_before_a_toolkit(machine):
    machine.wheels_12("nvrtc")
    machine.put(*(machine.toolkit / "lib64" / f"lib{name}.so.13" for name in ("nvrtc", "cublas")))
    assert locate.cuda_major() == 12


def test_the_variable_picks(machine):
    machine.wheels_12(*_WHEELS_12)
    machine.wheels_13("nvrtc", "headers")
    machine.major(13)
    assert locate.cuda_major() == 13
    assert locate.library("nvrtc").endswith("libnvrtc.so.13")
    assert "cu13" in locate.include_directories()[0]


def test_another_root_of_the_same_version_may_help_out(machine):
    machine.wheels_12("nvrtc")
    machine.put(machine.toolkit / "lib64/libcublas.so.12")
    machine.cuda_h(12080)
    assert locate.library("cublas") == str(machine.toolkit / "lib64/libcublas.so.12")
    assert locate.include_directories() == (str(machine.toolkit / "include"),)


def test_mixing_libraries_is_refused(machine):
    machine.wheels_12("nvrtc", "headers")
    machine.put(machine.toolkit / "lib64/libcublas.so.13")
    with pytest.raises(MixedCUDAError) as raised:
        locate.library("cublas")
    text = str(raised.value)
    assert f"CUDA 13 in {machine.toolkit}/lib64/libcublas.so.13 (toolkit)" in text
    assert f"CUDA 12 was chosen: cu12 wheels of CUDA 12 in {machine.site}/nvidia has nvrtc" in text
    assert "pip install nvidia-cublas-cu12" in text
    assert "GPUARRAY_CUDA_MAJOR=13" in text


def test_mixing_what_the_variable_asks_for_is_refused(machine):
    machine.wheels_12(*_WHEELS_12)
    machine.major(13)
    with pytest.raises(MixedCUDAError) as raised:
        locate.library("nvrtc")
    text = str(raised.value)
    assert "GPUARRAY_CUDA_MAJOR asks for CUDA 13" in text
    assert "libnvrtc.so.12 (cu12 wheels)" in text
    assert "pip install nvidia-cuda-nvrtc," in text
    with pytest.raises(MixedCUDAError):
        locate.cuda_major()


def test_mixing_headers_is_refused(machine):
    machine.wheels_12("nvrtc")
    machine.cuda_h(13000)
    with pytest.raises(MixedCUDAError) as raised:
        locate.include_directories()
    assert f"CUDA headers: CUDA 13 in {machine.toolkit}/include" in str(raised.value)


def test_mixing_by_way_of_pathfinder_is_refused(machine):
    machine.wheels_12("nvrtc")
    machine.pathfinder("/opt/conda/lib/libcublas.so.13.1.2", None)
    with pytest.raises(MixedCUDAError, match=r"/opt/conda/lib/libcublas\.so\.13\.1\.2"):
        locate.library("cublas")


def test_pathfinder_finds_what_no_root_has(machine):
    machine.pathfinder("/opt/conda/lib/libnvrtc.so.12", None)
    assert locate.library("nvrtc") == "/opt/conda/lib/libnvrtc.so.12"
    assert locate.cuda_major() == 12


def test_a_missing_library_says_what_to_install(machine):
    machine.wheels_12("nvrtc")
    with pytest.raises(LibraryNotFoundError, match="pip install nvidia-cublas-cu12"):
        locate.library("cublas")
    machine.wheels_13(*_WHEELS_13)
    machine.major(13)
    with pytest.raises(LibraryNotFoundError, match=r"pip install nvidia-cufft \("):
        locate.library("cufft")


def test_missing_headers_say_what_to_install(machine):
    machine.wheels_12("nvrtc")
    with pytest.raises(LibraryNotFoundError, match="pip install nvidia-cuda-runtime-cu12"):
        locate.include_directories()


def test_nothing_at_all(machine):
    with pytest.raises(LibraryNotFoundError, match="no installation of CUDA"):
        locate.library("nvrtc")
    with pytest.raises(LibraryNotFoundError):
        locate.cuda_major()
    assert locate.report() == []


def test_dependencies_come_first(machine):
    machine.wheels_12(*_WHEELS_12)
    names = [
        path.rpartition("/lib")[2].partition(".")[0] for path in locate.dependencies("cusolver")
    ]
    assert names == ["nvJitLink", "cublasLt", "cublas", "cusparse"]


def test_the_report_lists_every_root(machine):
    machine.wheels_12("nvrtc", "headers")
    machine.wheels_13("nvrtc")
    machine.put(machine.toolkit / "lib64/libcublas.so.13")
    machine.cuda_h(13000)
    lines = [(found.name, found.kind, found.major, found.chosen) for found in locate.report()]
    assert lines == [
        ("nvrtc", "cu12 wheels", 12, True),
        ("headers", "cu12 wheels", 12, True),
        ("nvrtc", "cu13 wheels", 13, False),
        ("cublas", "toolkit", 13, False),
        ("headers", "toolkit", 13, False),
    ]


@pytest.mark.parametrize("major", [12, 13])
def test_nccl_goes_with_either_major(machine, major):
    """Its wheels for both have one place; only the one for CUDA 13 may be there."""
    put, names = (machine.wheels_12, _WHEELS_12) if major == 12 else (machine.wheels_13, _WHEELS_13)
    put(*names)
    library = machine.site / "nvidia/nccl/lib/libnccl.so.2"
    with pytest.raises(LibraryNotFoundError, match=f"pip install nvidia-nccl-cu{major}"):
        locate.library("nccl")
    machine.put(library)
    assert locate.library("nccl") == str(library)
    assert {found.major for found in locate.report()} == {major}
    assert [found.path for found in locate.report() if found.name == "nccl"] == [str(library)]


def test_the_installation_with_the_compiler(machine):
    assert locate.installation() is None
    machine.wheels_12("nvrtc")
    assert locate.installation() == str(machine.site / "nvidia/cuda_nvrtc")
    machine.put(machine.toolkit / "lib64/libnvrtc.so.13")
    machine.cuda_h(13000)
    machine.major(13)
    assert locate.installation() == str(machine.toolkit)


def test_nvcc(machine, monkeypatch):
    monkeypatch.setenv("PATH", str(machine.site))
    assert locate.nvcc() is None
    for folder in (machine.site, machine.toolkit / "bin"):  # the toolkit's comes first
        machine.put(folder / "nvcc")
        (folder / "nvcc").chmod(0o755)
        assert locate.nvcc() == str(folder / "nvcc")
