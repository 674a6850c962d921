// Command helm is Helm's own command line, built from its Go module.
package main

import (
	"errors"
	"os"

	helmcmd "helm.sh/helm/v4/pkg/cmd"
)

func main() {
	command, err := helmcmd.NewRootCmd(os.Stdout, os.Args[1:], helmcmd.SetupLogging)
	if err != nil {
		os.Exit(1)
	}
	err = command.Execute()
	if failed := (helmcmd.CommandError{}); errors.As(err, &failed) {
		os.Exit(failed.ExitCode)
	}
	if err != nil {
		os.Exit(1)
	}
}
