import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { onClusterChangeAnnotation } from '../../foundations/rules/cluster-binding.ts'

export const sampleNamespace = 'flux-system'

export interface SampleOptions {
  readonly gitUrl: string
  /** Signs the webhook for a push to the sample repository. */
  readonly webhookToken: string
  /** A kubeconfig of the target cluster; the hub itself if absent. */
  readonly kubeconfig?: string
}

/** The objects that reconcile the sample repository: what a user would write by hand. */
export const sampleObjects = ({ gitUrl, webhookToken, kubeconfig }: SampleOptions): readonly KubernetesObject[] => [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: sampleNamespace } },
  secret('sample-webhook', { token: webhookToken }),
  ...(kubeconfig ? [secret('sample-target', { value: kubeconfig })] : []),
  {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: named('sample'),
    spec: { interval: '10m', url: gitUrl, ref: { branch: 'main' } },
  },
  {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    // Starting the sample with another cluster means to use that one.
    metadata: { ...named('sample'), annotations: { [onClusterChangeAnnotation]: 'adopt' } },
    spec: {
      interval: '10m',
      path: './deploy',
      prune: true,
      sourceRef: { kind: 'GitRepository', name: 'sample' },
      ...(kubeconfig && { kubeConfig: { secretRef: { name: 'sample-target' } } }),
    },
  },
  {
    apiVersion: 'notification.toolkit.fluxcd.io/v1',
    kind: 'Receiver',
    metadata: named('sample'),
    spec: {
      type: 'generic-hmac',
      secretRef: { name: 'sample-webhook' },
      resources: [{ kind: 'GitRepository', name: 'sample' }],
    },
  },
]

const named = (name: string) => ({ name, namespace: sampleNamespace })

const secret = (name: string, stringData: Record<string, string>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: named(name),
  type: 'Opaque',
  stringData,
})
