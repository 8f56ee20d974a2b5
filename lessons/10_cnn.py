# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 10 · A convolutional network on MNIST
#
# This chapter introduces no new operation. Since chapter 03, you've written tensors,
# kernels, a graph that computes gradients, layers, and optimizers, and now we put them
# together to read handwriting. We count each layer's parameters and look at the kernels
# that run for it. Then we look at what the trained network has learned and break it,
# and finally, we kill a training run and resume it as if nothing had happened.
#
# This lesson takes about {{duration}}, builds on chapters 07 and 09, and needs neither
# a GPU nor the internet. If the text asks you to predict something, write your guess
# down first. Each **puzzle** asks you to change a single line.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import tempfile
from pathlib import Path

import numpy as np

import minigrad
from grading import trying
from minigrad import answers_from, nn, optim, viz
from minigrad.data import MNIST, DataLoader, DataMissing, TensorDataset, read_idx
from minigrad.models import ConvNet
from minigrad.nn import functional as F
from minigrad.testing import rates
from minigrad.training import (
    Training,
    checkpoint,
    evaluate,
    train_mnist,
    train_step,
)
from minigrad.viz.drawing import centered

minigrad.manual_seed(0)

# In lab 10, you'll write four of these functions and one of DataLoader's methods. Here,
# the reference solutions stand in.
answers_from("solutions", before="11_extending_pytorch")

# %% [markdown]
# ## The data
#
# MNIST is a set of 70,000 handwritten digits of 28 × 28 pixels, 60,000 for training and
# 10,000 for testing. Its files are in a format called IDX. Such a file begins with a
# **header**, which is followed by the elements, row by row. Here's a small file with
# two images of 3 × 4 pixels. The cell prints its header in groups of four bytes, and
# `read_idx` turns the whole file into an array.

# %%
header = bytes([0, 0, 8, 3]) + b"".join(n.to_bytes(4, "big") for n in (2, 3, 4))
print(header.hex(" ", 4))
read_idx(header + bytes(range(24)))

# %% [markdown]
# The header starts with two zero bytes. The third byte is the type, and {{=8 means
# unsigned bytes|dtype=uint8}}. The fourth is the number of dimensions, and the sizes
# follow, with four bytes each. IDX stores the most significant of these four first,
# which is called **big-endian**, but your computer stores it last (**little-endian**).
# **Predict** what the first size, 2, becomes if a program reads `00 00 00 02` in the
# wrong byte order.

# %%
int.from_bytes((2).to_bytes(4, "big"), "little")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The 2 ends up in the byte that's worth 256³, so the file seems to hold {{=33,554,432}}
# images.
#
# </details>

# %% [markdown]
# Before it allocates any memory, a careful program compares the sizes in the header
# with the number of bytes after it.
#
# **Puzzle 1: labels.** MNIST's labels are in an IDX file too, but it has only one
# dimension. The line is the header of a file with one row of three columns. Change it
# to the header of a file with three labels.

# %%
start = bytes([0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 3])  # your line

# %%
labels = None
with trying():
    labels = read_idx(start + bytes([5, 0, 4])).tolist()
print(labels, "solved:", labels == [5, 0, 4])

# %% [markdown]
# <details><summary>Answer</summary>
#
# The fourth byte is the number of dimensions, 1, and the only size is 3.
#
# ```python
# start = bytes([0, 0, 8, 1, 0, 0, 0, 3])
# ```
#
# </details>

# %% [markdown]
# In PyTorch, `torchvision.datasets.MNIST` reads these files, and its `transform` is
# usually a `Compose` of two steps. `ToTensor` divides the bytes by 255, returns a float
# tensor, and moves the channels to the front, so height × width × channels becomes
# channels × height × width. `Normalize` then subtracts a mean and divides by a standard
# deviation. Here, `mnist` divides the bytes by 255, and `normalized` does the rest with
# MNIST's mean and standard deviation.


# %%
def normalized(images, labels):
    """(N, 1, 28, 28) images with mean 0 and variance 1 on MNIST, and their labels."""
    x = minigrad.tensor(np.asarray(images, np.float32)).unsqueeze(1)
    return (x - 0.1307) / 0.3081, minigrad.tensor(np.asarray(labels)).long()


def mnist(train, most):
    """MNIST's first images and labels, `most` of them."""
    data = MNIST(train=train, download=False)
    return normalized(data.images[:most] / 255, data.labels[:most])


