import type { ClusterClient } from '../clusters/client/client.ts'
import { clusterClient } from '../clusters/client/cluster-client.ts'
import { connection } from '../clusters/client/connection.ts'
import { handlerTransport } from '../clusters/client/handler-transport.ts'
import type { Impersonation } from '../clusters/client/kubeconfig.ts'
import { builtInKinds } from '../foundations/kinds/all.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import type { KubernetesObject, ObjectRef, OwnerReference } from '../foundations/kinds/object.ts'
import { type IsOfHub, isFluxKind } from '../foundations/rules/hub-placement.ts'
import { once } from '../foundations/rules/once.ts'
import type { Components } from '../hub/apiserver/components.ts'
import {
  defaultTokenIssuer,
  type ServiceAccountTokens,
  serviceAccountTokens,
} from '../hub/apiserver/identity/service-account-tokens.ts'
import { type SigningKey, secretFor, signingKey } from '../hub/apiserver/identity/signing-key.ts'
import type { Authorizer } from '../hub/authorize/access.ts'
import { accessControl } from '../hub/authorize/access-control.ts'
import { receiptKeys } from '../hub/runs/receipt-keys.ts'
import { type SignRun, signRuns } from '../hub/runs/sign-run.ts'
import { hubController } from '../hub/store/changers.ts'
import { createHub, type ManagedHub } from '../hub/store/create-hub.ts'
import { hubDefinitions } from '../hub/store/definitions.ts'
import { parseLabelSelector } from '../hub/store/label-selector.ts'
import { withSecretReferences } from '../hub/store/secret-references.ts'
import { collectEmptyNamespaces } from '../reconcile/applied-objects/empty-namespaces.ts'
import { unusedCopies } from '../reconcile/applied-objects/unused-copies.ts'
import { createAddressing } from '../reconcile/runtime/addressing.ts'
import { createHints } from '../reconcile/runtime/hints.ts'
import type { Addressed } from '../reconcile/runtime/reconciler.ts'
import { createEventRecorder, type Occurrence } from '../signals/notify/event-recorder.ts'
import { componentNames } from './component-names.ts'
import type { ApiParts } from './hub-api.ts'
import type { CoreSettings, Ports } from './platform.ts'
import { version } from './version.ts'

/** A cluster with its own identity, or impersonating another. */
export type AsCluster = (impersonate?: Impersonation) => ClusterClient

/** The hub and what its API is made of, without the reconcilers, which it notifies through the queue. */
export interface ComposedHub {
  readonly hub: ManagedHub
  /** The hub as a cluster to apply to. */
  readonly hubCluster: AsCluster
  /** Tokens of ServiceAccounts. */
  readonly tokens: ServiceAccountTokens
  /** Signs the tokens of ServiceAccounts. */
  readonly signingKey: () => Promise<SigningKey>
  /** Signs Runs. */
  readonly signRun: SignRun
  /** A secret for names derived from confidential data. */
  readonly fetchSecret: () => Promise<Uint8Array>
  /** Authorizes users by the hub's roles, for everything else that acts on someone's behalf. */
  readonly authorizer: Authorizer
  /** The Flux kinds that belong on the hub rather than on clusters: all reconciled kinds, and those that need no reconciler. */
  readonly isOfHub: IsOfHub
  /** Whether any object of the hub refers to another one in its spec. */
  hasReferrers(ref: ObjectRef): Promise<boolean>
  /** The parts of this program, as controllers of Flux. */
  readonly components: Components
  /** The Flux kinds that belong on the hub. */
  fluxKinds(): readonly Kind[]
  /** The kinds that are reconciled. */
  reconciledKinds(): readonly Kind[]
  /** What `composeApi` makes the hub's Kubernetes API of. */
  readonly apiParts: ApiParts
}

/** The parts that reconcilers of appliers need. */
export type HubOfAppliers = Pick<ComposedHub, 'hub' | 'hubCluster' | 'isOfHub' | 'hasReferrers' | 'tokens'>

const defaultRolesMaxAgeMs = 5_000

/** A background controller of the hub. */
type BackgroundController = Pick<ManagedHub, 'prepare' | 'sweep' | 'settled'>

const withControllers = (
  hub: ManagedHub,
  others: readonly BackgroundController[],
  hintsSettled: () => Promise<void>,
): ManagedHub => ({
  ...hub,
  prepare: async () => {
    for (const one of [hub, ...others]) await one.prepare()
  },
  sweep: async () => {
    for (const one of [...others, hub]) await one.sweep()
  },
  settled: async () => {
    for (const one of [...others, hub]) await one.settled()
    await hintsSettled()
  },
})

/** The user that reconcilers apply to the hub as. */
const controller = { name: hubController, groups: ['system:masters'] }

