"""What the tests leave behind goes to the folder of builds."""

from pathlib import Path

from hypothesis.configuration import set_hypothesis_home_dir

set_hypothesis_home_dir(Path(__file__).parents[3] / "target" / "python" / "hypothesis")
