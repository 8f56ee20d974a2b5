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
# # Lab 10 · A convolutional network on MNIST
#
# In this lab, you write the code that feeds a network with data, trains it, and tests
# it. The six exercises take about {{duration}}. The layers, the loss, and the
# optimizers are the ones from earlier labs, and you add a file format, batches in a new
# order for each epoch, one training step, a fair test, and a loop that can be stopped
# and continued. Everything runs without a GPU on the 1,797 digits of 8 × 8 pixels that
# come with the course. The last cell can train on all of MNIST, if it's on your
# computer or you're online.

# %% [markdown]
# {{how}}

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import math
import struct
from types import SimpleNamespace

import numpy as np

import minigrad
from grading import check, trying
from minigrad import answers_from, functional, nn, optim, solves, viz
from minigrad.autograd import no_grad
from minigrad.data import MNIST, DataLoader, TensorDataset, digits, read_idx
from minigrad.exercises.own_tests import test_order
from minigrad.models import ConvNet
from minigrad.training import Training, evaluate, train_mnist, train_step

answers_from("labs", before="10_cnn")

# %% [markdown] task="read_idx"
# ## A file is bytes
#
# MNIST comes in four files, in a format called IDX. Each begins with a header, and
# after it, there's nothing but the elements.
#
# > 00 00 · type · number of dimensions · each size, four bytes · the elements
#
# Type 8 means bytes from 0 to 255. Each size takes four bytes and is big-endian, so its
# most significant byte comes first. The elements are stored row by row, image by image.
#
# If a download was interrupted, the file's beginning still looks fine, so compare the
# sizes in the header with the number of bytes that follow.
#
# Write `read_idx`. The next cell shows a size in both byte orders, and how NumPy reads
# bytes.

# %%
size = struct.pack(">I", 300)
print(size.hex(" "), int.from_bytes(size, "big"), int.from_bytes(size, "little"))
print(np.frombuffer(bytes([7, 0, 255]), np.uint8))

# %% [markdown] hints="read_idx"
# <details><summary>Hint 1</summary>
#
# `data[3]` is already a number from 0 to 255. How long is the header, and where does
# each size begin?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `int.from_bytes(data[i : i + 4], "big")` reads a size. `np.frombuffer(data, np.uint8,
# offset=...)` reads all bytes from a position on, without copying. `math.prod(shape)`
# says how many there should be.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Raise ValueError in three cases: the file doesn't begin with two zero bytes, the type
# isn't 8, or the file is shorter or longer than its header and elements. A file may
# also end inside its header.
#
# </details>


# %% exercise="read_idx"
@solves(read_idx)
def read_idx(data):
    ### BEGIN SOLUTION
    if len(data) < 4 or data[:2] != b"\0\0":  #: refuse_data
        #: error
        raise ValueError(f"not an IDX file: it begins with {bytes(data[:4])!r}")
    if data[2] != 0x08:  #: if_data
        #: error_data
        raise ValueError(f"an IDX file of type 0x{data[2]:02x}, not of bytes (0x08)")
    head = 4 + 4 * data[3]
    #: shape
    shape = tuple(int.from_bytes(data[i : i + 4], "big") for i in range(4, head, 4))
    given, count = len(data) - head, math.prod(shape)
    if given != count:  #: refuse_given
        #: error_given
        raise ValueError(f"the file has {len(data)} bytes instead of {head + count}")
    return np.frombuffer(data, np.uint8, count, head).reshape(shape)  #: result
    ### END SOLUTION


# %%
with trying():
    head = bytes([0, 0, 8, 2]) + struct.pack(">II", 2, 3)
    print(read_idx(head + bytes([1, 2, 3, 4, 5, 6])))

# %% check="read_idx"
check(read_idx)

# %% [markdown] task="order"
# ## A new order for each epoch
#
# In each epoch, the model sees every image once. If the order never changed, the same
# images would be in a batch together every time, so we shuffle them again in each
# epoch.
#
# The order should be random, but we must be able to repeat it. If a training run stops,
# it has to continue tomorrow with the batches that it would have had today. So the
# order may depend on only two numbers, `self.seed` and `self.epoch`. Don't use the
# generator that the whole program shares, because nobody knows what else has drawn from
# it.
#
# The loader splits the order into batches. With 60,000 images and batches of 64, there
# are 937 full batches, and the 32 images that are left make a smaller one, which
# `drop_last` leaves out.
#
# Write the method `order`. The next cell shows what NumPy's generators can do.

