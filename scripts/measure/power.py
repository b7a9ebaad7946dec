"""Energy counters of the devices, where NVML or amdsmi has them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Device:
    """An accelerator.

    Attributes:
        name: As the driver calls it.
        memory_bytes: Its memory.
        driver: Version of the driver.
        joules: Returns its energy counter, in joules since some moment; None where it has none.
        power_limit_w: Its limit; None where the driver does not say.
    """

    name: str
    memory_bytes: int
    driver: str
    joules: Callable[[], float | None]
    power_limit_w: float | None = None


def find_devices(visible: str | None = None) -> list[Device]:
    """Return the accelerators of this machine; none where no driver answers.

    Args:
        visible: What CUDA_VISIBLE_DEVICES or its like says to the server; None for all.
    """
    devices = _nvidia() or _amd()
    if visible is None:
        return devices
    chosen = [int(item) for item in visible.split(",") if item.strip().isdigit()]
    return [devices[number] for number in chosen if number < len(devices)] or devices


def total_joules(devices: list[Device]) -> float | None:
    """Return the energy of all devices; None when one of them has no counter, or there is none."""
    counted = [device.joules() for device in devices]
    return sum(value for value in counted if value is not None) if counted and None not in counted else None


class Meter:
    """Mean power between two moments.

    Args:
        devices: Those that the server runs on; none where that is not known.
        clock: Returns seconds.
    """

    def __init__(self, devices: list[Device], clock: Callable[[], float]) -> None:
        self.devices = devices
        self.clock = clock
        self.began: tuple[float, float] | None = None

    def start(self) -> None:
        """Begin to count."""
        joules = total_joules(self.devices)
        self.began = None if joules is None else (joules, self.clock())

    def stop(self) -> float | None:
        """Return the mean power since `start` in watts, all devices together; None where it cannot be told."""
        if self.began is None:
            return None
        joules, seconds = total_joules(self.devices), self.clock() - self.began[1]
        used = None if joules is None else joules - self.began[0]
        # The counters move a few times in a second only.
        return used / seconds if used and used > 0 and seconds > 1 else None


def _nvidia() -> list[Device]:
    try:
        import pynvml  # noqa: PLC0415 - only where its driver may be

        pynvml.nvmlInit()
    except Exception:  # noqa: BLE001 - no package, no library, no driver, no right: there is no device to read
        return []
    driver = str(pynvml.nvmlSystemGetDriverVersion())

    def device(number: int) -> Device:
        handle = pynvml.nvmlDeviceGetHandleByIndex(number)

        def joules() -> float | None:
            with suppress(pynvml.NVMLError):
                return float(pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)) / 1000
            return None

        limit: float | None = None
        with suppress(pynvml.NVMLError):
            limit = float(pynvml.nvmlDeviceGetEnforcedPowerLimit(handle)) / 1000
        memory = int(pynvml.nvmlDeviceGetMemoryInfo(handle).total)
        return Device(str(pynvml.nvmlDeviceGetName(handle)), memory, driver, joules, limit)

    return [device(number) for number in range(int(pynvml.nvmlDeviceGetCount()))]


def _amd() -> list[Device]:
    try:
        import amdsmi  # noqa: PLC0415 - comes with ROCm, not from an index

        amdsmi.amdsmi_init()
        handles = amdsmi.amdsmi_get_processor_handles()
    except Exception:  # noqa: BLE001 - as above
        return []

    def device(handle: Any) -> Device:
        def joules() -> float | None:
            with suppress(Exception):
                count = amdsmi.amdsmi_get_energy_count(handle)
                return float(count["energy_accumulator"]) * float(count["counter_resolution"]) / 1e6
            return None

        name, memory, driver = "AMD GPU", 0, ""
        with suppress(Exception):
            name = str(amdsmi.amdsmi_get_gpu_asic_info(handle)["market_name"])
            driver = str(amdsmi.amdsmi_get_gpu_driver_info(handle)["driver_version"])
            memory = int(amdsmi.amdsmi_get_gpu_vram_info(handle)["vram_size"]) << 20
        return Device(name, memory, driver, joules)

    return [device(handle) for handle in handles]
