import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import type { Impersonation } from '../../../../lib/clusters/client/kubeconfig.ts'
import { composeCloudAccess } from '../../../../lib/compose/cloud-access.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { PreviewedPlan } from '../../../../lib/foundations/kinds/plan.ts'
import type { ResourceSet, ResourceSetSpec } from '../../../../lib/foundations/kinds/resource-set.ts'
import type {
  InputProviderSpec,
  ResourceSetInputProvider,
} from '../../../../lib/foundations/kinds/resource-set-input-provider.ts'
import { isFluxKind } from '../../../../lib/foundations/rules/hub-placement.ts'
import type { EmbeddedPlatform } from '../../../../lib/platform/adapters/embedded/embedded-platform.ts'
import type { SignatureDemand } from '../../../../lib/reconcile/approvals/signatures.ts'
import { clusterReconciler } from '../../../../lib/reconcile/cluster/cluster.ts'
import { resourceSetReconciler } from '../../../../lib/reconcile/resource-set/resource-set.ts'
import type { ResourceSetSettings } from '../../../../lib/reconcile/resource-set/settings.ts'
import { defaultResourceSetSettings } from '../../../../lib/reconcile/resource-set/settings.ts'
import type { InputProviderSettings } from '../../../../lib/reconcile/resource-set-input-provider/context.ts'
import { inputProviderReconciler } from '../../../../lib/reconcile/resource-set-input-provider/resource-set-input-provider.ts'
import { dryRunAlone } from '../../../../lib/reconcile/runtime/dry-run-pass.ts'
import type { WatchedConfigs } from '../../../../lib/reconcile/runtime/hints.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { forgeClient } from '../../../../lib/sources/forge/forge-client.ts'
import type { CloudLogin } from '../../../../lib/sources/oci/cloud-login.ts'
import { ociClient } from '../../../../lib/sources/oci/oci-client.ts'
import { wires } from '../../../bed/wires.ts'
import { hubAsCluster, openWorld, shown, type World } from '../world.ts'

export const author = { fieldManager: 'someone' }

export const group = 'fluxcd.controlplane.io'
export const setRef: ObjectRef = { group, kind: 'ResourceSet', namespace: 'default', name: 'app' }
export const providerRef = (name: string): ObjectRef => ({ ...setRef, kind: 'ResourceSetInputProvider', name })

/** A template of a ConfigMap in the namespace `default`. */
export const configMap = (name: string, data: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...metadata },
  data,
})

type Marks = Readonly<Record<string, string>>

/** A hub with a ResourceSet `app` that applies to the hub itself, or to what `cluster` makes of it. */
export interface Scene extends World {
  /** Creates the ResourceSet, or replaces its spec (and annotations), and lets it be reconciled. */
  apply(spec: ResourceSetSpec, annotations?: Marks): Promise<void>
  provide(name: string, spec: InputProviderSpec, metadata?: object): Promise<void>
  create(object: object): Promise<void>
  change(ref: ObjectRef, patch: object): Promise<void>
  read(): Promise<ResourceSet | undefined>
  /** What a pass would change now. */
  preview(): Promise<PreviewedPlan>
  provider(name: string): Promise<ResourceSetInputProvider | undefined>
  /** A line each; how long things took is left out. */
  conditions(): Promise<readonly string[]>
  /** Ids in the inventory, in order. */
  inventory(): Promise<readonly string[]>
  /** Data of the ConfigMaps in `default` that are there, by name. */
  data(): Promise<Readonly<Record<string, unknown>>>
  /** Events of the ResourceSet, sorted: they come in no order. */
  events(): Promise<readonly string[]>
  /** How many requests that write the hub was sent by the apply engine. */
  writes(): number
}

export interface Staging {
  readonly cluster?: (hub: ClusterClient, impersonate?: Impersonation, isRemote?: boolean) => ClusterClient
  readonly settings?: Partial<ResourceSetSettings>
  readonly providerSettings?: Partial<InputProviderSettings>
  /** How registries of clouds are logged in to. */
  readonly cloudLogin?: CloudLogin
  /** Where the services of AWS are, in which we have an identity. */
  readonly awsEndpoint?: string
  /** Whether providers may name who they are to clouds. */
  readonly objectLevelWorkloadIdentity?: boolean
  /** Registries are spoken to without TLS, whatever the provider says. */
  readonly plainRegistries?: boolean
  /** Which sources of data are watched. */
  readonly isWatched?: WatchedConfigs
  /** Of a runner that counts signed approvals only. */
  readonly signatures?: SignatureDemand
}

