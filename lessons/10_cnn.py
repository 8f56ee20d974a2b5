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
# A matrix product, a convolution, a maximum, a sum; a graph that knows its gradients; a
# step against them. Nothing new comes in this chapter. It puts together what you have
# written since chapter 03, and what comes out reads handwriting.
#
# On the way we ask of every part: what goes in, what comes out, how many numbers does
# it have, how much does it compute, and what ran on the device for it? Then we open the
# trained network, and look at what it has learned, and at what it gets wrong.
#
# At the end you can train a network on images, say what each layer costs, and go on
# after a power cut as if nothing had happened. It takes about {{duration}}, and builds
# on chapters 07 and 09. Where you are asked to predict, write your guess down first.
# Nothing needs a GPU, and nothing needs the internet.

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
from minigrad.training import Training, evaluate, train_mnist, train_step
from minigrad.viz.drawing import centered

minigrad.manual_seed(0)

# In this lesson the course's solutions answer the exercises of labs 01 to 10.
answers_from("solutions", before="11_extending_pytorch")

# %% [markdown]
# ## The data
#
# MNIST is 70,000 digits, 28 × 28 pixels each, written by clerks and pupils: 60,000 to
# learn from, 10,000 for the test. Its files are as simple as files can be. Here is
# a small one of the same kind, byte by byte: a head, then pixels.

# %%
head = bytes([0, 0, 8, 3]) + b"".join(n.to_bytes(4, "big") for n in (2, 3, 4))
print(head.hex(" ", 4))
read_idx(head + bytes(range(24)))

# %% [markdown]
# Two zero bytes, {{=8 for "bytes"|dtype=uint8}}, 3 for "three dimensions", then the
# sizes. **Predict** what the first size becomes if its bytes are read from the far end.

# %%
int.from_bytes((2).to_bytes(4, "big"), "little")

# %% [markdown]
# {{=33,554,432}} images. A reader that compares what the head promises with what is
# there finds this at once, and does not allocate the memory.
#
# Is MNIST on this computer? If not, this lesson takes the 1797 digits that come with
# the course, 8 × 8, and makes them look like MNIST's: 28 × 28, the digit 20 pixels high
# and its center of mass in the middle. What the text says holds for both.


# %%
def normalized(images, labels):
    """Images with mean 0 and variance 1, as MNIST's are: (N, 1, 28, 28)."""
    x = minigrad.tensor(np.asarray(images, np.float32)).unsqueeze(1)
    return (x - 0.1307) / 0.3081, minigrad.tensor(np.asarray(labels)).long()


def mnist(train, most):
    """MNIST's first images and labels, as many as this lesson needs."""
    data = MNIST(train=train, download=False)
    return normalized(data.images[:most] / 255, data.labels[:most])


# %%
def digits(train):
    """The digits that come with the course, made to look like MNIST's."""
    images, labels = minigrad.data.digits(train)
    return normalized([centered(image.numpy()) for image in images], labels.numpy())


# %%
try:
    (x, t), (x_test, t_test) = mnist(True, 2000), mnist(False, 500)
except DataMissing as error:
    print(error, "This lesson goes on with those.", sep="\n")
    (x, t), (x_test, t_test) = digits(True), digits(False)
x.shape, x_test.shape


# %%
viz.images(x[:20], t[:20].tolist())

# %% [markdown]
# ## Batches
#
# A loader gives them, {{=in another order|[[7, 2, 4, 6]}} in each epoch. The order is
# random, but it need not be remembered: a seed and the number of the epoch determine
# it.

# %%
loader = DataLoader(range(10), batch_size=4, shuffle=True, seed=1)
epochs = [[batch.tolist() for (batch,) in loader] for _ in range(2)]
print(*epochs, sep="\n")

# %% [markdown]
# **Predict**: this training is stopped in its second epoch, after one batch. What does
# a loader give if it is?

# %%
again = DataLoader(range(10), batch_size=4, shuffle=True)
again.load_state_dict({"seed": 1, "epoch": 1, "batch": 1})
left = [batch.tolist() for (batch,) in again]
print(left, left == epochs[1][1:])

# %% [markdown]
# {{=Exactly what was left|True}}. Three numbers are all that had to be saved.
#
# **To the lab**: exercises 1 to 3 (`read_idx`, `order`, `indices`).
#
# ## The network, layer by layer
#
# > conv 1 → 32, ReLU, pool; conv 32 → 64, ReLU, pool; linear 3136 → 128, ReLU;
# > linear 128 → 10; log_softmax
#
# The first convolution has 32 filters of 3 × 3. Each of them runs over the image, and
# makes a new one: bright where the image looks like the filter.

