from tests.parity.command import main

raise SystemExit(main())
