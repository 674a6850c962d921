import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApplyAllOptions, applyAll } from '../../lib/clusters/apply/apply-all.ts'
import { type ChangeSet, describeChange } from '../../lib/clusters/apply/change-set.ts'
import type { ClusterClient } from '../../lib/clusters/client/client.ts'
import { clusters } from '../../lib/clusters/client/clusters.ts'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { inventoryEntry } from '../../lib/foundations/rules/inventory.ts'
import { cluster } from '../bed/cluster.ts'

/** Ten times slower than time: a busy machine takes longer to establish definitions than the engine has patience. */
export const clock = {
  now: () => Date.now(),
  monotonic: () => performance.now() / 10,
  sleep: (ms: number, signal?: AbortSignal) => sleep(ms, undefined, { signal }),
}
export const owner = { group: 'kustomize.toolkit.fluxcd.io', namespace: 'flux-system', name: 'app' }
export const labels = {
  'kustomize.toolkit.fluxcd.io/name': 'app',
  'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
}
export const ssa = (policy: string) => ({ annotations: { 'kustomize.toolkit.fluxcd.io/ssa': policy } })

export const told = (changes: ChangeSet): string[] => changes.map(describeChange)

export const managers = ({ metadata }: KubernetesObject) =>
  metadata.managedFields
    ?.map(({ manager, operation, subresource }) => [manager, operation, subresource].filter(Boolean).join('/'))
    .sort()

export type ApplyBed = Awaited<ReturnType<typeof applyBed>>

/** A cluster, our client to it, and namespaces of a test's own. To be called at the top level of a file, with which it goes. */
export async function applyBed() {
  const bed = await cluster()
  const remotes = clusters({ clock })
  const target = remotes.fromKubeconfig(readFileSync(bed.kubeconfig, 'utf8'))
  after(() => remotes.close())

  let count = 0
  /** A namespace of the test's own, with ways to make objects in it. */
  const space = async () => {
    const namespace = `apply-${++count}`
    await bed.kubectl('create', 'namespace', namespace)
    const object = (apiVersion: string, kind: string, name: string, fields: object = {}, metadata: object = {}) => ({
      apiVersion,
      kind,
      metadata: { name, namespace, ...metadata },
      ...fields,
    })
    return {
      namespace,
      object,
      configMap: (name: string, data: object = { key: 'value' }, metadata: object = {}, fields: object = {}) =>
        object('v1', 'ConfigMap', name, { data, ...fields }, metadata),
      live: async (kind: string, name: string) =>
        bed.get<KubernetesObject>('-n', namespace, '--show-managed-fields', kind, name),
      patch: (kind: string, name: string, patch: object, manager: string) =>
        bed.kubectl(
          '-n',
          namespace,
          'patch',
          kind,
          name,
          '--type=merge',
          `--field-manager=${manager}`,
          '-p',
          JSON.stringify(patch),
        ),
    }
  }

  /** Applies as a Kustomization does whose inventory holds all these objects. */
  const applyTo = async (
    client: ClusterClient,
    objects: readonly KubernetesObject[],
    options: Partial<ApplyAllOptions> = {},
  ) => {
    const recorded = new Set(objects.map(object => inventoryEntry(object).id))
    const { changes, waitingFor } = await applyAll(client, objects, {
      fieldManager: 'kustomize-controller',
      owner,
      recorded,
      clock,
      ...options,
    })
    assert.deepEqual(waitingFor, [])
    return told(changes)
  }
  const apply = (objects: readonly KubernetesObject[], options?: Partial<ApplyAllOptions>) =>
    applyTo(target, objects, options)
  /** Applies as somebody whom the cluster's administrator impersonates. */
  const applyAs = (user: string, objects: readonly KubernetesObject[]) =>
    applyTo(remotes.fromKubeconfig(readFileSync(bed.kubeconfig, 'utf8'), { user }), objects)
  return { bed, remotes, target, space, apply, applyAs }
}
