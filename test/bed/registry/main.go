// A registry for tests: distribution's, on a port of its own on loopback. Arguments: a configuration file and, if the
// registry is to ask for credentials, `<user>:<password>`. It prints `ready <host>:<port>` and ends when its standard input
// does.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/distribution/distribution/v3/configuration"
	"github.com/distribution/distribution/v3/registry/handlers"
	"github.com/sirupsen/logrus"
	"golang.org/x/crypto/bcrypt"

	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	_ "github.com/distribution/distribution/v3/registry/auth/token"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/inmemory"
)

func main() {
	logrus.SetLevel(logrus.FatalLevel)
	file, err := os.Open(os.Args[1])
	check(err)
	config, err := configuration.Parse(file)
	check(err)
	if len(os.Args) > 2 {
		config.Auth = configuration.Auth{"htpasswd": {"realm": "test", "path": passwords(os.Args[1]+".users", os.Args[2])}}
	}
	handler := handlers.NewApp(context.Background(), config)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println("ready", listener.Addr())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	check(http.Serve(listener, handler))
}

func passwords(path, credentials string) string {
	user, password, _ := strings.Cut(credentials, ":")
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	check(err)
	check(os.WriteFile(path, []byte(user+":"+string(hash)+"\n"), 0o600))
	return path
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
