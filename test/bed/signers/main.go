// Command signers holds the real tools that fill registries and sign what is in them: `signers crane ...`,
// `signers cosign ...`, and `signers notation ENVELOPE KEY CHAIN DESCRIPTOR [EXPIRY]`, which writes a signature of
// notation's own library to its output.
package main

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"time"

	crane "github.com/google/go-containerregistry/cmd/crane/cmd"
	"github.com/notaryproject/notation-core-go/signature/cose"
	"github.com/notaryproject/notation-core-go/signature/jws"
	"github.com/notaryproject/notation-go"
	"github.com/notaryproject/notation-go/signer"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	cosign "github.com/sigstore/cosign/v3/cmd/cosign/cli"
)

func main() {
	tool, arguments := os.Args[1], os.Args[2:]
	var err error
	switch tool {
	case "crane":
		crane.Root.SetArgs(arguments)
		err = crane.Root.Execute()
	case "cosign":
		command := cosign.New()
		command.SetArgs(arguments)
		err = command.Execute()
	case "notation":
		err = notate(arguments)
	default:
		err = fmt.Errorf("no such tool: %s", tool)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func notate(arguments []string) error {
	keyPEM, err := os.ReadFile(arguments[1])
	if err != nil {
		return err
	}
	chainPEM, err := os.ReadFile(arguments[2])
	if err != nil {
		return err
	}
	block, _ := pem.Decode(keyPEM)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return err
	}
	var chain []*x509.Certificate
	for block, rest := pem.Decode(chainPEM); block != nil; block, rest = pem.Decode(rest) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return err
		}
		chain = append(chain, certificate)
	}
	var descriptor ocispec.Descriptor
	if err := json.Unmarshal([]byte(arguments[3]), &descriptor); err != nil {
		return err
	}
	by, err := signer.NewGenericSigner(key.(crypto.PrivateKey), chain)
	if err != nil {
		return err
	}
	mediaType := jws.MediaTypeEnvelope
	if arguments[0] == "cose" {
		mediaType = cose.MediaTypeEnvelope
	}
	options := notation.SignerSignOptions{SignatureMediaType: mediaType}
	if len(arguments) > 4 {
		if options.ExpiryDuration, err = time.ParseDuration(arguments[4]); err != nil {
			return err
		}
	}
	envelope, _, err := by.Sign(context.Background(), descriptor, options)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(envelope)
	return err
}
