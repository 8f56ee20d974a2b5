"""The learner's commands: set-up, start page, own copies of the labs, progress."""