# %% [markdown]
# If MNIST isn't on your computer, this lesson uses the 1,797 digits of 8 × 8 pixels
# that come with the course. It scales each digit so that its longer side is 20 pixels,
# and moves its center of mass to the middle of 28 × 28, as MNIST's makers did. The rest
# of this lesson holds for both.


# %%
def digits(train):
    """The digits that come with the course, made to look like MNIST's."""
    images, labels = minigrad.data.digits(train)
    return normalized([centered(image.numpy()) for image in images], labels.numpy())


try:
    (x, t), (x_test, t_test) = mnist(True, 2000), mnist(False, 500)
except DataMissing as error:
    print(error, "This lesson continues with those.", sep="\n")
    (x, t), (x_test, t_test) = digits(True), digits(False)

# %%
print(x.shape, x_test.shape)
viz.images(x[:20], t[:20].tolist())

# %% [markdown]
# ## Batches
#
# A `DataLoader` returns the items one **batch** after another. With `shuffle=True`,
# each epoch has {{=a new order|[[7, 2, 4, 6]}}, which nobody has to remember, because a
# seed and the epoch's number determine it.

# %%
loader = DataLoader(range(10), batch_size=4, shuffle=True, seed=1)
epochs = [[batch.tolist() for (batch,) in loader] for _ in range(2)]
print(*epochs, sep="\n")

# %% [markdown]
# If a training run stops in the middle of an epoch, a new loader can return the rest of
# that epoch. It needs only the seed, the epoch, and how many of its batches were used.
#
# **Puzzle 2: after step 5.** Suppose that a training run uses these batches, one per
# step, and stops after step 5. From which state should a new loader continue? `epoch`
# starts at 0, and `batch` counts the batches of that epoch that were used.

# %%
state = {"seed": 1, "epoch": 0, "batch": 2}  # your line

# %%
again = DataLoader(range(10), batch_size=4, shuffle=True)
again.load_state_dict(state)
rest = [batch.tolist() for (batch,) in again]
print(rest, "solved:", rest == epochs[1][2:])

# %% [markdown]
# <details><summary>Answer</summary>
#
# Epoch 0 had three batches, so step 5 was the second of epoch 1.
#
# ```python
# state = {"seed": 1, "epoch": 1, "batch": 2}
# ```
#
# </details>

# %% [markdown]
# **To the lab**: exercise 1 (`read_idx`) and exercise 2 (`order`).
#
# ## The network, layer by layer
#
# Our network has two convolutions and two linear layers.
#
# > conv 1 → 32, ReLU, pool; conv 32 → 64, ReLU, pool; linear 3,136 → 128, ReLU;
# > linear 128 → 10; log_softmax
#
# The first convolution has 32 **filters** of 3 × 3 weights. Each filter slides over the
# image and makes a new image, which has large values wherever the old one looks like
# the filter. With `padding=1` there's a border of zeros around the image, so a filter
# can be centered on each of the 28 × 28 pixels.

# %%
conv1 = nn.Conv2d(1, 32, 3, padding=1)
image = x[:1]
h1 = conv1(image)
h1.shape

# %% [markdown]
# ReLU sets negative values to 0, and pooling keeps the maximum of each block of 2 × 2
# pixels. So each image is now {{=half as high and half as wide|(1, 32, 14, 14)}}.

# %%
h2 = F.max_pool2d(F.relu(h1), 2)
h2.shape

# %% [markdown]
# The second convolution has 64 filters of 3 × 3, and its input has 32 **channels**.
# **Predict** the shape of its weight, and the shape of the output after ReLU and
# pooling.

# %%
conv2 = nn.Conv2d(32, 64, 3, padding=1)
h3 = F.max_pool2d(F.relu(conv2(h2)), 2)
conv2.weight.shape, h3.shape

# %% [markdown]
# <details><summary>Answer</summary>
#
# The weight has shape {{=(64, 32, 3, 3)}}, because each filter looks at all 32 channels
# at once. The output has shape {{=(1, 64, 7, 7)}}, because pooling halves 14.
#
# </details>

# %% [markdown]
# Each value in a channel depends on some of the image's pixels, which are its
# **receptive field**. After the first convolution, this field is 3 × 3. A pooling
# window also covers the next value, 1 pixel farther along, so the field grows to 4 × 4.
# After the pooling, neighboring values are 2 pixels apart. **Predict** the receptive
# field after the second convolution and after the second pooling.
#
# <details><summary>Answer</summary>
#
# The filter also covers a neighbor on each side, 2 pixels away, so the field is 8 × 8.
# The second pooling adds one more neighbor, so it becomes 10 × 10.
#
# </details>