# %%
conv1 = nn.Conv2d(1, 32, 3, padding=1)
image = x[:1]
h1 = conv1(image)
h1.shape

# %% [markdown]
# `padding=1` puts zeros around the image: then a window of 3 × 3 fits at each of the
# 28 × 28 places. ReLU throws away what is negative, and pooling keeps the largest of
# each 2 × 2 pixels: {{=half as high, half as wide|(1, 32, 14, 14)}}.

# %%
h2 = F.max_pool2d(F.relu(h1), 2)
h2.shape

# %% [markdown]
# The second convolution has 64 filters. **Predict** the shape of one of them.

# %%
conv2 = nn.Conv2d(32, 64, 3, padding=1)
h3 = F.max_pool2d(F.relu(conv2(h2)), 2)
conv2.weight.shape, h3.shape

# %% [markdown]
# {{=32}} × {{=3}} × {{=3}}: a filter looks at all 32 images, its **channels**, at once.
# What is left are {{=64}} images of {{=7}} × {{=7}}. Each pixel in them has seen 10 ×
# 10 pixels of the input, its **receptive field**: 3 by the first convolution, 4 with
# its pooling, 8 by the second, 10 with the last pooling.
#
# (Two options of these layers that this network does not use: `groups=g` lets a filter
# see 1/g of the channels only, with g = channels {{=one of them|(32, 1, 3, 3)}}, a
# **depthwise convolution**; and `ceil_mode=True` lets pooling keep {{=a last
# window|[(2, 2), (3, 3)]}} that hangs over the edge. **Predict** the shapes.)

# %%
depthwise = nn.Conv2d(32, 32, 3, padding=1, groups=32)
odd = minigrad.zeros(1, 1, 5, 5)
print(depthwise.weight.shape, depthwise(h2).shape)
print([F.max_pool2d(odd, 2, ceil_mode=ceil).shape[2:] for ceil in (False, True)])

# %% [markdown]
# From here on places do not count any more. The 3136 numbers lie in one row, and two
# linear layers make ten scores of them, the **logits**.

# %%
fc1, fc2 = nn.Linear(64 * 7 * 7, 128), nn.Linear(128, 10)
scores = fc2(F.relu(fc1(h3.flatten(1))))
probabilities = F.log_softmax(scores, 1).exp()
probabilities.shape, probabilities.sum()

# %% [markdown]
# **Predict**: which of the four layers has the most parameters? Which one computes the
# most?

# %%
layers = {"conv1": conv1, "conv2": conv2, "fc1": fc1, "fc2": fc2}
places = {"conv1": 28 * 28, "conv2": 14 * 14, "fc1": 1, "fc2": 1}
numbers = {k: sum(p.numel() for p in f.parameters()) for k, f in layers.items()}
work = {k: f.weight.numel() * places[k] for k, f in layers.items()}
print("layer        parameters  multiplications for an image")
for name in layers:
    of = (f"{c[name]:>9,} {c[name] / sum(c.values()):4.0%}" for c in (numbers, work))
    print(f"{name:8}", *of)
print(f"{sum(numbers.values()):>18,} parameters together")

# %% [markdown]
# Of {{=421,642}} numbers the first linear layer has {{=95}} %. And {{=85}} % of the
# work is done by conv2, with {{=4}} % of the numbers: each of its weights is used 196
# times. Weights that are **shared** by all places are why convolutions can do with so
# few.
#
# `minigrad.models.ConvNet` is just this. Here is the graph of its loss, as in chapter
# 08, but with `depth=1`: the network is open, and each of its {{=four layers|4 calls of
# modules folded}} is folded into a pile. Backward begins at the loss, and visits the
# layers last to first.

# %%
net = ConvNet()
loss = F.nll_loss(net(image), t[:1])
viz.graph(loss, depth=1)

# %% [markdown]
# **Predict** how many nodes lie in the four piles; then draw it with `depth=None`.
#
# ## What ran for it
#
# Now the network moves to the simulator's device, and the trace lists what one image
# needs. **Predict** how many kernels.

# %%
on_device = ConvNet().to("sim")
on_device.load_state_dict(net.state_dict())
with minigrad.trace() as trace:
    on_device(image.to("sim"))
