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
# Seven exercises, about {{duration}} of work, and at the end a network reads
# handwritten digits. The layers, the loss and the optimizers are yours, from lab 09.
# What is missing is all that surrounds them: a file format, batches in a new order for
# each epoch, one step, a fair test, and a loop that can be stopped and goes on.
#
# Everything here runs on the 1797 digits of 8 × 8 that come with the course. The last
# cell trains on MNIST itself, 70,000 digits of 28 × 28, if they are on your computer or
# can be fetched.
#
# A `check` compares with PyTorch wherever PyTorch does the same: batches, steps,
# losses, whole trainings from the same weights.
#
# Above the cell of an answer stands its contract: it says all that is tested. An answer
# leaves what it is given as it was, unless that says otherwise.
#
# The lesson has the pictures.

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
# MNIST comes in four files, in a format that was made for it, IDX. A head says what
# follows; then come the elements, and nothing else:
#
# > 00 00 · type · number of dimensions · each size, four bytes · the elements
#
# A size of four bytes can be written in two ways: with the byte that counts most first
# (big-endian, as we write numbers) or last (little-endian, as your computer has them in
# memory). IDX is big-endian. The type of MNIST is 8, bytes from 0 to 255. The last
# dimension runs fastest: the elements lie row by row, image by image.
#
# A file that was cut off while it was downloaded looks like any other at its beginning.
# A careful reader compares what the head promises with what is there.

# %%
size = struct.pack(">I", 300)
print(size.hex(" "), int.from_bytes(size, "big"), int.from_bytes(size, "little"))
print(np.frombuffer(bytes([7, 0, 255]), np.uint8))

# %% [markdown] hints="read_idx"
# <details><summary>Hint 1</summary>
#
# `data[3]` is a number already, from 0 to 255. So you know how long the head is, and
# where each of its sizes begins, before you have read a single one.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `np.frombuffer(data, np.uint8, offset=...)` reads all bytes from a place on, and
# copies nothing. How many there ought to be, `math.prod(shape)` says.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Three things are refused by ValueError: a wrong beginning (too short counts as wrong),
# a type other than 8, a wrong number of bytes after the head.
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
        raise ValueError(f"{shape} is {count} bytes, but {max(given, 0)} bytes follow")
    return np.frombuffer(data, np.uint8, count, head).reshape(shape)  #: result
    ### END SOLUTION


# %%
with trying():
    head = bytes([0, 0, 8, 2]) + struct.pack(">II", 2, 3)
    print(read_idx(head + bytes([1, 2, 3, 4, 5, 6])))

# %% check="read_idx"
check(read_idx)

# %% [markdown] task="order"
# ## Another order each time
#
# In each epoch the model sees every image once. If they come in the same order, every
# batch has the same company each time, and its steps follow the same way round and
# round; so they are shuffled, anew in each epoch.
#
# Random, and yet the same every time: a training that is stopped goes on
# tomorrow with the batches that it would have had today. So the order depends on two
# numbers alone, `self.seed` and `self.epoch`. The generator that all the program shares
# is of no use here: what else has drawn from it is unknown.

# %%
generator = np.random.default_rng([7, 0])  # seeded with two numbers
print(generator.permutation(8), generator.permutation(8))
print(np.random.default_rng([7, 0]).permutation(8))

# %% [markdown] hints="order"
# <details><summary>Hint 1</summary>
#
# A generator that is made anew in each call remembers nothing from the call before.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `np.arange(n)` without shuffling; otherwise a permutation, as in the cell above, by a
# generator that is seeded with the seed and the epoch.
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

# %% check="order"
check(DataLoader.order)

# %% [markdown] task="indices"
# ## Batches
#
# An epoch is cut into batches, in the order of exercise 2. 60,000 are 937 batches of
# 64, and 32 images are left over: they are a batch, too, a smaller one. With
# `drop_last` it is left out, for those who need all batches to be alike.

# %%
print(divmod(60_000, 64), np.arange(10)[8:12])

# %% [markdown] hints="indices"
# <details><summary>Hint 1</summary>
#
# Where does each batch begin? `range` has a third argument.
#
# </details>
# <details><summary>Hint 2</summary>
#
# A slice may reach over the end: then it is shorter. With drop_last, end earlier: what
# is too much is `len(order) % size`.
#
# </details>


# %% exercise="indices"
@solves(DataLoader.indices)
def indices(self):
    ### BEGIN SOLUTION
    order, size = self.order(), self.batch_size  #: order
    end = len(order)
    if self.drop_last:  #: if_drop_last
        end -= end % size
    return [order[start : start + size] for start in range(0, end, size)]  #: result
    ### END SOLUTION


# %%
with trying():
    for drop_last in (False, True):
        loader = DataLoader(range(10), 4, drop_last=drop_last, seed=0)
        print(loader.indices())

# %% check="indices"
check(DataLoader.indices)

# %% [markdown] task="train_step"
# ## One step
#
# The loop of lab 09 had five lines. Four of them are one step, and a network for ten
# classes needs them as a line did: forget, forward, backward, change.
#
# The model ends in `log_softmax`: its outputs are logarithms of probabilities. Then the
# loss is minus the one at the label, averaged over the batch, `nll_loss`. (Both in one
# is `cross_entropy`.)
#
# The loss is returned as a tensor. `loss.item()` would be a number, and on a GPU it has
# to wait until all kernels of the step have run; meanwhile the CPU, which should launch
# those of the next one already, stands still. But the tensor must not keep its graph: a
# list of such losses would keep every activation of every step.