# %% [markdown]
# ### Break it: a view that fits by accident
#
# The linear layers take one row per image, so an image's 64 · 7 · 7 = 3,136 values
# become a row, often with `view(-1, 3136)`. Suppose that someone passes two images of
# 56 × 56. The cell goes from the first pooling, where they're 28 × 28, to the second,
# so h has shape (2, 64, 14, 14). **Predict** the shape of the view.

# %%
h = F.max_pool2d(F.relu(conv2(minigrad.ones(2, 32, 28, 28))), 2)
h.shape, h.view(-1, 3136).shape

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's {{=(8, 3136)}}, because 2 · 12,544 values also make 8 rows of 3,136. There's no
# error, so the network would return eight predictions for two images.
#
# </details>

# %% [markdown]
# **Puzzle 3: one row per image.** Change the line so that each image gets exactly one
# row, whatever its size. The next layer can then refuse rows of the wrong length.

# %%
rows = h.view(-1, 3136)  # your line

# %%
print(rows.shape, "solved:", rows.shape == (2, 12544))

# %% [markdown]
# <details><summary>Answer</summary>
#
# Keep dimension 0, and merge all others. `h.view(len(h), -1)` does that too.
#
# ```python
# rows = h.flatten(1)
# ```
#
# </details>

# %% [markdown]
# Two linear layers turn each row into ten scores, the **logits**. `log_softmax` turns
# the scores into logarithms of probabilities, so after `exp` they {{=add up to
# 1|tensor(1.}}.

# %%
fc1, fc2 = nn.Linear(64 * 7 * 7, 128), nn.Linear(128, 10)
scores = fc2(F.relu(fc1(h3.flatten(1))))
probabilities = F.log_softmax(scores, 1).exp()
probabilities.shape, probabilities.sum()

# %% [markdown]
# ### Parameters and work
#
# **Predict** which of the four layers has the most parameters, and which does the most
# multiplications. A linear layer uses each weight once per image. All positions of a
# convolution **share** its weights, so each is used 28 · 28 times in conv1 and 14 · 14
# times in conv2.

# %%
layers = {"conv1": conv1, "conv2": conv2, "fc1": fc1, "fc2": fc2}
positions = {"conv1": 28 * 28, "conv2": 14 * 14, "fc1": 1, "fc2": 1}
numbers = {k: sum(p.numel() for p in f.parameters()) for k, f in layers.items()}
work = {k: f.weight.numel() * positions[k] for k, f in layers.items()}
print("layer        parameters  multiplications per image")
for name in layers:
    of = (f"{c[name]:>9,} {c[name] / sum(c.values()):4.0%}" for c in (numbers, work))
    print(f"{name:8}", *of)
print(f"{sum(numbers.values()):>18,} parameters in all")

# %% [markdown]
# <details><summary>Answer</summary>
#
# fc1 has {{=95}} % of the {{=421,642}} parameters, but conv2 does {{=85}} % of the work
# with {{=4}} % of them, because it uses each weight 196 times.
#
# </details>

# %% [markdown]
# **Puzzle 4: any size.** Many newer networks don't flatten. They average each channel
# over all its positions, so the first linear layer has 64 inputs instead of 3,136, and
# images may have any size. Change the line so that `features` has these 64 averages.
# `mean` takes a tuple of dimensions.

# %%
features = h3.flatten(1)  # your line

# %%
fits = features.shape == (1, 64) and np.allclose(
    features.detach().numpy(), h3.detach().numpy().mean((2, 3)), atol=1e-6
)
print(features.shape, "solved:", fits)

# %% [markdown]
# <details><summary>Answer</summary>
#
# This is called global average pooling.
#
# ```python
# features = h3.mean((2, 3))
# ```
#
# A layer with 64 inputs and 128 outputs has 8,320 parameters instead of 401,536.
#
# </details>

# %% [markdown]
# ## Which kernels ran?
#
# `minigrad.models.ConvNet` is the network we've just built. Let's run it on the
# simulator's device and list the kernels that one image needs. A convolution needs
# three (chapter 07), which copy the windows into a matrix, multiply, and add the bias.
# A linear layer needs only the last two. ReLU, pooling, and `log_softmax` need one
# kernel each. **Predict** how many run.

