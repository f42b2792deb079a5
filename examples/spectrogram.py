"""
The spectrogram of a song
=========================

Which tones sound when? The sound is cut into windows that overlap, and each is Fourier transformed:
all of them at once, in one batch.
"""

import argparse

import matplotlib.pyplot as plt

import gpuarray as cp

seconds = 300.0 if cp.cuda.is_available() else 3.0  # the emulated device is slow
parser = argparse.ArgumentParser(description="The spectrogram of a synthetic bird's song.")
parser.add_argument("--seconds", type=float, default=seconds, help="of sound (%(default)s)")
parser.add_argument("--window", type=int, default=512, help="samples of a window (%(default)s)")
parser.add_argument("--save", metavar="FILE", help="write the picture there instead of showing it")
args = parser.parse_args()

# %%
# A song that repeats every 1.5 s: a whistle that falls, then a trill. The phase is the integral of
# the frequency, a cumulative sum; an overtone and noise make it a little more natural.

rate = 22050  # samples a second
time = cp.arange(int(args.seconds * rate)) / rate
beat = time % 1.5
whistle = beat < 0.6
trill = (beat > 0.75) & (beat < 1.35)
pitch = cp.where(whistle, 5000 - 4000 * beat, 4000 + 900 * cp.sin(2 * cp.pi * 18 * beat))  # Hz
phase = 2 * cp.pi * cp.cumsum(pitch) / rate
loud = cp.where(whistle, cp.sin(cp.pi * beat / 0.6), cp.where(trill, 0.7, 0))
sound = loud * (cp.sin(phase) + 0.15 * cp.sin(2 * phase))
sound += cp.random.default_rng(2).normal(0, 0.02, sound.size)

# %%
# A view of all windows, a quarter of a window apart, and one batch of transforms. Hann's window
# fades each out at its ends.

hop = args.window // 4
windows = cp.lib.stride_tricks.sliding_window_view(sound, args.window)[::hop]
spectrum = cp.fft.rfft(windows * cp.hanning(args.window), axis=1)
power = 20 * cp.log10(abs(spectrum) / args.window + 1e-6)  # decibels
print(f"{power.shape[0]} windows of {args.window} samples, {power.shape[1]} frequencies each")

# %%
# The strongest tone of each window should be the one that was put in.

middle = cp.arange(len(power)) * hop + args.window // 2
strongest = power.argmax(axis=1) * rate / args.window
sounding = loud[middle] > 0.5
error = cp.median(abs(strongest - pitch[middle])[sounding])
print(f"the strongest tone is {float(error):.0f} Hz from the song's, in the median")

# %%
# The first three seconds.

figure, (wave, ax) = plt.subplots(
    2, 1, figsize=(9, 5), layout="constrained", sharex=True, height_ratios=(1, 3)
)
end = min(args.seconds, 3.0)
wave.plot(time[: int(end * rate) : 8].get(), sound[: int(end * rate) : 8].get(), linewidth=0.4)
wave.set(title="a song", ylabel="amplitude")
shown = power[: int(end * rate / hop)].T.get()
extent = (0, end, 0, rate / 2000)
picture = ax.imshow(shown, extent=extent, origin="lower", aspect="auto", cmap="magma", vmin=-80)
ax.set(xlabel="time (s)", ylabel="frequency (kHz)")
figure.colorbar(picture, ax=ax, label="power (dB)")
if args.save:
    figure.savefig(args.save)
else:
    plt.show()
