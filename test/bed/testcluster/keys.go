package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// keys are the files that make up a cluster's identity.
type keys struct {
	ca, serverCert, serverKey, adminCert, adminKey string
	serviceAccounts                                string // signs service account tokens
	tokens                                         string // the admin's static token, as kube-apiserver reads it
}

// loadOrCreateKeys returns the keys in dir; where there are none yet, it makes them.
func loadOrCreateKeys(dir string) (*keys, error) {
	file := func(name string) string { return filepath.Join(dir, name) }
	k := &keys{
		ca: file("ca.crt"), serverCert: file("server.crt"), serverKey: file("server.key"),
		adminCert: file("admin.crt"), adminKey: file("admin.key"),
		serviceAccounts: file("service-accounts.key"), tokens: file("tokens.csv"),
	}
	if _, err := os.Stat(k.tokens); err == nil {
		return k, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	ca, err := newAuthority(k.ca)
	if err != nil {
		return nil, err
	}
	if err := ca.issue(k.serverCert, k.serverKey, &x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		DNSNames:    []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}); err != nil {
		return nil, err
	}
	if err := ca.issue(k.adminCert, k.adminKey, &x509.Certificate{
		Subject:     pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}); err != nil {
		return nil, err
	}
	signer, err := newKey()
	if err != nil {
		return nil, err
	}
	if err := writeKey(k.serviceAccounts, signer); err != nil {
		return nil, err
	}
	token := make([]byte, 16)
	_, _ = rand.Read(token) // never fails
	// The tokens come last: their presence says that the set is complete.
	line := hex.EncodeToString(token) + ",admin,admin,system:masters\n"
	return k, os.WriteFile(k.tokens, []byte(line), 0o600)
}

type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(file string) (*authority, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	cert := &x509.Certificate{
		Subject: pkix.Name{CommonName: "testcluster-ca"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	a := &authority{cert, key}
	return a, a.sign(file, cert, key)
}

// issue writes a new key and its certificate.
func (a *authority) issue(certFile, keyFile string, cert *x509.Certificate) error {
	key, err := newKey()
	if err != nil {
		return err
	}
	cert.KeyUsage = x509.KeyUsageDigitalSignature
	if err := a.sign(certFile, cert, key); err != nil {
		return err
	}
	return writeKey(keyFile, key)
}

func (a *authority) sign(file string, cert *x509.Certificate, key *ecdsa.PrivateKey) error {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return err
	}
	cert.SerialNumber = serial
	cert.NotBefore, cert.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(365*24*time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, key.Public(), a.key)
	if err != nil {
		return err
	}
	return writePEM(file, "CERTIFICATE", der)
}

func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

func writeKey(file string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(file, "EC PRIVATE KEY", der)
}

func writePEM(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

// writeKubeconfigs writes admin.kubeconfig (token) and admin-certificate.kubeconfig (client certificate), both with
// all data inline, and returns the path of the first.
func (k *keys) writeKubeconfigs(dir, name, server string) (string, error) {
	content := make(map[string][]byte)
	for _, file := range []string{k.ca, k.adminCert, k.adminKey, k.tokens} {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		content[file] = data
	}
	token, _, _ := strings.Cut(string(content[k.tokens]), ",")
	write := func(file string, admin *clientcmdapi.AuthInfo) error {
		config := clientcmdapi.NewConfig()
		config.Clusters[name] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: content[k.ca]}
		config.AuthInfos["admin"] = admin
		config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: "admin"}
		config.CurrentContext = name
		return clientcmd.WriteToFile(*config, file)
	}
	withToken := filepath.Join(dir, "admin.kubeconfig")
	if err := write(withToken, &clientcmdapi.AuthInfo{Token: token}); err != nil {
		return "", err
	}
	return withToken, write(filepath.Join(dir, "admin-certificate.kubeconfig"), &clientcmdapi.AuthInfo{
		ClientCertificateData: content[k.adminCert], ClientKeyData: content[k.adminKey],
	})
}
