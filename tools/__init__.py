"""Small programs for the people who work on this project; the library does not use them."""