# %%
generator = np.random.default_rng([7, 0])  # seeded with two numbers
print(generator.permutation(8), generator.permutation(8))
print(np.random.default_rng([7, 0]).permutation(8))

# %% [markdown] hints="order"
# <details><summary>Hint 1</summary>
#
# What does a generator remember from earlier calls, and what if you make a new one in
# each call?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Without shuffling, return 0, 1, 2, and so on, one index for each item of the dataset.
# Otherwise, make a generator from the seed and the epoch, as in the cell above, and ask
# it for a permutation.
#
# </details>


# %% exercise="order"
@solves(DataLoader.order)
def order(self):
    ### BEGIN SOLUTION
    n = len(self.dataset)
    if not self.shuffle:  #: if_shuffle
        return np.arange(n)
    return np.random.default_rng([self.seed, self.epoch]).permutation(n)  #: result
    ### END SOLUTION


# %%
with trying():
    loader = DataLoader(range(8), 4, shuffle=True, seed=7)
    for epoch in (0, 1, 0):
        loader.epoch = epoch
        print(epoch, loader.order())
    print("in batches:", DataLoader(range(10), 4, shuffle=True, seed=7).indices())

# %% check="order"
check(DataLoader.order)

# %% [markdown] task="train_step"
# ## One step
#
# Lab 09's loop cleared the gradients, computed the loss, computed its gradients, and
# changed the parameters. One step for a network with ten classes needs the same four
# parts.
#
# The model ends in `log_softmax`, so its outputs are logarithms of probabilities. The
# loss of an image is minus the output at its label, and `nll_loss` averages that over
# the batch.
#
# Write `train_step`. It returns the loss as a tensor. On a GPU, `loss.item()` would
# wait for all kernels of the step, and meanwhile the CPU couldn't launch those of the
# next one. But the tensor mustn't keep its graph, because then a list of losses would
# keep the activations of every step.

# %%
output = functional.log_softmax(minigrad.tensor([[2.0, 1.0, 0.0], [0.0, 3.0, 0.0]]), 1)
print(output, functional.nll_loss(output, minigrad.tensor([0, 2])))

# %% [markdown] hints="train_step"
# <details><summary>Hint 1</summary>
#
# Which gradients does `optimizer.step()` use, and what was added to them before?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `detach` returns a tensor with the same value but without its graph.
#
# </details>


# %% exercise="train_step"
@solves(train_step)
def train_step(model, optimizer, images, labels):
    ### BEGIN SOLUTION
    optimizer.zero_grad()  #: zero_grad
    loss = functional.nll_loss(model(images), labels)  #: loss
    loss.backward()  #: backward
    optimizer.step()  #: step
    return loss.detach()  #: result
    ### END SOLUTION


# %%
with trying():
    minigrad.manual_seed(0)
    images, labels = digits(train=True)
    x = images.unsqueeze(1)  # (1437, 1, 8, 8): one channel
    model = nn.Sequential(
        *(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(8 * 4 * 4, 10), nn.LogSoftmax(1)),
    )
    optimizer = optim.Adam(model.parameters(), lr=0.01)
    losses = [train_step(model, optimizer, x[:64], labels[:64]) for _ in range(30)]
    print([f"{loss.item():.3f}" for loss in losses[::5]])

# %% check="train_step"
check(train_step)

# %% [markdown] task="evaluate"
# ## A fair test
#
# How good is the model? We test it on images that it wasn't trained on, and compute the
# mean loss and the share of correct answers. Three things are easy to get wrong.
#
# - The model must not be in training mode, so that dropout does nothing and batch norm
#   uses its running averages.
# - No graph should be recorded, because nobody calls `backward`.
# - The last batch may be smaller. In a mean of the batches' means, its images would
#   count more than others, so add up sums, and divide once at the end.
#
# Write `evaluate`. Training usually continues after it, so the model must be in the
# same mode as before. The next cell shows how far a mean of means can be off.

# %%
print(np.mean([np.mean([0, 0, 0, 0]), np.mean([1])]), np.mean([0, 0, 0, 0, 1]))