# %%
output = functional.log_softmax(minigrad.tensor([[2.0, 1.0, 0.0], [0.0, 3.0, 0.0]]), 1)
print(output, functional.nll_loss(output, minigrad.tensor([0, 2])))

# %% [markdown] hints="train_step"
# <details><summary>Hint 1</summary>
#
# The order matters: which gradients does `step` use, and what has been added to them?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `detach` gives the same number without the graph. Nothing is to be done about the
# model's mode: the caller has set it.
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
# How good is the model? Ask it about images that it has not learned: the mean loss, and
# the fraction that it has right. While it is asked
#
# - it is not in training: no dropout, and batch norm uses what it has remembered;
# - nothing is recorded, since `backward` is not called;
# - a smaller last batch counts for what it has. A mean of means would count its images
#   for more: add up sums, and divide once.
#
# Afterwards the model is in the mode in which it came: `evaluate` is called in the
# middle of training.

# %%
print(np.mean([np.mean([0, 0, 0, 0]), np.mean([1])]), np.mean([0, 0, 0, 0, 1]))

# %% [markdown] hints="evaluate"
# <details><summary>Hint 1</summary>
#
# Three sums: of losses, of right answers, of images. `nll_loss` has an option,
# `reduction`, for the first.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `output.argmax(1)` is the class with the largest output, for each image. A comparison
# can be summed: `(a == b).sum().item()`.
#
# </details>
# <details><summary>Hint 3</summary>
#
# `model.training` says in which mode it is, `model.train(mode)` sets it.
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
    images, labels = digits(train=False)
    test = DataLoader(TensorDataset(images.unsqueeze(1), labels), 100)
    loss, accuracy = evaluate(model, test)
    print(f"loss {loss:.3f}, {accuracy:.1%} right, after 30 steps on 64 images")

# %% check="evaluate"
check(evaluate)

# %% [markdown] task="train_mnist"
# ## A training that goes on
#
# A training is an object here, a `Training`: the model, its optimizer, the two loaders,
# and what has come of them, `losses` and `results`. Given a path, it saves all of this
# now and then, and goes on from there when it is made again. For that it wants to be
# called after every step, `training.stepped(loss)`, and every test,
# `training.evaluated(loss, accuracy)`.
#
# You write the loop: epochs of steps, a test after each. It may find a training that
# was stopped, and two numbers say where:
#
# > len(training.results): how many epochs are done, test included
# >
# > training.train.epoch: how many epochs have had all of their steps
#
# In the middle of an epoch nothing need be done: `for images, labels in training.train`
# gives what is left of it.

# %%
with trying():
    loader = DataLoader(range(6), 2, seed=0)
    loader.load_state_dict({"seed": 0, "epoch": 0, "batch": 1})  # one was given
    for (batch,) in loader:
        print(batch, "epoch", loader.epoch, "batch", loader.batch)

# %% [markdown] hints="train_mnist"
# <details><summary>Hint 1</summary>
#
# How many epochs are done is asked anew in each round: then a fresh training and one
# that was stopped are the same loop.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Stopped after the last step and before the test: then training.train.epoch is one more
# than len(training.results), and the steps are passed over. So they have an `if`.
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
        print(f"loss {loss:.3f}, {accuracy:.1%} right")

# %% check="train_mnist"
check(train_mnist)

# %% [markdown] task="test_order"
# ## A test for a loader
#
# A loader whose order is wrong raises no error: the network learns, only worse, and no
# one knows why. Write a **test** for functions such as `order`. It raises an error, an
# AssertionError by `assert`, where something is wrong.
#
# The check gives it right ones, which it must let pass, and wrong ones, which it must
# not: mistakes that learners of this lab really make. What `order` is given needs no
# data: any object will do that has its four attributes.

# %%
loader = SimpleNamespace(dataset=range(5), shuffle=False, seed=0, epoch=0)
print(len(loader.dataset), loader.shuffle)

# %% [markdown] hints="test_order"
# <details><summary>Hint 1</summary>
#
# Which calls must give the same order, and which must not? What holds for every order,
# whatever it is?
#
# </details>
# <details><summary>Hint 2</summary>
#
# With 50 items: without shuffle 0, 1, 2, ...; with shuffle each item once, not in that
# order and not that order moved along; the same seed and epoch twice are the same;
# another epoch is another order, another seed too, and so is another pair of the two
# that has the same sum.
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
# Your whole course in one run: 60,000 digits, `ConvNet` with 421,642 parameters, three
# epochs of 938 steps. Is MNIST here? If not, this cell says how to get it.

# %%
with trying():
    print(MNIST(download=False), MNIST(train=False, download=False), sep="\n")

# %% [markdown]
# A step takes some 30 to 120 ms on two cores of a CPU, so an epoch takes half a minute
# to two minutes, and a few seconds more for the test. At the end nearly 99 % are
# right. Set `EPOCHS` to 3 and run the cell; where MNIST is missing it is fetched (11
# MB). Every 500 steps the state is saved in `mnist.safetensors`: interrupt it, run it
# again, and it goes on from there. Where an NVIDIA GPU is, it runs there, on your
# kernels.

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
