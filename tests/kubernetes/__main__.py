"""``python -m tests.kubernetes``, which `scripts/kubernetes` calls in the cluster's network."""

from tests.kubernetes.command import main

if __name__ == "__main__":
    main()