# %% [markdown] hints="evaluate"
# <details><summary>Hint 1</summary>
#
# Which three sums do you need? Look at the option `reduction` of `nll_loss` for one of
# them.
#
# </details>
# <details><summary>Hint 2</summary>
#
# For each image, `output.argmax(1)` gives the class with the largest output. You can
# also sum a comparison of two tensors, and `.item()` turns the sum into a number.
#
# </details>
# <details><summary>Hint 3</summary>
#
# `model.training` is the mode, and `model.train(mode)` sets it. Remember it before you
# call `eval`.
#
# </details>


# %% exercise="evaluate"
@solves(evaluate)
def evaluate(model, loader):
    ### BEGIN SOLUTION
    was_training = model.training
    model.eval()  #: eval
    total, right, count = 0.0, 0, 0
    with no_grad():  #: no_grad
        for images, labels in loader:
            output = model(images)
            #: add_total
            total += functional.nll_loss(output, labels, reduction="sum").item()
            right += (output.argmax(1) == labels).sum().item()  #: add_right
            count += len(labels)  #: add_count
    model.train(was_training)  #: train
    return total / count, right / count  #: result
    ### END SOLUTION


# %%
with trying():
    minigrad.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 10), nn.LogSoftmax(1))
    images, labels = digits(train=False)
    test = DataLoader(TensorDataset(images.unsqueeze(1), labels), 100)
    loss, accuracy = evaluate(model, test)
    print(f"loss {loss:.3f}, accuracy {accuracy:.1%}, without training")

# %% check="evaluate"
check(evaluate)

# %% [markdown] task="train_mnist"
# ## A training run that continues
#
# In minigrad, a training run is an object, a `Training`. It holds the model, the
# optimizer, two loaders, and what's been measured so far, in `losses` and `results`. If
# you give it a path, it saves all of this from time to time. A new `Training` with the
# same path continues from what was saved. That's why you have to tell it about every
# step with `training.stepped(loss)`, and about every test with
# `training.evaluated(loss, accuracy)`.
#
# Write the loop, `train_mnist`. Each epoch consists of steps and one test. The training
# run may have been stopped before, and two numbers tell you where.
#
# > `len(training.results)` is how many epochs are done, including their test.
# >
# > `training.train.epoch` is how many epochs have had all of their steps.
#
# You don't have to do anything special in the middle of an epoch, because iterating
# over `training.train` returns the rest of it. The next cell shows that.

# %%
with trying():
    loader = DataLoader(range(6), 2, seed=0)
    loader.load_state_dict({"seed": 0, "epoch": 0, "batch": 1})  # one batch was used
    for (batch,) in loader:
        print(batch, "epoch", loader.epoch, "batch", loader.batch)

# %% [markdown] hints="train_mnist"
# <details><summary>Hint 1</summary>
#
# How many epochs are left? If you check the length of `training.results` before every
# epoch, a new run and a stopped one need the same loop.
#
# </details>
# <details><summary>Hint 2</summary>
#
# A run may have stopped after the last step of an epoch but before its test. Then
# `training.train.epoch` is one more than `len(training.results)`, and the steps must be
# skipped. So put them under an `if`.
#
# </details>


# %% exercise="train_mnist"
@solves(train_mnist)
def train_mnist(training, epochs):  #: head
    ### BEGIN SOLUTION
    while len(training.results) < epochs:  #: loop
        if training.train.epoch == len(training.results):  #: if_train
            for images, labels in training.train:  #: each_images
                loss = train_step(training.model, training.optimizer, images, labels)
                training.stepped(loss)  #: stepped
        training.evaluated(*evaluate(training.model, training.test))  #: evaluated
    return training.results  #: result
    ### END SOLUTION


# %%
with trying():
    minigrad.manual_seed(0)
    images, labels = digits(train=True)
    train = DataLoader(TensorDataset(images.unsqueeze(1), labels), 32, True, seed=0)
    model = nn.Sequential(
        *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(16 * 4 * 4, 10), nn.LogSoftmax(1)),
    )
    optimizer = optim.Adam(model.parameters(), lr=0.005)
    training = Training(model, optimizer, train, test)
    for loss, accuracy in train_mnist(training, 4):
        print(f"loss {loss:.3f}, accuracy {accuracy:.1%}")

# %% check="train_mnist"
check(train_mnist)