# %%
net, on_device = ConvNet(), ConvNet().to("sim")
on_device.load_state_dict(net.state_dict())
with minigrad.trace() as trace:
    on_device(image.to("sim"))
print(len(trace), "kernels")
trace

# %% [markdown]
# <details><summary>Answer</summary>
#
# You'd expect 16, but there are {{=18|18 kernels}}, because two products are computed
# in parts, in fc1 {{=28 parts|8 x 1 x 28}}, and a `{{=sum}}` adds up each one's parts.
# Only conv2's product is suited to the faster `{{=matmul_pipelined}}`. The last kernel
# is chapter 05's {{=online softmax|log_softmax online}} with a logarithm.
#
# </details>

# %% [markdown]
# minigrad chooses a kernel by the sizes of its inputs. fc1 computes only 128 values, so
# there would be too few blocks to keep a GPU busy. But each value is a sum of 3,136
# products, so several blocks compute parts of it. This is called **split-K**, and conv2
# uses it too.
#
# ### What PyTorch runs
#
# Here's the same network in PyTorch.

# %%
import torch
import torch.nn.functional as TF
from torch import nn as tnn


# %%
class Twin(tnn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = tnn.Conv2d(1, 32, 3, padding=1)
        self.conv2 = tnn.Conv2d(32, 64, 3, padding=1)
        self.fc1, self.fc2 = tnn.Linear(64 * 7 * 7, 128), tnn.Linear(128, 10)

    def forward(self, x):
        x = TF.max_pool2d(TF.relu(self.conv1(x)), 2)
        x = TF.max_pool2d(TF.relu(self.conv2(x)), 2)
        x = TF.relu(self.fc1(x.flatten(1)))
        return TF.log_softmax(self.fc2(x), 1)


# %% [markdown]
# The parameters have the same names, so PyTorch can load minigrad's `state_dict`, and
# the outputs differ only by rounding.

# %%
twin, weights = Twin(), net.state_dict()
twin.load_state_dict({k: torch.tensor(v.numpy()) for k, v in weights.items()})
digit = torch.tensor(image.numpy())
with torch.no_grad(), minigrad.no_grad():
    difference = twin(digit).numpy() - net(image).numpy()
print("largest difference:", abs(difference).max())

# %% [markdown]
# <details><summary>Which operators does PyTorch call?</summary>
#
# `aten::conv2d` calls `aten::convolution`, which calls `aten::_convolution`, and that
# chooses the operator that does the work. On a CPU, it's often `mkldnn_convolution` or
# `thnn_conv2d`, and on an NVIDIA GPU, it's usually `cudnn_convolution`. `aten::linear`
# calls `aten::addmm`. (`cudnn_convolution` takes no bias, so `_convolution` adds it to
# the result.) Chapter 11's profiler draws such chains.
#
# </details>

# %% [markdown]
# Next, we look at the time of a training step on an
# {{mnist/mnist on cuda | PyTorch, e | GPU}}, in float32 without TF32
# (`docs/benchmarks/mnist.md`). By default, PyTorch allows TF32 in convolutions (chapter
# 07), which may be faster. In the charts, *labs* means the kernels that you write, and
# *best* means minigrad's fastest. **Predict** whether PyTorch takes 16 times as long
# for 1,024 images as for 64, or more, or less.

# %%
libraries = {
    "minigrad, labs": "minigrad, a",
    "minigrad, best": "minigrad, f",
    "PyTorch": "PyTorch, e",
    "as a CUDA graph": "PyTorch, CUDA graph",
}
table, steps = "mnist/mnist on cuda", ("step of 64", "step of 1024")
viz.ranking({f"{step} images, µs": rates(table, libraries, step) for step in steps})

# %% [markdown]
# <details><summary>Answer</summary>
#
# You'd expect 16 times as many images to take 16 times as long. But PyTorch takes
# {{mnist/mnist on cuda | PyTorch, e | step of 1024}} µs instead of
# {{mnist/mnist on cuda | PyTorch, e | step of 64}}, because
# with 64 images the GPU mostly waits for Python to launch the next kernel.
#
# </details>

# %% [markdown]
# A CUDA graph (chapter 12) launches all kernels with one call, so it takes only
# {{mnist/mnist on cuda | PyTorch, CUDA graph | step of 64}} µs for 64 images.
# With 1,024 images, the kernels take most of the time, so a CUDA graph saves little,
# and minigrad's faster kernels make the difference.
#
# **To the lab**: exercise 3 (`train_step`), exercise 4 (`evaluate`), and exercise 5
# (`train_mnist`).
#
# ## Training
#
# Now we train the network for three epochs, which takes between ten seconds and two
# minutes. **Predict** the first loss. A network that knows nothing gives each of the
# ten digits the probability 1/10, and the loss is minus the logarithm of the true
# digit's probability.

# %%
minigrad.manual_seed(1)
device = "cuda" if minigrad.gpu_available() else "cpu"
folder = Path(tempfile.mkdtemp())
train = DataLoader(TensorDataset(x, t), 64, shuffle=True, seed=0, device=device)
test = DataLoader(TensorDataset(x_test, t_test), 250, device=device)
net = ConvNet().to(device)
training = Training(net, optim.Adam(net.parameters(), lr=0.002), train, test)
curve = viz.curve(3 * len(train) + 3, "steps and tests")
training.watch = lambda training: curve.add(loss=training.losses[-1])
results = train_mnist(training, 3)
net = net.to("cpu")  # from here on, we look at its weights and answers

# %%
print(f"first loss: {float(training.losses[0]):.2f}, log(10): {np.log(10):.3f}")
accuracies = range(1, 4), [100 * accuracy for _, accuracy in results]
viz.lines({"on the test images": accuracies}, x="epoch", y="accuracy, %")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The first loss is close to −log(1/10) = log(10) = {{=2.303}}.
#
# </details>

# %% [markdown]
# If a first loss is far from log(classes), look for a mistake before you continue.
#
# ### A learning rate that falls
#
# At first, long steps save time. Near the minimum they overshoot, because each batch's
# gradient points in a different direction, so the rate should fall. `CosineAnnealingLR`
# follows half a period of a cosine, from the initial rate down to 0 after `T_max` calls
# of `schedule.step()`. We try it on a small network, and compare it with a constant
# rate over ten epochs.


# %%
def network():
    """A small network and its optimizer."""
    minigrad.manual_seed(0)
    layers = nn.Conv2d(1, 8, 5, stride=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
    model = nn.Sequential(*layers, nn.Linear(8 * 6 * 6, 10), nn.LogSoftmax(1))
    model = model.to(device)
    return model, optim.Adam(model.parameters(), lr=0.03)


# %%
def tried(falls, epochs=10):
    """Train it. Return each epoch's learning rate, mean loss, and accuracy."""
    (model, optimizer), used = network(), []
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    loader = DataLoader(TensorDataset(x, t), 32, shuffle=True, seed=0, device=device)
    training = Training(model, optimizer, loader, test)
    for epoch in range(1, epochs + 1):
        used += schedule.get_last_lr()
        train_mnist(training, epoch)  # one more epoch
        if falls:
            schedule.step()
    means = np.reshape([float(v) for v in training.losses], (epochs, -1)).mean(1)
    return used, means, [100 * accuracy for _, accuracy in training.results]


# %%
runs = {"constant": tried(False), "cosine": tried(True)}
panels = "learning rate", "mean loss of the epoch", "accuracy, %"
constant, cosine = (losses[-1] for _, losses, _ in runs.values())
print("cosine's last loss is below a tenth of constant's:", cosine < constant / 10)
viz.lines(
    {panel: {name: seen[n] for name, seen in runs.items()}
     for n, panel in enumerate(panels)}, x="epoch"
)  # fmt: skip

# %% [markdown]
# The constant rate keeps throwing the network off course, while the falling rate lets
# it settle. In the last epoch, the falling rate's mean loss is {{=less than a tenth of
# the constant rate's|tenth of constant's: True}}, but the test accuracy improves far
# less.
#
# **Puzzle 5: per step.** Now the schedule steps after every batch. Suppose that a run
# has ten epochs of 45 batches. Change `T_max` so that the rate reaches 0 only at the
# very end.

# %%
T_max = 10  # your line

# %%
optimizer = optim.SGD(fc2.parameters(), lr=0.03)
schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max)
used = []
for _ in range(10 * 45):
    used += schedule.get_last_lr()
    optimizer.step()
    schedule.step()
print("solved:", 0 < used[-1] < 1e-5 and used == sorted(used, reverse=True))
viz.lines({"rate": used}, y="learning rate")

# %% [markdown]
# <details><summary>Answer</summary>
#
# `T_max` counts calls of `step`, and there are 450. With a smaller `T_max`, the rate
# goes up again after it has reached 0, because a cosine is periodic.
#
# ```python
# T_max = 10 * 45
# ```
#
# </details>

# %% [markdown]
# ## What it has learned
#
# These are the 32 filters of the first layer. Positive weights are white, negative ones
# black, and 0 is gray. A filter that's white on one side and black on the other
# responds to an edge between ink and paper.

# %%
viz.images(net.conv1.weight, columns=16, signed=True)

# %% [markdown]
# Here's what the first 16 filters make of a digit, after ReLU. In these maps, white is
# 0, and the darker a pixel, the larger its value. If a map is dark along only one side
# of each stroke, its filter above should look like an edge.

# %%
image = x_test[:1]
maps = F.relu(net.conv1(image))[0, :16]
viz.images(maps, range(16), columns=8)

# %% [markdown]
# ## What it gets wrong
#
# In a **confusion matrix**, row 4, column 9 says how many fours were read as nines. The
# diagonal counts the correct answers.

# %%
with minigrad.no_grad():
    output = net.eval()(x_test)
net.train()
answers, truth = output.argmax(1).numpy(), t_test.numpy()
confused = np.zeros((10, 10), int)
np.add.at(confused, (truth, answers), 1)
mistakes = confused * (1 - np.eye(10)) > 0
title = "row: the digit; column: read as"
viz.tables({title: confused}, mistakes, "a mistake", numbered=True)

# %% [markdown]
# **Puzzle 6: can you trust an 8?** The line computes each digit's **recall**, the share
# of its images that were recognized. Change it to **precision**, the share of correct
# answers among all images that the network read as this digit.

# %%
share = confused.diagonal() / confused.sum(1)  # your line

# %%
precision = [(truth[answers == d] == d).mean() for d in range(10)]
print(np.round(share, 2), "solved:", bool(np.allclose(share, precision)))

# %% [markdown]
# <details><summary>Answer</summary>
#
# All images that were read as an 8 are in column 8, so divide by the sums of the
# columns. The entry for 8 tells you how far you can trust an answer of 8.
#
# ```python
# share = confused.diagonal() / confused.sum(0)
# ```
#
# </details>

# %% [markdown]
# Here are the ten images with the largest loss. The network gave the true digit a very
# small probability, and often it was sure of an incorrect one. Each title shows the
# digit, the network's answer, and its probability. Would you have read them all
# correctly?

# %%
loss = F.nll_loss(output, t_test, reduction="none").numpy()
worst = np.argsort(-loss)[:10]
sure = output.exp().numpy().max(1)
titles = [f"{truth[i]} as {answers[i]}\n{sure[i]:.2f}" for i in worst]
viz.images(x_test[worst.tolist()], titles)

# %% [markdown]
# ## Break it: four pixels
#
# A convolution finds its pattern at every position, so you'd expect a digit to be
# recognized wherever it is. Let's move all test images to the right. **Predict**
# whether the network still reads most digits if they move by one pixel, and by four.


# %%
def moved(images, pixels):
    """Move the ink in the images to the right by this many pixels."""
    array = np.full(images.shape, images.numpy().min(), np.float32)
    array[..., pixels:] = images.numpy()[..., : 28 - pixels]
    return minigrad.tensor(array)


def accuracies_of(model):
    for pixels in range(6):
        shifted = DataLoader(TensorDataset(moved(x_test, pixels), t_test), 250)
        print(f"moved by {pixels}: {evaluate(model, shifted)[1]:.1%}")


accuracies_of(net)

# %% [markdown]
# <details><summary>Answer</summary>
#
# It still reads most digits that move by one pixel, but not those that move by four,
# because fc1 has separate weights for every position, and in training there was hardly
# any ink where the moved digits are.
#
# </details>

# %% [markdown]
# The feature maps do move along with the image, because a convolution is
# **equivariant** under translation.
#
# **Puzzle 7: one step on the map.** By how many pixels must the image move so that the
# 7 × 7 maps move by exactly one position? (We don't compare the maps' borders, because
# the padding changes them.)

# %%
pixels = 1  # your line


# %%
def deep(images):
    h = F.max_pool2d(F.relu(net.conv1(images)), 2)
    return F.max_pool2d(F.relu(net.conv2(h)), 2).detach().numpy()


before, after = deep(image), deep(moved(image, pixels))
print("solved:", np.allclose(after[..., 2:6], before[..., 1:5], atol=1e-4))

# %% [markdown]
# <details><summary>Answer</summary>
#
# Each of the two poolings halves the positions, so neighbors on the last map are 4
# pixels apart.
#
# ```python
# pixels = 4
# ```
#
# </details>

# %% [markdown]
# MNIST's digits are all centered, so a network that's trained on them learns nothing
# about other positions. If yours must handle those, train it on moved images too, which
# is called **augmentation**. Next, we train on the images and on copies that are moved
# by 3 pixels. **Predict** whether it reads most digits that are moved by 0 pixels, and
# by 4.

# %%
minigrad.manual_seed(1)
twice = minigrad.cat([x, moved(x, 3)]), minigrad.cat([t, t])
loader = DataLoader(TensorDataset(*twice), 64, shuffle=True, seed=0, device=device)
augmented = ConvNet().to(device)
optimizer = optim.Adam(augmented.parameters(), lr=0.002)
train_mnist(Training(augmented, optimizer, loader, test), 2)
accuracies_of(augmented.to("cpu"))

# %% [markdown]
# <details><summary>Answer</summary>
#
# The network hardly loses anything on the original images, and it reads most of the
# digits that are moved by 4 pixels, although it has never seen any.
#
# </details>
#
# ## Break it: without zero_grad
#
# From here on, we train a smaller network with one convolution, batch norm, and dropout
# on the 8 × 8 digits.


# %%
def small(seed=3):
    """A network for 8 × 8 digits, its optimizer, and its loader."""
    minigrad.manual_seed(seed)
    images, labels = minigrad.data.digits(train=True)
    model = nn.Sequential(
        *(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU()),
        *(nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.5)),
        *(nn.Linear(8 * 4 * 4, 10), nn.LogSoftmax(1)),
    )
    loader = DataLoader(TensorDataset(images.unsqueeze(1), labels), 64, True, seed=seed)
    return model, optim.SGD(model.parameters(), lr=0.1, momentum=0.9), loader


