"""What an emulated device says of itself: an H200 in all that code depends on."""

from __future__ import annotations

from ..driver_enums import DEVICE_ATTRIBUTES

__all__ = [
    "ATTRIBUTES",
    "COMPUTE_CAPABILITY",
    "DRIVER_VERSION",
    "SHARED_BYTES_OPT_IN",
    "STACK_BYTES",
    "STREAM_PRIORITIES",
]

COMPUTE_CAPABILITY = (9, 0)
#: CUDA 12.9, as 1000 * major + 10 * minor.
DRIVER_VERSION = 12090

#: Shared memory of a block: by default, and what a kernel may be allowed.
SHARED_BYTES = 48 << 10
SHARED_BYTES_OPT_IN = 227 << 10
RESERVED_SHARED_BYTES = 1 << 10
MULTIPROCESSORS = 132
THREADS_PER_MULTIPROCESSOR = 2048
BLOCKS_PER_MULTIPROCESSOR = 32
SHARED_BYTES_PER_MULTIPROCESSOR = 228 << 10
THREADS_PER_BLOCK = 1024
#: Bytes of which addresses, and pitches, of memory that textures read are multiples.
TEXTURE_ALIGNMENT = 512
TEXTURE_PITCH_ALIGNMENT = 32
BLOCK_LIMITS = (1024, 1024, 64)
GRID_LIMITS = (2**31 - 1, 65535, 65535)
#: The stack of each thread, unless a limit of the context says otherwise.
STACK_BYTES = 1024
#: The least and the greatest priority of a stream: lower numbers are served first.
STREAM_PRIORITIES = (0, -5)

#: The most elements of CUDA arrays, textures and surfaces, in each direction.
_IMAGE_LIMITS = {
    "texture1d": {"width": 131072},
    "texture1d_linear": {"width": 1 << 28},
    "texture1d_mipmapped": {"width": 32768},
    "texture1d_layered": {"width": 32768, "layers": 2048},
    "texture2d": {"width": 131072, "height": 65536},
    "texture2d_linear": {"width": 131072, "height": 65000, "pitch": 2097120},
    "texture2d_mipmapped": {"width": 32768, "height": 32768},
    "texture2d_gather": {"width": 32768, "height": 32768},
    "texture2d_layered": {"width": 32768, "height": 32768, "layers": 2048},
    "texture3d": {"width": 16384, "height": 16384, "depth": 16384},
    "surface1d": {"width": 32768},
    "surface1d_layered": {"width": 32768, "layers": 2048},
    "surface2d": {"width": 131072, "height": 65536},
    "surface2d_layered": {"width": 32768, "height": 32768, "layers": 2048},
    "surface3d": {"width": 16384, "height": 16384, "depth": 16384},
}

_BY_NAME = {
    "max_threads_per_block": THREADS_PER_BLOCK,
    "max_block_dim_x": BLOCK_LIMITS[0],
    "max_block_dim_y": BLOCK_LIMITS[1],
    "max_block_dim_z": BLOCK_LIMITS[2],
    "max_grid_dim_x": GRID_LIMITS[0],
    "max_grid_dim_y": GRID_LIMITS[1],
    "max_grid_dim_z": GRID_LIMITS[2],
    "max_shared_memory_per_block": SHARED_BYTES,
    "total_constant_memory": 64 << 10,
    "warp_size": 32,
    "max_pitch": 2**31 - 1,
    "max_registers_per_block": 65536,
    "clock_rate": 1980000,
    "texture_alignment": TEXTURE_ALIGNMENT,
    "gpu_overlap": 1,
    "multiprocessor_count": MULTIPROCESSORS,
    "can_map_host_memory": 1,
    "surface_alignment": 512,
    "concurrent_kernels": 1,
    "ecc_enabled": 1,
    "memory_clock_rate": 3201000,
    "global_memory_bus_width": 6144,
    "l2_cache_size": 60 << 20,
    "max_threads_per_multiprocessor": THREADS_PER_MULTIPROCESSOR,
    "async_engine_count": 3,
    "unified_addressing": 1,
    "texture_pitch_alignment": TEXTURE_PITCH_ALIGNMENT,
    "compute_capability_major": COMPUTE_CAPABILITY[0],
    "compute_capability_minor": COMPUTE_CAPABILITY[1],
    "stream_priorities_supported": 1,
    "global_l1_cache_supported": 1,
    "local_l1_cache_supported": 1,
    "max_shared_memory_per_multiprocessor": SHARED_BYTES_PER_MULTIPROCESSOR,
    "max_registers_per_multiprocessor": 65536,
    "managed_memory": 1,
    "single_to_double_precision_perf_ratio": 2,
    "concurrent_managed_access": 1,
    "compute_preemption_supported": 1,
    "can_use_host_pointer_for_registered_mem": 1,
    "cooperative_launch": 1,
    "max_shared_memory_per_block_optin": SHARED_BYTES_OPT_IN,
    "max_blocks_per_multiprocessor": BLOCKS_PER_MULTIPROCESSOR,
    "reserved_shared_memory_per_block": RESERVED_SHARED_BYTES,
    "max_persisting_l2_cache_size": 0,
    "host_register_supported": 1,
    "memory_pools_supported": 1,
    "virtual_address_management_supported": 1,
    "ipc_event_supported": 1,
    "unified_function_pointers": 1,
    "host_numa_id": -1,
    "numa_id": -1,
    **{
        f"maximum_{form}_{size}": most
        for form, sizes in _IMAGE_LIMITS.items()
        for size, most in sizes.items()
    },
}

#: Device attributes by number; those not named above are 0, as for a feature that is absent.
ATTRIBUTES: dict[int, int] = {
    number: _BY_NAME.get(name, 0) for name, number in DEVICE_ATTRIBUTES.items()
}
