// Google's own in-memory server of Pub/Sub, at the address that is its only argument, until it is killed.
package main

import (
	"fmt"
	"os"
	"time"

	"cloud.google.com/go/pubsub/pstest"
)

func main() {
	pstest.SetMinAckDeadline(time.Second) // tests do not wait for ten
	fmt.Println(pstest.NewServerWithAddress(os.Args[1]).Addr)
	select {}
}