trace

# %% [markdown]
# All of them are old friends:
#
# - each **convolution** is `{{=unfold}}`, a matrix product, and an addition of the bias
#   (chapter 07);
# - each **linear** layer is a product and an addition, `addmm` in PyTorch (chapter 06).
#   It adds 3136 products for each of fc1's 128 numbers: few blocks would have work, so
#   they are {{=cut in parts|8 x 1 x 28}}, and a `{{=sum}}` adds these up (*split-K*).
#   So it is in conv2;
# - **ReLU** is the kernel of one line of chapter 04;
# - the last one is the {{=online softmax|log_softmax online}} of chapter 05, with a
#   logarithm.
#
# For other sizes other variants were chosen: where tiles fit, {{=a faster
# product|matmul pipelined}}.
#
# Now PyTorch. The same network, with the same weights:

# %%
import os

os.environ["KINETO_LOG_LEVEL"] = "99"  # or PyTorch's profiler writes lines of its own
import torch
import torch.nn.functional as TF
from torch import nn as tnn
from torch.profiler import profile


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
# The names of the parameters are the same, so one `state_dict` fits both.

# %%
twin, weights = Twin(), net.state_dict()
twin.load_state_dict({k: torch.tensor(v.numpy()) for k, v in weights.items()})
digit = torch.tensor(image.numpy())
with torch.no_grad(), minigrad.no_grad():
    difference = twin(digit).numpy() - net(image).numpy()
print("largest difference:", abs(difference).max())

# %% [markdown]
# PyTorch's profiler lists what ran: operators, and on a machine with an NVIDIA GPU the
# kernels, too, by their names.

# %%
device = "cuda" if torch.cuda.is_available() else "cpu"
twin, digit = twin.to(device), digit.to(device)
with profile(acc_events=True) as seen, torch.no_grad():
    twin(digit)
print(*[event.name for event in seen.events() if event.cpu_parent is None], sep="\n")
if device == "cpu":
    print("(kernels' names need a GPU)")

# %% [markdown]
# PyTorch's operators begin with `aten::`. They are the ones of our list; a convolution
# takes its bias along, and so does `linear`. For `{{=aten::conv2d}}` a CPU copies
# windows and multiplies matrices, or calls a library that knows a better way; on a GPU
# cuDNN has many kernels, and one is chosen by the sizes, as here.
#
# And the time? A whole step, forward, backward and Adam, on one
# {{mnist/mnist on cuda | PyTorch, e | GPU}} (`docs/benchmarks/mnist.md`). **Predict**:
# how much longer does a step of 1024 images take than one of 64?

# %%
libraries = {
    "minigrad, labs": "minigrad, a",
    "minigrad, best": "minigrad, f",
    "PyTorch": "PyTorch, e",
    "as a CUDA graph": "PyTorch, CUDA graph",
}
table, steps = "mnist/mnist on cuda", ("step of 64", "step of 1024")
viz.ranking({f"{step}, µs": rates(table, libraries, step) for step in steps})

# %% [markdown]
# (*labs*: the kernels of the labs; *best*: the library's fastest variants.) Sixteen
# times the work, and PyTorch takes {{mnist/mnist on cuda | PyTorch, e | step of 1024}}
# µs instead of {{mnist/mnist on cuda | PyTorch, e | step of 64}}. With 64 images the
# GPU waits for Python, which takes some microseconds for each of a hundred calls. A
# CUDA graph makes them all at once, and is several times as fast there. With 1024
# images the kernels are what takes the time, and the variants show.
#
# **To the lab**: exercises 4 to 6 (`train_step`, `evaluate`, `train_mnist`).
#
# ## Training
#
# On an NVIDIA GPU where one is, else on the CPU: ten seconds to two minutes, as your
# computer is. Two things to look at while it runs: with what does the loss begin, and
# when is it half of that?

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
net = net.to("cpu")  # what follows looks at single images

# %%
print(f"the first loss: {float(training.losses[0]):.3f}, log(10): {np.log(10):.3f}")
right = range(1, 4), [100 * accuracy for _, accuracy in results]
viz.lines({"right on the test's images, in %": right}, x="epoch", y="right, in %")

