package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// signer is a certificate with its key.
type signer struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// writePki makes the cluster's CA, the API server's and the administrator's certificate, the key
// that signs service account tokens, the token file and the kubeconfig.
func (f *folder) writePki() error {
	if err := os.Mkdir(f.path("pki"), 0o700); err != nil {
		return err
	}
	authority, err := f.issue("ca", &x509.Certificate{
		Subject:               pkix.Name{CommonName: "kindred-test-ca"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}, nil)
	if err != nil {
		return err
	}
	if _, err := f.issue("apiserver", &x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost", "kubernetes", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 96, 0, 1)},
	}, authority); err != nil {
		return err
	}
	if _, err := f.issue("admin", &x509.Certificate{
		Subject:     pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, authority); err != nil {
		return err
	}
	if err := f.writeServiceAccountKey(); err != nil {
		return err
	}
	return f.writeCredentials(authority)
}

// issue writes pki/NAME.crt and pki/NAME.key; without an issuer the certificate signs itself.
func (f *folder) issue(name string, template *x509.Certificate, by *signer) (*signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().Add(30 * 24 * time.Hour)
	if template.KeyUsage == 0 {
		template.KeyUsage = x509.KeyUsageDigitalSignature
	}
	if by == nil {
		by = &signer{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.certificate, key.Public(), by.key)
	if err != nil {
		return nil, err
	}
	if err := f.writePem("pki/"+name+".crt", "CERTIFICATE", der); err != nil {
		return nil, err
	}
	keyDer, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &signer{certificate, key}, f.writePem("pki/"+name+".key", "EC PRIVATE KEY", keyDer)
}

func (f *folder) writeServiceAccountKey() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	return f.writePem("pki/sa.key", "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key))
}

func (f *folder) writePem(name, kind string, der []byte) error {
	return os.WriteFile(f.path(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

func (f *folder) writeCredentials(authority *signer) error {
	secret := make([]byte, 16)
	if _, err := rand.Read(secret); err != nil {
		return err
	}
	token := hex.EncodeToString(secret)
	line := fmt.Sprintf("%s,admin,admin,\"system:masters\"\n", token)
	if err := os.WriteFile(f.path("pki", "tokens.csv"), []byte(line), 0o600); err != nil {
		return err
	}
	config := api.NewConfig()
	config.Clusters["local"] = &api.Cluster{
		Server: f.Server,
		CertificateAuthorityData: pem.EncodeToMemory(
			&pem.Block{Type: "CERTIFICATE", Bytes: authority.certificate.Raw}),
	}
	config.AuthInfos["admin"] = &api.AuthInfo{Token: token}
	config.Contexts["local"] = &api.Context{Cluster: "local", AuthInfo: "admin"}
	config.CurrentContext = "local"
	return clientcmd.WriteToFile(*config, f.kubeconfig())
}
