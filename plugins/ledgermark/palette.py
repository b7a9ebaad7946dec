"""The colour slots of figures, in both themes.

A figure names a slot (1 to 6); the browser and the still pictures take the colour of the theme in force. The values are repeated as CSS
variables in the site's style sheet, and a test compares the two. Slots differ in lightness as well as hue, so that neighbours stay apart
for readers who do not see the hue, and each has a contrast of at least 3:1 with its background.
"""

from typing import Final

LIGHT: Final = ("#0b5fa5", "#c2410c", "#0f766e", "#9d2f6f", "#7a6a00", "#4b5563")
DARK: Final = ("#6cb6ff", "#ff9a62", "#4fd1c0", "#f28fc4", "#e0c341", "#aab4c0")
