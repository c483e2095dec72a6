"""asyncpg is loaded when a store needs it, and missed with a word of advice."""

import subprocess
import sys


def test_a_missing_driver_names_the_extra() -> None:
    program = "import sys; sys.modules['asyncpg'] = None; import handgriff.stores.postgres.store"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "DefinitionError" in done.stderr
    assert "pip install 'handgriff[postgres]'" in done.stderr


def test_the_driver_is_not_loaded_before_it_is_needed() -> None:
    program = "import sys, handgriff, handgriff.host.adapters, handgriff.stores.postgres; print('asyncpg' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
