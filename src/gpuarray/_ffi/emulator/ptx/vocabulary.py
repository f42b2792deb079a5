"""The words of PTX: opcodes, modifiers and special registers (PTX ISA 8.7, chapters 9 and 10).

A module with a word that is not here is refused when it is loaded. The emulator need not support
every word that is here: that is reported when the instruction is executed.
"""

from __future__ import annotations

from .syntax import TYPE_SIZES

__all__ = ["is_special_register", "unknown_word"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Opcodes whose modifiers are checked.
_CHECKED = _words("""
    abs activemask add addc and atom bar barrier bfe bfi bfind bmsk bra brev brkpt brx call clz cnot
    copysign cos cvt cvta discard div dp2a dp4a elect ex2 exit fma fns griddepcontrol isspacep ld
    ldu lg2 lop3 mad mad24 madc mapa match max membar min mov mul mul24 nanosleep neg not or
    pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp set setmaxnreg setp
    shf shfl shl shr sin slct sqrt st sub subc szext tanh testp trap vote xor
""")

#: Opcodes whose modifiers are not checked: tensor cores, bulk copies, textures, video.
_UNCHECKED = _words("""
    alloca applypriority clusterlaunchcontrol cp createpolicy fence getctarank istypep ldmatrix
    mbarrier mma movmatrix multimem stackrestore stacksave stmatrix suld suq sured sust tcgen05
    tensormap tex tld4 txq vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax
    vmax2 vmax4 vmin vmin2 vmin4 vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma wmma
""")

_MODIFIERS = frozenset(TYPE_SIZES) | _words("""
    b1 b1024 e4m3 e5m2 e4m3x2 e5m2x2 e4m3x4 e5m2x4 e2m1x2 e2m1x4 e2m3x2 e2m3x4 e3m2x2 e3m2x4 ue8m0x2
    f32x2 bf16x4
    rn rna rz rm rp rs rni rzi rmi rpi approx full ftz sat satfinite relu noftz oob
    wide hi lo cc pack to h0 h1
    eq ne lt le gt ge ls hs equ neu ltu leu gtu geu num nan NaN xorsign abs
    finite infinite number notanumber normal subnormal
    and or xor popc exch cas add inc dec min max
    weak relaxed acquire release acq_rel volatile mmio sc gpu sys gl cta cluster
    global shared local const param nc ca cg cs lu cv wb wt v2 v4 v8 unified async bulk
    L1 L2 tensormap proxy alias
    l r wrap clamp f4e b4e rc8 rc16 ecl ecr shiftamt bfly up down idx sync all any uni ballot
    arrive wait warp red aligned inc dec mask launch_dependents
""")

#: First parts of modifiers such as ``L2::128B`` and ``shared::cta``.
_PREFIXES = _words("L1 L2 shared param mbarrier async generic tensormap cluster cta scaled")

_SPECIAL = _words("""
    tid ntid laneid warpid nwarpid ctaid nctaid smid nsmid gridid clusterid nclusterid cluster_ctaid
    cluster_nctaid cluster_ctarank cluster_nctarank is_explicit_cluster lanemask_eq lanemask_le
    lanemask_lt lanemask_ge lanemask_gt clock clock_hi clock64 globaltimer globaltimer_lo
    globaltimer_hi total_smem_size aggr_smem_size dynamic_smem_size current_graph_exec
    reserved_smem_offset_begin reserved_smem_offset_end reserved_smem_offset_cap
    reserved_smem_offset_0 reserved_smem_offset_1
""")  # and those with a number: %pm3, %pm3_64, %envreg7


def unknown_word(opcode: str, modifiers: tuple[str, ...]) -> str | None:
    """The opcode or the first modifier that PTX does not have, as a message names it."""
    if opcode in _CHECKED:
        for modifier in modifiers:
            if modifier not in _MODIFIERS and modifier.split("::")[0] not in _PREFIXES:
                return f"modifier .{modifier}"
        return None
    return None if opcode in _UNCHECKED else f"instruction {opcode}"


def is_special_register(name: str) -> bool:
    """Whether a name (without the percent sign) is a special register, or an element of one."""
    base = name.split(".")[0]
    return base in _SPECIAL or base.removesuffix("_64").rstrip("0123456789") in ("pm", "envreg")