# %% [markdown]
# We train it twice, and the second time `zero_grad` does nothing. **Predict** both loss
# curves.

# %%
curves = {}
for name in ("with zero_grad", "without"):
    model, optimizer, loader = small()
    if name == "without":
        optimizer.zero_grad = lambda: None
    losses = [
        train_step(model, optimizer, *batch) for _ in range(4) for batch in loader
    ]
    curves[name] = [float(loss) for loss in losses]
viz.lines(curves, y="loss", log="y")

# %% [markdown]
# <details><summary>Answer</summary>
#
# With `zero_grad`, the loss falls. Without it, the loss rises far above its first
# value, because the gradients of all steps add up and the steps get longer and longer.
# There's no error, so only the curve shows the mistake.
#
# </details>
#
# ## Break it: without eval
#
# Now someone forgets `eval` and runs the model twice on the same images. **Predict**
# whether both runs give the same answers.

# %%
model, optimizer, loader = small()
for _ in range(4):
    for batch in loader:
        train_step(model, optimizer, *batch)
images, labels = minigrad.data.digits(train=False)
images = images.unsqueeze(1)
with minigrad.no_grad():
    for mode in (False, True):
        model.train(mode)
        first, second = (model(images).argmax(1) for _ in range(2))
        same = (first == second).float().mean().item()
        right = (first == labels).float().mean().item()
        print(f"training={mode}: {same:.1%} the same, accuracy {right:.1%}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# Without `eval`, they don't. Dropout sets random values to 0, and batch norm uses the
# mean and variance of the batch, so an answer depends on chance and on the other
# images. With `eval`, {{=all answers are the same|100.0% the same}}.
#
# </details>
#
# ## Killed and resumed
#
# A `Training` with a path saves a **checkpoint** every few steps, here every 10. The
# first run isn't interrupted.


# %%
def run(path=None, watch=lambda training: None, state=()):
    """Train the small network for two epochs, from a saved state if there is one."""
    model, optimizer, loader = small()
    test = DataLoader(TensorDataset(images, labels), 100)
    training = Training(model, optimizer, loader, test, path, every=10, watch=watch)
    if state:
        training.load_state_dict(training.state_dict() | state)
    train_mnist(training, 2)
    return training


whole = run()
print(*(f"loss {loss:.3f}, accuracy {right:.1%}" for loss, right in whole.results))

# %% [markdown]
# The next run is killed right after its 34th step, in the second epoch. The last
# checkpoint is from step 30.


# %%
def power_fails(training):
    if len(training.losses) == 34:
        raise KeyboardInterrupt


path = folder / "small.safetensors"
path.unlink(missing_ok=True)
try:
    run(path, power_fails)
except KeyboardInterrupt:
    saved = checkpoint.load(path)
    print("The power has failed. What's left:", *saved)

# %% [markdown]
# If the file at its path exists, a `Training` continues from that checkpoint, so the
# next run makes steps 31 to 46. **Predict** how many digits of its losses agree with
# those of the run without interruption.

# %%
resumed = run(path)
pairs = zip(whole.losses, resumed.losses, strict=True)
print(all(float(a) == float(b) for a, b in pairs), resumed.results == whole.results)


# %%
def same_weights(one, other):
    pairs = zip(one.model.parameters(), other.model.parameters(), strict=True)
    return all(np.array_equal(a.detach().numpy(), b.detach().numpy()) for a, b in pairs)


same_weights(whole, resumed)

# %% [markdown]
# <details><summary>Answer</summary>
#
# {{=All digits of all losses agree|True True}}, and so do the weights, because the
# checkpoint holds everything that the next step depends on.
#
# </details>

# %% [markdown]
# **Puzzle 8: one part is missing.** A run that continues from only these three parts
# ends with other weights, and no error says so. Add the missing part, whose name is in
# the killed run's output.

# %%
kept = ["model", "optimizer", "train"]  # your line

# %%
partly = run(state={name: saved[name] for name in kept})
print("solved:", same_weights(whole, partly) and len(kept) == 4)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Dropout draws random numbers, so the generator has to continue where it was. The
# losses, results, and seconds have no influence on these weights.
#
# ```python
# kept = ["model", "optimizer", "train", "random"]
# ```
#
# </details>

# %% [markdown]
# If a schedule changes the learning rate, its state belongs in the checkpoint too.
#
# ## Your own digit
#
# The canvas below scales your drawing to 20 pixels and centers it, as MNIST's makers
# did. After every stroke, it shows the network's ten probabilities. Draw a tiny digit
# in a corner, and then a letter. What does the network say?


# %%
def read(ink):
    """Ten probabilities for an image (28, 28) with ink from 0 to 1."""
    with minigrad.no_grad():
        output = net.eval()(normalized(ink[None], [0])[0])
    return output.exp().numpy()[0]


pad = viz.drawing(read)
pad

# %% [markdown]
# <details><summary>Answer</summary>
#
# It can read the tiny digit, because the canvas scales and centers it first. But it
# often takes a letter for a digit with a high probability, because it knows only
# digits, and its ten probabilities always add up to 1.
#
# </details>

# %% [markdown]
# ## Before you go: three questions
#
# 1. Your images have 3 color channels. Which layers change, and by how many parameters?
# 2. Your images have 32 × 32 pixels. How many inputs must fc1 have?
# 3. In a **depthwise convolution**, such as `nn.Conv2d(32, 32, 3, groups=32)`, each
#    filter sees only one channel. How many weights does this layer have, and how many
#    would it have without `groups`?
#
# <details><summary>Answers</summary>
#
# 1. Only conv1 changes. Each of its 32 filters has 3 · 9 = 27 weights instead of 9, so
#    it has 32 · 18 = 576 more.
# 2. It needs 64 · 8 · 8 = {{=4,096}} inputs instead of 3,136.
# 3. It has 32 · 9 = {{=288}} weights instead of 32 · 32 · 9 = 9,216.
#
# </details>

# %%
print(nn.Conv2d(32, 32, 3, groups=32).weight.numel())
with trying():
    net(minigrad.zeros(1, 1, 32, 32))

# %% [markdown]
# In lab 10's last exercise, you write a test for other people's code. In chapter 11,
# your kernels move into PyTorch itself.
#
# Further reading: Y. LeCun et al., *Gradient-Based Learning Applied to Document
# Recognition* (1998), which introduced MNIST; M. Zeiler and R. Fergus, *Visualizing and
# Understanding Convolutional Networks* (2014); K. He et al., *Deep Residual Learning
# for Image Recognition* (2016); `mnist/main.py` (`train`) in PyTorch's examples; and,
# in PyTorch's source, `torch/utils/data/dataloader.py` (`_BaseDataLoaderIter`).
