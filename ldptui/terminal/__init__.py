"""The ground between the app and the machine: driver, keyboard, clipboard, files of its own."""