# %% [markdown]
# The first loss is about that of a network that knows nothing and gives every digit the
# same probability, log(10) = {{=2.303}}. (On all of MNIST the same network comes to
# {{mnist/mnist on cuda | minigrad, f | mean}} % within three epochs. That is the
# last cell of the lab.)
#
# ### A learning rate that falls
#
# At first long steps save time. Near the goal they jump over it, now to one side, now
# to the other, because each batch points somewhere else. Chapter 09 drew two schedules
# that let the rate fall; `CosineAnnealingLR` goes down half a wave of the cosine, from
# the first rate to 0 at epoch `T_max`.
#
# Here is a small network, one convolution and one linear layer, with a rate that is
# large for it. **Predict** how the loss goes in ten epochs, with a constant rate and
# with one that falls.


# %%
def network():
    minigrad.manual_seed(0)
    layers = nn.Conv2d(1, 8, 5, stride=2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
    return nn.Sequential(*layers, nn.Linear(8 * 6 * 6, 10), nn.LogSoftmax(1)).to(device)


# %%
def tried(falls, epochs=10):
    """Train it: by epoch the rate, the mean loss and what is right."""
    model, rates = network(), []
    optimizer = optim.Adam(model.parameters(), lr=0.03)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    loader = DataLoader(TensorDataset(x, t), 32, shuffle=True, seed=0, device=device)
    training = Training(model, optimizer, loader, test)
    for epoch in range(1, epochs + 1):
        rates += schedule.get_last_lr()
        train_mnist(training, epoch)  # one epoch more
        schedule.step() if falls else None
    means = np.reshape([float(v) for v in training.losses], (epochs, -1)).mean(1)
    return rates, means, [100 * accuracy for _, accuracy in training.results]


# %%
runs = {"constant": tried(False), "cosine": tried(True)}
panels = "learning rate", "loss, mean of an epoch", "right, in %"
viz.lines(
    {panel: {name: seen[n] for name, seen in runs.items()}
     for n, panel in enumerate(panels)}, x="epoch"
)  # fmt: skip

# %%
constant, cosine = (losses[-1] for _, losses, _ in runs.values())
print("a tenth, or less:", cosine < constant / 10)

# %% [markdown]
# The first epochs are alike. Later the constant rate throws the network out of what it
# has found, again and again; the falling one lets it settle: its loss ends at
# {{=a tenth of the other's, or less|less: True}}, and the last epochs change almost
# nothing. `StepLR` goes down in steps, `LambdaLR` by any function of the epoch.
#
# ## What it has learned
#
# The 32 filters of the first layer: white are positive weights, black negative ones,
# gray is 0. Can you find edges: white on one side, black on the other?

# %%
viz.images(net.conv1.weight, columns=16, signed=True)

# %% [markdown]
# And what they make of a digit: the first 16 of the 32 images after the first
# convolution and its ReLU. Some outline the left of each stroke, some its lower side.

# %%
image = x_test[:1]
maps = F.relu(net.conv1(image))[0, :16]
viz.images(maps, range(16), columns=8)

# %% [markdown]
# After the second convolution there are 64 images of 7 × 7. No one can say what a
# single one of them stands for; the linear layers can.

# %%
h = F.max_pool2d(F.relu(net.conv1(image)), 2)
deeper = F.max_pool2d(F.relu(net.conv2(h)), 2)[0, :16]
viz.images(deeper, range(16), columns=8)

# %% [markdown]
# ## What it gets wrong
#
# A **confusion matrix** counts: row 4, column 9 says how many fours were read as nines.
# **Predict** which two digits are confused most often.

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
# The worst mistakes are those with the largest loss: it was sure, and wrong. Over each
# image stands the digit, what it was read as, and how sure the network was.

# %%
loss = F.nll_loss(output, t_test, reduction="none").numpy()
worst = np.argsort(-loss)[:10]
sure = output.exp().numpy().max(1)
titles = [f"{truth[i]} as {answers[i]}\n{sure[i]:.2f}" for i in worst]
viz.images(x_test[worst.tolist()], titles)

# %% [markdown]
# Would you have known them all?
#
# ## Break it
#
# ### Four pixels
#
# A convolution finds its pattern wherever it is. So a digit that is moved a little is
# read as before? **Predict** how many of the test images are still right if all are
# moved by one pixel to the right, by two, by four.


# %%
def moved(images, pixels):
    """Images whose ink lies so many pixels further to the right."""
    array = np.full(images.shape, images.numpy().min(), np.float32)
    array[..., pixels:] = images.numpy()[..., : 28 - pixels]
    return minigrad.tensor(array)


for pixels in range(6):
    shifted = DataLoader(TensorDataset(moved(x_test, pixels), t_test), 250)
    print(f"{pixels} pixels: {evaluate(net, shifted)[1]:.1%}")

# %% [markdown]
# The feature maps move along, that much is true: a convolution is **equivariant** under
# translation. But `fc1` has a weight of its own for every place, and has never seen ink
# where it is now. Pooling forgives one pixel, hardly two. That is why MNIST centres its
# digits, and why a program that reads drawings must do just the same. Or it learns with
# moved images, too: **augmentation**. Try it, as an experiment of your own: **predict**
# first what it does for 0 pixels, and for 4.

# %%
minigrad.manual_seed(1)
twice = minigrad.cat([x, moved(x, 3)]), minigrad.cat([t, t])
loader = DataLoader(TensorDataset(*twice), 64, shuffle=True, seed=0, device=device)
augmented = ConvNet().to(device)
optimizer = optim.Adam(augmented.parameters(), lr=0.002)
train_mnist(Training(augmented, optimizer, loader, test), 2)
augmented = augmented.to("cpu")
for pixels in range(6):
    shifted = DataLoader(TensorDataset(moved(x_test, pixels), t_test), 250)
    print(f"{pixels} pixels: {evaluate(augmented, shifted)[1]:.1%}")

# %% [markdown]
# Change it: other directions, both at once, noise, a rotation by hand. Which change of
# the training images costs accuracy on the plain ones?
#
# ### Without zero_grad
#
# A small network from here on, since it is trained often: 8 × 8 digits, one
# convolution with batch norm, and dropout.


# %%
def small(seed=3):
    """A network for 8 x 8 digits, and its training."""
    minigrad.manual_seed(seed)
    images, labels = minigrad.data.digits(train=True)
    model = nn.Sequential(
        *(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU()),
        *(nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.5)),
        *(nn.Linear(8 * 4 * 4, 10), nn.LogSoftmax(1)),
    )
    loader = DataLoader(TensorDataset(images.unsqueeze(1), labels), 64, True, seed=seed)
    return model, optim.SGD(model.parameters(), lr=0.1, momentum=0.9), loader


