"""adamw: fifty steps beside torch.optim.AdamW."""

import torch

from minigrad.optim.adam import adamw

from .optimizers import adam_check

check = adam_check(adamw, torch.optim.AdamW, core="weight decay")
