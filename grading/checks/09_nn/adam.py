"""adam: fifty steps beside torch.optim.Adam."""

import torch

from minigrad.optim.adam import adam

from .optimizers import adam_check

check = adam_check(adam, torch.optim.Adam, core="the first steps")
