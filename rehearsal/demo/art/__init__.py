"""The demo's pictures: a pen, a palette, backdrops, landmarks and sprites, drawn with Pillow."""
