"""What is probably a mistake in a schema, said to its author while the tool is being defined."""

from handgriff.core.schema.reading import fits
from handgriff.core.schema.shape import Shape


def warnings_of(shape: Shape) -> tuple[str, ...]:
    """Write a sentence for each likely mistake."""
    return tuple(
        f"{pointer}: its type allows null, but its enum doesn't list it, so null is refused."
        for pointer, node in shape.nodes.items()
        if node.choices is not None and "null" in node.kinds and None not in node.choices
    )


def unfit_defaults(shape: Shape) -> tuple[str, ...]:
    """Name the arguments whose own default would be refused."""
    places = shape.root.properties.items()
    return tuple(name for name, place in places for default in shape.nodes[place].default if not fits(shape, place, default))
