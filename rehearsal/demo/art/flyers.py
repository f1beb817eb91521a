"""Things of the air and the water, from birds and balloons to fish and boats."""

from __future__ import annotations

from math import sin

from rehearsal.demo.art.animals import INK, eye
from rehearsal.demo.art.palette import dark, pale
from rehearsal.demo.art.pen import Colour, Pen
from rehearsal.demo.art.pose import Pose

BEAK: Colour = (248, 168, 40)
GLASS: Colour = (176, 220, 244)
WOOD: Colour = (146, 92, 54)


def bird(pen: Pen, coat: Colour, pose: Pose) -> None:
    flap = sin(pose.phase) * pose.stride
    pen.polygon("-36,-42 -92,-62 -86,-36 -94,-20", dark(coat, 0.25))
    _wing(pen.at(0.02, -0.56), dark(coat, 0.3), flap, pose)
    pen.blob("-50,-42 -20,-72 26,-76 50,-50 22,-16 -24,-20", coat)
    pen.ellipse(0.16, -0.34, 0.26, 0.15, pale(coat, 0.5), turn=-0.3)
    pen.ellipse(0.46, -0.74, 0.26, 0.25, coat)
    pen.polygon("66,-82 98,-70 66,-62", BEAK)
    eye(pen, 0.5, -0.8, 0.06)
    _wing(pen.at(-0.04, -0.5), dark(coat, 0.12), flap, pose)
    if pose.stride < 0.2:
        for x in (-0.02, 0.14):
            pen.stroke([(x, -0.2), (x + 0.02, 0.0)], 0.05, BEAK)


def _wing(pen: Pen, coat: Colour, flap: float, pose: Pose) -> None:
    if pose.stride < 0.2:
        pen.blob("16,-2 -10,22 -62,22 -30,-8", coat)
        return
    tip = -0.9 * flap
    pen.blob(
        [(0.22, 0.0), (0.1, tip * 0.6 - 0.06), (-0.3, tip - 0.02), (-0.62, tip * 0.9), (-0.3, 0.1)],
        coat,
    )


def butterfly(pen: Pen, coat: Colour, pose: Pose) -> None:
    fold = 0.45 + 0.55 * abs(sin(pose.phase))
    for side in (-1, 1):
        wide = side * fold
        pen.blob(
            [
                (0, -0.5),
                (0.32 * wide, -1.0),
                (0.78 * wide, -0.98),
                (0.72 * wide, -0.58),
                (0.2 * wide, -0.44),
            ],
            coat,
        )
        pen.blob(
            [
                (0, -0.46),
                (0.5 * wide, -0.46),
                (0.62 * wide, -0.16),
                (0.34 * wide, 0.04),
                (0.06 * wide, -0.3),
            ],
            dark(coat, 0.14),
        )
        pen.ellipse(0.52 * wide, -0.8, 0.13 * fold, 0.12, pale(coat, 0.6))
        pen.ellipse(0.38 * wide, -0.2, 0.09 * fold, 0.08, pale(coat, 0.6))
        pen.stroke(
            [(0.02 * side, -0.78), (0.12 * side, -1.0), (0.2 * side, -1.06)],
            0.035,
            INK,
            smooth=True,
        )
    pen.ellipse(0, -0.48, 0.07, 0.32, INK)
    pen.ellipse(0, -0.8, 0.09, 0.09, INK)


def balloon(pen: Pen, coat: Colour, pose: Pose) -> None:
    sway = 0.1 * sin(pose.phase * 0.4)
    pen.stroke(
        [(0, -1.2), (sway, -0.8), (-sway, -0.4), (sway, 0)], 0.035, (250, 250, 250), smooth=True
    )
    pen.polygon("-11,-112 11,-112 0,-130", dark(coat, 0.2))
    pen.blob("0,-122 -46,-162 -56,-204 -30,-244 30,-244 56,-204 46,-162", coat)
    pen.blob("6,-130 50,-170 54,-210 36,-236 40,-190", dark(coat, 0.16))
    pen.ellipse(-0.24, -2.1, 0.1, 0.2, pale(coat, 0.65), turn=0.4)


