"""The demo's own image–text model: what it learns from, how it learns, how good it is."""