# %%
def forgetful(model, optimizer, images, labels):
    """train_step without its first line."""
    loss = F.nll_loss(model(images), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()


# %% [markdown]
# **Predict** the two curves.

# %%
curves = {}
for step in (train_step, forgetful):
    model, optimizer, loader = small()
    losses = [step(model, optimizer, *batch) for _ in range(4) for batch in loader]
    curves[step.__name__] = [float(loss) for loss in losses]
viz.lines(curves, y="loss", log="y")

# %% [markdown]
# The gradients of all steps add up, and the steps grow and grow. No error is raised:
# only the curve shows it.
#
# ### Without eval
#
# The network is trained; now it is used. **Predict**: how often does it give the same
# answer twice if `eval` is forgotten?

# %%
model, optimizer, loader = small()
for _ in range(4):
    for batch in loader:
        train_step(model, optimizer, *batch)
images, labels = minigrad.data.digits(train=False)
images = images.unsqueeze(1)
with minigrad.no_grad():
    for mode in (True, False):
        model.train(mode)
        first, second = (model(images).argmax(1) for _ in range(2))
        same = (first == second).float().mean().item()
        right = (first == labels).float().mean().item()
        print(f"training={mode}: {same:.1%} the same again, {right:.1%} right")

# %% [markdown]
# After `eval` {{=100.0}} % are the same again. In training dropout rolls dice, and
# batch norm looks at the neighbors in the batch: an answer depends on luck and on
# company. And with a batch of one single image?

# %%
with minigrad.no_grad():
    for mode in (True, False):
        model.train(mode)
        alone = minigrad.cat([model(images[i : i + 1]) for i in range(100)])
        right = (alone.argmax(1) == labels[:100]).float().mean().item()
        print(f"training={mode}: {right:.0%} right, one by one")

# %% [markdown]
# ## Killed and resumed
#
# A training takes hours, and then the power fails. A `Training` with a path saves
# its state every so many steps: weights, the optimizer's buffers, where the loader
# stands, and the state of the random numbers, which dropout draws. First a run
# that nothing disturbs:


# %%
def run(path=None, watch=lambda training: None):
    """Train the small network for two epochs; watch is called after each step."""
    model, optimizer, loader = small()
    test = DataLoader(TensorDataset(images, labels), 100)
    training = Training(model, optimizer, loader, test, path, every=10, watch=watch)
    train_mnist(training, 2)
    return training


whole = run()
for loss, right in whole.results:
    print(f"loss {loss:.3f}, {right:.1%} right")

# %% [markdown]
# Then one that ends in its 34th step, in the middle of the second epoch. The last
# **checkpoint** is from step 30.


# %%
def power_fails(training):
    if len(training.losses) == 34:
        raise KeyboardInterrupt


path = folder / "small.safetensors"
try:
    run(path, power_fails)
except KeyboardInterrupt:
    print("the power has failed;", path.stat().st_size, "bytes are left")

# %% [markdown]
# **Predict**: the run that goes on makes steps 31 to 46. In how many digits do its
# losses agree with those of the run that was never disturbed?

# %%
resumed = run(path)
pairs = zip(whole.losses, resumed.losses, strict=True)
print(all(float(a) == float(b) for a, b in pairs), resumed.results == whole.results)
end = zip(whole.model.parameters(), resumed.model.parameters(), strict=True)
print(all(np.array_equal(a.detach().numpy(), b.detach().numpy()) for a, b in end))

# %% [markdown]
# {{=In all of them, bit for bit|True True True}}. Now leave something out: the state of
# the random numbers, say, or the optimizer's. The training goes on as well, and nothing
# shows that it is another one.
#
# ## Your own digit
#
# The canvas below does what MNIST's makers did: it scales what you draw to 20 pixels,
# and puts its center of mass into the middle of 28 × 28. Beside it stands what the
# network gets, and what it says after every stroke.


# %%
def read(ink):
    """Ten probabilities for an image (28, 28), ink from 0 to 1."""
    with minigrad.no_grad():
        output = net.eval()(normalized(ink[None], [0])[0])
    return output.exp().numpy()[0]


pad = viz.drawing(read)
pad

# %% [markdown]
# Draw a 7 with and without a dash. Draw a digit very small in a corner: why is it read
# all the same? Draw a letter: it is often sure of a digit: it knows no letters, and
# ten probabilities always add up to 1.
#
# An image that is there is read by `pad.show`: a PNG file, or an array. Here one that
# is drawn by a program, a ring:

# %%
row, column = np.indices((100, 100))
radius = np.hypot((row - 60) / 1.3, column - 30)
pad.show((abs(radius - 20) < 4).astype(float))

# %% [markdown]
# ## What to take with you
#
# - Convolutions have few parameters and much work, linear layers the other way round.
# - A first loss near log(classes), and ten samples learnt by heart, say that a training
#   is in order; the curve says the rest.
# - A network knows what it has seen: digits that are moved, it has not, unless one
#   moves them in training.
# - To go on bit for bit takes weights, optimizer, schedule, random numbers and place.
#
# ## Before you go: four questions
#
# 1. The images have 3 colors. Which layers change, and by how many parameters?
# 2. The images have 56 × 56 pixels. Which layer does not fit any more?
# 3. 60,000 images in batches of 64: how many steps has an epoch, how many images the
#    last batch, and what does a mean of batch means get wrong?
# 4. A loss that is kept with its graph: what is kept with it?
#
# <details><summary>Answers</summary>
#
# 1. conv1 alone: its filters are 3 × 3 × 3, so 32 · 18 = 576 parameters more.
# 2. fc1: 64 images of 14 × 14 are {{=12,544}} numbers, four times as many. The
#    convolutions take any size.
# 3. 938 steps, 32 images. In a mean of means each of these 32 counts as much as two
#    others.
# 4. Every node of its graph, and what they have saved: all activations. After a
#    `backward()` the saved tensors are gone, but the nodes stay.
#
# </details>

# %%
# Check the second answer
with trying():
    net(minigrad.zeros(1, 1, 56, 56))

# %% [markdown]
# Now **lab 10**: in its last exercise you write a test. In chapter 11 your kernels move
# into PyTorch itself.
#
# To read on: Y. LeCun and others, *Gradient-Based Learning Applied to Document
# Recognition* (1998), where MNIST comes from; M. Zeiler and R. Fergus, *Visualizing and
# Understanding Convolutional Networks* (2014); K. He and others, *Deep Residual
# Learning* (2016), the next step; in PyTorch's examples `mnist/main.py` (`train`), and
# in PyTorch `torch/utils/data/dataloader.py` (`_BaseDataLoaderIter`).
