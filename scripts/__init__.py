"""Programs that measure; they meet the site at the rows in ``data/``."""
