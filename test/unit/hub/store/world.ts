import { builtInKinds, kindRegistry } from '../../../../lib/foundations/kinds/all.ts'
import type { KubernetesObject, ObjectRef, OwnerReference } from '../../../../lib/foundations/kinds/object.ts'
import type { HubPorts, ManagedHub } from '../../../../lib/hub/store/create-hub.ts'
import { createHub } from '../../../../lib/hub/store/create-hub.ts'
import { ApiError } from '../../../../lib/hub/store/hub.ts'
import type { EmbeddedOptions, EmbeddedPlatform } from '../../../../lib/platform/adapters/embedded/embedded-platform.ts'
import { embeddedPlatform } from '../../../../lib/platform/adapters/embedded/embedded-platform.ts'
import { endWithTest } from '../../../bed/teardown.ts'
import { disposableDir } from '../../../bed/temp-dir.ts'
import type { ManualClock } from '../../../contracts/manual-clock.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'

export interface HubWorld {
  readonly hub: ManagedHub
  readonly platform: EmbeddedPlatform
  readonly clock: ManualClock
  /** `created ConfigMap/default/a` and so on, as the hub told its listener. */
  readonly changes: string[]
  /** Another hub over the same store, which knows nothing of what the first was about to do: as after a crash. */
  restarted(): ManagedHub
}

export const registry = kindRegistry(builtInKinds)

/** A hub over real SQLite in a directory of the test's own, with the first namespaces; Kustomizations are reconciled kinds. */
export const hubWorld = async (
  overrides: Partial<HubPorts> = {},
  options: Pick<EmbeddedOptions, 'keepChanges'> = {},
): Promise<HubWorld> => {
  const dir = disposableDir()
  const clock = manualClock()
  const platform = await embeddedPlatform(dir.path, { ...options, clock })
  endWithTest({
    async [Symbol.asyncDispose]() {
      await hub.settled()
      await platform.close()
      await dir[Symbol.asyncDispose]()
    },
  })
  const changes: string[] = []
  const ports: HubPorts = {
    ...platform,
    kinds: () => registry,
    isReconciled: ({ kind }) => kind === 'Kustomization',
    onChange: ({ kind, namespace, name }, before, after) => {
      const what = before ? (after ? 'updated' : 'deleted') : 'created'
      changes.push(`${what} ${[kind, namespace, name].filter(Boolean).join('/')}`)
    },
    onError: (_, error) => {
      throw error
    },
    ...overrides,
  }
  const hub = createHub(ports)
  await hub.prepare()
  changes.length = 0
  return { hub, platform, clock, changes, restarted: () => createHub(ports) }
}

export const by = (fieldManager: string) => ({ fieldManager })

type Meta = Partial<KubernetesObject['metadata']>

export const configMap = (name: string, metadata: Meta = {}, data = { key: 'value' }): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...metadata },
  data,
})

export const kustomization = (name: string, spec: object = {}, metadata: Meta = {}): KubernetesObject => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name, namespace: 'default', ...metadata },
  spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' }, ...spec },
})

export const namespace = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
})

export const configMapRef = (name: string, inNamespace = 'default'): ObjectRef => ({
  group: '',
  kind: 'ConfigMap',
  namespace: inNamespace,
  name,
})

export const kustomizationRef = (name: string): ObjectRef => ({
  group: 'kustomize.toolkit.fluxcd.io',
  kind: 'Kustomization',
  namespace: 'default',
  name,
})

export const namespaceRef = (name: string): ObjectRef => ({ group: '', kind: 'Namespace', namespace: '', name })

/** What a refusal says, for comparing whole. */
export const refusalOf = async (attempt: Promise<unknown>): Promise<string> => {
  try {
    await attempt
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.reason}: ${error.message}`
    throw error
  }
  return 'no refusal'
}

export const ownedBy = (
  { apiVersion, kind, metadata }: KubernetesObject,
  more: Partial<OwnerReference> = {},
): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid!,
  ...more,
})

export const withoutFinalizers = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, finalizers: [] },
})

export const configMapsIn = async ({ hub }: HubWorld, inNamespace = 'default'): Promise<string[]> =>
  (await hub.list({ group: '', kind: 'ConfigMap', namespace: inNamespace })).items.map(({ metadata }) => metadata.name)
