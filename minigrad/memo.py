from .capture import forget, keep  # noqa
from .capture import plans as kept  # noqa
