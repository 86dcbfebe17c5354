"""Our own short comic: the script that draws it, the pictures it makes and the truth about them."""
