// A NATS server for tests, on a port of its own on loopback. Argument: its configuration file, in which a user `listener` may
// subscribe; or `jwt`, for a server that trusts an operator of its own and first prints `creds <JSON of a user's credentials>`.
// It prints `ready <port>`, then each message that is published as `<subject> <JSON of the payload's text>`, and ends when its
// standard input does.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

func main() {
	options, user := configuration(os.Args[1])
	options.Host, options.Port, options.NoSigs = "127.0.0.1", server.RANDOM_PORT, true
	it, err := server.NewServer(options)
	check(err)
	it.Start()
	if !it.ReadyForConnections(20 * time.Second) {
		log.Fatal("the NATS server did not start")
	}
	listener, err := nats.Connect("", nats.InProcessServer(it), user)
	check(err)
	_, err = listener.Subscribe(">", func(message *nats.Msg) {
		if !strings.HasPrefix(message.Subject, "$SYS.") { // the server's own news
			fmt.Println(message.Subject, asJSON(string(message.Data)))
		}
	})
	check(err)
	check(listener.Flush())
	_, port, err := net.SplitHostPort(it.Addr().String())
	check(err)
	fmt.Println("ready", port)
	io.Copy(io.Discard, os.Stdin)
}

func configuration(argument string) (*server.Options, nats.Option) {
	if argument == "jwt" {
		return trustingAnOperator()
	}
	options, err := server.ProcessConfigFile(argument)
	check(err)
	return options, nats.UserInfo("listener", "listener")
}

func trustingAnOperator() (*server.Options, nats.Option) {
	operator, account, user := pair(nkeys.CreateOperator), pair(nkeys.CreateAccount), pair(nkeys.CreateUser)
	operatorClaims := jwt.NewOperatorClaims(public(operator))
	signed, err := operatorClaims.Encode(operator)
	check(err)
	operatorClaims, err = jwt.DecodeOperatorClaims(signed)
	check(err)
	accountToken, err := jwt.NewAccountClaims(public(account)).Encode(operator)
	check(err)
	userToken, err := jwt.NewUserClaims(public(user)).Encode(account)
	check(err)
	seed, err := user.Seed()
	check(err)
	credentials, err := jwt.FormatUserConfig(userToken, seed)
	check(err)
	fmt.Println("creds", asJSON(string(credentials)))
	resolver := &server.MemAccResolver{}
	check(resolver.Store(public(account), accountToken))
	options := &server.Options{TrustedOperators: []*jwt.OperatorClaims{operatorClaims}, AccountResolver: resolver}
	return options, nats.UserCredentialBytes(credentials)
}

func pair(create func() (nkeys.KeyPair, error)) nkeys.KeyPair {
	made, err := create()
	check(err)
	return made
}

func public(pair nkeys.KeyPair) string {
	key, err := pair.PublicKey()
	check(err)
	return key
}

func asJSON(text string) string {
	encoded, err := json.Marshal(text)
	check(err)
	return string(encoded)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
