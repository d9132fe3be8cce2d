package workload

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Pod is a running pod of an owner; what the API server would fill in by default is there.
func (o *Owner) Pod(id *Identity) *corev1.Pod {
	yes := true
	template := o.Template()
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: o.Name + "-" + id.Suffix, GenerateName: o.Name + "-", Namespace: o.Namespace,
			UID: types.UID(id.UID), CreationTimestamp: stamp(id.Created),
			Labels: template.Labels, Annotations: template.Annotations,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: o.Name,
				UID: types.UID(o.UID), Controller: &yes, BlockOwnerDeletion: &yes}},
		},
		Spec:   template.Spec,
		Status: o.Status(id),
	}
	pod.Spec.NodeName = id.Node
	return pod
}

// Template is that of the owner's pods.
func (o *Owner) Template() corev1.PodTemplateSpec {
	app := &o.application
	annotations := map[string]string{"checksum/config": app.checksum, "prometheus.io/port": fmt.Sprint(o.port)}
	for name, text := range app.annotations {
		annotations[name] = text
	}
	grace, links := int64(30), true
	spec := corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyAlways, DNSPolicy: corev1.DNSClusterFirst,
		TerminationGracePeriodSeconds: &grace, EnableServiceLinks: &links,
		ServiceAccountName: "default", DeprecatedServiceAccount: "default",
		SchedulerName: corev1.DefaultSchedulerName, SecurityContext: &corev1.PodSecurityContext{},
	}
	for i, name := range app.volumes {
		spec.Volumes = append(spec.Volumes, volume(name, i))
	}
	for i := range app.containers {
		spec.Containers = append(spec.Containers, app.containers[i].spec(app))
	}
	if app.spread {
		spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "topology.kubernetes.io/zone", WhenUnsatisfiable: corev1.ScheduleAnyway,
			LabelSelector: &metav1.LabelSelector{MatchLabels: o.Selector()}}}
	}
	if app.tolerant {
		spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: corev1.TolerationOpEqual,
			Value: app.name, Effect: corev1.TaintEffectNoSchedule}}
	}
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: o.Labels, Annotations: annotations}, Spec: spec}
}

func volume(name string, number int) corev1.Volume {
	v, mode := corev1.Volume{Name: name}, int32(420)
	switch number {
	case 0:
		v.ConfigMap = &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: name}, DefaultMode: &mode}
	case 1:
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	default:
		v.Secret = &corev1.SecretVolumeSource{SecretName: name, DefaultMode: &mode}
	}
	return v
}

func (c *container) spec(app *application) corev1.Container {
	no := false
	made := corev1.Container{
		Name: c.name, Image: c.image + ":" + app.version, Args: c.args,
		Ports:           []corev1.ContainerPort{{Name: "http", ContainerPort: c.port, Protocol: corev1.ProtocolTCP}},
		ReadinessProbe:  c.probe(),
		LivenessProbe:   c.probe(),
		ImagePullPolicy: corev1.PullIfNotPresent, TerminationMessagePath: "/dev/termination-log",
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: &no,
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse(fmt.Sprintf("%dm", c.cpu)),
				corev1.ResourceMemory: resource.MustParse(fmt.Sprintf("%dMi", c.memory))},
			Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(fmt.Sprintf("%dMi", 2*c.memory))}},
	}
	for _, pair := range c.env {
		made.Env = append(made.Env, corev1.EnvVar{Name: pair[0], Value: pair[1]})
	}
	made.Env = append(made.Env, corev1.EnvVar{Name: "POD_IP", ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"}}})
	for _, name := range app.volumes {
		made.VolumeMounts = append(made.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: "/var/lib/" + name})
	}
	return made
}

func (c *container) probe() *corev1.Probe {
	return &corev1.Probe{
		PeriodSeconds: c.period, TimeoutSeconds: 1, SuccessThreshold: 1, FailureThreshold: 3,
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: c.path, Port: intstr.FromString("http"), Scheme: corev1.URISchemeHTTP}},
	}
}

// Status is what a kubelet says of a pod that runs.
func (o *Owner) Status(id *Identity) corev1.PodStatus {
	created, started := stamp(id.Created), stamp(id.Started)
	status := corev1.PodStatus{
		Phase: corev1.PodRunning, QOSClass: corev1.PodQOSBurstable, StartTime: &created,
		PodIP: id.IP, PodIPs: []corev1.PodIP{{IP: id.IP}},
		HostIP: id.HostIP, HostIPs: []corev1.HostIP{{IP: id.HostIP}},
	}
	for _, condition := range []corev1.PodConditionType{corev1.PodReadyToStartContainers, corev1.PodInitialized,
		corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled} {
		at := started
		if condition == corev1.PodScheduled || condition == corev1.PodInitialized {
			at = created
		}
		status.Conditions = append(status.Conditions, corev1.PodCondition{
			Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: at})
	}
	up := true
	for i := range o.application.containers {
		c := &o.application.containers[i]
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.name, Image: c.image + ":" + o.application.version, ImageID: c.image + "@sha256:" + c.digest,
			ContainerID: id.ContainerIDs[i], Ready: true, Started: &up,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}}})
	}
	return status
}
