/** The order in which Helm deletes kinds; others come last, by name. */
export const uninstallOrder: readonly string[] = [
  ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration', 'APIService', 'Ingress', 'IngressClass'],
  ...['Service', 'CronJob', 'Job', 'StatefulSet', 'HorizontalPodAutoscaler', 'Deployment', 'ReplicaSet'],
  ...['ReplicationController', 'Pod', 'DaemonSet', 'RoleBindingList', 'RoleBinding', 'RoleList', 'Role'],
  ...['ClusterRoleBindingList', 'ClusterRoleBinding', 'ClusterRoleList', 'ClusterRole', 'CustomResourceDefinition'],
  ...['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass', 'ConfigMap', 'SecretList', 'Secret'],
  ...['ServiceAccount', 'PodDisruptionBudget', 'PodSecurityPolicy', 'LimitRange', 'ResourceQuota', 'NetworkPolicy'],
  ...['Namespace', 'PriorityClass'],
]
