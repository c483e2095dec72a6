"""The tools: they use the scratch, and none of them hands it to the model.

Five of six change the conversation's notebook alone. To the domain they are reads, which write state. One changes the world.
"""

from examples.relabeling.tools.collecting import collecting
from examples.relabeling.tools.ordering import ordering

TOOLBOXES = (collecting, ordering)
