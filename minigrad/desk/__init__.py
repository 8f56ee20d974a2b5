"""The learner's desk: set-up, start page, own copies of the labs, progress."""
