# SPDX-License-Identifier: MIT
"""Make a list of draws smaller while a case of it fails: as Hypothesis does, by draws
alone, without a word about what they stand for (MacIver and Donaldson 2020)."""
import time

SECONDS = 240


def shrink(draws, fails):
    """Return a list that fails too, and of which no part can be removed, set to 0 or
    halved; or the best after some minutes."""
    end = time.monotonic() + SECONDS
    best = list(draws)

    def attempt(candidate):
        nonlocal best
        while candidate and candidate[-1] == 0:  # behind the end all are 0
            candidate = candidate[:-1]
        if candidate == best or time.monotonic() > end or not fails(candidate):
            return False
        best = candidate
        return True

    changed = True
    while changed and time.monotonic() < end:
        changed = False
        size = len(best)
        while size > 0:  # parts of this size: remove, or set to 0
            at = 0
            while at < len(best):
                part = best[at:at + size]
                removed = best[:at] + best[at + size:]
                zeros = best[:at] + [0] * len(part) + best[at + size:]
                if attempt(removed) or (any(part) and attempt(zeros)):
                    changed = True
                    if len(best) <= at:
                        break
                    if best[at:at + size] != [0] * len(part):
                        continue
                at += size
            size //= 2
        for at in range(len(best)):  # single draws, to half of what they are and by 1
            while at < len(best) and best[at] > 0:
                half = best[:at] + [best[at] // 2] + best[at + 1:]
                less = best[:at] + [best[at] - 1] + best[at + 1:]
                if not (attempt(half) or attempt(less)):
                    break
                changed = True
    return best
