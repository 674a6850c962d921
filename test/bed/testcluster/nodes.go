package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// A pod with this annotation does not get ready: "pending" is never bound to a node, "unready" runs without becoming
// Ready, "failed" ends with exit code 1. Taking the annotation away lets a pending or unready pod go on.
const holdAnnotation = "testcluster/hold"

// startNodes makes n Ready nodes and stands in for scheduler and kubelet: a pod is bound to one of them, then it is
// Running and Ready (a Job's is Succeeded), and a pod that is being deleted is gone at once. No container ever runs.
func startNodes(ctx context.Context, client kubernetes.Interface, n int) error {
	for i := range n {
		if err := createNode(ctx, client, nodeName(i)); err != nil {
			return err
		}
	}
	kubelet := &standIn{client: client, nodes: n}
	advance := func(o any) {
		if pod, ok := o.(*corev1.Pod); ok {
			kubelet.advance(ctx, pod)
		}
	}
	// The resync offers every pod again, which retries whatever failed.
	factory := informers.NewSharedInformerFactory(client, 5*time.Second)
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { advance(o) },
		UpdateFunc: func(_, o any) { advance(o) },
	}); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return nil
}

func nodeName(i int) string { return fmt.Sprintf("node-%d", i+1) }

// createNode registers a Ready node with room for any test; one that exists already (a restart) stays as it is.
func createNode(ctx context.Context, client kubernetes.Interface, name string) error {
	nodes := client.CoreV1().Nodes()
	labels := map[string]string{"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
	_, err := nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	now := metav1.Now()
	room := corev1.ResourceList{
		"cpu": resource.MustParse("1000"), "memory": resource.MustParse("1Ti"), "pods": resource.MustParse("100000"),
	}
	status := corev1.NodeStatus{
		Capacity: room, Allocatable: room,
		NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.36.3", OperatingSystem: "linux", Architecture: "amd64"},
		Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
			LastHeartbeatTime: now, LastTransitionTime: now,
		}},
	}
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	if _, err := nodes.Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
		return err
	}
	// Admission taints new nodes as not ready; without a node controller nobody else would take that away.
	_, err = nodes.Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{"taints":null}}`), metav1.PatchOptions{})
	return err
}

// standIn moves pods along. A write that fails (often because it comes too late) is only logged: the next event or
// resync finds what is left to do.
type standIn struct {
	client kubernetes.Interface
	nodes  int
	count  atomic.Int64
}

func (s *standIn) advance(ctx context.Context, pod *corev1.Pod) {
	hold := pod.Annotations[holdAnnotation]
	var err error
	switch {
	case pod.DeletionTimestamp != nil:
		err = s.remove(ctx, pod)
	case pod.Spec.NodeName == "":
		if hold != "pending" && len(pod.Spec.SchedulingGates) == 0 {
			err = s.bind(ctx, pod)
		}
	case !settled(pod, hold):
		err = s.report(ctx, pod, s.statusOf(pod, hold))
	}
	if err != nil {
		klog.ErrorS(err, "stand-in kubelet", "pod", klog.KObj(pod))
	}
}

func (s *standIn) remove(ctx context.Context, pod *corev1.Pod) error {
	now := int64(0)
	return s.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: &now, Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
	})
}

func (s *standIn) bind(ctx context.Context, pod *corev1.Pod) error {
	node := nodeName(int(s.count.Add(1)) % s.nodes)
	return s.client.CoreV1().Pods(pod.Namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: pod.Name, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: node},
	}, metav1.CreateOptions{})
}

func (s *standIn) report(ctx context.Context, pod *corev1.Pod, status corev1.PodStatus) error {
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	_, err = s.client.CoreV1().Pods(pod.Namespace).Patch(
		ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

// settled: nothing will change any more, unless the annotation does.
func settled(pod *corev1.Pod, hold string) bool {
	switch pod.Status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed:
		return true
	case corev1.PodRunning:
		return hold == "unready" || isReady(pod)
	default:
		return false
	}
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// statusOf is the status a kubelet would report of a pod whose containers do what the annotation says.
func (s *standIn) statusOf(pod *corev1.Pod, hold string) corev1.PodStatus {
	now := metav1.Now()
	phase, ready := corev1.PodRunning, hold != "unready"
	state := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}}
	end := func(as corev1.PodPhase, reason string, exitCode int32) {
		phase, ready = as, false
		state = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: reason, ExitCode: exitCode, StartedAt: now, FinishedAt: now,
		}}
	}
	switch {
	case hold == "failed":
		end(corev1.PodFailed, "Error", 1)
	case ready && pod.Spec.RestartPolicy != corev1.RestartPolicyAlways: // a Job's
		end(corev1.PodSucceeded, "Completed", 0)
	}

	readiness := corev1.ConditionFalse
	if ready {
		readiness = corev1.ConditionTrue
	}
	ip := pod.Status.PodIP // for life: a second address would be added to the first
	if ip == "" {
		n := s.count.Add(1)
		ip = fmt.Sprintf("10.244.%d.%d", n/250%250, 1+n%250)
	}
	status := corev1.PodStatus{
		Phase: phase, HostIP: "127.0.0.1", PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}}, StartTime: &now,
		Conditions: []corev1.PodCondition{
			{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: now},
			{Type: corev1.ContainersReady, Status: readiness, LastTransitionTime: now},
			{Type: corev1.PodReady, Status: readiness, LastTransitionTime: now},
		},
	}
	for _, container := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, ImageID: container.Image,
			ContainerID: "stand-in://" + string(pod.UID), Ready: ready, Started: &ready, State: state,
		})
	}
	return status
}