/** `addressed` returns the kinds that are reconciled, here or elsewhere; it is only called later. */
export const composeHub = (
  ports: Ports,
  settings: CoreSettings,
  addressed: () => readonly Addressed[],
): ComposedHub => {
  const { clock, log } = ports
  const rolesMaxAgeMs = settings.rolesMaxAgeMs ?? defaultRolesMaxAgeMs
  const { watchConfigsLabelSelector: watched } = settings
  const isWatched = watched === undefined ? undefined : parseLabelSelector(watched)
  const onControllerError = (error: unknown) => log.error('a controller of roles or CRDs failed, retrying', { error })
  const definitions = hubDefinitions(
    builtInKinds,
    { hub: () => objects, clock, onError: onControllerError },
    rolesMaxAgeMs,
  )
  const { kinds } = definitions
  const objects = createHub({
    ...ports,
    kinds,
    maxFields: settings.maxObjectFields,
    eventTtlMs: settings.eventTtl,
    isReconciled: kind => addressing().has(kind),
    groupOf: object => addressing().groupOf(object),
    onChange: (ref, before, after) => {
      definitions.notice(ref, after)
      access.notice(ref, after)
      copies.notice(ref, before, after)
      hints()(ref, before, after)
    },
    onError: (ref, error) => log.error('background work failed, retrying', { ...ref, error }),
    onInvalidOwner: (dependent, owner) => recorder.record(dependent, invalidOwner(dependent, owner), garbageCollector),
  })
  const recorder = createEventRecorder({ hub: objects, clock })
  const access = accessControl({ hub: objects, clock, onError: onControllerError }, rolesMaxAgeMs)
  const copies = unusedCopies({
    hub: objects,
    onError: (ref, error) => log.error('failed to delete an unused copy, retrying', { ...ref, error }),
  })
  const targets: BackgroundController = {
    prepare: async () => {},
    sweep: async () => {
      await copies.sweep()
      await collectEmptyNamespaces({ hub: objects, kinds, clock })
    },
    settled: copies.settled,
  }
  const stored = withControllers(objects, [definitions, access, targets], () => hints().settled())
  const hub = ports.secretSource ? withSecretReferences(stored, ports.secretSource) : stored
  const addressing = once(() => createAddressing(hub, addressed()))
  const hints = once(() => createHints({ ...ports, hub, isWatched }, addressed()))
  const started = clock.now()
  const components = { names: [...componentNames, 'flux-operator'], version: `v${version}`, since: started }
  const isOfHub: IsOfHub = kind => isFluxKind(kind) && (unreconciled.has(kind.kind) || addressing().has(kind))
  const key = signingKey(ports)
  const receipts = receiptKeys(ports)
  const issuer = settings.tokenIssuer ?? defaultTokenIssuer
  const tokens = serviceAccountTokens({ ...ports, hub, key, issuer, maxExpirationMs: settings.maxTokenExpirationMs })
  const apiParts: ApiParts = {
    hub: stored,
    kinds,
    refreshKinds: definitions.refresh,
    clock,
    authorizer: access.authorizer,
    tokens,
    receiptKeys: receipts,
    unready: ports.unready,
    components,
    onError: (error, request) => log.error('request failed', { ...request, error }),
  }
  // Loaded with the first request: a runner, and most functions, apply to other clusters alone.
  const ownApi = once(async () => (await import('./hub-api.ts')).composeApi(apiParts, async () => controller))
  const inProcess = connection(
    'hub',
    handlerTransport(async request => (await ownApi())(request)),
    { clock },
  )
  return {
    hub,
    hubCluster: impersonate => clusterClient(inProcess, impersonate),
    tokens,
    signingKey: key,
    signRun: signRuns(receipts, log),
    fetchSecret: secretFor('fetches', key),
    authorizer: access.authorizer,
    isOfHub,
    hasReferrers: async ref => {
      for await (const _ of hub.referrers(ref)) return true
      return false
    },
    components,
    fluxKinds: () => kinds().kinds.filter(isOfHub),
    reconciledKinds: () => kinds().kinds.filter(kind => addressing().has(kind)),
    apiParts,
  }
}

/** Flux kinds whose objects are only read. */
const unreconciled = new Set(['ExternalArtifact', 'Provider', 'Alert'])

const garbageCollector = 'garbage-collector-controller'

/** Worded as in Kubernetes' garbage collector. */
const invalidOwner = ({ metadata: { namespace = '' } }: KubernetesObject, owner: OwnerReference): Occurrence => {
  const { apiVersion, kind, name, uid } = owner
  const reference = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`
  const message = `ownerRef ${reference} does not exist in namespace "${namespace}"`
  return { severity: 'error', reason: 'OwnerRefInvalidNamespace', message, quiet: true }
}
