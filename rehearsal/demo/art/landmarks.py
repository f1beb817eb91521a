"""Things that stand in a scene: drawn with their foot at the origin."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin

from PIL import Image, ImageChops

from rehearsal.demo.art.easel import Easel, Layer
from rehearsal.demo.art.palette import dark, pale
from rehearsal.demo.art.pen import Colour, Pen

STONE: Colour = (150, 148, 150)
LEAF: Colour = (74, 146, 70)
BARK: Colour = (122, 82, 52)


def tree(pen: Pen) -> None:
    pen.polygon("-28,0 -18,-180 18,-180 30,0", BARK)
    pen.polygon("4,0 4,-180 18,-180 30,0", dark(BARK, 0.2))
    for x, y, r, share in (
        (-0.8, -2.3, 0.85, 0.16),
        (0.8, -2.3, 0.9, 0.2),
        (0, -2.1, 0.9, 0.12),
        (0.4, -3.1, 0.9, 0.06),
        (-0.5, -3.1, 0.85, 0.0),
    ):
        pen.ellipse(x, y, r, r * 0.92, dark(LEAF, share))
    pen.ellipse(-0.6, -3.3, 0.42, 0.34, pale(LEAF, 0.16))


def bush(pen: Pen) -> None:
    for x, y, r, share in (
        (-1.1, -0.62, 0.75, 0.2),
        (1.1, -0.6, 0.72, 0.24),
        (0.5, -1.25, 0.85, 0.1),
        (-0.5, -1.3, 0.85, 0.06),
        (0, -0.7, 1.0, 0.12),
    ):
        pen.ellipse(x, y, r, r * 0.9, dark(LEAF, share))
    for x, y in ((-0.9, -0.9), (-0.3, -1.5), (0.4, -0.8), (0.9, -1.3), (1.2, -0.5), (-0.2, -0.5)):
        pen.ellipse(x, y, 0.09, 0.09, (226, 70, 76))


def house(pen: Pen) -> None:
    wall: Colour = (240, 222, 190)
    pen.box(-1.7, -1.9, 1.7, 0, wall)
    pen.box(0.9, -3.3, 1.3, -2.2, (160, 90, 76))
    pen.polygon("-205,-185 0,-345 205,-185", (186, 72, 60))
    pen.polygon("0,-345 205,-185 150,-185", dark((186, 72, 60), 0.2))
    pen.rounded(-0.36, -1.2, 0.36, 0, 0.1, (120, 78, 52))
    pen.ellipse(0.2, -0.58, 0.06, 0.06, (240, 206, 110))
    for x in (-1.12, 1.12):
        pen.box(x - 0.36, -1.46, x + 0.36, -0.74, (252, 250, 244))
        pen.box(x - 0.29, -1.39, x + 0.29, -0.81, (150, 204, 232))
        pen.stroke([(x, -1.39), (x, -0.81)], 0.05, (252, 250, 244))


def rock(pen: Pen) -> None:
    pen.blob("-190,0 -180,-80 -110,-160 -20,-190 80,-170 160,-100 195,0 0,6", STONE)
    pen.blob("20,0 50,-110 80,-165 160,-100 192,0", dark(STONE, 0.2))
    pen.blob("-150,-80 -100,-146 -20,-176 -50,-110", pale(STONE, 0.25))
    pen.stroke("-40,-40 10,-80 0,-110", 0.05, dark(STONE, 0.35), smooth=True)


def snowman(pen: Pen) -> None:
    for y, r in ((-0.62, 0.72), (-1.6, 0.52), (-2.34, 0.38)):
        pen.ellipse(0.04, y + 0.03, r, r * 0.96, (196, 210, 232))
        pen.ellipse(-0.03, y, r * 0.95, r * 0.92, (252, 253, 255))
    for side in (-1, 1):
        pen.stroke([(side * 0.46, -1.7), (side * 1.0, -2.1)], 0.07, BARK)
    pen.rounded(-0.42, -1.98, 0.42, -1.8, 0.08, (206, 56, 60))
    for x, y in ((-0.13, -2.42), (0.13, -2.42), (0, -1.5), (0, -1.2)):
        pen.ellipse(x, y, 0.05, 0.05, (40, 38, 46))
    pen.polygon("0,-236 46,-228 0,-222", (246, 136, 40))
    pen.rounded(-0.48, -2.68, 0.48, -2.58, 0.04, (44, 42, 52))
    pen.rounded(-0.3, -3.1, 0.3, -2.6, 0.05, (44, 42, 52))


def lighthouse(pen: Pen) -> None:
    pen.blob("-170,10 -120,-50 0,-70 120,-50 170,10", STONE)
    for k in range(5):
        low, high = 0.62 - 0.07 * k, 0.55 - 0.07 * k
        colour: Colour = (216, 64, 60) if k % 2 else (248, 246, 240)
        pen.polygon(
            [
                (-low, -0.5 - 0.7 * k),
                (-high, -1.2 - 0.7 * k),
                (high, -1.2 - 0.7 * k),
                (low, -0.5 - 0.7 * k),
            ],
            colour,
        )
    pen.box(-0.42, -4.12, 0.42, -3.98, (70, 74, 84))
    pen.box(-0.24, -4.6, 0.24, -4.1, (255, 236, 150))
    pen.polygon("-34,-458 0,-500 34,-458", (186, 52, 50))


def cactus(pen: Pen) -> None:
    green: Colour = (82, 146, 84)
    pen.stroke("0,-10 0,-270", 0.6, green)
    pen.stroke("-5,-110 -80,-130 -85,-200", 0.36, green, smooth=True)
    pen.stroke("5,-80 75,-100 80,-175", 0.36, dark(green, 0.1), smooth=True)
    for x in (-0.14, 0.02, 0.16):
        pen.stroke([(x, -0.1), (x, -2.8)], 0.035, dark(green, 0.25))
    for x, y in ((0, -2.98), (-0.85, -2.2)):
        pen.ellipse(x, y, 0.14, 0.1, (240, 110, 150))


def parasol(pen: Pen) -> None:
    pen.stroke("0,0 10,-300", 0.1, (236, 226, 206))
    for k in range(6):
        a, b = pi + k * pi / 6, pi + (k + 1) * pi / 6
        rim = [(0.1 + 1.75 * cos(t), -2.1 + 1.15 * sin(t)) for t in (a, (a + b) / 2, b)]
        pen.polygon([*rim, (0.1, -2.0)], (224, 72, 66) if k % 2 else (250, 246, 236))
    pen.polygon([(0.1 + 1.75, -2.1), (0.1 - 1.75, -2.1), (0.1, -1.98)], (180, 60, 58))


def tent(pen: Pen) -> None:
    cloth: Colour = (232, 140, 58)
    pen.polygon("-200,0 0,-225 200,0", cloth)
    pen.polygon("0,-225 200,0 110,0", dark(cloth, 0.22))
    pen.polygon("-50,0 -4,-150 46,0", (78, 56, 50))
    pen.polygon("-50,0 -4,-150 -30,0", pale(cloth, 0.2))
    pen.stroke("0,-225 0,-245", 0.07, BARK)


def sofa(pen: Pen) -> None:
    cloth: Colour = (86, 130, 140)
    pen.rounded(-2.2, -1.9, 2.2, -0.2, 0.3, dark(cloth, 0.14))
    for x in (-1.7, 0.06):
        pen.rounded(x, -1.14, x + 1.66, -0.5, 0.16, pale(cloth, 0.14))
    pen.rounded(-1.9, -0.66, 1.9, -0.14, 0.14, cloth)
    for x in (-2.5, 1.8):
        pen.rounded(x, -1.3, x + 0.7, -0.1, 0.26, pale(cloth, 0.06))
    for x in (-2.1, 2.1):
        pen.stroke([(x, -0.1), (x, 0)], 0.14, (84, 60, 46))


def table(pen: Pen) -> None:
    cloth: Colour = (240, 236, 224)
    for x in (-1.7, 1.7):
        pen.stroke([(x, -1.2), (x, 0)], 0.16, (130, 90, 60))
    pen.blob("-195,-150 195,-150 205,-40 100,-34 0,-44 -100,-34 -205,-40", cloth)
    pen.rounded(-2.0, -1.6, 2.0, -1.4, 0.08, dark(cloth, 0.06))
    for x in (-1.4, -0.7, 0, 0.7, 1.4):
        pen.stroke([(x, -1.36), (x, -0.5)], 0.12, (214, 90, 84))
    pen.ellipse(0.1, -1.78, 0.5, 0.2, (120, 160, 190))
    for x, colour in ((-0.12, (214, 60, 50)), (0.16, (240, 180, 60)), (0.36, (120, 170, 70))):
        pen.ellipse(x, -1.92, 0.19, 0.18, colour)


def chest(pen: Pen) -> None:
    wood: Colour = (150, 96, 54)
    pen.blob("-100,-78 -96,-140 0,-168 96,-140 100,-78", dark(wood, 0.1))
    pen.rounded(-1.0, -0.66, 1.0, 0.04, 0.06, wood)
    for x in (-0.6, -0.2, 0.2, 0.6, 0.0):
        pen.ellipse(x, -0.74, 0.24, 0.16, (252, 210, 70))
    for x in (-0.72, 0.72):
        pen.stroke([(x, -0.64), (x, 0)], 0.12, (216, 172, 70))
    pen.rounded(-0.16, -0.6, 0.16, -0.24, 0.05, (236, 196, 80))


LANDMARKS: dict[str, Callable[[Pen], None]] = {
    "tree": tree,
    "bush": bush,
    "house": house,
    "rock": rock,
    "snowman": snowman,
    "lighthouse": lighthouse,
    "cactus": cactus,
    "parasol": parasol,
    "tent": tent,
    "sofa": sofa,
    "table": table,
    "treasure chest": chest,
}


def landmark(easel: Easel, name: str, x: float, y: float, scale: float) -> Layer:
    """A landmark with its shadow, as a sheet of its own that actors can pass before or behind."""
    sheet, ground = easel.sheet(), easel.sheet()
    easel.shade(ground, x, y, 1.8 * scale)
    easel.paint(sheet, lambda pen: LANDMARKS[name](pen.at(x, y, scale=scale)))
    light = Image.new("RGBA", sheet.size, (*easel.light.sprite, 255))
    ground.alpha_composite(ImageChops.multiply(sheet, light))
    return Layer.of(ground, 1.0)
