package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	cmapi "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// steps are what cert-manager's users do.
func (p *program) steps(ctx context.Context) {
	selfSigned := cmapi.IssuerConfig{SelfSigned: &cmapi.SelfSignedIssuer{}}
	authority := cmapi.IssuerConfig{CA: &cmapi.CAIssuer{SecretName: "ca"}}
	step("a self-signed issuer is ready", func() error { return p.issuer(ctx, "self-signed", selfSigned) })
	step("a certificate of an authority is ready", func() error { return p.certificate(ctx, "ca", "self-signed", true) })
	step("an issuer with an authority is ready", func() error { return p.issuer(ctx, "ca", authority) })
	step("a certificate of it is ready", func() error { return p.certificate(ctx, "web", "ca", false) })
	step("another one is ready", func() error { return p.certificate(ctx, "api", "ca", false) })
	step("the authority has signed it", func() error { return p.verify(ctx) })
	step("a secret that is deleted is issued again", func() error { return p.issueAgain(ctx) })
	step("an ingress gets a certificate", func() error { return p.ingress(ctx) })
	step("an issuer of a namespace is ready", func() error { return p.namespacedIssuer(ctx, selfSigned) })
	step("requests are approved and owned", func() error { return p.requests(ctx) })
	step("a certificate without an issuer waits", func() error { return p.waits(ctx) })
	step("events tell of it", func() error { return p.events(ctx) })
}

func (p *program) issuer(ctx context.Context, name string, config cmapi.IssuerConfig) error {
	issuers := p.certificates.CertmanagerV1().ClusterIssuers()
	issuer := &cmapi.ClusterIssuer{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: cmapi.IssuerSpec{IssuerConfig: config}}
	if _, err := issuers.Create(ctx, issuer, metav1.CreateOptions{}); err != nil {
		return err
	}
	return until(func() (bool, error) {
		found, err := issuers.Get(ctx, name, metav1.GetOptions{})
		return err == nil && isReady(found.Status.Conditions), err
	})
}

func (p *program) namespacedIssuer(ctx context.Context, config cmapi.IssuerConfig) error {
	issuers := p.certificates.CertmanagerV1().Issuers(namespace)
	issuer := &cmapi.Issuer{ObjectMeta: metav1.ObjectMeta{Name: "here"}, Spec: cmapi.IssuerSpec{IssuerConfig: config}}
	if _, err := issuers.Create(ctx, issuer, metav1.CreateOptions{}); err != nil {
		return err
	}
	return until(func() (bool, error) {
		found, err := issuers.Get(ctx, "here", metav1.GetOptions{})
		return err == nil && isReady(found.Status.Conditions), err
	})
}

func isReady(conditions []cmapi.IssuerCondition) bool {
	for _, condition := range conditions {
		if condition.Type == cmapi.IssuerConditionReady && condition.Status == cmmeta.ConditionTrue {
			return true
		}
	}
	return false
}

func (p *program) certificate(ctx context.Context, name, issuer string, isAuthority bool) error {
	certificate := &cmapi.Certificate{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: cmapi.CertificateSpec{
			CommonName: name, DNSNames: []string{name + ".example.com"}, SecretName: name, IsCA: isAuthority,
			PrivateKey: &cmapi.CertificatePrivateKey{Algorithm: cmapi.ECDSAKeyAlgorithm, Size: 256},
			IssuerRef:  cmmeta.IssuerReference{Name: issuer, Kind: "ClusterIssuer"},
		},
	}
	created := p.certificates.CertmanagerV1().Certificates(namespace)
	if _, err := created.Create(ctx, certificate, metav1.CreateOptions{}); err != nil {
		return err
	}
	return p.ready(ctx, name)
}

