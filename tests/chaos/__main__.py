"""``python -m chaos``, with this folder's parent on the path."""

from chaos.command import main

if __name__ == "__main__":
    main()
