/**
 * The parts of this program, presented as the Deployments of Flux's controllers, so that `flux check` and `flux version` show which parts
 * run, and in which version. Read-only.
 */

import { deployment, replicaSet, service } from '../../foundations/kinds/deployment.ts'
import { installation } from '../../foundations/kinds/flux-operator.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { fluxVersion } from '../store/built-in-definitions.ts'
import type { Hub } from '../store/hub.ts'
import { rfc3339 } from '../store/time.ts'
import { virtualObjects } from './virtual-objects.ts'

export interface Components {
  /** The parts, by the names of Flux's controllers. */
  readonly names: readonly string[]
  /** As in an image tag: `v0.1.0`. */
  readonly version: string
  /** When this process started, in milliseconds since the epoch. */
  readonly since: number
}

const { namespace } = installation
/** The kinds of components, and Services, which clusters with workloads have and a hub does not. */
export const componentKinds = [deployment, replicaSet, service] as unknown as readonly Kind[]

/** Read access to the objects of these kinds. */
export const componentHub = ({ names, version, since }: Components): Pick<Hub, 'get' | 'list' | 'pages' | 'watch'> => {
  const objects = names.map((name, index) => shown(name, version, rfc3339(since), index))
  return {
    ...virtualObjects(async () => objects, { native: true }),
    // Nothing changes while the process runs.
    async *watch({ signal }) {
      await new Promise(resolve => {
        if (signal.aborted) resolve(undefined)
        signal.addEventListener('abort', resolve, { once: true })
      })
      yield* []
    },
  }
}

/** Image of a component. */
export const imageOf = (name: string, { version }: Pick<Components, 'version'>): string =>
  `keelson.dev/${name}:${version}`

const shown = (name: string, version: string, created: string, index: number): KubernetesObject => {
  const labels = {
    'app.kubernetes.io/component': name,
    'app.kubernetes.io/instance': namespace,
    'app.kubernetes.io/part-of': 'flux',
    'app.kubernetes.io/version': fluxVersion,
    'app.kubernetes.io/managed-by': 'keelson',
  }
  const one = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
  const available = {
    type: 'Available',
    status: 'True',
    reason: 'MinimumReplicasAvailable',
    message: 'part of this hub',
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace,
      labels,
      uid: `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: created,
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'manager', image: imageOf(name, { version }) }] },
      },
    },
    status: {
      observedGeneration: 1,
      ...one,
      conditions: [{ ...available, lastTransitionTime: created, lastUpdateTime: created }],
    },
  }
}
