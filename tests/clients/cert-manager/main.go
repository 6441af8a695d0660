// Command cert-manager runs cert-manager's controllers as its own program does, and looks at what they do. It prints a line
// for each step, as `outcome.steps` reads them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/yaml"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	clientset "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned"
	"github.com/cert-manager/cert-manager/pkg/controller"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificate-shim/ingresses"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/metrics"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/clusterissuers"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
)

const (
	namespace = "default"
	limit     = 30 * time.Second
	workers   = 2
)

// program has the clients of the steps.
type program struct {
	kubernetes   kubernetes.Interface
	certificates clientset.Interface
	definitions  apiextensions.Interface
}

// main takes the folder with the definitions of cert-manager.
func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program := program{
		kubernetes:   kubernetes.NewForConfigOrDie(config),
		certificates: clientset.NewForConfigOrDie(config),
		definitions:  apiextensions.NewForConfigOrDie(config),
	}
	ctx := context.Background()
	step("definitions", func() error { return program.define(ctx, os.Args[1]) })
	leads := make(chan error, 1)
	go program.lead(ctx, leads)
	step("the controllers lead and start", func() error { return await(leads) })
	program.steps(ctx)
}

// define creates the definitions, and waits until they are served.
func (p *program) define(ctx context.Context, folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, errors.New("there are no definitions"))
	}
	definitions := p.definitions.ApiextensionsV1().CustomResourceDefinitions()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(text, definition); err != nil {
			return err
		}
		if _, err := definitions.Create(ctx, definition, metav1.CreateOptions{}); err != nil {
			return err
		}
		err = until(func() (bool, error) {
			found, err := definitions.Get(ctx, definition.Name, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			for _, condition := range found.Status.Conditions {
				if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
					return true, nil
				}
			}
			return false, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lead runs the controllers once it has the lease.
func (p *program) lead(ctx context.Context, leads chan<- error) {
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, "kube-system", "cert-manager-controller",
		p.kubernetes.CoreV1(), p.kubernetes.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: "steps"})
	if err != nil {
		leads <- err
		return
	}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock:          lock,
		LeaseDuration: 60 * time.Second,
		RenewDeadline: 40 * time.Second,
		RetryPeriod:   15 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { leads <- start(ctx) },
			OnStoppedLeading: func() {},
		},
	})
}

func start(ctx context.Context) error {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig:    os.Getenv("KUBECONFIG"),
		IssuerOptions: controller.IssuerOptions{ClusterResourceNamespace: namespace},
		IngressShimOptions: controller.IngressShimOptions{
			DefaultIssuerName: "ca", DefaultIssuerKind: "ClusterIssuer", DefaultIssuerGroup: "cert-manager.io",
			DefaultAutoCertificateAnnotations: []string{"kubernetes.io/tls-acme"},
		},
		CertificateOptions: controller.CertificateOptions{
			CertificateRequestMinimumBackoffDuration: time.Hour,
			CertificateRequestMaximumBackoffDuration: 32 * time.Hour,
		},
		KubernetesAPIQPS: 100, KubernetesAPIBurst: 200,
	})
	if err != nil {
		return err
	}
	shared, err := factory.Build()
	if err != nil {
		return err
	}
	for name, construct := range controller.Known() {
		built, err := construct(factory)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		go built.Run(workers, ctx)
	}
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	shared.HTTP01ResourceMetadataInformersFactory.Start(ctx.Done())
	return nil
}

func step(name string, run func() error) {
	if err := run(); err != nil {
		fmt.Printf("fail %s: %s\n", name, strings.Join(strings.Fields(err.Error()), " "))
		return
	}
	fmt.Printf("pass %s\n", name)
}

func await(done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		return errors.New("it does not happen")
	}
}

// until calls a condition until it holds.
func until(condition func() (bool, error)) error {
	deadline := time.Now().Add(limit)
	for {
		holds, err := condition()
		if holds && err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return errors.Join(errors.New("it does not happen"), err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}
