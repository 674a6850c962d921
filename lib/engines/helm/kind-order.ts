/** The order in which Helm installs kinds; others come last, by name. */
export const installOrder: readonly string[] = [
  ...['PriorityClass', 'Namespace', 'NetworkPolicy', 'ResourceQuota', 'LimitRange', 'PodSecurityPolicy'],
  ...['PodDisruptionBudget', 'ServiceAccount', 'Secret', 'SecretList', 'ConfigMap', 'StorageClass'],
  ...['PersistentVolume', 'PersistentVolumeClaim', 'CustomResourceDefinition', 'ClusterRole', 'ClusterRoleList'],
  ...['ClusterRoleBinding', 'ClusterRoleBindingList', 'Role', 'RoleList', 'RoleBinding', 'RoleBindingList'],
  ...['Service', 'DaemonSet', 'Pod', 'ReplicationController', 'ReplicaSet', 'Deployment', 'HorizontalPodAutoscaler'],
  ...['StatefulSet', 'Job', 'CronJob', 'IngressClass', 'Ingress', 'APIService'],
  ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
]

/** Sorts by kind; the sort is stable. */
export const sortByKind = <T extends { readonly kind: string }>(items: readonly T[], order: readonly string[]): T[] => {
  const ranks = new Map(order.map((kind, rank) => [kind, rank]))
  return items.toSorted((a, b) => {
    const [first, second] = [ranks.get(a.kind), ranks.get(b.kind)]
    if (first !== undefined && second !== undefined) return first - second
    if (first === undefined && second === undefined) return a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0
    return first === undefined ? 1 : -1
  })
}
