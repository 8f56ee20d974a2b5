"""Which wheels, by the CUDA they were built for, run with which drivers."""

from .draw.diagram import Box, diagram


def versions(drivers, wheels):
    """Draw which wheels, by their CUDA, run with which drivers.

    drivers, wheels: lists of versions, (12, 8). A wheel is a row, a driver a column.
    """
    words = {"touched": "runs", "line": "runs; not its PTX", "wrong": "refused"}
    boxes, captions = [], []
    for row, wheel in enumerate(wheels):
        y = 0.62 + 0.46 * row
        boxes.append(Box(0.1, y, 1.5, 0.42, "cu{}{}".format(*wheel), kind="unused"))
        for column, driver in enumerate(drivers):
            kind = outcome(driver, wheel)
            place = 1.66 + 1.7 * column, y, 1.66, 0.42
            boxes.append(Box(*place, "", (words[kind],), kind))
            versions = "{}.{}".format(*wheel), "{}.{}".format(*driver)
            caption = "CUDA {} with a driver of {}: ".format(*versions)
            captions.append(caption + words[kind])
    for column, driver in enumerate(drivers):
        title = "driver: {}.{}".format(*driver)
        boxes.append(Box(1.66 + 1.7 * column, 0.1, 1.66, 0.42, title, kind="unused"))
    size = 1.8 + 1.7 * len(drivers), 0.7 + 0.46 * len(wheels)
    return diagram(size, boxes, [], "A wheel of " + "; of ".join(captions) + ".")


def outcome(driver, wheel):
    if wheel[0] > driver[0]:
        return "wrong"
    return "touched" if wheel <= driver else "line"
