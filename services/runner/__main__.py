"""``python -m datastream.services.runner``: the image's entrypoint."""

import sys


def main() -> None:
    """Run a job; or, in a pod that a job's driver on Kubernetes has started, be one of its executors."""
    from datastream.spark.process import executor

    if sys.argv[1:] == [executor.ARGUMENT]:
        executor.main()
    from datastream.prompt_signals import forget_interrupts
    from datastream.services.runner.command import main as run

    try:
        run()
    finally:
        forget_interrupts()


if __name__ == "__main__":
    main()
