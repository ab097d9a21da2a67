"""What stands between the app and the machine: driver, keyboard, clipboard, files of its own."""
