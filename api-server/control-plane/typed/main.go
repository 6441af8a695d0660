// Command typed uses a server as operators in Go do: client-go's typed clients and informers, which send and read protobuf.
//
//	typed KUBECONFIG NAMESPACE
//
// It writes a line for each step, which is the same for all servers.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	limit    = 30 * time.Second
	protobuf = "application/vnd.kubernetes.protobuf"
)

func main() {
	if len(os.Args) != 3 {
		fail(errors.New("usage: typed KUBECONFIG NAMESPACE"))
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Args[2]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "typed:", err)
	os.Exit(1)
}

func text(value any) string {
	written, err := json.Marshal(value)
	if err != nil {
		fail(err)
	}
	return string(written)
}

// observer counts the messages that are sent and read.
type observer struct {
	inner          http.RoundTripper
	lock           sync.Mutex
	sent, received int
}

func (o *observer) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := o.inner.RoundTrip(request)
	o.lock.Lock()
	defer o.lock.Unlock()
	if request.Header.Get("Content-Type") == protobuf {
		o.sent++
	}
	if err == nil && strings.HasPrefix(response.Header.Get("Content-Type"), protobuf) {
		o.received++
	}
	return response, err
}

func run(ctx context.Context, kubeconfig, namespace string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	seen := &observer{}
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper {
		seen.inner = inner
		return seen
	})
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	for _, step := range []func(context.Context, kubernetes.Interface, string) error{
		deployments, services, leases, events, reviews, informer,
	} {
		if err := step(ctx, client, namespace); err != nil {
			return err
		}
	}
	fmt.Println("messages:", seen.sent > 15, seen.received > 15)
	return nil
}

func deployments(ctx context.Context, client kubernetes.Interface, namespace string) error {
	deployments := client.AppsV1().Deployments(namespace)
	labels := map[string]string{"app": "web"}
	object := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}}},
			},
		},
	}
	created, err := deployments.Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	fmt.Println("created:", text(created.Spec))
	_, err = deployments.Create(ctx, object, metav1.CreateOptions{})
	fmt.Println("exists:", apierrors.IsAlreadyExists(err), err)
	scale, err := deployments.GetScale(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	scale.Spec.Replicas = 3
	scale, err = deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	fmt.Println("scaled:", scale.Spec.Replicas, scale.Status.Selector)
	created.Spec.Template.Spec.Containers[0].Image = "web:2"
	_, err = deployments.Update(ctx, created, metav1.UpdateOptions{})
	fmt.Println("conflict:", apierrors.IsConflict(err))
	current, err := deployments.Get(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	current.Status = appsv1.DeploymentStatus{Replicas: 3, ObservedGeneration: current.Generation}
	current, err = deployments.UpdateStatus(ctx, current, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	fmt.Println("status:", text(current.Status), current.Generation)
	patch := []byte(`{"metadata":{"labels":{"a":"b"}}}`)
	current, err = deployments.Patch(ctx, "web", types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return err
	}
	fmt.Println("patched:", current.Labels, len(current.ManagedFields))
	list, err := deployments.List(ctx, metav1.ListOptions{LabelSelector: "a=b"})
	if err != nil {
		return err
	}
	fmt.Println("listed:", len(list.Items), list.Items[0].Kind == "", text(list.Items[0].Spec) == text(current.Spec))
	other := types.UID("other")
	err = deployments.Delete(ctx, "web", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}})
	fmt.Println("precondition:", apierrors.IsConflict(err))
	if err := deployments.Delete(ctx, "web", *metav1.NewDeleteOptions(0)); err != nil {
		return err
	}
	_, err = deployments.Get(ctx, "web", metav1.GetOptions{})
	fmt.Println("gone:", apierrors.IsNotFound(err), err)
	return nil
}

func services(ctx context.Context, client kubernetes.Interface, namespace string) error {
	port := corev1.ServicePort{Name: "http", Port: 80, TargetPort: intstr.FromString("http")}
	object := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: corev1.ServiceSpec{
			ClusterIP: corev1.ClusterIPNone, Ports: []corev1.ServicePort{port}, Selector: map[string]string{"app": "web"},
		},
	}
	created, err := client.CoreV1().Services(namespace).Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	fmt.Println("service:", text(created.Spec))
	return nil
}

func leases(ctx context.Context, client kubernetes.Interface, namespace string) error {
	leases := client.CoordinationV1().Leases(namespace)
	holder, seconds, now := "me", int32(15), metav1.NewMicroTime(time.Unix(1_900_000_000, 123_000))
	object := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "leader"},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &now},
	}
	created, err := leases.Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	later := metav1.NewMicroTime(now.Add(time.Second))
	created.Spec.RenewTime = &later
	updated, err := leases.Update(ctx, created, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	fmt.Println("lease:", *updated.Spec.HolderIdentity, updated.Spec.RenewTime.UTC())
	return nil
}

func events(ctx context.Context, client kubernetes.Interface, namespace string) error {
	about := corev1.ObjectReference{Kind: "ConfigMap", Namespace: namespace, Name: "a", APIVersion: "v1"}
	old := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: "one"},
		InvolvedObject: about, Reason: "Sailed", Message: "a mile", Type: corev1.EventTypeNormal,
		Source: corev1.EventSource{Component: "fleet"}, Count: 1,
	}
	created, err := client.CoreV1().Events(namespace).Create(ctx, old, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	fmt.Println("event:", created.Reason, created.Message, created.Source.Component, created.Count)
	event := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "two"}, EventTime: metav1.NewMicroTime(time.Unix(1_900_000_000, 0)),
		Regarding: about, Reason: "Sailed", Note: "a mile", Type: corev1.EventTypeNormal, Action: "Sail",
		ReportingController: "example.com/fleets", ReportingInstance: "a",
	}
	newer, err := client.EventsV1().Events(namespace).Create(ctx, event, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	fmt.Println("event:", newer.Reason, newer.Note, newer.EventTime.UTC())
	return nil
}

func reviews(ctx context.Context, client kubernetes.Interface, namespace string) error {
	attributes := &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "create", Resource: "pods"}
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes}}
	answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	fmt.Println("allowed:", answer.Status.Allowed)
	return nil
}

// informer follows the changes of ConfigMaps.
func informer(ctx context.Context, client kubernetes.Interface, namespace string) error {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	configs := factory.Core().V1().ConfigMaps().Informer()
	changes := make(chan string, 100)
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { changes <- "added " + object.(*corev1.ConfigMap).Data["a"] },
		UpdateFunc: func(_, object any) { changes <- "updated " + object.(*corev1.ConfigMap).Data["a"] },
		DeleteFunc: func(object any) { changes <- "deleted " + object.(*corev1.ConfigMap).Data["a"] },
	}
	if _, err := configs.AddEventHandler(handler); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), configs.HasSynced) {
		return errors.New("the informer has not synced")
	}
	maps := client.CoreV1().ConfigMaps(namespace)
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"a": "<1>"}}
	created, err := maps.Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	created.Data["a"] = "é2"
	if _, err := maps.Update(ctx, created, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=a"}); err != nil {
		return err
	}
	for range 3 {
		select {
		case change := <-changes:
			fmt.Println("informer:", change)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
