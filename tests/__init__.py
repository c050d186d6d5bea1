"""The tests of the checkout. What they share is in `tests.support`; bench and scripts import it by the same name."""
