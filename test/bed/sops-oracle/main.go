// The real sops as a process: a JSON request on each line of stdin, its answer on a line of stdout.
// Encrypts a document for age recipients and says what sops itself decrypts it to.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/getsops/sops/v3"
	"github.com/getsops/sops/v3/aes"
	"github.com/getsops/sops/v3/age"
	"github.com/getsops/sops/v3/cmd/sops/common"
	"github.com/getsops/sops/v3/cmd/sops/formats"
	"github.com/getsops/sops/v3/config"
	"github.com/getsops/sops/v3/decrypt"
	"github.com/getsops/sops/v3/keyservice"
	"github.com/getsops/sops/v3/version"
	"github.com/sirupsen/logrus"
)

type request struct {
	Format string `json:"format"`
	// Text is the document; with Decrypt it is an encrypted one.
	Text    []byte `json:"text"`
	Decrypt bool   `json:"decrypt"`
	// Groups are age recipients; more than one group shares the data key by Shamir's scheme.
	Groups    [][]string `json:"groups"`
	Threshold int        `json:"threshold"`
	Rules     rules      `json:"rules"`
}

type rules struct {
	UnencryptedSuffix       string `json:"unencryptedSuffix"`
	EncryptedSuffix         string `json:"encryptedSuffix"`
	UnencryptedRegex        string `json:"unencryptedRegex"`
	EncryptedRegex          string `json:"encryptedRegex"`
	UnencryptedCommentRegex string `json:"unencryptedCommentRegex"`
	EncryptedCommentRegex   string `json:"encryptedCommentRegex"`
	MacOnlyEncrypted        bool   `json:"macOnlyEncrypted"`
}

type answer struct {
	Encrypted []byte `json:"encrypted,omitempty"`
	Decrypted []byte `json:"decrypted,omitempty"`
	Error     string `json:"error,omitempty"`
}

func main() {
	logrus.SetLevel(logrus.PanicLevel)
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	decoder := json.NewDecoder(in)
	for {
		var r request
		if err := decoder.Decode(&r); err != nil {
			return
		}
		if err := out.Encode(serve(r)); err != nil {
			return
		}
	}
}

func serve(r request) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{Error: fmt.Sprintf("panic: %v", p)}
		}
	}()
	var err error
	if !r.Decrypt {
		if r.Text, err = encrypt(r); err != nil {
			return answer{Error: err.Error()}
		}
		a.Encrypted = r.Text
	}
	if a.Decrypted, err = decrypt.Data(r.Text, r.Format); err != nil {
		a.Error = err.Error()
	}
	return a
}

func encrypt(r request) ([]byte, error) {
	store := common.StoreForFormat(formats.FormatFromString(r.Format), config.NewStoresConfig())
	branches, err := store.LoadPlainFile(r.Text)
	if err != nil {
		return nil, err
	}
	var groups []sops.KeyGroup
	for _, recipients := range r.Groups {
		var group sops.KeyGroup
		for _, recipient := range recipients {
			key, err := age.MasterKeyFromRecipient(recipient)
			if err != nil {
				return nil, err
			}
			group = append(group, key)
		}
		groups = append(groups, group)
	}
	tree := sops.Tree{
		Branches: branches,
		Metadata: sops.Metadata{
			KeyGroups:               groups,
			ShamirThreshold:         r.Threshold,
			UnencryptedSuffix:       r.Rules.UnencryptedSuffix,
			EncryptedSuffix:         r.Rules.EncryptedSuffix,
			UnencryptedRegex:        r.Rules.UnencryptedRegex,
			EncryptedRegex:          r.Rules.EncryptedRegex,
			UnencryptedCommentRegex: r.Rules.UnencryptedCommentRegex,
			EncryptedCommentRegex:   r.Rules.EncryptedCommentRegex,
			MACOnlyEncrypted:        r.Rules.MacOnlyEncrypted,
			Version:                 version.Version,
			LastModified:            time.Now().UTC(),
		},
	}
	services := []keyservice.KeyServiceClient{keyservice.NewLocalClient()}
	dataKey, errs := tree.GenerateDataKeyWithKeyServices(services)
	if len(errs) > 0 {
		return nil, fmt.Errorf("data key: %v", errs)
	}
	if err := common.EncryptTree(common.EncryptTreeOpts{DataKey: dataKey, Tree: &tree, Cipher: aes.NewCipher()}); err != nil {
		return nil, err
	}
	return store.EmitEncryptedFile(tree)
}