# %% [markdown] task="test_order"
# ## A test for a loader
#
# If a loader's order is incorrect, there's no error, but the network learns worse and
# nobody knows why. Write a **test** for functions such as `order`. It raises an
# AssertionError, with `assert`, if something is incorrect.
#
# The check runs your test on several functions. It must let the correct ones pass and
# fail the others, which have mistakes that are easy to make in this lab. For example,
# one of them returns 3, 4, 5, … and then 0, 1, 2, so the items are rotated but not
# shuffled. An `order` needs no data, so any object with `dataset`, `shuffle`, `seed`,
# and `epoch` will do.

# %%
loader = SimpleNamespace(dataset=range(5), shuffle=False, seed=0, epoch=0)
print(len(loader.dataset), loader.shuffle)

# %% [markdown] hints="test_order"
# <details><summary>Hint 1</summary>
#
# Which two calls must return the same order, and which must not? What's true of every
# order, whether it's shuffled or not?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Take 50 items. Without shuffling, the order is 0, 1, 2, … With shuffling, every item
# comes once, the order isn't 0, 1, 2, …, and it isn't a rotation of it. The same seed
# and epoch return the same order. If you change the epoch or the seed, the order must
# change, even if the sum of the two stays the same.
#
# </details>


# %% exercise="test_order"
@solves(test_order)
def test_order(order):
    ### BEGIN SOLUTION
    def of(seed, epoch, shuffle=True):
        about = {"shuffle": shuffle, "seed": seed, "epoch": epoch}
        #: of_result
        return [int(i) for i in order(SimpleNamespace(dataset=range(50), **about))]

    rising, first = list(range(50)), of(3, 1)  #: rising
    assert of(3, 1, shuffle=False) == rising, "it is shuffled without shuffle"
    for found in (first, of(3, 2), of(4, 1)):
        assert sorted(found) == rising, "not every item once"  #: assert_found
        steps = {(b - a) % 50 for a, b in zip(found, found[1:], strict=False)}  #: steps
        assert len(steps) > 2, "it is not shuffled"  #: assert_steps
    assert of(3, 1) == first, "the same seed and epoch give another order"  #: assert_of
    assert of(3, 2) != first, "another epoch gives the same order"  #: assert_epoch
    assert of(4, 1) != first, "another seed gives the same order"  #: assert_seed
    #: assert_pair
    assert of(3, 2) != of(4, 1), "another pair with the same sum has the same order"
    ### END SOLUTION


# %%
with trying():
    test_order(DataLoader.order)
    print("your order passes")

# %% check="test_order"
check(test_order)

# %% [markdown]
# ## MNIST
#
# Now everything that you've written runs together, on 60,000 digits. The `ConvNet` has
# 421,642 parameters, and each of the three epochs has 938 steps. If MNIST isn't on your
# computer, the next cell says how to get it.

# %%
with trying():
    print(MNIST(download=False), MNIST(train=False, download=False), sep="\n")

# %% [markdown]
# On two cores of a CPU, a step takes about 30 to 120 ms, so an epoch takes half a
# minute to two minutes. At the end, you should get nearly 99 % accuracy. Set `EPOCHS`
# to 3 and run the cell. It downloads MNIST if it has to (11 MB), and runs your kernels
# on an NVIDIA GPU if there is one. Every 500 steps, it saves the state in
# `mnist.safetensors`. If you interrupt the cell and run it again, it continues from the
# last saved state.

# %%
EPOCHS, DEVICE = 0, "cuda" if minigrad.gpu_available() else "cpu"
with trying():
    if EPOCHS:
        minigrad.manual_seed(0)
        train = DataLoader(MNIST(), 64, shuffle=True, seed=0, device=DEVICE)
        test = DataLoader(MNIST(train=False), 1000, device=DEVICE)
        net = ConvNet().to(DEVICE)
        optimizer = optim.Adam(net.parameters())
        training = Training(net, optimizer, train, test, "mnist.safetensors")
        done = len(training.losses) + len(training.results)
        curve = viz.curve(EPOCHS * (len(train) + 1) - done, "steps and tests")
        training.watch = lambda t: curve.add(loss=t.losses[-1])
        print([f"{accuracy:.2%}" for _, accuracy in train_mnist(training, EPOCHS)])