export const onStage = async (staging: Staging, story: (scene: Scene) => Promise<void>) => {
  const { cluster = hub => hub, settings, cloudLogin, awsEndpoint, plainRegistries, isWatched } = staging
  let writes = 0
  let preview: Reconciler<ResourceSet>['preview']
  const world = await openWorld(
    ports => {
      const hub = hubAsCluster(ports)
      const counted: ClusterClient = {
        ...hub,
        apply: (object, options) => {
          if (!options.dryRun) writes++
          return hub.apply(object, options)
        },
      }
      const hubCluster = (impersonate?: Impersonation) => cluster(counted, impersonate)
      const remote = () => cluster(counted, undefined, true)
      const clusters = { fromKubeconfig: remote, fromConfigMap: async () => remote() }
      const registries = ociClient(ports.clock, wires())
      const oci: typeof registries = plainRegistries
        ? { ...registries, open: options => registries.open({ ...options, insecure: true }) }
        : registries
      const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
      const environment = { AWS_ENDPOINT_URL: awsEndpoint }
      const cloud = { fetch: fetch as never, clock: ports.clock, environment }
      const cloudAccess = composeCloudAccess(
        {
          hub: ports.hub,
          ...(cloudLogin && { login: cloudLogin }),
          ...(awsEndpoint && { identities: { aws: async () => credentials } }),
          accounts: { cloud, ownAws: async () => credentials, region: 'eu-west-1' },
        },
        { objectLevelWorkloadIdentity: staging.objectLevelWorkloadIdentity ?? false },
      )
      const shared = { ...ports, hubCluster, clusters, isOfHub: isFluxKind, hasReferrers: async () => false }
      const { objects, keys } = ports as unknown as EmbeddedPlatform
      const reconciler = resourceSetReconciler(
        { ...shared, objects, keys, signatures: staging.signatures },
        { ...defaultResourceSetSettings, pruneGuard: false, ...settings },
      )
      preview = reconciler.preview
      return [
        reconciler,
        inputProviderReconciler({
          ...shared,
          settings: { noCrossNamespaceRefs: false, ...staging.providerSettings },
          cloudAccess,
          forges: forgeClient(ports.clock, wires(), environment),
          oci,
        }),
        clusterReconciler(shared),
      ]
    },
    { isWatched },
  )
  const { hub, settle } = world
  const read = () => hub.get<ResourceSet>(setRef)
  try {
    await story({
      ...world,
      read,
      preview: async () =>
        preview!((await read())!, dryRunAlone({ signal: new AbortController().signal, startedAt: 0 })),
      async apply(spec, annotations) {
        const known = await read()
        const metadata = { ...known?.metadata, name: 'app', namespace: 'default', ...(annotations && { annotations }) }
        const object = { apiVersion: `${group}/v1`, kind: 'ResourceSet', metadata, spec }
        await (known ? hub.update(object, author) : hub.create(object, author))
        await settle()
      },
      async provide(name, spec, metadata = {}) {
        const object = { apiVersion: `${group}/v1`, kind: 'ResourceSetInputProvider', spec }
        await hub.create({ ...object, metadata: { name, namespace: 'default', ...metadata } }, author)
        await settle()
      },
      async create(object) {
        await hub.create(object as KubernetesObject, author)
        await settle()
      },
      async change(ref, patch) {
        await hub.patch(ref, { type: 'merge', patch }, author)
        await settle()
      },
      provider: name => hub.get<ResourceSetInputProvider>(providerRef(name)),
      conditions: async () => shown(await read()).map(line => line.replace(/(?<=finished in )\S+$/, '...')),
      inventory: async () => ((await read())?.status?.inventory?.entries ?? []).map(({ id }) => id),
      async data() {
        const { items } = await hub.list<KubernetesObject>({ group: '', kind: 'ConfigMap', namespace: 'default' })
        return Object.fromEntries(items.map(({ metadata, data }) => [metadata.name, data]))
      },
      events: async () =>
        (await world.eventsOf(setRef)).map(line => line.replace(/(?<=finished in )\S+$/, '...')).sort(),
      writes: () => writes,
    })
  } finally {
    await world.close()
  }
}