def plane(pen: Pen, coat: Colour, pose: Pose) -> None:
    pen.polygon("-150,-70 -190,-150 -150,-150 -90,-80", dark(coat, 0.15))
    pen.polygon("-10,-70 -50,-114 -20,-114 50,-72", dark(coat, 0.35))
    pen.blob("-170,-72 -80,-92 80,-96 160,-76 174,-56 130,-38 -60,-38", coat)
    pen.blob("-90,-42 60,-48 162,-54 130,-38 -40,-36", pale(coat, 0.6))
    pen.blob("106,-86 136,-80 152,-70 108,-66", GLASS)
    for x in (-0.7, -0.35, 0.0, 0.35, 0.7):
        pen.ellipse(x, -0.7, 0.1, 0.11, GLASS)
    pen.polygon("40,-56 -20,-50 -110,6 -70,8", dark(coat, 0.22))
    pen.polygon("-140,-66 -120,-66 -170,-36 -195,-36", dark(coat, 0.3))


def fish(pen: Pen, coat: Colour, pose: Pose) -> None:
    sway = 0.16 * sin(pose.phase)
    pen.blob(
        [(-0.55, -0.5), (-0.95, -0.82 + sway), (-1.05, -0.5 + sway), (-0.95, -0.18 + sway)],
        dark(coat, 0.18),
    )
    pen.blob("-20,-84 0,-112 34,-90", dark(coat, 0.2))
    pen.blob("-68,-50 -30,-80 20,-92 72,-62 80,-46 60,-26 10,-10 -40,-26", coat)
    pen.blob("-30,-30 20,-24 70,-36 50,-20 10,-10", pale(coat, 0.5))
    for x in (-0.22, 0.12):
        pen.stroke([(x, -0.8), (x + 0.08, -0.5), (x, -0.22)], 0.1, pale(coat, 0.45), smooth=True)
    pen.polygon([(0.1, -0.42), (-0.22, -0.26 - sway), (-0.04, -0.5)], dark(coat, 0.25))
    eye(pen, 0.46, -0.6, 0.085)
    pen.stroke("64,-36 76,-42", 0.035, INK)


def duck(pen: Pen, coat: Colour, pose: Pose) -> None:
    pen.blob("-86,-56 -50,-36 -10,-46 30,-50 62,-30 44,8 -40,10 -74,-20", coat)
    pen.blob("-60,-36 -20,-42 20,-28 0,-2 -46,-6", dark(coat, 0.16))
    pen.stroke("40,-30 42,-70", 0.28, coat)
    pen.ellipse(0.44, -0.84, 0.28, 0.25, coat)
    pen.blob("64,-90 96,-82 96,-70 66,-70", BEAK)
    eye(pen, 0.5, -0.9, 0.06)


def boat(pen: Pen, coat: Colour, pose: Pose) -> None:
    pen.stroke("10,-50 10,-320", 0.1, WOOD)
    pen.blob("2,-80 -50,-84 -120,-80 -74,-180 2,-310", (250, 248, 240))
    pen.blob("20,-84 70,-86 114,-82 80,-160 20,-270", (226, 226, 224))
    pen.polygon("10,-320 56,-306 10,-292", coat)
    pen.blob("-150,-60 0,-52 170,-72 130,-10 90,12 -90,12 -130,-10", coat)
    pen.stroke("-146,-56 0,-48 160,-66", 0.1, pale(coat, 0.7), smooth=True)
    for x in (-0.6, 0.0, 0.6):
        pen.ellipse(x, -0.24, 0.1, 0.1, pale(coat, 0.75))


def submarine(pen: Pen, coat: Colour, pose: Pose) -> None:
    spin = 0.3 * abs(sin(pose.phase * 1.5))
    pen.ellipse(-1.56, -0.7, 0.08, 0.12 + spin, dark(coat, 0.5))
    pen.stroke("10,-130 10,-190 40,-190", 0.1, dark(coat, 0.35))
    pen.rounded(-0.4, -1.6, 0.5, -1.0, 0.16, dark(coat, 0.12))
    pen.polygon("-150,-110 -90,-90 -90,-50 -150,-30", dark(coat, 0.25))
    pen.blob("-130,-70 -90,-114 60,-120 136,-98 150,-66 120,-28 30,-14 -90,-24", coat)
    for x in (-0.5, 0.15, 0.8):
        pen.ellipse(x, -0.72, 0.24, 0.24, dark(coat, 0.35))
        pen.ellipse(x, -0.72, 0.17, 0.17, GLASS)
        pen.ellipse(x - 0.05, -0.78, 0.05, 0.05, (255, 255, 255))
