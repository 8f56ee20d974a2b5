"""How these tests are run, with or without the course's: running.py."""


def pytest_addoption(pluginmanager):
    pluginmanager.import_plugin("running")
    pluginmanager.import_plugin("nvrtc_answers")