func (p *program) ready(ctx context.Context, name string) error {
	return until(func() (bool, error) {
		found, err := p.certificates.CertmanagerV1().Certificates(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, condition := range found.Status.Conditions {
			if condition.Type == cmapi.CertificateConditionReady && condition.Status == cmmeta.ConditionTrue {
				return true, nil
			}
		}
		return false, fmt.Errorf("%+v", found.Status.Conditions)
	})
}

func (p *program) verify(ctx context.Context) error {
	secret, err := p.kubernetes.CoreV1().Secrets(namespace).Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	block, _ := pem.Decode(secret.Data[corev1.TLSCertKey])
	if block == nil {
		return errors.New("there is no certificate")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(secret.Data[cmmeta.TLSCAKey])
	_, err = certificate.Verify(x509.VerifyOptions{DNSName: "web.example.com", Roots: roots})
	return err
}

func (p *program) issueAgain(ctx context.Context) error {
	secrets := p.kubernetes.CoreV1().Secrets(namespace)
	old, err := secrets.Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := secrets.Delete(ctx, "web", metav1.DeleteOptions{}); err != nil {
		return err
	}
	err = until(func() (bool, error) {
		found, err := secrets.Get(ctx, "web", metav1.GetOptions{})
		return err == nil && !bytes.Equal(found.Data[corev1.TLSCertKey], old.Data[corev1.TLSCertKey]), err
	})
	return errors.Join(err, p.ready(ctx, "web"))
}

func (p *program) ingress(ctx context.Context) error {
	service := &networkingv1.IngressServiceBackend{Name: "web", Port: networkingv1.ServiceBackendPort{Number: 80}}
	ingress := &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Annotations: map[string]string{"cert-manager.io/cluster-issuer": "ca"}},
		Spec: networkingv1.IngressSpec{
			DefaultBackend: &networkingv1.IngressBackend{Service: service},
			TLS:            []networkingv1.IngressTLS{{Hosts: []string{"front.example.com"}, SecretName: "front"}},
		},
	}
	if _, err := p.kubernetes.NetworkingV1().Ingresses(namespace).Create(ctx, ingress, metav1.CreateOptions{}); err != nil {
		return err
	}
	return p.ready(ctx, "front")
}

func (p *program) requests(ctx context.Context) error {
	requests, err := p.certificates.CertmanagerV1().CertificateRequests(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, request := range requests.Items {
		approved := false
		for _, condition := range request.Status.Conditions {
			approved = approved || condition.Type == cmapi.CertificateRequestConditionApproved
		}
		if !approved || metav1.GetControllerOf(&request) == nil {
			return fmt.Errorf("%s is not approved or not owned", request.Name)
		}
	}
	if len(requests.Items) < 4 {
		return fmt.Errorf("there are %d requests", len(requests.Items))
	}
	return nil
}

func (p *program) waits(ctx context.Context) error {
	certificate := &cmapi.Certificate{
		ObjectMeta: metav1.ObjectMeta{Name: "waiting"},
		Spec: cmapi.CertificateSpec{
			DNSNames: []string{"waiting.example.com"}, SecretName: "waiting",
			IssuerRef: cmmeta.IssuerReference{Name: "none", Kind: "ClusterIssuer"},
		},
	}
	created := p.certificates.CertmanagerV1().Certificates(namespace)
	if _, err := created.Create(ctx, certificate, metav1.CreateOptions{}); err != nil {
		return err
	}
	return until(func() (bool, error) {
		requests, err := p.certificates.CertmanagerV1().CertificateRequests(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for _, request := range requests.Items {
			for _, condition := range request.Status.Conditions {
				if request.Spec.IssuerRef.Name == "none" && condition.Reason == cmapi.CertificateRequestReasonPending {
					return true, nil
				}
			}
		}
		return false, nil
	})
}

func (p *program) events(ctx context.Context) error {
	return until(func() (bool, error) {
		events, err := p.kubernetes.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=web"})
		if err != nil {
			return false, err
		}
		for _, event := range events.Items {
			if event.Reason == "Issuing" {
				return true, nil
			}
		}
		return false, fmt.Errorf("there are %d other events", len(events.Items))
	})
}
