package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{
		Use:           "bench",
		Short:         "Measure symsparse and its peers",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(latencyCommand())
	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
