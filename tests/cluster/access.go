package main

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/http/httpproxy"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/transport"
)

// accessCase is one way to find a cluster: a working directory, an environment, and what flags say.
type accessCase struct {
	Dir        string            `json:"dir"`
	Env        map[string]string `json:"env"`
	Kubeconfig string            `json:"kubeconfig"`
	Context    string            `json:"context"`
}

// access is what comes of it. Certificates, keys and headers are shown by their hashes.
type access struct {
	Error       string            `json:"error"`
	Server      string            `json:"server"`
	CA          []string          `json:"ca"`
	Insecure    bool              `json:"insecure"`
	ServerName  string            `json:"serverName"`
	Cert        string            `json:"cert"`
	Proxy       string            `json:"proxy"`
	Headers     map[string]string `json:"headers"`
	Compression bool              `json:"compression"`
}

// runAccess reads a list of cases from standard input and prints what client-go makes of each.
func runAccess([]string) int {
	var cases []accessCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		return fail(err)
	}
	found := []access{}
	for _, c := range cases {
		result := access{Headers: map[string]string{}}
		if err := findAccess(c, &result); err != nil {
			result = access{Error: err.Error(), Headers: map[string]string{}}
		}
		found = append(found, result)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		return fail(err)
	}
	return 0
}

func findAccess(c accessCase, result *access) error {
	os.Clearenv()
	for name, value := range c.Env {
		os.Setenv(name, value)
	}
	if err := os.Chdir(c.Dir); err != nil {
		return err
	}
	clientcmd.RecommendedHomeFile = filepath.Join(os.Getenv("HOME"), ".kube/config")
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = c.Kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules,
		&clientcmd.ConfigOverrides{CurrentContext: c.Context}).ClientConfig()
	if err != nil {
		return err
	}
	return showAccess(config, result)
}

func showAccess(config *rest.Config, result *access) error {
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return err
	}
	result.Server = strings.TrimRight(base.String(), "/")
	result.Insecure = config.Insecure
	result.ServerName = config.ServerName
	result.Compression = !config.DisableCompression
	if err := rest.LoadTLSFiles(config); err != nil {
		return err
	}
	for data := config.CAData; ; {
		var block *pem.Block
		if block, data = pem.Decode(data); block == nil {
			break
		}
		result.CA = append(result.CA, hashOf(block.Bytes))
	}
	if result.Proxy, err = proxyOf(config, base); err != nil {
		return err
	}
	if err := showHeaders(config, base, result); err != nil {
		return err
	}
	return showCertificate(config, result)
}

func proxyOf(config *rest.Config, base *url.URL) (string, error) {
	find := httpproxy.FromEnvironment().ProxyFunc()
	if config.Proxy != nil {
		find = func(*url.URL) (*url.URL, error) { return config.Proxy(&http.Request{URL: base}) }
	}
	proxy, err := find(base)
	if err != nil || proxy == nil {
		return "", err
	}
	return proxy.String(), nil
}

type recorder struct{ headers http.Header }

var errRecorded = errors.New("recorded")

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.headers = request.Header
	return nil, errRecorded
}

func showHeaders(config *rest.Config, base *url.URL, result *access) error {
	record := &recorder{}
	wrapped, err := rest.HTTPWrappersForConfig(config, record)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodGet, base.String(), nil)
	if err != nil {
		return err
	}
	if _, err = wrapped.RoundTrip(request); !errors.Is(err, errRecorded) {
		return err
	}
	for name, values := range record.headers {
		if name == "Authorization" || strings.HasPrefix(name, "Impersonate-") {
			result.Headers[strings.ToLower(name)] = hashOf([]byte(strings.Join(values, "\n")))
		}
	}
	return nil
}

// showCertificate asks for the client certificate as a handshake would.
func showCertificate(config *rest.Config, result *access) error {
	transportConfig, err := config.TransportConfig()
	if err != nil {
		return err
	}
	tlsConfig, err := transport.TLSConfigFor(transportConfig)
	if err != nil || tlsConfig == nil {
		return err
	}
	if tlsConfig.GetClientCertificate != nil {
		cert, err := tlsConfig.GetClientCertificate(&tls.CertificateRequestInfo{})
		if err != nil {
			return err
		}
		tlsConfig.Certificates = []tls.Certificate{*cert}
	}
	for _, cert := range tlsConfig.Certificates {
		if len(cert.Certificate) > 0 {
			result.Cert = hashOf(cert.Certificate[0])
		}
	}
	return nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
